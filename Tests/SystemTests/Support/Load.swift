import Canonical
import DaybookTestKit
import HTTPRequests
import Synchronization

/// Posts records over many connections until each is answered, whatever happens to the server meanwhile: records that
/// were not acknowledged are sent again unchanged.
final class Load: Sendable {
    /// One acknowledgement: a 201, alone or as a line of a stream.
    struct Acknowledgement: Sendable {
        let record: Int
        let isDuplicate: Bool
        let body: [UInt8]
        /// The answer object.
        func answer() throws -> JSONValue {
            let json = try JSONValue(parsing: body)
            return json["answer"] ?? json
        }
    }

    private struct Parcel {
        let target: String
        let records: [Int]
    }

    private struct State {
        var parcels: [Parcel]
        var acknowledgements: [Acknowledgement] = []
        var acknowledged: Set<Int> = []
        var unexpected: [String] = []
        var retries = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var isAbandoned = false
    }

    private let records: [SampleRecord]
    private let client: APIClient
    private let connections: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - records: In the order in which they are sent; a record may occur more than once.
    ///   - streamed: The number of records sent as NDJSON streams of fifty, from the end of the list.
    init(_ records: [SampleRecord], port: Int, key: String, connections: Int = 32, streamed: Int = 0) {
        self.records = records
        client = APIClient(port: port, key: key, connections: .kept)
        self.connections = connections
        let single = records.count - streamed
        var parcels = (0..<single).map { Parcel(target: "/v1/intake/\(records[$0].vendor)", records: [$0]) }
        let byVendor = Dictionary(grouping: single..<records.count) { records[$0].vendor }
        var streams: [Parcel] = []
        for (vendor, indices) in byVendor.sorted(by: { $0.key < $1.key }) {
            for start in stride(from: 0, to: indices.count, by: 50) {
                let records = Array(indices[start..<min(start + 50, indices.count)])
                streams.append(Parcel(target: "/v1/intake/\(vendor)", records: records))
            }
        }
        // Spread evenly between the single ones.
        for (index, stream) in streams.enumerated() {
            parcels.insert(stream, at: (index + 1) * parcels.count / (streams.count + 1))
        }
        state = Mutex(State(parcels: parcels.reversed()))
    }

    /// Sends everything; returns when everything is acknowledged, or `abandon()` was called.
    func run() async {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<connections {
                    group.addTask { await self.work() }
                }
            }
        } onCancel: {
            abandon()
        }
        abandon()
    }

    /// Ends the load as soon as the current requests have ended.
    func abandon() {
        let waiters = state.withLock { state in
            state.isAbandoned = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Returns when this number of records has been acknowledged, or the load is over.
    func acknowledged(atLeast count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.isAbandoned || state.acknowledged.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    var acknowledgements: [Acknowledgement] { state.withLock(\.acknowledgements) }
    /// Answers that were neither a success nor a reason to retry.
    var unexpected: [String] { state.withLock(\.unexpected) }
    /// The number of requests that were cut off, refused or could not connect.
    var retries: Int { state.withLock(\.retries) }

    // MARK: Requests

    private func work() async {
        while let parcel = next() {
            while !isOver, !(await deliver(parcel)) {
                state.withLock { $0.retries += 1 }
                // The server is unreachable or busy: leave the processor to it.
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    private var isOver: Bool { state.withLock(\.isAbandoned) }

    private func next() -> Parcel? {
        state.withLock { $0.isAbandoned ? nil : $0.parcels.popLast() }
    }

    /// - Returns: False when it must be sent again.
    private func deliver(_ parcel: Parcel) async -> Bool {
        let isStream = parcel.records.count > 1
        var request = HTTPRequest(
            method: "POST",
            target: parcel.target,
            fields: [("Content-Type", isStream ? "application/x-ndjson" : "application/json")]
        )
        request.body = Array(parcel.records.map { records[$0].json }.joined(separator: "\n").utf8)
        do {
            let answer = try await client.send(request)
            if isStream, answer.status == 200 { return take(answer.body, of: parcel) }
            switch answer.status {
            case 201:
                let isDuplicate = answer.fields["idempotency-replayed"] == "true"
                acknowledge(Acknowledgement(record: parcel.records[0], isDuplicate: isDuplicate, body: answer.body))
                return true
            case 503: return false
            default:
                state.withLock { $0.unexpected.append("\(answer.status) \(answer.text)") }
                return true
            }
        } catch {
            // The received part of the answer counts: each of its lines is an acknowledgement.
            if isStream, let unreachable = error as? Unreachable { _ = take(unreachable.body, of: parcel) }
            return false
        }
    }

    /// Reads the status lines of a stream.
    ///
    /// - Returns: Whether every record has a final answer.
    private func take(_ body: [UInt8], of parcel: Parcel) -> Bool {
        var isDone = true
        // A truncated line does not count.
        let lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        for (line, record) in zip(lines, parcel.records) {
            guard let json = try? JSONValue(parsing: Array(line)), let status = json["status"]?.int64 else {
                state.withLock { $0.unexpected.append("not a status line") }
                continue
            }
            switch status {
            case 201:
                let isDuplicate = json["replayed"]?.bool == true
                acknowledge(Acknowledgement(record: record, isDuplicate: isDuplicate, body: Array(line)))
            case 503: isDone = false
            default: state.withLock { $0.unexpected.append(String(decoding: line, as: UTF8.self)) }
            }
        }
        return isDone && lines.count >= parcel.records.count
    }

    private func acknowledge(_ acknowledgement: Acknowledgement) {
        let due = state.withLock { state in
            state.acknowledgements.append(acknowledgement)
            state.acknowledged.insert(acknowledgement.record)
            let count = state.acknowledged.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }
        }
        for waiter in due { waiter.continuation.resume() }
    }
}
