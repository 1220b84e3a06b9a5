import Access
import DaybookAPI
import HTTPEdge
import HTTPTypes
import Logging
import Operations

extension WebConsole {
    /// Adds the route of a form that changes the ledger, for keys with the permission.
    ///
    /// - Parameter span: The longest duration of the request.
    func addForm(
        _ template: String,
        needs permission: Permission,
        span: RouteOptions.Span = .bounded,
        to router: inout EdgeRouter<Principal>,
        _ handle: @escaping @Sendable (Visit, FormFields) async throws -> EdgeResponse
    ) {
        router.on(.post, template, RouteOptions(bodyLimitBytes: FormFields.limitBytes, span: span)) { request in
            try await reported(request) {
                let (visit, fields) = try await submitted(request)
                guard let visit else { return redirect(to: "\(Address.root)/sign-in") }
                do {
                    return try await API.mapping {
                        guard visit.may(permission) else { throw Problem.missing(permission.scopes) }
                        return try await handle(visit, fields)
                    }
                } catch let problem as Problem {
                    return try write(page(about: problem), visit, request)
                }
            }
        }
    }

    /// The session and the fields of a submitted form. Without a session the visit is nil, and the form has no effect.
    ///
    /// - Throws: `form-not-trusted` for a form that does not carry the token of the session.
    func submitted(_ request: Request) async throws -> (Visit?, FormFields) {
        let fields = try await FormFields(request)
        guard let visit = try await visit(request) else { return (nil, fields) }
        guard visit.token.accepts(fields["form"] ?? "") else {
            request.logger.notice("a form without its token was refused", metadata: ["route": "\(request.template)"])
            throw Problem(
                status: 403,
                code: "form-not-trusted",
                title: "The form was not sent by this console",
                detail: "Go back, reload the page and send the form again."
            )
        }
        return (visit, fields)
    }
}
