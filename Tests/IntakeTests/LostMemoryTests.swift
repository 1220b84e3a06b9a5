import Canonical
import DaybookTestKit
import EventLog
import Payments
import Testing

@testable import Intake

/// A log that lost its end is not judged by what a process remembers of the lost part.
@Suite struct LostMemoryTests {
    private let stream = "transaction/0198c1c2-6a00-7000-8000-000000000002"
    private let sender = Sender(tenant: "acme", actor: "test", correlation: "test")

    private func recorder(_ log: TestLog) -> TransactionRecorder {
        TransactionRecorder(
            sequencer: log.sequencer,
            reader: log.reader,
            ids: UUIDv7Generator(clock: log.clock),
            clock: log.clock
        )
    }

    private func record(_ number: UInt8, try attempt: UInt8 = 0, by recorder: TransactionRecorder) async throws
        -> AppendResult
    {
        let key = [number, attempt] + Array(repeating: UInt8(0), count: 30)
        return try await recorder.record(
            [.refunded(Return(id: "r\(number)", evidence: .gateway))],
            from: nil,
            stream: stream,
            keys: [],
            idempotency: [IdempotencyKey(key: key, request: key)],
            policy: LifecyclePolicy(),
            occurredAt: recorder.clock.now(),
            sender: sender
        )
    }

    private func refunds(_ log: TestLog) async throws -> [String] {
        try await log.reader.stream(stream, of: sender.tenant).map(TransactionEvent.init).compactMap { event in
            if case .refunded(let refund) = event { refund.id } else { nil }
        }
    }

    @Test("A fact of the lost end is no repeat, also if the log has grown again to the same version")
    func aLostFactIsRecordedAgain() async throws {
        try await TestLog.with { log in
            let recorder = recorder(log)
            _ = try await record(1, by: recorder)
            let wayBack = try await log.wayBack()
            let version = try await log.reader.stream(stream, of: sender.tenant).count
            _ = try await record(2, by: recorder)
            let lost = try await log.reader.stream(stream, of: sender.tenant).count
            try await log.tamper(wayBack)
            try await log.adopt()
            // Another server goes on with the adopted log before this one notices.
            try await TestLog.with(url: log.url) { other in
                let another = self.recorder(other)
                for number in 3..<UInt8(3 + lost - version) { _ = try await record(number, by: another) }
            }
            let again = try await record(2, try: 1, by: recorder)
            guard case .appended = again else { throw TestKitError("\(again)") }
            #expect(try await refunds(log).contains("r2"))
            // And one that was judged by the lost facts is judged again.
            _ = try await record(9, by: recorder)
            #expect(try await refunds(log).suffix(2) == ["r2", "r9"])
        }
    }
}
