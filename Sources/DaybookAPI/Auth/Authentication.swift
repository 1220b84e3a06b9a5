import Access
import Composition
import HTTPEdge
import HTTPTypes
import Logging

extension API {
    /// Authenticates the caller by key. Every route added after this one has a principal.
    func authenticate(
        _ request: Request,
        _ next: EdgeRouter<Principal>.Handler
    ) async throws -> EdgeResponse {
        guard let field = request.fields[.authorization] else { throw Problem.unauthenticated }
        guard let key = Self.bearer(field) else { throw Problem.unauthenticated }
        guard let principal = try await ledger.keys.principal(of: key) else {
            request.logger.notice("a key was refused", metadata: ["route": "\(request.template)"])
            throw Problem.invalidKey
        }
        request.principal = principal
        return try await next(request)
    }

    /// The key in an `Authorization` field; nil for another scheme.
    private static func bearer(_ field: String) -> String? {
        // As almost every client writes it.
        let (usual, bytes) = ("Bearer dbk_".utf8, field.utf8)
        if bytes.starts(with: usual) { return String(Substring(bytes.dropFirst("Bearer ".utf8.count))) }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    /// The principal of the request, if its key has one of the scopes.
    ///
    /// - Throws: `insufficient-scope`.
    func principal(_ request: Request, _ scopes: Scope...) throws(Problem) -> Principal {
        try principal(request, scopes)
    }

    func principal(_ request: Request, _ scopes: [Scope]) throws(Problem) -> Principal {
        guard let principal = request.principal else { throw .unauthenticated }
        guard !principal.scopes.isDisjoint(with: scopes) else {
            request.logger.notice(
                "a scope was missing",
                metadata: ["route": "\(request.template)", "key": "\(principal.keyID)"]
            )
            throw .insufficientScope(scopes)
        }
        return principal
    }
}

extension Problem {
    static let unauthenticated = Problem(
        status: 401,
        code: "unauthenticated",
        title: "No credential",
        detail: "Send `Authorization: Bearer dbk_...`; `daybook keys create` makes a key.",
        fields: [.wwwAuthenticate: "Bearer"]
    )

    static let invalidKey = Problem(
        status: 401,
        code: "invalid-key",
        title: "The key is not valid",
        detail: "The key is unknown, expired or revoked.",
        fields: [.wwwAuthenticate: "Bearer error=\"invalid_token\""]
    )

    static func insufficientScope(_ scopes: [Scope]) -> Problem {
        let names = scopes.map(\.rawValue).joined(separator: " or ")
        return Problem(
            status: 403,
            code: "insufficient-scope",
            title: "The key may not do this",
            detail: "This needs the scope \(names)."
        )
    }
}
