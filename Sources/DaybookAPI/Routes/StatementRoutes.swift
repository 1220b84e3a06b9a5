import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Intake
import Operations
import Payments
import Projections
import Reconciliation
import Statements

extension API {
    /// A file is held in memory while it is read; larger files are imported by the command line.
    private static let statementLimit = 32 << 20
    private static let withdrawalLimit = 16 << 10
    private static let statementTypes = [
        "text/csv", "text/plain", "application/xml", "text/xml", "application/json", "application/octet-stream",
        formType,
    ]
    /// A file with its mapping.
    private static let formType = "multipart/form-data"

    func addStatements(to router: inout EdgeRouter<Principal>) {
        router.on(.post, "/v1/statements", .init(bodyLimitBytes: Self.statementLimit, span: .stream)) {
            try await importStatement($0)
        }
        router.on(.get, "/v1/statements/{id}") { try await statement($0) }
        router.on(.post, "/v1/statements/{id}/withdraw", .init(bodyLimitBytes: Self.withdrawalLimit)) {
            try await withdraw($0)
        }
    }

    private func statement(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        let deadline = self.deadline
        try await waitForWrites(&query, in: "statements", until: deadline)
        try query.finish()
        let position = try await position(of: moment, in: "statements", until: deadline)
        guard let found = try await ledger.statement(id, of: principal.tenant, at: position) else {
            throw Problem.notFound
        }
        return try .document(found)
    }

    /// `{"reason": "..."}`: proposes that its lines do not count any more.
    private func withdraw(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        let body = try CommandBody(try await Self.storableJSON(request), members: ["reason"])
        let outcome = try await ledger.reconciliation.statementCommands.withdraw(
            id,
            reason: try body.reason(),
            idempotencyKey: key,
            sender: sender(principal, request)
        )
        switch outcome {
        case .proposed(let proposal): return try Self.answer(proposal)
        case .withdrawn(let outcome): return try await answer(outcome, id, of: principal.tenant)
        }
    }

    private func answer(
        _ outcome: StatementCommands.Outcome,
        _ id: UUID128,
        of tenant: String
    ) async throws -> EdgeResponse {
        try await wait(for: outcome.position, in: "statements")
        guard let found = try await ledger.reconciliation.statements.statement(id, of: tenant) else {
            throw Problem.notFound
        }
        var response = try EdgeResponse.document(StatementJSON(found), status: .created)
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// Imports a file, completely or not at all.
    private func importStatement(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        var query = request.query
        let wanted = try StatementImporter.Request(&query)
        try query.finish()
        let type = try request.mediaType(among: Self.statementTypes)
        return try await uploads.withPlace {
            let body = try await request.body.collect(limit: Self.statementLimit)
            guard type == Self.formType else {
                return try await importStatement(request, body, wanted, by: principal)
            }
            let form = try MultipartForm(body, contentType: request.fields[.contentType] ?? "")
            let (file, mapped) = try Self.file(in: form, wanted)
            return try await importStatement(request, file, mapped, by: principal)
        }
    }

    /// `file`, and `mapping` if it has one.
    private static func file(
        in form: MultipartForm,
        _ wanted: StatementImporter.Request
    ) throws -> ([UInt8], StatementImporter.Request) {
        guard form.parts.allSatisfy({ ["file", "mapping"].contains($0.name) }),
            Set(form.parts.map(\.name)).count == form.parts.count,
            let file = form.parts.first(where: { $0.name == "file" })
        else { throw MultipartForm.malformed("Send `file` once and, where it is read by one, `mapping` once.") }
        var wanted = wanted
        if wanted.name == nil { wanted.name = file.fileName.map { String($0.prefix(256)) } }
        if let mapping = form.parts.first(where: { $0.name == "mapping" }) {
            try wanted.use(mapping: Array(mapping.bytes))
        }
        return (Array(file.bytes), wanted)
    }

    private func importStatement(
        _ request: Request,
        _ bytes: [UInt8],
        _ wanted: StatementImporter.Request,
        by principal: Principal
    ) async throws -> EdgeResponse {
        let sender = Sender(tenant: principal.tenant, actor: principal.actor, correlation: request.id)
        let outcome = try await ledger.reconciliation.importer.import(StatementBytes(bytes), wanted, sender: sender)
        try await wait(for: outcome.position, in: "statements")
        guard let found = try await ledger.reconciliation.statements.statement(outcome.id, of: principal.tenant) else {
            throw Problem.internal
        }
        var response = try EdgeResponse.document(StatementJSON(found), status: outcome.isRepeat ? .ok : .created)
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isRepeat { response.fields[.idempotencyReplayed] = "true" }
        return response
    }
}
