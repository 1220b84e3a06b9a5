import Canonical
import DaybookTestKit
import HTTPRequests
import Synchronization

/// One client that repeats the same request over one connection, and records when a read fails or returns something
/// older than an earlier read.
final class ContinuousReading: Sendable {
    private struct State {
        var isStopping = false
        var count = 0
        var faults: [String] = []
        var seen: [String: Int64] = [:]
    }

    let target: String
    private let client: APIClient
    private let ages: @Sendable (JSONValue) -> [String: Int64]
    private let state = Mutex(State())

    /// - Parameter ages: The values of an answer that must never decrease, by name. Missing values are not checked.
    init(_ target: String, _ client: APIClient, ages: @escaping @Sendable (JSONValue) -> [String: Int64]) {
        self.target = target
        self.client = client
        self.ages = ages
    }

    /// The number of reads.
    var count: Int { state.withLock(\.count) }
    /// The first faults, up to ten.
    var faults: [String] { state.withLock(\.faults) }

    /// Reads until `stop()`, at least once.
    func run() async -> [JSONValue] {
        await work()
        return []
    }

    func stop() {
        state.withLock { $0.isStopping = true }
    }

    private func work() async {
        let client = APIClient(port: client.port, key: client.key, connections: .kept)
        repeat {
            do {
                let answer = try await client.send(HTTPRequest(target: target))
                guard answer.status == 200 else {
                    note("\(answer.status) \(answer.text)")
                    continue
                }
                judge(ages(try JSONValue(parsing: answer.body)))
            } catch {
                note("\(error)")
            }
        } while state.withLock { !$0.isStopping }
    }

    private func judge(_ ages: [String: Int64]) {
        let older = state.withLock { state in
            state.count += 1
            var older: [String] = []
            for (name, age) in ages {
                if let before = state.seen[name], age < before { older.append("\(name) was \(before) and is \(age)") }
                state.seen[name] = age
            }
            return older
        }
        for fault in older { note(fault) }
    }

    private func note(_ fault: String) {
        state.withLock { if $0.faults.count < 10 { $0.faults.append(fault) } }
    }
}
