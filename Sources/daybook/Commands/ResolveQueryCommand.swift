import ArgumentParser
import Canonical
import Composition
import Foundation
import Intake
import Operations
import Payments
import Projections
import Replay
import ReplayRules

struct ResolveQueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Query the gateways now, through the server.",
        discussion: """
            The query ignores the schedule, and includes payments that need review. A gateway's answer that it has no \
            such payment still counts only after wait.unposted. With --json each queried payment is one line, the \
            answer of POST /v1/doubts/{id}/query.

            EXAMPLES
              daybook resolve query 0198c5f2-... --key dbk_...
              DAYBOOK_KEY=dbk_... daybook resolve query --all --older-than 1h
              DAYBOOK_KEY=dbk_... daybook resolve query --all --merchant 8846 \\
                --url https://ledger.example
            """
    )

    @Argument(help: "The ids of the payments.")
    var ids: [String] = []

    @Flag(help: "Query all matching payments, the oldest first.")
    var all = false

    @OptionGroup var doubts: DoubtOptions

    @Option(help: "The number of concurrent queries, 1 to 16.")
    var concurrent = 4

    @Option(help: "The address of the server, such as http://127.0.0.1:8080.")
    var url = "http://127.0.0.1:8080"

    @Option(help: "An API key with the scopes read and reconcile. Also DAYBOOK_KEY.")
    var key: String?

    @Flag(help: "Print one JSON document per payment instead of text.")
    var json = false

    /// A payment of the list. Nothing else is read, so that a newer server may add to it.
    private struct Found: Codable, Sendable, Hashable {
        let transaction: UUID128
    }

    func validate() throws {
        guard all != !ids.isEmpty else { throw ValidationError("Name the payments, or give --all.") }
        guard (1...16).contains(concurrent) else { throw ValidationError("--concurrent must be 1 to 16.") }
    }

    func run() async throws {
        guard let key = key ?? ProcessInfo.processInfo.environment["DAYBOOK_KEY"], !key.isEmpty else {
            throw Failure.usage("--key or DAYBOOK_KEY must be an API key with the scopes read and reconcile.")
        }
        let client = APIClient(base: url, key: key)
        do {
            var payments = ids
            for id in payments where UUID128(id) == nil { throw Failure.usage("\(id) is not the id of a payment.") }
            if all {
                let query = try doubts.query()
                try await client.pages("/v1/doubts" + (query.isEmpty ? "" : "?\(query)"), as: Found.self) {
                    payments.append($0.transaction.text)
                }
            }
            try await query(payments, client)
        } catch let refused as APIClient.Refused {
            throw Failure(refused)
        } catch let unreachable as APIClient.Unreachable {
            throw Failure(unreachable, at: url)
        }
    }

    private func query(_ payments: [String], _ client: APIClient) async throws {
        var results: [String: Int] = [:]
        var ended = 0
        try await withThrowingTaskGroup(of: (String, QueriedDoubtJSON?).self) { group in
            var rest = payments[...]
            func begin(_ id: String) {
                group.addTask {
                    do {
                        let answer = try await client.post("/v1/doubts/\(id)/query", [], as: "application/json")
                        return (id, try JSONValueDecoder().decode(QueriedDoubtJSON.self, from: answer))
                    } catch let refused as APIClient.Refused where refused.status == 404 {
                        return (id, nil)
                    }
                }
            }
            for _ in 0..<concurrent { if let id = rest.popFirst() { begin(id) } }
            var done = 0
            for try await (id, answer) in group {
                done += 1
                let result = answer?.result.rawValue ?? "no-such-payment"
                results[result, default: 0] += 1
                if answer?.doubt.isOpen == false { ended += 1 }
                try say(id, result, answer, "\(done)/\(payments.count)")
                if let id = rest.popFirst() { begin(id) }
            }
        }
        guard !json else { return }
        if payments.isEmpty { return Terminal.say(DoubtText.nothing(isFiltered: try !doubts.query().isEmpty)) }
        let counts = results.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        Terminal.say("\(counts); \(ended) resolved")
    }

    private func say(_ id: String, _ result: String, _ answer: QueriedDoubtJSON?, _ progress: String) throws {
        if json {
            guard let answer else { return Terminal.say(["transaction": .string(id), "result": .string(result)]) }
            return try Terminal.say(json: answer)
        }
        let status = answer?.doubt.status.rawValue ?? "-"
        let reported = answer?.doubt.lastQuery?.answer.rawValue ?? "-"
        Terminal.say("\(progress)  \(id)  \(result)  answer: \(reported)  status: \(status)")
    }
}
