import Access
import Canonical
import Composition
import DaybookAPI
import HTTPEdge
import HTTPTypes
import Logging
import Operations
import Projections

extension WebConsole {
    func addSignIn(to router: inout EdgeRouter<Principal>) {
        let form = RouteOptions(bodyLimitBytes: FormFields.limitBytes)
        router.on(.get, "/console/sign-in") { request in
            try await reported(request) { try await signInForm(request) }
        }
        router.on(.post, "/console/sign-in", form) { request in
            try await reported(request) { try await signIn(request) }
        }
        router.on(.post, "/console/sign-out", form) { request in
            try await reported(request) { try await signOut(request) }
        }
        router.on(.post, "/console/zone", form) { request in
            try await reported(request) { try await chooseZone(request) }
        }
    }

    /// The answer of a form, with a problem as a page.
    func reported(
        _ request: Request,
        _ answer: () async throws -> EdgeResponse
    ) async throws -> EdgeResponse {
        do {
            return try await API.mapping(answer)
        } catch let problem as Problem {
            return try write(page(about: problem), nil, request)
        }
    }

    private func signInForm(_ request: Request) async throws -> EdgeResponse {
        let back = Address.inside(request.target.parameters.last { $0.name == "back" }?.value)
        if try await visit(request) != nil { return redirect(to: back ?? Address.root) }
        return try signInPage(request, back: back, problem: nil)
    }

    /// - Parameter problem: The reason why the last attempt failed.
    private func signInPage(_ request: Request, back: String?, problem: String?) throws -> EdgeResponse {
        let known = ConsoleCookies(request.fields)[ConsoleCookies.form].flatMap(SessionToken.init)
        var random = SystemRandomNumberGenerator()
        let token = known ?? SessionToken(random: &random)
        var page = Page(
            "signIn",
            "Sign in",
            ["problem": .given(problem), "back": .given(back), "formToken": .text(token.formToken)]
        )
        if problem != nil { page.status = 403 }
        var response = try write(page, nil, request)
        response.fields.append(
            ConsoleCookies.setting(ConsoleCookies.form, token.secret, seconds: 3600, isSecure: isSecure(request))
        )
        return response
    }

    private func signIn(_ request: Request) async throws -> EdgeResponse {
        let fields = try await FormFields(request)
        let back = Address.inside(fields["back"])
        let cookie = ConsoleCookies(request.fields)[ConsoleCookies.form].flatMap(SessionToken.init)
        guard let cookie, cookie.accepts(fields["form"] ?? "") else {
            let problem =
                "The form is too old, or the browser sent no cookie. Over plain HTTP it sends one to localhost only; "
                + "elsewhere the console needs HTTPS."
            return try signInPage(request, back: back, problem: problem)
        }
        let presented = (fields["key"] ?? "").drop { $0 == " " }.prefix { $0 != " " }
        guard let principal = try await ledger.keys.principal(of: String(presented)),
            let token = try await sessions.open(keyID: principal.keyID)
        else {
            // A valid key never waits, because all users behind one proxy have the same address.
            if let seconds = gate.failed(request.peer, at: ledger.clock.now()) { throw Problem.tooManyKeys(seconds) }
            request.logger.notice("a key was refused", metadata: ["route": "\(request.template)"])
            return try signInPage(request, back: back, problem: "The key is unknown, expired or revoked.")
        }
        request.principal = principal
        var response = redirect(to: back ?? Address.root)
        let seconds = SessionStore.spanMicroseconds / 1_000_000
        let isSecure = isSecure(request)
        response.fields.append(
            ConsoleCookies.setting(ConsoleCookies.session, token.secret, seconds: seconds, isSecure: isSecure)
        )
        response.fields.append(ConsoleCookies.setting(ConsoleCookies.form, nil, seconds: 0, isSecure: isSecure))
        return response
    }

    private func signOut(_ request: Request) async throws -> EdgeResponse {
        let (visit, _) = try await submitted(request)
        if let visit { try await sessions.close(visit.token) }
        var response = redirect(to: "\(Address.root)/sign-in")
        response.fields.append(
            ConsoleCookies.setting(ConsoleCookies.session, nil, seconds: 0, isSecure: isSecure(request))
        )
        return response
    }

    private func chooseZone(_ request: Request) async throws -> EdgeResponse {
        let (visit, fields) = try await submitted(request)
        guard visit != nil else { return redirect(to: "\(Address.root)/sign-in") }
        guard let zone = fields["zone"].flatMap(Zone.init) else {
            throw Problem(
                status: 400,
                code: "invalid-zone",
                title: "There is no such time zone",
                detail: "Zones are named as in the time zone database: UTC, Europe/Berlin, America/New_York."
            )
        }
        var response = redirect(to: Address.inside(fields["back"]) ?? Address.root)
        response.fields.append(zoneCookie(zone, request))
        return response
    }
}

extension Problem {
    fileprivate static func tooManyKeys(_ seconds: Int) -> Problem {
        Problem(
            status: 429,
            code: "too-many-attempts",
            title: "Too many wrong keys from this address",
            detail: "Try again in \(seconds, "second").",
            retryable: true,
            retryAfterSeconds: seconds
        )
    }
}
