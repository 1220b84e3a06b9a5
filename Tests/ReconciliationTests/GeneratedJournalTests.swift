import Canonical
import Composition
import DaybookTestKit
import EventLog
import Journal
import Matching
import Payments
import Postgres
import Projections
import Statements
import Testing

/// The accounts of money that customers have paid, until a bank or the customers have it.
private let owedAccounts: Set<Account> = [
    .processorReceivable, .giftLiability, .undepositedCash, .rounding,
]

/// The books of generated histories: payments with events of every type and files with lines of every type, reconciled,
/// decided about by operators, and withdrawn.
struct GeneratedJournalTests {
    private static let rules = MatchingRules(
        fees: [ExpectedFee(currency: "USD", basisPoints: 200)],
        postings: [PostingRule("others", .other, account: .rounding)]
    )

    @Test(arguments: [1, 2] as [UInt64]) func everyCentHasAnAccount(seed: UInt64) async throws {
        try await PlantedLedger.with(clock: ManualClock()) { planted in
            var history = GeneratedHistory(planted, seed: seed)
            var compared = 0
            try await planted.setRules(Self.rules)
            try await history.recordSamples()
            for round in 0..<6 {
                try await history.record(40)
                for side in StatementSide.allCases {
                    let file = try await history.file(of: side)
                    _ = try await history.import(file)
                }
                try await Self.reconcile(history, "seed \(seed), round \(round)")
                if round < 3 {
                    let file = try await history.file(of: .processor, isAboutPayments: round < 2)
                    if try await Self.expectReturn(of: file, to: &history, "seed \(seed), round \(round)") {
                        compared += 1
                    }
                } else {
                    try await history.decide(6)
                    try await StatementJournalTests.expectEven(planted, "seed \(seed), decided in round \(round)")
                    try await history.withdrawOne()
                    try await Self.reconcile(history, "seed \(seed), withdrawn in round \(round)")
                }
            }
            #expect(compared > 0)
            try await Self.expectEverything(planted)
            try await StatementJournalTests.expectBalanced(planted)

            for id in Array(history.files.keys) { try await history.withdraw(id) }
            try await Self.reconcile(history, whole: true, "seed \(seed), all withdrawn")
            let left = try await Books(planted)
            #expect(left.balances == left.payments, "seed \(seed)")
            #expect(try await planted.exceptions().isEmpty, "seed \(seed)")
            try await StatementJournalTests.expectBalanced(planted)
        }
    }

    /// Every type of event and of line occurred, and statements moved money in each way.
    private static func expectEverything(_ planted: PlantedLedger) async throws {
        let events = try await planted.ledger.reader.events(after: 0, limit: 100_000)
        let types = Set(events.filter { StreamName.paymentID($0.stream) != nil }.map(\.type))
        #expect(types == Set(TransactionEvent.types))
        let lines = try await planted.ledger.pool.query("SELECT DISTINCT type FROM read_statements.lines", [])
        #expect(try Set(lines.map { try $0.text(0) }) == Set(LineType.allCases.map(\.rawValue)))
        for table in ["links", "deposit_links", "postings", "exceptions"] {
            let count = try await planted.ledger.pool.query("SELECT count(*) FROM read_reconciliation.\(table)", [])
            #expect(try count.first?.int64(0) ?? 0 > 0, "\(table)")
        }
    }

    // MARK: After each run

    private static func reconcile(_ history: GeneratedHistory, whole isWhole: Bool = false, _ note: String) async throws
    {
        try await history.reconcile(whole: isWhole)
        try await StatementJournalTests.expectEven(history.planted, note)
        let books = try await Books(history.planted)
        let owed = try await expected(history, books)
        #expect(books.owed == owed, "\(note)")
    }

    /// A file that is imported, examined and withdrawn leaves each balance as it was.
    ///
    /// - Returns: False if the file has changed what payments moved: one in doubt keeps the outcome of a line.
    private static func expectReturn(
        of file: GeneratedLines.File,
        to history: inout GeneratedHistory,
        _ note: String
    ) async throws -> Bool {
        // The run before may have found what only the next one records.
        try await reconcile(history, "\(note), again")
        let before = try await Books(history.planted)
        let id = try await history.import(file)
        try await reconcile(history, "\(note), imported")
        #expect(try await Books(history.planted).balances != before.balances, "\(note)")
        try await history.withdraw(id)
        try await reconcile(history, "\(note), withdrawn")
        let after = try await Books(history.planted)
        guard after.payments == before.payments else { return false }
        #expect(after.balances == before.balances, "\(note)")
        return true
    }

    // MARK: What is expected

    /// What customers have paid less what they got back, less what processors have paid out, kept or explained, and
    /// what exceptions ask about: without the journal.
    private static func expected(_ history: GeneratedHistory, _ books: Books) async throws -> [Currency: Int64] {
        var owed: [Currency: Int64] = [:]
        let pool = history.planted.ledger.pool
        let links = try await pool.query(
            """
            SELECT DISTINCT transaction FROM read_reconciliation.links
            WHERE until IS NULL AND (movement LIKE 'capture:%' OR movement = 'credit')
            """,
            []
        )
        let matched = Set(try links.map { StreamName.transaction(try $0.uuid(0)) })
        for (stream, state) in books.states {
            // The line says when the money comes, not the vendor.
            let funded = matched.contains(stream) ? 0 : state.settlement.funded
            if let currency = state.currency { owed[currency, default: 0] += state.left(funded: funded) }
        }
        let posted = try await pool.query(
            """
            SELECT l.view -> 'references' ->> 'other_reference', p.account FROM read_reconciliation.postings p
            JOIN read_statements.lines l ON l.tenant = p.tenant AND l.id = p.line WHERE p.until IS NULL
            """,
            []
        )
        var explained: Set<String> = []
        for row in posted {
            let account = try #require(Account(rawValue: try row.text(1)))
            if !owedAccounts.contains(account) { explained.insert(try row.text(0)) }
        }
        var counted: Set<String> = []
        for file in history.files.values where file.side == .processor {
            for line in file.lines where counted.insert(line.name).inserted {
                add(line, isPosted: explained.contains(line.name), to: &owed)
            }
        }
        let open = try await pool.query(
            """
            SELECT x.currency, sum(x.amount)::int8 FROM read_reconciliation.exceptions x
            LEFT JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
            WHERE x.amount IS NOT NULL AND x.currency IS NOT NULL AND x.cleared IS NULL
                AND x.class NOT IN ('fee-differs', 'unmatched-deposit') 
                AND coalesce(l.type, '') NOT IN ('fee', 'reserve', 'reserve-release', 'conversion')
                AND (x.status <> 'resolved' OR x.resolution ->> 'kind' = 'written-off')
            GROUP BY 1
            """,
            []
        )
        for row in open {
            let currency = try #require(Currency(alpha: try row.text(0)))
            owed[currency, default: 0] += try row.int64(1)
        }
        return owed.filter { $0.value != 0 }
    }

    /// What a counted line adds, once a run has examined it.
    ///
    /// - Parameter isPosted: Whether a posting rule explains it.
    private static func add(_ line: GeneratedLines.Line, isPosted: Bool, to owed: inout [Currency: Int64]) {
        owed[line.amount.currency, default: 0] += line.fee
        switch line.type {
        case .authorization, .void, .balance: return
        case .fee, .reserve, .reserveRelease, .payout, .payoutReturn, .deposit, .withdrawal, .conversion:
            owed[line.amount.currency, default: 0] += line.amount.value
        case .sale, .capture, .refund, .refundReversal, .batch, .chargeback, .chargebackReversal,
            .adjustment, .transfer, .other:
            // The parts of a total count, not their sum.
            guard !line.hasParts else { return }
            owed[line.amount.currency, default: 0] += line.amount.value
            // The processor owes it instead of the vendor, or an exception asks about it.
            let known = line.paid ?? line.amount
            if !isPosted { owed[known.currency, default: 0] -= known.value }
        }
    }
}

/// The balances of a ledger, and what its payments have posted.
private struct Books {
    /// By stream.
    let states: [String: TransactionState]
    /// By account, part and currency, without zeros.
    let balances: [String: Int64]
    let payments: [String: Int64]
    /// The balance of `owedAccounts`, without zeros.
    let owed: [Currency: Int64]

    init(_ planted: PlantedLedger) async throws {
        let head = try await planted.ledger.reader.head()
        try await planted.ledger.catchUp()
        var states: [String: TransactionState] = [:]
        for event in try await planted.ledger.reader.events(after: 0, limit: 100_000)
        where event.position <= head && StreamName.paymentID(event.stream) != nil {
            let data = try JSONValue(parsing: event.data.utf8)
            let fact = try TransactionEvent(type: event.type, schema: event.schema, data: data)
            states[event.stream, default: TransactionState()].fold(fact, at: event.occurredAt)
        }
        self.states = states
        var payments: [String: Int64] = [:]
        for state in states.values {
            for leg in state.book {
                payments[Self.name([leg.account.rawValue, leg.part], state.currency), default: 0] += leg.amount
            }
        }
        self.payments = payments.filter { $0.value != 0 }
        var (balances, owed): ([String: Int64], [Currency: Int64]) = ([:], [:])
        for one in try await planted.ledger.journal.balances(of: "acme", by: [.account, .part], at: head) {
            balances[Self.name(one.keys, one.currency)] = one.balance
            let account = try #require(Account(rawValue: one.keys[0] ?? ""))
            if owedAccounts.contains(account) { owed[one.currency, default: 0] += one.balance }
        }
        self.balances = balances
        self.owed = owed.filter { $0.value != 0 }
    }

    private static func name(_ keys: [String?], _ currency: Currency?) -> String {
        let names = keys.compactMap(\.self).filter { !$0.isEmpty }
        return names.joined(separator: "/") + " " + (currency?.alpha ?? "")
    }
}

extension TransactionState {
    /// What customers have paid and did not get back, and no bank has, by the sums of the lifecycle.
    fileprivate func left(funded: Int64) -> Int64 {
        guard !isTest else { return 0 }
        return captured - refunded - credited - chargedBack - funded - stored
    }

    /// What a gift card has gained: its load, less what was voided of it, less what its deactivation took.
    private var stored: Int64 {
        func value(_ money: Money?) -> Int64 { money.map { $0.currency == currency ? max(0, $0.value) : 0 } ?? 0 }
        let (load, end) = (value(storedValue.loaded), value(storedValue.deactivated))
        guard captures.isEmpty, credit == nil else { return load - end }
        guard !isVoidedOrReversed else { return 0 }
        let ended =
            closing.voids.reduce(Int64(0)) { $0 + value($1.amount) }
            + closing.reversals.reduce(Int64(0)) { $0 + value($1.amount) }
        return max(0, load - ended) - end
    }
}
