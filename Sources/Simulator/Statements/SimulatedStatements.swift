import Canonical
import Matching
import Payments
import Statements

/// The statements of a simulation, and all discrepancies and matches that a reconciliation with its ledger must find.
///
/// Every merchant has an acquirer that reports and pays by day; some also have a contract with American Express. At
/// iPOSgo the terminals' batches are reported separately, and an acquirer pays for them. The same plan gives the same
/// bytes.
package struct SimulatedStatements: Sendable {
    package private(set) var files: [StatementFile] = []
    package private(set) var discrepancies: [DiscrepancyTruth] = []
    /// The matches of lines, including those of payments in doubt whose outcome a line shows.
    package private(set) var matches: [MatchTruth] = []
    /// The balances of the payments and of these statements, once they are reconciled.
    package private(set) var balances: [BalanceTruth] = []

    /// The prefix of the banks' file names.
    static let bankPrefix = "bank-"

    private let plan: SimulationPlan
    private let profile: DiscrepancyProfile
    private let root: SeededRandom
    /// The newest day of a processor's line, and of a bank's by currency.
    private var horizon: CivilDate
    private var bankHorizons: [String: CivilDate] = [:]
    /// The payouts that do not arrive, by their days.
    private var undelivered: [(day: CivilDate, truth: DiscrepancyTruth)] = []
    private var book = StatementBook()

    /// - Throws: `StatementWriterError` if a format lacks a field for a value; that is an error of the simulator.
    package init(_ plan: SimulationPlan, _ truth: TruthFile) throws {
        self.plan = plan
        profile = plan.discrepancies
        root = SeededRandom(seed: plan.seed).fork("statements")
        horizon = plan.firstDay.civilDay
        var payments: [String: [(number: Int, truth: PaymentTruth)]] = [:]
        for (number, payment) in truth.payments.enumerated() {
            payments[payment.merchant, default: []].append((number, payment))
        }
        var payouts: [[Payout]] = [[], []]
        var unfound: [StatementPosting.Unfound] = []
        for (index, merchant) in World(plan).merchants.enumerated() {
            guard let own = payments[merchant.id] else { continue }
            var posting = StatementPosting(merchant, profile, root)
            for (number, payment) in own { posting.post(payment, number: number) }
            unfound += posting.unfound
            payouts[index % 2] += try write(posting, index)
        }
        for (index, payouts) in payouts.enumerated() where !payouts.isEmpty {
            try write(payouts, isAmerican: index == 0)
        }
        follow(unfound, truth)
        let graceDays = Int64(ProcessorTerms.rules.graceDays)
        for (day, payout) in undelivered {
            guard let newest = payout.currency.flatMap({ bankHorizons[$0] }), day.adding(days: graceDays) <= newest
            else { continue }
            raise(payout, against: AccountPlace(.cashInTransit))
        }
        var sums = BalanceTruth.sums(of: truth.payments, through: nil)
        sums.add(book.balances)
        balances = BalanceTruth.list(.reconciled, nil, sums)
    }

    /// - Parameter place: The account that it is about; nil if no money is.
    private mutating func raise(_ discrepancy: DiscrepancyTruth, against place: AccountPlace?) {
        discrepancies.append(discrepancy)
        book.raise(discrepancy, against: place)
    }

    private var lastDay: CivilDate {
        plan.firstDay.civilDay.adding(days: Int64(plan.days) - 1 + ProcessorTerms.lastDay)
    }

    /// The creation time of the files.
    private var madeAt: Timestamp { lastDay.adding(days: 3).time(minutes: 300) }

    // MARK: Files

    /// - Returns: The payouts.
    private mutating func write(_ posting: StatementPosting, _ index: Int) throws -> [Payout] {
        let merchant = posting.merchant
        let random = root.fork("merchant", index)
        var payouts: [Payout] = []
        var acquired = posting.acquired
        if !posting.batched.isEmpty {
            let terminals = TerminalBook(merchant, posting.batched)
            try add("iposgo-\(merchant.id).json", .iposgoSettlement, IPOSgoWriter(), terminals.records)
            acquired += terminals.funding
        }
        if !posting.amex.isEmpty {
            var book = AmexBook(merchant, tag: plan.tag, profile: profile, random: random.fork("amex"))
            book.enter(posting.amex)
            let name = "amex-\(merchant.id).csv"
            let writer = GRRCNWriter(fileName: name, sequence: Int64(index + 1), createdAt: madeAt)
            try add(name, .amexGRRCN, writer, book.records)
            payouts += book.payouts
        }
        if !acquired.isEmpty {
            let name = "\(posting.batched.isEmpty ? "adyen" : "funding")-\(merchant.id).csv"
            var book = AcquirerBook(
                merchant,
                tag: plan.tag,
                last: lastDay,
                profile: profile,
                random: random.fork("acquirer")
            )
            book.enter(acquired)
            try add(name, .adyenSettlement, AdyenWriter(company: "Simulated\(plan.tag)"), book.rows)
            payouts += book.payouts
        }
        return payouts
    }

    private mutating func write(_ payouts: [Payout], isAmerican: Bool) throws {
        var book = BankBook(
            isAmerican: isAmerican,
            profile: profile,
            random: root.fork("bank", isAmerican ? 0 : 1)
        )
        book.enter(payouts)
        guard !book.entries.isEmpty else { return }
        if isAmerican {
            let writer = BAI2Writer(sender: "BANK", receiver: "SIM\(plan.tag)", createdAt: madeAt)
            try add("\(Self.bankPrefix)\(plan.tag).bai", .bai2, writer, book.entries)
        } else {
            let writer = CamtWriter(messageID: "SIM\(plan.tag)", createdAt: madeAt)
            try add("\(Self.bankPrefix)\(plan.tag).xml", .camt053, writer, book.entries)
        }
    }

    private mutating func add(
        _ name: String,
        _ format: StatementFormat,
        _ writer: some StatementWriter,
        _ lines: [PostedLine]
    ) throws {
        let bytes = try writer.write(lines.map(\.line))
        files.append(StatementFile(name: name, format: format, bytes: bytes, lines: lines.count))
        for line in lines.map(\.line) {
            guard let day = line.day else { continue }
            if line.side == .processor { horizon = max(horizon, day) }
            let currency = line.currency.alpha
            if line.side == .bank { bankHorizons[currency] = max(bankHorizons[currency] ?? day, day) }
        }
        for (index, posted) in lines.enumerated() {
            book.enter(posted, format)
            if posted.payment != nil || posted.payout != nil {
                let number = Int64(index + 1)
                matches.append(MatchTruth(file: name, number: number, payment: posted.payment, payout: posted.payout))
            }
            for wrong in posted.wrongs {
                let truth = DiscrepancyTruth(
                    wrong.exceptionClass,
                    isPlanted: wrong.isPlanted,
                    payment: wrong.payment,
                    file: name,
                    number: Int64(index + 1),
                    amount: wrong.amount,
                    currency: wrong.currency
                )
                if wrong.exceptionClass == .unmatchedDeposit, posted.line.type == .payout,
                    let day = posted.line.valueDay ?? posted.line.day
                {
                    undelivered.append((day, truth))
                } else {
                    raise(truth, against: StatementBook.place(of: wrong.exceptionClass, posted, format))
                }
            }
        }
        let isWrong = lines.contains { $0.wrongs.contains { Self.failing.contains($0.exceptionClass) } }
        guard isWrong else { return }
        raise(
            DiscrepancyTruth(
                .controlFailed,
                isPlanted: false,
                payment: nil,
                file: name,
                number: nil,
                amount: nil,
                currency: nil
            ),
            against: nil
        )
    }

    /// The discrepancies of which a control of the file fails.
    private static let failing: Set<ExceptionClass> = [.batchOutOfBalance, .payoutDiffers]

    // MARK: Discrepancies without a line

    private mutating func follow(_ unfound: [StatementPosting.Unfound], _ truth: TruthFile) {
        func isDue(_ day: CivilDate, _ days: Int) -> Bool { day.adding(days: Int64(days)) <= horizon }
        for one in unfound where isDue(one.entry.ledgerDay, ProcessorTerms.rules.graceDays) {
            raise(
                DiscrepancyTruth(
                    .missingAtProcessor,
                    isPlanted: one.isPlanted,
                    payment: one.entry.payment.reference,
                    file: nil,
                    number: nil,
                    amount: -one.entry.amount,
                    currency: one.entry.payment.currency
                ),
                against: one.entry.holder
            )
        }
        for payment in truth.payments where payment.status == .authorized && payment.evidence == .complete {
            let begun = (payment.begunAt ?? payment.startedAt).civilDay
            guard isDue(begun, ProcessorTerms.rules.expiryDays) else { continue }
            raise(
                DiscrepancyTruth(
                    .expiredAuthorization,
                    isPlanted: payment.planted == .expiredAuthorization,
                    payment: payment.reference,
                    file: nil,
                    number: nil,
                    amount: 0,
                    currency: payment.currency
                ),
                against: nil
            )
        }
    }
}
