import Canonical
import DaybookTestKit
import EventLog
import Payments
import Testing

@testable import Projections

/// Which clock counts where apps send late.
@Suite("Clocks")
struct ClockTests {
    private static let noon = Timestamp(rfc3339: "2026-01-01T12:00:00Z") ?? .earliest

    private static func sale(_ printed: Int64?) -> [TransactionEvent] {
        let at = printed.map { ReportedTime.local(LocalTime(shown: noon.adding(microseconds: $0 * 1_000_000))) }
        let total = Amounts(total: Money(1000, .usd))
        let references = References(merchant: "m-1")
        return [
            .saleRequested(PaymentRequest(amounts: total, references: references, at: at)),
            .authorizationApproved(
                Approval(
                    amounts: total,
                    evidence: .gateway,
                    response: Response(),
                    references: references,
                    card: Samples.card("Visa"),
                    at: at
                )
            ),
            .captured(Samples.capture(Capture.saleID, 1000)),
        ]
    }

    @Test(
        "Two charges are near if their terminals printed near times, whenever they were sent",
        arguments: [
            (0, 60, 36_000, true), (0, 36_000, 60, false), (nil, nil, 60, true), (nil, nil, 36_000, false),
            (0, nil, 60, true),
        ] as [(Int64?, Int64?, Int64, Bool)]
    )
    func duplicates(_ first: Int64?, _ second: Int64?, sentAfter seconds: Int64, isFound: Bool) async throws {
        try await Following.with { following in
            let later = Self.noon.adding(microseconds: seconds * 1_000_000)
            try await following.log.record(Self.sale(first), about: Samples.id(1), occurredAt: Self.noon)
            try await following.log.record(Self.sale(second), about: Samples.id(2), occurredAt: later)
            try await following.catchUp()
            let query = DuplicateQuery(pool: following.log.pool)
            let pairs = try await query.duplicates(of: "acme", matching: .init(), limit: 10)
            #expect(pairs.map(\.later.transaction) == (isFound ? [Samples.id(2)] : []))
        }
    }

    @Test("A payment whose reports name one reader in two ways counts once")
    func mergedReader() async throws {
        @Sendable func report(_ serial: String, _ names: ReaderNames) -> DeviceEvent {
            let reader = ReaderReference(vendor: .youtransactor, serial: serial)
            return DeviceEvent(.cardRequested, DeviceReport(reader: reader, names: names))
        }
        try await Following.with { following in
            let known = report("3142", ReaderNames(serial: "3142"))
            let stream = StreamName.reader(try #require(known.report.reader))
            try await following.append([ReaderStreamEvent.report(known)], stream)
            try await following.catchUp(["readers"])
            for event in [
                report("YT 42", ReaderNames(name: "YT 42")), report("3142", ReaderNames(serial: "3142", name: "YT 42")),
            ] {
                try await following.log.record([.device(event)], about: Samples.id(1))
                try await following.catchUp(["readers"])
            }
            let all = try await following.readers.readers(of: "acme", limit: 10)
            #expect(all.map(\.reader.serial) == ["3142"] && all.first?.payments == 1)
        }
    }
}
