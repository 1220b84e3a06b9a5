import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Merkle
import Operations

extension API {
    func addEvidence(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/log") { try await log($0) }
        router.on(.get, "/v1/log/checkpoint") { try await checkpoint($0) }
        router.on(.get, "/v1/log/key") { try logKey($0) }
        router.on(.get, "/v1/log/consistency") { try await consistency($0) }
        router.on(.get, "/v1/log/tile/{path...}") { try await tile($0) }
        router.on(.get, "/v1/events/{position}/proof") { try await eventProof($0) }
    }

    /// The size of the log, its last checkpoint, whether it is signed, and whether it is proven. What is in the way may
    /// name a file or an address of the server, which only auditors see.
    private func log(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .audit, .read)
        try request.query.finish()
        let checkpoint = try await ledger.evidence.checkpoint()
        let end = try await ledger.evidence.head()
        let head = LogHeadJSON(
            position: end.position,
            epoch: end.epoch.number,
            origin: ledger.signing.verifierKeys.first?.name.description,
            checkpoint: checkpoint
        )
        var signed = SignedJSON(ledger.signing.state, ledger.log.logGuard.status)
        if !principal.scopes.contains(.audit) { signed.proof = signed.proof.withoutReason }
        return try .document(LogJSON(head, signed))
    }

    private func checkpoint(_ request: Request) async throws -> EdgeResponse {
        _ = try principal(request, .audit, .read)
        try request.query.finish()
        guard let checkpoint = try await ledger.evidence.checkpoint() else { throw Problem.notFound }
        return try tagged(request, "c\(checkpoint.size)") { .text(checkpoint.note) }
    }

    /// The verifier keys, one per line, the log's own first.
    private func logKey(_ request: Request) throws -> EdgeResponse {
        _ = try principal(request, .audit, .read)
        try request.query.finish()
        guard !ledger.signing.verifierKeys.isEmpty else { throw Problem.notFound }
        return .text(ledger.signing.verifierKeys.map { $0.text + "\n" }.joined())
    }

    private func consistency(_ request: Request) async throws -> EdgeResponse {
        _ = try principal(request, .audit, .read)
        var query = request.query
        let from = try query.integer("from", in: 0...Int64.max) ?? 0
        let to = try query.integer("to", in: 0...Int64.max)
        try query.finish()
        guard let newest = try await ledger.evidence.checkpoint() else { throw Problem.notFound }
        let second = to ?? newest.size
        guard from <= second else { throw ParameterReader.invalid("from") }
        guard second <= newest.size else { throw Problem.notFound }
        let proof = try await ledger.evidence.consistency(from: from, to: second)
        return try tagged(request, "c\(from)-\(second)") {
            try .document(ConsistencyJSON(from: from, to: second, hashes: proof.hashes))
        }
    }

    private func tile(_ request: Request) async throws -> EdgeResponse {
        _ = try principal(request, .audit, .read)
        try request.query.finish()
        guard let path = TilePath(try request.parameter("path")), let bytes = try await ledger.evidence.tile(path)
        else {
            throw Problem.notFound
        }
        var response = try tagged(request, "t\(path.text)") { .bytes(bytes, type: "application/octet-stream") }
        // A full tile never changes, nor does a partial one of a given width.
        response.fields[.cacheControl] = "private, max-age=31536000, immutable"
        return response
    }

    private func eventProof(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .audit, .read)
        try request.query.finish()
        guard let position = Int64(try request.parameter("position")), position > 0,
            let event = try await ledger.reader.event(at: position, of: principal.tenant)
        else { throw Problem.notFound }
        guard let proof = try await ledger.evidence.proof(of: event) else {
            throw Problem(
                status: 503,
                code: "proof-not-ready",
                title: "No checkpoint covers the event yet",
                retryable: true,
                retryAfterSeconds: 1,
                outcome: .known
            )
        }
        return try tagged(request, "c\(proof.checkpoint.size)") { try .document(EventProofJSON(proof)) }
    }

    /// Answers with a strong entity tag, or 304 if the client has this representation.
    private func tagged(
        _ request: Request,
        _ value: String,
        _ answer: () throws -> EdgeResponse
    ) throws -> EdgeResponse {
        guard let tag = EntityTag(value) else { return try answer() }
        var response = try request.notModified(tag) ?? answer()
        response.fields[.eTag] = tag.text
        response.fields[.cacheControl] = Self.revalidated
        return response
    }
}
