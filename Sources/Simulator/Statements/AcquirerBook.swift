import Canonical
import Matching
import Payments
import Statements

/// A merchant's account at an acquirer: a batch for each day, closed by a payout or carried over.
struct AcquirerBook {
    let merchant: Merchant
    /// Distinguishes the payouts of different simulations.
    let tag: String
    /// The last day of the account.
    let last: CivilDate
    let profile: DiscrepancyProfile
    var random: SeededRandom

    private(set) var rows: [PostedLine] = []
    private(set) var payouts: [Payout] = []
    private var batch = 0
    private var batchNet: Int64 = 0
    private var carried: Int64 = 0
    private var held: Int64 = 0

    init(
        _ merchant: Merchant,
        tag: String,
        last: CivilDate,
        profile: DiscrepancyProfile,
        random: SeededRandom
    ) {
        self.merchant = merchant
        self.tag = tag
        self.last = last
        self.profile = profile
        self.random = random
    }

    /// Adds lines in the order of their days, and at the end the reserve's release and the monthly fee.
    mutating func enter(_ lines: [PostedLine]) {
        for (day, lines) in Dictionary(grouping: lines, by: { $0.line.day ?? last }).sorted(by: { $0.key < $1.key }) {
            open(day)
            for line in lines.sorted(by: Self.isBefore) { append(line) }
            hold(on: day)
            close(day)
        }
        open(last)
        if held > 0 {
            var release = row(.reserveRelease, "DepositCorrection", on: last, minutes: 60)
            release.net = held
            release.references[.text] = "Release of the reserve"
            append(PostedLine(release))
        }
        var fee = row(.fee, "InvoiceDeduction", on: last, minutes: 61)
        fee.net = -ProcessorTerms.monthlyFee
        fee.references[.text] = "Monthly fees"
        append(PostedLine(fee))
        close(last, isFinal: true)
    }

    private static func isBefore(_ left: PostedLine, _ right: PostedLine) -> Bool {
        guard let first = left.line.localTime, let second = right.line.localTime, first != second else {
            return (left.line.references[.processor] ?? "", left.paid) < (
                right.line.references[.processor] ?? "", right.paid
            )
        }
        return first < second
    }

    private func row(_ type: LineType, _ journal: String, on day: CivilDate, minutes: Int64) -> StatementLine {
        var line = StatementLine(
            line: 0,
            side: .processor,
            type: type,
            rawType: journal,
            currency: merchant.currency
        )
        line.localTime = day.time(minutes: minutes)
        line.day = day
        line.zone = "UTC"
        line.references[.merchant] = merchant.id
        return line
    }

    private mutating func append(_ posted: PostedLine) {
        var posted = posted
        posted.line.references[.batch] = "\(batch)"
        batchNet += posted.line.amount ?? 0
        rows.append(posted)
    }

    private mutating func open(_ day: CivilDate) {
        batch += 1
        batchNet = 0
        guard carried != 0 else { return }
        var line = row(.transfer, "Balancetransfer", on: day, minutes: 0)
        line.net = carried
        line.references[.text] = "Balance from batch \(batch - 1)"
        carried = 0
        append(PostedLine(line))
    }

    /// For some merchants a part of a day's sales is held back as a reserve.
    private mutating func hold(on day: CivilDate) {
        guard merchant.place % 3 == 1, day < last else { return }
        let sales = rows.filter { $0.line.day == day && ($0.line.gross ?? 0) > 0 && $0.line.type.isPayment }
        let amount = ProcessorTerms.share(ProcessorTerms.reserve, of: sales.reduce(0) { $0 + ($1.line.gross ?? 0) })
        guard amount > 0 else { return }
        var line = row(.reserve, "DepositCorrection", on: day, minutes: 23 * 60 + 58)
        line.net = -amount
        line.references[.text] = "Reserve"
        held += amount
        append(PostedLine(line))
    }

    /// A positive balance is paid out on the next day; a negative one is carried over to the next batch.
    ///
    /// - Parameter isFinal: True if the simulation has no next batch.
    private mutating func close(_ day: CivilDate, isFinal: Bool = false) {
        let net = batchNet
        guard net > 0 else {
            guard net < 0 else { return }
            var line = row(.transfer, "Balancetransfer", on: day, minutes: 23 * 60 + 59)
            line.net = -net
            line.references[.text] = "Balance to batch \(batch + 1)"
            carried = net
            var posted = PostedLine(line)
            if isFinal { posted.note(.negativeBalance, isPlanted: false, of: nil) }
            return append(posted)
        }
        // The draws of other discrepancies do not depend on this one.
        var drawn = random.fork("payout", batch)
        let kept = profile.plants(.payoutDiffers, &drawn) ? min(net - 1, Int64(drawn.within(1...90))) : 0
        let paid = net - kept
        let id = "PO\(tag)M\(merchant.id.suffix(3))B\(batch)"
        var line = row(.payout, "MerchantPayout", on: day.adding(days: 1), minutes: 6 * 60)
        line.net = -paid
        line.references[.processor] = id
        line.references[.text] = "\(id) batch \(batch), \(merchant.id)"
        var posted = PostedLine(line)
        let arrives = !(profile.plants(.unmatchedDeposit, &random) && random.chance(percent: 60))
        if arrives { posted.payout = id } else { posted.note(.unmatchedDeposit, isPlanted: true, of: nil) }
        if kept > 0 { posted.note(.payoutDiffers, isPlanted: true, of: nil, -kept) }
        append(posted)
        payouts.append(
            Payout(
                id: id,
                merchant: merchant,
                processor: "ADYEN",
                amount: paid,
                day: day.adding(days: 1),
                arrives: arrives
            )
        )
    }
}

extension DiscrepancyProfile {
    /// Draws at most one of several classes.
    func roll(_ classes: [ExceptionClass], _ random: inout SeededRandom) -> ExceptionClass? {
        let rates = classes.map { self[$0] }
        // Rates with a sum above one are scaled down.
        var rest = random.below(max(1_000_000, rates.reduce(0, +)))
        for (one, rate) in zip(classes, rates) {
            if rest < rate { return one }
            rest -= rate
        }
        return nil
    }

    /// Whether the discrepancy happens at this opportunity.
    func plants(_ planted: ExceptionClass, _ random: inout SeededRandom) -> Bool {
        random.chance(partsPerMillion: self[planted])
    }
}
