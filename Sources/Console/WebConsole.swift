package import Access
import Canonical
package import Composition
import DaybookAPI
package import HTTPEdge
import HTTPTypes
import Operations
import Payments
import Projections

/// The options of the console.
package struct ConsoleOptions: Sendable {
    /// Whether cookies are always `Secure`. Else they are `Secure` unless the browser names a loopback host.
    package var requiresTLS = false
    /// The version of this build on the page about the system.
    package var version = "development"

    package init() {}
}

/// The console under `/console`: pages for operators, from the same read models as the API.
package struct WebConsole: Sendable {
    package typealias Request = EdgeRequest<Principal>

    let ledger: Ledger
    let sessions: SessionStore
    let options: ConsoleOptions
    let renderer: PageRenderer
    let assets = ConsoleAssets()
    let gate = SignInGate()

    /// - Throws: If a built-in template cannot be read.
    package init(ledger: Ledger, options: ConsoleOptions = ConsoleOptions()) throws {
        self.ledger = ledger
        self.options = options
        sessions = SessionStore(pool: ledger.pool, clock: ledger.clock)
        renderer = try PageRenderer()
    }

    /// The routes. They authenticate by sessions.
    package func router() -> EdgeRouter<Principal> {
        var router = EdgeRouter<Principal>()
        router.use { request, next in try await ledger.inPresentEpoch { try await next(request) } }
        router.on(.get, "/console/assets/{digest}/{name}") { try assets.answer($0) }
        addSignIn(to: &router)
        addToday(to: &router)
        addTransactions(to: &router)
        addTotals(to: &router)
        addJournal(to: &router)
        addAccounts(to: &router)
        addReceivables(to: &router)
        addPayables(to: &router)
        addFees(to: &router)
        addExports(to: &router)
        addBatches(to: &router)
        addCheckouts(to: &router)
        addStatements(to: &router)
        addReconciliation(to: &router)
        addExceptions(to: &router)
        addDisputes(to: &router)
        addPeriods(to: &router)
        addMerchants(to: &router)
        addReaders(to: &router)
        addWorklists(to: &router)
        addDoubts(to: &router)
        addProposals(to: &router)
        addReplays(to: &router)
        addAnomalies(to: &router)
        addEvents(to: &router)
        addSystem(to: &router)
        addSearch(to: &router)
        addLive(to: &router)
        router.on(.get, Self.anythingElse) { request in
            // Users type this address.
            if request.target.segments == ["console", ""] { return redirect(to: Address.root) }
            return try await shown(request) { visit in
                try await answer(visit, Scope.allCases) { _ in throw Problem.notFound }
            }
        }
        return router
    }

    static let anythingElse = "/console/{path...}"

    // MARK: Pages

    /// Adds the route of a view for keys with one of the scopes. Its page names the same requests of the API.
    func addPage(
        _ view: ConsoleView,
        needs scopes: [Scope],
        to router: inout EdgeRouter<Principal>,
        _ build: @escaping @Sendable (Visit) async throws -> PageAnswer
    ) {
        router.on(.get, view.rawValue) { request in
            try await shown(request) { visit in
                try await answer(visit, scopes) { visit in
                    let answer = try await containingOwnWrites(visit) { try await build(visit) }
                    guard case .page(var page) = answer else { return answer }
                    let place = page.place ?? visit.place
                    page.values["zoneNote"] = .given(page.zoneNote ?? visit.zoneNote)
                    page.values["same"] = .members(["calls": .list(view.equivalents(at: place).map(\.value))])
                    return .page(page)
                }
            }
        }
    }

    /// Adds the route of a file for keys with one of the scopes.
    func addFile(
        _ path: String,
        needs scopes: [Scope],
        to router: inout EdgeRouter<Principal>,
        _ build: @escaping @Sendable (Visit) async throws -> EdgeResponse
    ) {
        router.on(.get, path) { request in
            try await shown(request) { visit in
                try await answer(visit, scopes) { visit in
                    try await containingOwnWrites(visit) { .other(try await build(visit)) }
                }
            }
        }
    }

    /// Builds a page about one item from read models that contain every write that this server acknowledged before. An
    /// item that is missing from a read model that is behind may still exist, and is no 404.
    private func containingOwnWrites(_ visit: Visit, _ build: () async throws -> PageAnswer) async throws -> PageAnswer
    {
        let isBehind = visit.request.parameters.isEmpty ? false : try await !ledger.waitForOwnWrites()
        do {
            return try await API.mapping(build)
        } catch let problem as Problem where isBehind && problem.status == 404 {
            throw Refusal.projectionBehind()
        }
    }

    /// Shows a page to a user with a session. Other users are redirected to the sign-in.
    private func shown(
        _ request: Request,
        _ show: (Visit) async throws -> EdgeResponse
    ) async throws -> EdgeResponse {
        do {
            return try await API.mapping {
                // A page that renews itself does not extend the session.
                guard let visit = try await visit(request, isUse: request.fields[.looksOn] == nil) else {
                    let back = request.head.target == Address.root ? [] : [("back", request.head.target)]
                    return redirect(to: Address.path("\(Address.root)/sign-in", back))
                }
                return try await show(visit)
            }
        } catch let problem as Problem {
            return try write(page(about: problem), nil, request)
        }
    }

    private func answer(
        _ visit: Visit,
        _ scopes: [Scope],
        _ build: (Visit) async throws -> PageAnswer
    ) async throws -> EdgeResponse {
        do {
            guard visit.may(scopes) else { throw Problem.missing(scopes) }
            let answer = try await API.mapping { try await build(visit) }
            var response =
                switch answer {
                case .page(let page): try write(page, visit, visit.request)
                case .redirect(let address): redirect(to: address)
                case .other(let response): response
                }
            if let zone = visit.request.target.parameters.last(where: { $0.name == "zone" }),
                zone.value == visit.zone.name
            {
                response.fields.append(zoneCookie(visit.zone, visit.request))
            }
            return response
        } catch let problem as Problem {
            // With the navigation, because the session is valid.
            return try write(page(about: problem), visit, visit.request)
        }
    }

    /// The visit of the signed-in operator; nil without a session.
    func visit(_ request: Request, isUse: Bool = true) async throws -> Visit? {
        let cookies = ConsoleCookies(request.fields)
        guard let token = cookies[ConsoleCookies.session].flatMap(SessionToken.init),
            let session = try await sessions.session(of: token, isUse: isUse)
        else { return nil }
        request.principal = session.principal
        let asked = request.target.parameters.last { $0.name == "zone" }.flatMap { Zone($0.value) }
        var visit = Visit(
            request: request,
            token: token,
            session: session,
            zone: asked ?? cookies[ConsoleCookies.zone].flatMap { Zone($0) } ?? .utc,
            namesZone: asked != nil,
            now: ledger.clock.now()
        )
        // A page about one merchant uses its time zone.
        if let merchant = request.target.parameters.last(where: { $0.name == "merchant" })?.value, !merchant.isEmpty {
            visit.adopt(try await ledger.payments.merchants.merchant(merchant, of: visit.tenant))
        }
        return visit
    }

    // MARK: Answers

    /// Writes a page into the layout.
    func write(_ page: Page, _ visit: Visit?, _ request: Request) throws -> EdgeResponse {
        var values = page.values
        values["title"] = .text(page.title)
        values["css"] = .text(assets.address("console.css"))
        values["icon"] = .text(assets.address("icon.svg"))
        values["script"] = .text(assets.address("console.js"))
        values["proofScript"] = .text(assets.address("proof.js"))
        if let visit {
            let path = String(request.head.target.prefix { $0 != "?" })
            values["visitor"] = .members([
                "tenant": .text(visit.tenant),
                "key": .text(visit.session.keyName.isEmpty ? visit.session.principal.keyID : visit.session.keyName),
                "formToken": .text(visit.token.formToken), "zone": .text(visit.zone.name),
                "zones": .list(Zone.offered.map(PageValue.text)), "here": .text(request.head.target),
                "ends": Cell.time(visit.session.expiresAt, in: visit.zone).value,
                "query": .text(path == "\(Address.root)/search" ? FormQuery(visit)["q"] ?? "" : ""),
                "sections": .list(
                    ConsoleSection.allCases.map { section in
                        .members([
                            "name": .text(section.title), "href": .text(section.address),
                            "current": .given(section.contains(path)),
                        ])
                    }
                ),
            ])
        }
        let bytes = try renderer.page(page.template, .object(values))
        var response = EdgeResponse.bytes(bytes, type: "text/html; charset=utf-8", status: .init(code: page.status))
        if let seconds = page.retryAfterSeconds { response.fields[.retryAfter] = "\(seconds)" }
        response.fields[.contentSecurityPolicy] = Self.policy
        response.fields[.cacheControl] = "no-store"
        response.fields[.crossOriginOpenerPolicy] = "same-origin"
        return response
    }

    func redirect(to address: String) -> EdgeResponse {
        EdgeResponse(status: .seeOther, fields: [.location: address, .cacheControl: "no-store"])
    }

    func page(about problem: Problem) -> Page {
        var page = Page(
            "problem",
            problem.title,
            [
                "detail": .given(problem.detail), "code": .text(problem.code),
                "parameter": .given(problem.extensions["parameter"]?.string), "retryable": .given(problem.retryable),
            ]
        )
        page.status = problem.status
        page.retryAfterSeconds = problem.retryAfterSeconds
        return page
    }

    /// Scripts and styles come from the console only. Nothing else is loaded or framed, and forms are sent nowhere
    /// else.
    private static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

    /// Whether cookies must be `Secure`. A browser on the same machine uses plain HTTP to a loopback host; all others
    /// are expected to use TLS.
    func isSecure(_ request: Request) -> Bool {
        guard !options.requiresTLS else { return true }
        let host = request.fields[.hostField] ?? ""
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
        return !["localhost", "127.0.0.1", "[::1"].contains(String(name))
    }

    func zoneCookie(_ zone: Zone, _ request: Request) -> HTTPField {
        ConsoleCookies.setting(ConsoleCookies.zone, zone.name, seconds: 365 * 86_400, isSecure: isSecure(request))
    }
}

extension Problem {
    static func missing(_ scopes: [Scope]) -> Problem {
        let names = scopes.map(\.rawValue).joined(separator: " or ")
        return Problem(
            status: 403,
            code: "insufficient-scope",
            title: "Your key may not see this",
            detail: "This page needs a key with the scope \(names). Sign out, and in again with another key."
        )
    }
}

extension HTTPField.Name {
    fileprivate static let hostField = HTTPField.Name("Host")!  // a literal token
    /// The position of the log that a page that renews itself must contain.
    static let looksOn = HTTPField.Name("Daybook-Looks-On")!  // a literal token
    fileprivate static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!  // a literal token
}

/// The sections of the navigation.
enum ConsoleSection: String, CaseIterable {
    case today = ""
    case transactions, checkouts, batches, statements, reconciliation, exceptions, disputes, periods
    case journal, doubts, proposals, replays, anomalies, duplicates, merchants, readers, events, system

    var title: String {
        switch self {
        case .today: "Today"
        case .transactions: "Transactions"
        case .checkouts: "Checkouts"
        case .batches: "Batches"
        case .statements: "Statements"
        case .reconciliation: "Reconciliation"
        case .exceptions: "Exceptions"
        case .disputes: "Disputes"
        case .periods: "Closed days"
        case .journal: "Journal"
        case .merchants: "Merchants"
        case .readers: "Readers"
        case .doubts: "In doubt"
        case .proposals: "Proposals"
        case .replays: "Replays"
        case .anomalies: "Anomalies"
        case .duplicates: "Duplicates"
        case .events: "Audit log"
        case .system: "System"
        }
    }

    var address: String { self == .today ? Address.root : "\(Address.root)/\(rawValue)" }

    func contains(_ path: String) -> Bool {
        let addresses = self == .journal ? [address] + Self.books.map(\.rawValue) : [address]
        return addresses.contains { path == $0 || self != .today && path.hasPrefix($0 + "/") }
    }

    /// The views of the journal beside its entries.
    private static let books: [ConsoleView] = [
        .trialBalance, .accounts, .receivables, .cashForecast, .tips, .taxes, .fees, .exports,
    ]
}
