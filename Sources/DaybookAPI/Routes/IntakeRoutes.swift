import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Intake
import Operations
import Payments

extension API {
    /// The most bytes of a single record; a vendor's document has a few kilobytes.
    private static let recordLimit = 1 << 20
    private static let streamLimit = 1 << 30
    private static let window = LineWindowLimits(lines: 250, bytes: 1 << 20)

    func addIntake(to router: inout EdgeRouter<Principal>) {
        let options = RouteOptions(
            bodyLimitBytes: Self.streamLimit,
            span: .stream,
            spanMediaTypes: ["application/x-ndjson"]
        )
        router.on(.post, "/v1/intake/{vendor}", options) { request in
            let principal = try authorized(request)
            let sender = Sender(
                tenant: principal.tenant,
                actor: principal.actor,
                correlation: request.id,
                binding: SenderBinding(principal.binding.values),
                vouches: !principal.scopes.isDisjoint(with: Permission.sendEvidence.scopes)
            )
            let vendor = try request.parameter("vendor")
            let key = try idempotencyKey(request)
            try request.query.finish()
            switch try request.mediaType(among: ["application/json", "application/x-ndjson"]) {
            case "application/x-ndjson":
                guard key == nil else { throw Problem.idempotencyKeyOnStream }
                try await tracing(vendor, sender) { try request.body.checkAnnounced() }
                return records(request, vendor: vendor, sender: sender)
            default: return try await record(request, vendor: vendor, key: key, sender: sender)
            }
        }
    }

    private func record(_ request: Request, vendor: String, key: String?, sender: Sender) async throws -> EdgeResponse {
        let bytes = try await tracing(vendor, sender) { try await request.body.collect(limit: Self.recordLimit) }
        let answer = try await ledger.intake.documents.submit(
            bytes,
            vendor: vendor,
            idempotencyKey: key,
            sender: sender
        )
        var response = EdgeResponse.json(answer.json, status: .created)
        if let last = answer.positions.last { response.fields[.daybookPosition] = String(last) }
        if answer.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// Reads the body. The refusal of a body that is too large is recorded.
    private func tracing<Result: Sendable>(
        _ vendor: String,
        _ sender: Sender,
        _ read: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await read()
        } catch let problem as Problem where problem.code == "body-too-large" {
            let limit = problem.extensions["limitBytes"]?.int64.map(Int.init) ?? Self.recordLimit
            throw await ledger.intake.documents.refuseOversized(vendor: vendor, limit: limit, sender: sender)
        }
    }

    /// One status line for each record, in order.
    private func records(_ request: Request, vendor: String, sender: Sender) -> EdgeResponse {
        .ndjson { writer in
            var number: Int64 = 0
            try await request.body.withLineWindows(lineLimit: Self.recordLimit, Self.window) { lines in
                let records = lines.map { line -> [UInt8]? in
                    if case .bytes(let bytes) = line { bytes } else { nil }
                }
                let results = await ledger.intake.documents.submit(
                    records,
                    limit: Self.recordLimit,
                    vendor: vendor,
                    sender: sender
                )
                var output: [UInt8] = []
                for result in results {
                    number += 1
                    StatusLine(number, result, sender).append(to: &output)
                }
                try await writer.write(output)
            }
        }
    }

    /// - Throws: `invalid-idempotency-key` unless the key is 1 to 255 printable ASCII characters.
    func idempotencyKey(_ request: Request) throws(Problem) -> String? {
        guard let key = request.fields[.idempotencyKey] else { return nil }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Problem(
                status: 400,
                code: "invalid-idempotency-key",
                title: "The idempotency key is malformed",
                detail: "A key is 1 to 255 printable ASCII characters."
            )
        }
        return key
    }
}

extension Problem {
    static let idempotencyKeyOnStream = Problem(
        status: 400,
        code: "idempotency-key-on-stream",
        title: "A stream of records cannot have an idempotency key",
        detail: "Give each record its own `idempotencyKey`."
    )
}

extension HTTPField.Name {
    private static func known(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("a literal field name is well-formed") }
        return field
    }

    static let idempotencyKey = known("Idempotency-Key")
    static let idempotencyReplayed = known("Idempotency-Replayed")
    static let daybookPosition = known("Daybook-Position")
    static let lastEventID = known("Last-Event-ID")
}
