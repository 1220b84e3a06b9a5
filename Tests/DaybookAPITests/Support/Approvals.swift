import Access
import Canonical
import Testing

extension TestAPI {
    /// Another operator approves what was proposed.
    func approve(_ proposed: Answer, key: String? = nil) async throws -> Answer {
        #expect(proposed.status == 202, "\(proposed.body)")
        let id = try #require(try proposed.json["id"]?.string)
        var fields = ["Content-Type": "application/json"]
        if let key { fields["Idempotency-Key"] = key }
        let bob = try await caller([.read, .reconcile, .admin])
        return try await bob.send("POST", "/v1/proposals/\(id)/approve", fields, body: #"{"reason":"agreed"}"#)
    }
}

extension Caller {
    /// Approves a proposal of an exception.
    func approve(_ exception: String, _ proposal: String, _ more: String = "") async throws -> Answer {
        let body = #"{"reason":"ok","proposal":"\#(proposal)"\#(more)}"#
        let path = "/v1/exceptions/\(exception)/approve"
        return try await send("POST", path, ["Content-Type": "application/json"], body: body)
    }

    /// Sends a card token, which approves a proposal if one is given.
    func keep(_ token: String, of payment: String, _ proposal: String? = nil) async throws -> Answer {
        let more = proposal.map { #","proposal":"\#($0)""# } ?? ""
        let body = #"{"token":"\#(token)"\#(more)}"#
        let path = "/v1/transactions/\(payment)/card-token"
        return try await send("PUT", path, ["Content-Type": "application/json"], body: body)
    }
}
