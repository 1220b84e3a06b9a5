import Canonical
import DaybookTestKit
import EventLog
import Payments
import Projections
import Testing

struct BatchTests {
    private static func net(_ batch: BatchView) -> Int64 { batch.totals.reduce(0) { $0 + $1.net } }

    private static func id(_ reference: BatchReference) -> UUID128 { StreamName.batchID(reference, of: "acme") }

    /// I7: net = sales + captures, including tips, less refunds; voided amounts are listed and not counted.
    @Test func theNetOfABatchIsTheSumOfItsLines() async throws {
        try await Following.with { following in
            let log = following.log
            let batch = Samples.batch("7")
            let visa = Samples.card("Visa", funding: "credit")
            try await log.record(Samples.sale(1000, tip: 200, batch: batch, card: visa), about: Samples.id(1))
            try await log.record(Samples.sale(500, batch: batch, card: visa), about: Samples.id(2))
            try await log.record(Samples.sale(300, batch: batch, card: Samples.card("AMEX")), about: Samples.id(3))
            // Voided in full, and in part.
            try await log.record(Samples.sale(700, batch: batch, card: visa), about: Samples.id(4))
            try await log.record([.voided(Samples.taken("v", nil))], about: Samples.id(4))
            try await log.record(Samples.sale(800, batch: batch, card: visa), about: Samples.id(5))
            try await log.record([.voided(Samples.taken("v", 100))], about: Samples.id(5))
            // A capture of an authorisation, with a refund in the same batch, and a voided refund.
            let authorised: [TransactionEvent] = [
                Samples.document(), .authorizationRequested(PaymentRequest(amounts: Amounts(total: Samples.usd(2000)))),
                .authorizationApproved(Samples.approval(2000, card: visa)),
                .captured(Samples.capture("c-1", 1500, batch: batch)),
                .refunded(Samples.taken("r-1", 400, batch: batch)), .refunded(Samples.taken("r-2", 50, batch: batch)),
                .refundVoided(Samples.taken("r-2", nil)),
            ]
            try await log.record(authorised, about: Samples.id(6))
            // A payment in another batch, and a declined one.
            try await log.record(Samples.sale(9999, batch: Samples.batch("8")), about: Samples.id(7))
            let declined = TransactionEvent.declined(Verdict(evidence: .gateway, response: Response(code: "05")))
            try await log.record([Samples.document(), declined], about: Samples.id(8))
            try await following.catchUp()

            let view = try #require(try await following.batches.batch(Self.id(batch), of: "acme"))
            #expect(Self.net(view) == 1000 + 500 + 300 + 700 + 1500 - 400)
            func total(_ type: String, _ brand: String?) -> BatchTotal? {
                view.totals.first { $0.type == type && $0.brand == brand }
            }
            let sales = try #require(total("sale", "Visa"))
            #expect((sales.count, sales.amount, sales.tips) == (3, 2200, 200))
            #expect((sales.voidedCount, sales.voided) == (2, 800))
            #expect(sales.tender == "credit")
            #expect(total("sale", "AMEX")?.amount == 300)
            #expect(total("capture", "Visa")?.amount == 1500)
            let refunds = try #require(total("refund", "Visa"))
            #expect((refunds.count, refunds.amount, refunds.voided) == (1, 400, 50))
            #expect(view.totals.count == 4)

            // Every line is in its batch, page by page.
            var lines: [BatchLine] = []
            while true {
                let last = lines.last.map { ($0.transaction, $0.line) }
                let page = try await following.batches.lines(of: Self.id(batch), tenant: "acme", after: last, limit: 3)
                if page.isEmpty { break }
                lines += page
            }
            #expect(lines.count == 8)
            let sum = lines.reduce(0) { $0 + ($1.type == "refund" ? -1 : 1) * ($1.amount.value - $1.voided) }
            #expect(sum == Self.net(view))
        }
    }

    /// A batch under another name of the account, until its own closing is reported.
    @Test func aPartIsReadWithItsWhole() async throws {
        try await Following.with { following in
            let log = following.log
            let (whole, part) = (Samples.batch("7"), Samples.batch("7", account: "S1"))
            try await log.record(Samples.sale(1000, batch: part), about: Samples.id(1))
            let before = try await log.record(Samples.sale(30, batch: Samples.batch("8")), about: Samples.id(3))
            let linked = try await log.record([.batchLinked(BatchLink(part, partOf: whole))], about: part)
            try await following.catchUp()
            func listed(at position: Int64) async throws -> [BatchReference: Int64] {
                let past = PastBatches(pool: log.pool, reader: log.reader)
                let page = try await past.batches(of: "acme", number: "7", at: position, limit: 10)
                return Dictionary(uniqueKeysWithValues: page.items.map { ($0.reference, Self.net($0)) })
            }
            #expect(try await listed(at: before) == [part: 1000])
            #expect(try await listed(at: linked) == [whole: 1000])
            try await log.record(Samples.sale(200, batch: whole), about: Samples.id(2))
            let closing = BatchClosing(batch: part, response: Response(code: "00"))
            let end = try await log.record(Samples.sale(40, batch: part), about: Samples.id(4))
            let closed = try await log.record([.batchClosed(closing)], about: part)
            try await following.catchUp()
            #expect(try await listed(at: end) == [whole: 1240])
            #expect(try await listed(at: closed) == [whole: 200, part: 1040])
            for (position, amounts) in [(before, [1000]), (linked, [1000]), (end, [1000, 200, 40]), (closed, [200])] {
                let id = position == before ? Self.id(part) : Self.id(whole)
                let lines = try await following.batches.lines(of: id, tenant: "acme", at: position, limit: 10)
                #expect(lines.map(\.amount.value).sorted() == amounts.map(Int64.init).sorted(), "\(position)")
            }
            var comparison = BatchComparison(from: before, to: end)
            comparison.batch = Self.id(whole)
            let changes = try await following.batches.changes(of: "acme", comparison, limit: 10)
            #expect(changes.compactMap { $0.after?.amount.value }.sorted() == [40, 200, 1000])
            let open = try await following.batches.batches(of: "acme", terminal: "S1", limit: 10)
            #expect(open.map(\.reference) == [part])
        }
    }

    @Test func linesWithoutABatchAreInTheUnnamedBatchOfTheirAccount() async throws {
        try await Following.with { following in
            try await following.log.record(Samples.sale(1000), about: Samples.id(1))
            try await following.catchUp()
            let unnamed = Samples.batch(nil)
            let before = try #require(try await following.batches.batch(Self.id(unnamed), of: "acme"))
            #expect(before.reference == unnamed)
            #expect(before.status == .open)
            #expect(Self.net(before) == 1000)
            // The settlement names the batch.
            let named = Samples.batch("7")
            let position = try await following.log.record(
                [.settled(Settlement(id: "s", batch: named))],
                about: Samples.id(1)
            )
            try await following.catchUp()
            #expect(try await following.batches.batch(Self.id(unnamed), of: "acme")?.totals.isEmpty == true)
            let after = try #require(try await following.batches.batch(Self.id(named), of: "acme"))
            #expect(Self.net(after) == 1000)
            #expect(after.firstPosition == position)
        }
    }

    /// Until the void is reported, the batch is as its closing left it.
    @Test func aVoidMadeBeforeTheClosingTakesThePaymentOutOfTheBatch() async throws {
        try await Following.with { following in
            let log = following.log
            let named = Samples.batch("7")
            let closedAt = Timestamp(microsecondsSince1970: 1_767_300_000_000_000)
            let settled = TransactionEvent.settled(Settlement(id: "s", batch: named, at: .instant(closedAt)))
            let void = TransactionEvent.voided(
                Samples.taken("v", nil, at: closedAt.adding(microseconds: -1_000_000))
            )
            // The batch number of the first is only known from the closing; the document of the second named it.
            let numbered = try await log.record(Samples.sale(1000) + [settled], about: Samples.id(1))
            let taken = try await log.record([void], about: Samples.id(1))
            try await log.record(Samples.sale(500, batch: named) + [settled, void], about: Samples.id(2))
            try await following.catchUp()
            let view = try #require(try await following.batches.batch(Self.id(named), of: "acme"))
            #expect(Self.net(view) == 0)
            #expect(view.totals.map(\.voided) == [500] && view.totals.map(\.count) == [0])
            let unnamed = try #require(try await following.batches.batch(Self.id(Samples.batch(nil)), of: "acme"))
            #expect(Self.net(unnamed) == 0 && unnamed.totals.map(\.voided) == [1000])

            let totals = TotalsQuery(pool: log.pool)
            func captured(_ position: Int64, batch: BatchReference? = nil) async throws -> Int64? {
                let batch = batch.map(Self.id)
                return try await totals.totals(of: "acme", by: [], batch: batch, at: position).first?.captured
            }
            #expect(try await captured(numbered) == 1000)
            #expect(try await captured(numbered, batch: named) == 1000)
            #expect(try await captured(taken) == 0)
            #expect(try await captured(taken, batch: named) == nil)
            #expect(try await totals.totals(of: "acme", by: []).first?.voided == 1500)
        }
    }

    @Test func aBatchIsOpenedClosingAndClosed() async throws {
        try await Following.with { following in
            let log = following.log
            let batch = Samples.batch("7")
            let opened = try await log.record(Samples.sale(1000, batch: batch), about: Samples.id(1))
            try await following.catchUp()
            func view() async throws -> BatchView {
                try await following.catchUp()
                return try #require(try await following.batches.batch(Self.id(batch), of: "acme"))
            }
            let open = try await view()
            #expect(open.status == .open && !open.isRequested)
            try await log.record([.batchCloseRequested(BatchClosing(batch: batch, response: .init()))], about: batch)
            #expect(try await view().status == .closing)
            let at = Timestamp(microsecondsSince1970: 1_767_300_000_000_000)
            let closing = BatchClosing(
                batch: batch,
                settlement: "s-1",
                response: Response(code: "00"),
                totals: HostTotals(count: 1, net: Samples.usd(1000)),
                at: .instant(at)
            )
            try await log.record([.batchClosed(closing)], about: batch)
            let closed = try await view()
            #expect(closed.status == .closed)
            #expect(closed.closing == closing)
            #expect(closed.closedAt == at)
            #expect(closed.isRequested)
            #expect(closed.firstPosition == opened)
            // A late payment changes the totals and nothing else.
            let last = try await log.record(Samples.sale(1, batch: batch), about: Samples.id(2))
            let late = try await view()
            #expect((late.status, late.closedAt, late.lastPosition) == (.closed, at, last))
            #expect(Self.net(late) == 1001)
        }
    }

    @Test func aBatchKnownOnlyByItsClosingIsListed() async throws {
        try await Following.with { following in
            for number in ["1", "2", "3"] {
                let batch = Samples.batch(number, vendor: number == "2" ? .bridgepay : .dejavoo)
                let closing = BatchClosing(batch: batch, response: .init())
                try await following.log.record(
                    [number == "3" ? .batchCloseFailed(closing) : .batchClosed(closing)],
                    about: batch
                )
            }
            try await following.catchUp()
            func numbers(
                status: BatchState.Status? = nil,
                vendor: Vendor? = nil,
                number: String? = nil,
                before: Int64 = .max,
                limit: Int = 10
            ) async throws -> [String?] {
                try await following.batches.batches(
                    of: "acme",
                    status: status,
                    vendor: vendor,
                    number: number,
                    before: before,
                    limit: limit
                ).map(\.reference.number)
            }
            #expect(try await numbers() == ["3", "2", "1"])
            #expect(try await numbers(status: .closed) == ["2", "1"])
            #expect(try await numbers(vendor: .bridgepay) == ["2"])
            #expect(try await numbers(number: "3") == ["3"])
            #expect(try await numbers(limit: 1) == ["3"])
            #expect(try await numbers(before: 3, limit: 1) == ["2"])
            #expect(try await following.batches.batches(of: "other", limit: 10).isEmpty)
        }
    }
}
