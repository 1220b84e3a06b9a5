import Canonical
import DaybookTestKit
import EventLog

/// Generates items at low cost, because the caller shares the processors with the service: one event of 400 bytes each,
/// five in a stream, each with a random key.
struct BenchItems {
    private var random: SeededGenerator
    private var stream = ""
    private var version: Int64 = 0
    private let data = BenchPayload.text(number: "0")
    private let time = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)

    init(seed: UInt64 = .random(in: 0...UInt64.max)) { random = SeededGenerator(seed: seed) }

    mutating func next(_ count: Int) -> [AppendItem] { (0..<count).map { _ in next() } }

    private mutating func next() -> AppendItem {
        if version % 5 == 0 {
            stream = "transaction/\(UUID128.v7(at: SystemClock().now(), random: &random))"
            version = 0
        }
        defer { version += 1 }
        var key: [UInt8] = []
        key.reserveCapacity(32)
        for _ in 0..<4 { withUnsafeBytes(of: random.next()) { key.append(contentsOf: $0) } }
        return AppendItem(
            tenant: "bench",
            stream: stream,
            expected: .version(version),
            idempotency: [IdempotencyKey(key: key, request: key)],
            events: [
                ProposedEvent(
                    id: UUID128(high: random.next(), low: random.next()),
                    type: "Measured",
                    schema: 1,
                    occurredAt: time,
                    actor: "key:bench",
                    correlation: "bench",
                    data: data
                )
            ]
        )
    }
}
