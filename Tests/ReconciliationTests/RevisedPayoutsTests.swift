import Canonical
import Composition
import DaybookTestKit
import EventLog
import Matching
import Payments
import Postgres
import Projections
import Reconciliation
import Statements
import Testing

/// Square reports a payout again when it has arrived or was returned: it is one payout, in its newest revision.
struct RevisedPayoutsTests {
    /// - Parameters:
    ///   - status: `SENT`, `PAID` or `FAILED`.
    ///   - version: The number of changes; nil when the file does not report it.
    private static func payout(_ status: String, version: Int? = nil) -> [UInt8] {
        let reported = version.map { #""version":\#($0),"# } ?? ""
        return Array(
            """
            {"payout":{"id":"po_9","status":"\(status)",\(reported)"location_id":"L1","created_at":"2026-01-07T02:00:00Z",
              "amount_money":{"amount":9420,"currency":"USD"},"arrival_date":"2026-01-08"}}
            """.utf8
        )
    }

    private static func deposit(_ amount: Int64, id: String?) throws -> [UInt8] {
        let day = try #require(CivilDate("2026-01-20"))
        var line = StatementLine(line: 0, side: .bank, type: .deposit, currency: .usd)
        (line.gross, line.net, line.day, line.bookedDay) = (amount, amount, day, day)
        line.references = [.account: "DE02120300000000202051", .text: "Square Inc", .endToEnd: id]
        return try CamtWriter(messageID: "M\(amount)", createdAt: day.time).write([line])
    }

    private func `import`(_ file: [UInt8], into planted: PlantedLedger) async throws {
        _ = try await planted.ledger.reconciliation.importer.import(
            StatementBytes(file),
            // A payout without entries is not recognised automatically.
            StatementImporter.Request(format: file.first == UInt8(ascii: "{") ? .squarePayout : nil),
            sender: PlantedLedger.sender
        )
    }

    /// The sums of the processors' payouts by state: `matched 1 9420`.
    private func payouts(in planted: PlantedLedger) async throws -> [String] {
        try await planted.deposits.coverage(of: "acme").filter { $0.side == .processor }
            .map { "\($0.state.rawValue) \($0.count) \($0.amount ?? -1)" }
    }

    private func status(in planted: PlantedLedger) async throws -> [String] {
        try await planted.ledger.pool.query(
            """
            SELECT l.view ->> 'status' FROM read_reconciliation.deposit_links k
            JOIN read_statements.lines l ON l.tenant = k.tenant AND l.id = k.payout WHERE k.until IS NULL
            """,
            []
        ).map { try $0.text(0) }
    }

    /// In any order, with a run after each file, with and without versions.
    @Test(arguments: [
        (["SENT", "PAID"], [1, 2]), (["PAID", "SENT"], [2, 1]), (["SENT", "PAID"], nil), (["PAID", "SENT"], nil),
    ])
    func sentAndPaidReportsAreOnePayout(reported: [String], versions: [Int]?) async throws {
        try await PlantedLedger.with { planted in
            try await self.import(try Self.deposit(9420, id: "po_9"), into: planted)
            for (index, status) in reported.enumerated() {
                try await self.import(Self.payout(status, version: versions?[index]), into: planted)
                try await planted.reconcile()
                #expect(try await payouts(in: planted) == ["matched 1 9420"], "\(status) of \(reported)")
            }
            #expect(try await status(in: planted) == ["PAID"])
            #expect(try await planted.exceptions().isEmpty)
            let query = ReconciliationQuery(pool: planted.ledger.pool)
            let position = try await planted.ledger.reader.head()
            let account = try await query.report(of: "acme", ReportScope(), at: position, now: .earliest).account
            #expect(account.map(\.kind) == [.payouts] && account.map(\.count) == [1])
            #expect(account.map(\.amount) == [-9420])
            let listed = try await planted.deposits.transfers(of: "acme", limit: 9).filter { $0.side == .processor }
            #expect(listed.count == 1)
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole.depositsMatched + whole.depositsUnmatched + whole.raised + whole.cleared == 0)
        }
    }

    /// A failed payout is no payout: the deposit it was matched with is unexplained.
    @Test func aFailedPayoutIsNotCounted() async throws {
        try await PlantedLedger.with { planted in
            try await self.import(try Self.deposit(9420, id: "po_9"), into: planted)
            try await self.import(Self.payout("SENT", version: 1), into: planted)
            try await planted.reconcile()
            #expect(try await payouts(in: planted) == ["matched 1 9420"])
            let before = try await planted.ledger.reader.head()
            try await self.import(Self.payout("FAILED", version: 3), into: planted)
            let ended = try await planted.reconcile().completion
            #expect(ended.depositsUnmatched == 1)
            #expect(try await payouts(in: planted).isEmpty)
            #expect(try await planted.deposits.transfers(of: "acme", limit: 9).map(\.side) == [.bank])
            // The past state is unchanged.
            let past = try await planted.deposits.coverage(of: "acme", at: before).filter { $0.side == .processor }
            #expect(past.map(\.state) == [.matched])
            // An older revision arrives again and changes nothing.
            try await self.import(Self.payout("PAID", version: 2), into: planted)
            try await planted.reconcile()
            #expect(try await payouts(in: planted).isEmpty)
        }
    }

    /// A failed payout that the bank never saw is not missing at the bank.
    @Test func aFailedPayoutIsNotMissingAtTheBank() async throws {
        try await PlantedLedger.with { planted in
            try await self.import(try Self.deposit(100, id: nil), into: planted)
            try await self.import(Self.payout("SENT"), into: planted)
            try await planted.reconcile()
            #expect(try await planted.exceptions().map(\.what) == ["unmatched-deposit"])
            try await self.import(Self.payout("FAILED"), into: planted)
            try await planted.reconcile()
            #expect(try await planted.exceptions().isEmpty)
        }
    }
}

extension CivilDate {
    fileprivate var time: Timestamp { Timestamp(microsecondsSince1970: daysSince1970 * 86_400_000_000) }
}
