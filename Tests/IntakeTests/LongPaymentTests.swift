import Canonical
import DaybookTestKit
import EventLog
import Payments
import Testing

@testable import Intake

/// A process that remembers a long payment reads only what is new of it.
@Suite struct LongPaymentTests {
    private static let length = 5_000
    private let stream = "transaction/0198c1c2-6a00-7000-8000-000000000001"
    private let sender = Sender(tenant: "acme", actor: "test", correlation: "test")

    private func fill(_ log: TestLog) async throws {
        let shown = DeviceEvent(.cardPresented, DeviceReport())
        for _ in 0..<Self.length / 100 {
            let events = try (0..<100).map { _ in
                try ProposedEvent(
                    TransactionEvent.device(shown),
                    id: UUIDv7Generator(clock: log.clock).next(),
                    at: log.clock.now(),
                    by: sender
                )
            }
            let item = AppendItem(tenant: sender.tenant, stream: stream, expected: .any, events: events)
            _ = try await log.sequencer.append(item)
        }
    }

    private func refund(_ number: Int) -> TransactionEvent { .refunded(Return(id: "r\(number)", evidence: .gateway)) }

    /// Records a fact as the answers of gateways are recorded.
    private func record(_ number: Int, by recorder: TransactionRecorder, _ log: TestLog) async throws {
        let key = IdempotencyKey(key: [UInt8(number)] + Array(repeating: 0, count: 31), request: Array("r".utf8))
        let result: AppendResult =
            if number.isMultiple(of: 2) {
                try await recorder.record(
                    [refund(number)],
                    from: nil,
                    stream: stream,
                    keys: [],
                    idempotency: [key],
                    policy: LifecyclePolicy(),
                    occurredAt: log.clock.now(),
                    sender: sender
                )
            } else {
                try await recorder.record(nil, on: stream, key: key, occurredAt: log.clock.now(), sender: sender) { _ in
                    AnswerRecording([refund(number)])
                }
            }
        guard case .appended = result else {
            Issue.record("\(number): \(result)")
            return
        }
    }

    @Test func aFurtherFactReadsWhatIsNew() async throws {
        try await TestLog.with { log in
            try await fill(log)
            let rows = try await CountedRows(at: log.url)
            let (recorder, other) = (log.recorder(), log.recorder())
            let first = try await rows.read { try await record(0, by: recorder, log) }
            #expect(first >= Self.length, "the whole payment, once")
            for number in 1...20 {
                let read = try await rows.read { try await record(number, by: recorder, log) }
                #expect(read < 20, "fact \(number)")
            }
            // Another process is faster, and then it is slower.
            for (number, writer, isCold) in [(21, other, true), (22, recorder, false), (23, other, false)] {
                let read = try await rows.read { try await record(number, by: writer, log) }
                #expect(isCold ? read >= Self.length : read < 20, "fact \(number)")
            }
            #expect(try await log.payment(stream).refunds.map(\.id) == (0...23).map { "r\($0)" })
        }
    }

    @Test func aHistoryThatTheLogLostIsReadAgain() async throws {
        try await TestLog.with { log in
            try await fill(log)
            let recorder = log.recorder()
            try await record(0, by: recorder, log)
            let back = try await log.wayBack()
            try await record(1, by: recorder, log)
            // The memory still has the lost event.
            try await log.tamper(back)
            let other = Sequencer(
                configuration: log.configuration,
                clock: log.clock,
                signal: .init(),
                logger: TestLog.logger
            )
            try await TestLog.running(other) {
                let later = log.recorder(sequencer: other, memory: recorder.memory)
                try await record(2, by: later, log)
            }
            #expect(try await log.payment(stream).refunds.map(\.id) == ["r0", "r2"])
        }
    }
}
