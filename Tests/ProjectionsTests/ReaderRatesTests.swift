import Canonical
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

/// The columns of payments about their reader, cashier, signature and PIN, and what is found by them.
struct ReaderRatesTests {
    private static let chip = ReaderReference(vendor: .handpoint, serial: "Front desk 1")

    private static func device(_ name: DeviceEvent.Name, _ reader: ReaderReference = chip) -> TransactionEvent {
        .device(DeviceEvent(name, DeviceReport(reader: reader)))
    }

    private static func card(_ change: (inout CardPresentation) -> Void) -> CardPresentation {
        var card = CardPresentation()
        change(&card)
        return card
    }

    @Test func aPINIsLeftOutOnlyIfThatIsReported() {
        var asked = DeviceSteps()
        asked.isPINRequested = true
        var ended = asked
        ended.isPINEntered = true
        let none = DeviceSteps()
        let signed = Self.card { ($0.pinEntered, $0.requiresSignature) = (false, true) }
        let cases: [(CardPresentation?, DeviceSteps, PINEntry?)] = [
            (nil, none, nil), (signed, none, nil), (nil, asked, .requested), (signed, asked, .bypassed),
            (signed, ended, .requested), (Self.card { $0.pinEntered = true }, none, .requested),
            (Self.card { $0.terminalVerificationResults = "0000080000" }, none, .bypassed),
            (Self.card { $0.terminalVerificationResults = "0000040000" }, none, .requested),
            (Self.card { $0.terminalVerificationResults = "0000100000" }, none, nil),
            (Self.card { $0.verificationResults = "420300" }, none, .requested),
            (Self.card { $0.verificationResults = "1E0300" }, none, nil),
            (Self.card { $0.verificationResults = "zz" }, none, nil),
            (
                Self.card { ($0.verificationResults, $0.terminalVerificationResults) = ("420301", "0000100000") },
                none, nil
            ),
        ]
        for (card, steps, expected) in cases {
            #expect(PINEntry(card, steps) == expected, "\(String(describing: card))")
        }
    }

    @Test(arguments: [
        (0, 0, nil), (0, 3, 0), (1, 3, 3333), (2, 3, 6667), (1, 20_000, 1), (1, 30_000, 0), (3, 3, 10_000),
    ])
    func sharesAreRoundedToTheNearest(part: Int64, whole: Int64, expected: Int64?) {
        #expect(ReaderRates.basisPoints(part, of: whole) == expected)
    }

    /// A reader counts under its strongest name, whichever name a payment has, and a rebuild has the same rows.
    @Test func paymentsCountUnderTheNameOfTheReader() async throws {
        try await Following.with { following in
            let log = following.log
            let serial = ReaderReference(vendor: .handpoint, serial: "0123")
            let unknown = TransactionEvent.outcomeUnknown(Verdict(evidence: .reader, response: Response()))
            let declined = TransactionEvent.declined(Verdict(evidence: .gateway, response: Response(code: "05")))
            let sale = TransactionEvent.saleRequested(PaymentRequest(amounts: Amounts(total: Samples.usd(100))))
            let named = DeviceReport(reader: Self.chip, names: ReaderNames(name: Self.chip.serial))
            let asked = TransactionEvent.device(DeviceEvent(.signatureRequested, named))
            try await log.record([sale, asked, unknown], about: Samples.id(1))
            try await log.record(
                [sale, Self.device(.signatureTimedOut, serial), declined],
                about: Samples.id(2)
            )
            let names = DeviceReport(
                reader: serial,
                names: ReaderNames(serial: "0123", name: "Front desk 1"),
                details: [Detail("TransactionResultPending", "true")]
            )
            try await log.record([.device(DeviceEvent(.readerStateChanged, names))], about: Samples.id(2))
            try await log.record([sale, declined], about: Samples.id(3))
            try await following.catchUp()
            let found = try await ReaderRatesQuery(pool: log.pool).rates(of: "acme", by: .reader)
            #expect(found.map(\.name) == ["0123", nil] && found.map(\.vendor) == [.handpoint, nil])
            #expect(found.map(\.payments) == [2, 1] && found.map(\.decided) == [1, 1])
            #expect(found[0].signatures == 2 && found[0].signatureTimeouts == 1 && found[0].declined == 1)
            let doubts = DoubtQuery(pool: log.pool)
            for name in ["0123", "Front desk 1"] {
                var filter = DoubtQuery.Filter()
                (filter.reader, filter.readerHoldsResult) = (name, true)
                let items = try await doubts.payments(
                    of: "acme",
                    matching: filter,
                    sortedBy: .age,
                    after: nil,
                    limit: 10
                )
                #expect(items.map(\.transaction) == [Samples.id(1)], "\(name)")
                #expect(items.first?.cardReader == Self.chip && items.first?.readerHoldsResult == true)
                #expect(try await doubts.risk(of: "acme", matching: filter).map(\.value) == [100])
                let reader = ReaderReference(vendor: .handpoint, serial: name)
                #expect(try await doubts.open(at: reader, of: "acme") == [Samples.id(1)], "\(name)")
                #expect(try await doubts.open(at: reader, of: "other") == [])
            }
            // A declined payment that was sent again awaits its answer.
            let sent = TransactionEvent.device(DeviceEvent(.authorizationSent, DeviceReport(reader: serial)))
            try await log.record([sale, sent, declined, sent], about: Samples.id(4))
            try await following.catchUp()
            #expect(try await doubts.open(at: serial, of: "acme") == [Samples.id(4), Samples.id(1)])
            // A stored result, and one that names no reader.
            let result = TransactionEvent.outcomeResolved(
                Resolution(outcome: .declined, means: .recoveredResult, evidence: .reader)
            )
            #expect(try await doubts.storedResults(at: serial, of: "acme", since: .earliest) == [])
            try await log.record([result], about: Samples.id(4))
            try await log.record([sale, result], about: Samples.id(5))
            try await following.catchUp()
            for name in ["0123", "Front desk 1"] {
                let reader = ReaderReference(vendor: .handpoint, serial: name)
                let found = try await doubts.storedResults(at: reader, of: "acme", since: .earliest)
                #expect(found == [Samples.id(4)], "\(name)")
                #expect(try await doubts.storedResults(at: reader, of: "other", since: .earliest) == [])
            }
            let store = ProjectionStore(projection: TransactionsProjection(), pool: log.pool)
            let live = try await store.digest()
            _ = try await following.rebuild("transactions", force: true)
            #expect(try await store.digest() == live)
        }
    }
}
