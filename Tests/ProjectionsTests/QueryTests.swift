import Canonical
import DaybookTestKit
import EventLog
import Payments
import Projections
import Testing

struct QueryTests {
    /// Payments that differ in every searchable value; number n occurred n seconds after `start`.
    private static let start = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)

    private static func record(in log: TestLog) async throws {
        func at(_ number: Int64) -> Timestamp { start.adding(microseconds: number * 1_000_000) }
        let full = References(
            gatewayTransaction: "g-1",
            authorizationCode: "A1",
            retrievalReference: "r-1",
            invoice: "inv-1",
            merchant: "m-1"
        )
        let first = Samples.sale(
            1000,
            batch: Samples.batch("7"),
            references: full,
            card: Samples.card("Visa", lastFour: "4242"),
            document: Samples.document(vendor: .dejavoo, terminal: "t-1")
        )
        try await log.record(first, about: Samples.id(1), occurredAt: at(1))
        let second: [TransactionEvent] = [
            Samples.document(vendor: .bridgepay, merchant: "m-2", terminal: "t-2"),
            .authorizationRequested(PaymentRequest(amounts: Amounts(total: Samples.usd(2000)))),
            .authorizationApproved(Samples.approval(2000, card: Samples.card("AMEX", lastFour: "0005"))),
        ]
        try await log.record(second, about: Samples.id(2), occurredAt: at(2))
        let unknown: [TransactionEvent] = [
            Samples.document(vendor: .handpoint),
            .saleRequested(PaymentRequest(amounts: Amounts(total: Samples.usd(3000)))),
            .outcomeUnknown(Verdict(evidence: .gateway, response: Response())),
        ]
        try await log.record(unknown, about: Samples.id(3), occurredAt: at(3))
        let euro = Money(4000, try #require(Currency(alpha: "EUR")))
        let credit: [TransactionEvent] = [
            Samples.document(vendor: .dejavoo, terminal: "t-1"),
            .creditApproved(
                Approval(amounts: Amounts(total: euro), evidence: .gateway, response: .init(), references: .init())
            ),
            .anomalyRaised(Anomaly(.keysDisagree, "x")),
        ]
        try await log.record(credit, about: Samples.id(4), occurredAt: at(4))
        // The same payment for another tenant, who must neither see the rest nor be seen.
        try await log.record(first, about: Samples.id(1), of: "other", occurredAt: at(1))
    }

    @Test func everyFilterSelectsExactlyItsPayments() async throws {
        try await Following.with { following in
            try await Self.record(in: following.log)
            try await following.catchUp()
            let filters: [(String, [Int], (inout TransactionFilter) -> Void)] = [
                ("none", [4, 3, 2, 1], { _ in }),
                ("status", [3], { $0.status = .inDoubt }),
                ("operation", [2], { $0.operation = .authorization }),
                ("vendor", [4, 1], { $0.vendor = .dejavoo }),
                ("merchant reported beside", [2], { $0.merchant = "m-2" }),
                ("merchant of the document, or of its terminal", [4, 1], { $0.merchant = "m-1" }),
                ("terminal", [4, 1], { $0.terminal = "t-1" }),
                ("batch", [1], { $0.batch = "7" }),
                ("no such batch", [], { $0.batch = "8" }),
                ("brand in any case", [1], { $0.cardBrand = "VISA" }),
                ("last four", [2], { $0.lastFour = "0005" }),
                ("authorisation code", [1], { $0.authorizationCode = "A1" }),
                ("retrieval reference", [1], { $0.retrievalReference = "r-1" }),
                ("invoice", [1], { $0.invoice = "inv-1" }),
                ("gateway", [1], { $0.gatewayTransaction = "g-1" }),
                ("currency", [4], { $0.currency = "EUR" }),
                ("amount from", [4, 3], { $0.amountFrom = 3000 }),
                ("amount to", [2, 1], { $0.amountTo = 2000 }),
                ("from", [4, 3], { $0.occurredFrom = Self.start.adding(microseconds: 3_000_000) }),
                ("before", [2, 1], { $0.occurredBefore = Self.start.adding(microseconds: 3_000_000) }),
                ("in doubt", [3], { $0.isInDoubt = true }),
                ("not in doubt", [4, 2, 1], { $0.isInDoubt = false }),
                ("anomalous", [4], { $0.isAnomalous = true }),
                ("together", [1], { ($0.vendor, $0.operation, $0.amountFrom) = (.dejavoo, .sale, 1) }),
                ("quoted", [], { $0.invoice = "' OR true --" }),
            ]
            for (name, expected, set) in filters {
                var filter = TransactionFilter()
                set(&filter)
                let found = try await following.transactions.transactions(of: "acme", matching: filter, limit: 100)
                #expect(found.map(\.id) == expected.map(Samples.id), "\(name)")
            }
        }
    }

    @Test(arguments: TransactionOrder.allCases)
    func pagesContinueWhileOthersAppend(order: TransactionOrder) async throws {
        try await Following.with { following in
            for number in 0..<25 {
                // Two at the same time; payments later in the log occurred earlier.
                let at = Self.start.adding(microseconds: Int64(-number / 2))
                try await following.log.record(Samples.sale(100), about: Samples.id(number), occurredAt: at)
            }
            try await following.catchUp()
            var seen: [UUID128] = []
            var place: TransactionPlace?
            while true {
                let page = try await following.transactions.transactions(
                    of: "acme",
                    matching: .init(),
                    sortedBy: order,
                    after: place,
                    limit: 10
                )
                guard let last = page.last else { break }
                seen += page.map(\.id)
                place = last.place
                // New payments come before the first page, and later events do not move a payment.
                try await following.log.record(Samples.sale(100), about: Samples.id(100 + seen.count))
                try await following.log.record([.refunded(Samples.taken("r", 1))], about: Samples.id(seen.count % 25))
                try await following.catchUp(["transactions"])
            }
            let expected =
                switch order {
                case .position: Array((0..<25).reversed())
                case .time: (0..<25).sorted { ($0 / 2, -$0) < ($1 / 2, -$1) }
                }
            #expect(seen == expected.map(Samples.id))
        }
    }

    @Test func aPaymentIsFoldedOverAllItsEvents() async throws {
        try await Following.with { following in
            let start = Self.start
            try await following.log.record(Samples.sale(1000), about: Samples.id(1), occurredAt: start)
            try await following.catchUp()
            let last = try await following.log.record(
                [.refunded(Samples.taken("r", 300))],
                about: Samples.id(1),
                occurredAt: start.adding(microseconds: -1)
            )
            try await following.catchUp()
            let view = try #require(try await following.transactions.transaction(Samples.id(1), of: "acme"))
            #expect(view.version == 5)
            #expect(view.firstPosition == 1)
            let json = try JSONValue(parsing: view.json.utf8)
            #expect(json["status"]?.string == "partially-refunded")
            #expect(json["amounts"]?["remaining"]?["value"]?.int64 == 700)
            #expect(json["version"]?.int64 == 5)
            #expect(json["lastPosition"]?.int64 == last)
            #expect(json["occurredAt"]?.string == start.rfc3339)
            #expect(try await following.transactions.transaction(Samples.id(2), of: "acme") == nil)
        }
    }

    @Test func tenantsSeeOnlyTheirOwn() async throws {
        try await Following.with { following in
            let batch = Samples.batch("7")
            try await following.log.record(Samples.sale(1000, batch: batch), about: Samples.id(1))
            try await following.log.record(Samples.sale(500, batch: batch), about: Samples.id(2), of: "other")
            try await following.catchUp()
            for (tenant, own, foreign, amount) in [("acme", 1, 2, 1000), ("other", 2, 1, 500 as Int64)] {
                let all = try await following.transactions.transactions(of: tenant, matching: .init(), limit: 10)
                #expect(all.map(\.id) == [Samples.id(own)])
                #expect(try await following.transactions.transaction(Samples.id(foreign), of: tenant) == nil)
                #expect(try await following.receipts.receipt(of: Samples.id(foreign), tenant: tenant) == nil)
                #expect(try await following.receipts.receipt(of: Samples.id(own), tenant: tenant) != nil)
                // The same batch number of the same terminal is a different batch for another tenant.
                let batches = try await following.batches.batches(of: tenant, limit: 10)
                #expect(batches.map(\.id) == [StreamName.batchID(batch, of: tenant)])
                #expect(batches.first?.totals.map(\.amount) == [amount])
                let other = StreamName.batchID(batch, of: tenant == "acme" ? "other" : "acme")
                #expect(try await following.batches.batch(other, of: tenant) == nil)
                #expect(try await following.batches.lines(of: other, tenant: tenant, limit: 10).isEmpty)
            }
        }
    }

    /// Ids that are stored alike, or only look alike, are two captures, however the log is cut into runs.
    @Test(arguments: [("a\u{0}", "a\u{2400}"), ("caf\u{E9}", "cafe\u{301}")], [false, true])
    func capturesOfSimilarIDsBothCount(_ ids: (String, String), together: Bool) async throws {
        try await Following.with { following in
            let captures = [ids.0, ids.1].map { id in
                TransactionEvent.captured(
                    Capture(
                        id: id,
                        amounts: Amounts(total: Samples.usd(100)),
                        evidence: .gateway,
                        response: .init(),
                        references: .init(),
                        batch: Samples.batch("7")
                    )
                )
            }
            let asked: [TransactionEvent] = [
                Samples.document(vendor: .dejavoo, terminal: "t-1"),
                .authorizationRequested(PaymentRequest(amounts: Amounts(total: Samples.usd(300)))),
                .authorizationApproved(Samples.approval(300)),
            ]
            for run in together ? [asked + captures] : [asked] + captures.map({ [$0] }) {
                try await following.log.record(run, about: Samples.id(1))
                try await following.catchUp()
            }
            let lines = try await following.batches.lines(
                of: StreamName.batchID(Samples.batch("7"), of: "acme"),
                tenant: "acme",
                limit: 10
            )
            #expect(lines.map(\.amount) == [Samples.usd(100), Samples.usd(100)])
            let report = try await following.rebuild("batches")
            #expect(report.isSwapped)
        }
    }

    /// Senders may send U+0000 in any text, and PostgreSQL cannot store it.
    @Test func aNulInADocumentHaltsNothing() async throws {
        try await Following.with { following in
            let nul = "a\u{0}b"
            let references = References(
                gatewayTransaction: nul,
                authorizationCode: nul,
                retrievalReference: nul,
                invoice: nul,
                merchant: nul,
                terminal: nul
            )
            let facts = Samples.sale(
                100,
                batch: Samples.batch(nul, account: nul),
                references: references,
                card: Samples.card(nul, lastFour: nul, funding: nul),
                document: Samples.document(merchant: nul, terminal: nul, device: nul)
            )
            try await following.log.record(facts, about: Samples.id(1))
            try await following.log.record([.refunded(Samples.taken(nul, 1))], about: Samples.id(1))
            try await following.catchUp()
            let view = try #require(try await following.transactions.transaction(Samples.id(1), of: "acme"))
            #expect(try JSONValue(parsing: view.json.utf8)["references"]?["invoice"]?.string == nul)
            var filter = TransactionFilter()
            filter.invoice = "a\u{2400}b"
            #expect(try await following.transactions.transactions(of: "acme", matching: filter, limit: 9).count == 1)
            #expect(try await following.models.positions().allSatisfy { $0.fault == nil && $0.lag == 0 })
        }
    }
}
