import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Intake
import Operations

extension API {
    private static let recordLimit = 1 << 20
    private static let streamLimit = 1 << 30
    private static let window = LineWindowLimits(lines: 500, bytes: 2 << 20)

    /// Appends events in the ledger's own form.
    func addAppends(to router: inout EdgeRouter<Principal>) {
        let options = RouteOptions(
            bodyLimitBytes: Self.streamLimit,
            span: .stream,
            spanMediaTypes: ["application/x-ndjson"]
        )
        router.on(.post, "/v1/events", options) { request in
            let principal = try authorized(request)
            let sender = Sender(
                tenant: principal.tenant,
                actor: principal.actor,
                correlation: request.id,
                binding: SenderBinding(principal.binding.values)
            )
            let isEvidence = !principal.scopes.isDisjoint(with: Permission.sendEvidence.scopes)
            let key = try idempotencyKey(request)
            try request.query.finish()
            switch try request.mediaType(among: ["application/json", "application/x-ndjson"]) {
            case "application/x-ndjson":
                guard key == nil else { throw Problem.idempotencyKeyOnStream }
                try request.body.checkAnnounced()
                return appendAll(request, isEvidence, sender)
            default: return try await append(request, key, isEvidence, sender)
            }
        }
    }

    private func append(
        _ request: Request,
        _ key: String?,
        _ isEvidence: Bool,
        _ sender: Sender
    ) async throws -> EdgeResponse {
        let bytes = try await request.body.collect(limit: Self.recordLimit)
        let results = await ledger.intake.events.submit(
            [bytes],
            idempotencyKey: key,
            allowingEvidence: isEvidence,
            sender: sender
        )
        guard let result = results.first else { throw Problem.internal }
        let answer = try result.get()
        var response = EdgeResponse.json(answer.json, status: .created)
        if let last = answer.positions.last { response.fields[.daybookPosition] = String(last) }
        if answer.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// One status line for each record, in order.
    private func appendAll(_ request: Request, _ isEvidence: Bool, _ sender: Sender) -> EdgeResponse {
        .ndjson { writer in
            var number: Int64 = 0
            try await request.body.withLineWindows(lineLimit: Self.recordLimit, Self.window) { lines in
                let records = lines.compactMap { line -> [UInt8]? in
                    if case .bytes(let bytes) = line { bytes } else { nil }
                }
                var results = await ledger.intake.events.submit(
                    records,
                    allowingEvidence: isEvidence,
                    sender: sender
                ).makeIterator()
                var output: [UInt8] = []
                for line in lines {
                    number += 1
                    let outcome =
                        switch line {
                        case .bytes: results.next() ?? .failure(.oversized(limit: Self.recordLimit))
                        case .tooLong: Result<EventAnswer, IntakeProblem>.failure(.oversized(limit: Self.recordLimit))
                        }
                    StatusLine(number, outcome, sender).append(to: &output)
                }
                try await writer.write(output)
            }
        }
    }
}

/// The outcome of one record of a stream.
struct StatusLine {
    private var members: JSONObject

    init(_ number: Int64, _ outcome: Result<EventAnswer, IntakeProblem>, _ sender: Sender) {
        self.init(
            number,
            outcome.map { (answer: $0.json, isDuplicate: $0.isDuplicate) },
            correlation: sender.correlation
        )
    }

    init(_ number: Int64, _ outcome: Result<IntakeAnswer, IntakeProblem>, _ sender: Sender) {
        self.init(
            number,
            outcome.map { (answer: $0.json, isDuplicate: $0.isDuplicate) },
            correlation: sender.correlation
        )
    }

    private init(
        _ number: Int64,
        _ outcome: Result<(answer: JSONValue, isDuplicate: Bool), IntakeProblem>,
        correlation: String
    ) {
        members = ["line": .number(JSONNumber(number))]
        switch outcome {
        case .success(let (answer, isDuplicate)):
            members["status"] = 201
            members["replayed"] = .bool(isDuplicate)
            members["answer"] = answer
        case .failure(let error):
            let problem = Problem(Refusal(error))
            members["status"] = .number(JSONNumber(Int64(problem.status)))
            members["problem"] = problem.json(correlation: correlation)
        }
    }

    func append(to bytes: inout [UInt8]) {
        JSONValue.object(members).append(to: &bytes)
        bytes.append(0x0A)
    }
}

extension IntakeProblem {
    fileprivate static func oversized(limit: Int) -> IntakeProblem {
        IntakeProblem(.tooLarge, "The record is larger than \(limit) bytes.")
    }
}
