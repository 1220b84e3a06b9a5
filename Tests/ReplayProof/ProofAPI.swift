import Canonical
import DaybookTestKit
import HTTPRequests

/// The API of the servers. Each is tried in turn until one answers.
struct ProofAPI: Sendable {
    var ports: [Int]
    let app: String
    let planner: String
    let approver: String

    /// Sends until it is answered, because a server or the database may be down. A request may be sent twice.
    func send(
        _ method: String,
        _ target: String,
        _ body: [UInt8] = [],
        type: String = "application/json",
        key: String,
        from first: Int = 0
    ) async throws -> HTTPAnswer {
        var turn = first
        while true {
            try Task.checkCancellation()
            turn += 1
            let request = HTTPRequest(
                method: method,
                target: target,
                fields: body.isEmpty ? [] : [("Content-Type", type)],
                body: body
            )
            let client = APIClient(port: ports[turn % ports.count], key: key)
            guard let answer = try? await client.send(request), answer.status < 500 else {
                // No server is available: wait, so that retries do not keep them from starting.
                try await Task.sleep(for: .milliseconds(turn % ports.count == 0 ? 50 : 1))
                continue
            }
            return answer
        }
    }

    /// - Throws: `TestKitError` for an answer that is neither a success nor one of `also`.
    func json(
        _ method: String = "GET",
        _ target: String,
        _ body: JSONValue? = nil,
        key: String? = nil,
        also: Set<Int> = [],
        from first: Int = 0
    ) async throws -> JSONValue {
        let answer = try await send(
            method,
            target,
            body?.canonicalBytes ?? [],
            key: key ?? planner,
            from: first
        )
        guard answer.status < 300 || also.contains(answer.status) else {
            throw TestKitError("\(target): \(answer.status) \(answer.text)")
        }
        return answer.body.isEmpty ? [:] : try JSONValue(parsing: answer.body)
    }

    /// Every item of a list.
    func each(_ target: String, _ body: (JSONValue) throws -> Void) async throws {
        var after = ""
        repeat {
            let page = try await json("GET", "\(target)\(target.contains("?") ? "&" : "?")limit=1000\(after)")
            for item in page["items"]?.array ?? [] { try body(item) }
            after = page["next"]?.string.map { "&cursor=\($0)" } ?? ""
        } while !after.isEmpty
    }
}
