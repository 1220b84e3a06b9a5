import Canonical
import DaybookTestKit
import EventLog

/// Record lines of a small log, made one after the other and then changed by tests.
struct SampleLog {
    private(set) var events: [RecordedEvent] = []
    private var versions: [String: Int64] = [:]

    /// A log of `count` events in items of one to three, some of them with keys.
    init(count: Int, seed: UInt64 = 1) {
        var random = SeededGenerator(seed: seed)
        while events.count < count {
            let size = min(count - events.count, Int.random(in: 1...3, using: &random))
            let number = events.count
            let stream = "transaction/\(Int.random(in: 0..<max(1, count / 3), using: &random))"
            let key = UUID128(high: UInt64(number), low: seed)
            let hasKeys = Bool.random(using: &random)
            let claims = Claims(
                events: size,
                idempotency: hasKeys ? [(key, [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 32))] : [],
                references: hasKeys && Bool.random(using: &random) ? ["name \"\(number)\""] : []
            )
            for index in 0..<size { add(stream, claims: index == 0 ? claims.text : nil) }
        }
    }

    private mutating func add(_ stream: String, claims: String?) {
        let position = Int64(events.count + 1)
        versions[stream, default: 0] += 1
        let time = Timestamp(microsecondsSince1970: 1_767_225_600_000_000 + position)
        events.append(
            RecordedEvent(
                position: position,
                id: UUID128(high: 7, low: UInt64(position)),
                tenant: "acme",
                stream: stream,
                version: versions[stream] ?? 0,
                type: "Noted",
                schema: 1,
                occurredAt: time,
                recordedAt: time,
                actor: "till \"7\"",
                correlation: "c\u{1F}\u{7F}é",
                causation: position.isMultiple(of: 2) ? UUID128(high: 7, low: 1) : nil,
                claims: claims,
                data: #"{"amount":1.50,"note":"a\u0000b\n","list":[{},[],null,-0,1e2]}"#
            )
        )
    }

    var lines: [String] { events.map(\.recordLine) }
    var text: String { lines.map { $0 + "\n" }.joined() }
}
