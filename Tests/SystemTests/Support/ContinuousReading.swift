import Canonical
import DaybookTestKit
import Synchronization

/// One client that asks the same again and again over one connection, and takes note when a read fails, or tells
/// something older than a read before it.
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

    /// - Parameter ages: What of an answer must never decrease, by name. What an answer does not tell of is not judged.
    init(_ target: String, _ client: APIClient, ages: @escaping @Sendable (JSONValue) -> [String: Int64]) {
        self.target = target
        self.client = client
        self.ages = ages
    }

    /// How many reads there were.
    var count: Int { state.withLock(\.count) }
    /// Up to ten.
    var faults: [String] { state.withLock(\.faults) }

    /// Reads until `stop()`, once at least.
    func run() async -> [JSONValue] {
        _ = try? await withThread { self.work() }
        return []
    }

    func stop() {
        state.withLock { $0.isStopping = true }
    }

    private func work() {
        let connection = HTTPConnection(port: client.port)
        let request = HTTPRequest(target: target, fields: [("Authorization", "Bearer \(client.key ?? "")")])
        repeat {
            do {
                let answer = try connection.exchange(request)
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
