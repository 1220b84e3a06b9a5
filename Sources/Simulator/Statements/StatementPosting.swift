import Canonical
import Matching
import Payments
import Statements

/// The lines of one merchant's processors, and the discrepancies that a reconciliation must find in them.
struct StatementPosting {
    let merchant: Merchant
    let profile: DiscrepancyProfile
    let root: SeededRandom

    /// The lines by the file that they are written to.
    private(set) var acquired: [PostedLine] = []
    private(set) var amex: [PostedLine] = []
    private(set) var batched: [PostedLine] = []
    /// Movements in the ledger without a line. Whether they count as a discrepancy depends on the days.
    private(set) var unfound: [Unfound] = []

    /// A movement in the ledger that no line names.
    struct Unfound {
        var entry: HostEntry
        var isPlanted: Bool
    }

    init(_ merchant: Merchant, _ profile: DiscrepancyProfile, _ root: SeededRandom) {
        self.merchant = merchant
        self.profile = profile
        self.root = root
    }

    /// Posts a payment.
    ///
    /// - Parameter number: Its index among the simulation's payments.
    mutating func post(_ payment: PaymentTruth, number: Int) {
        guard payment.tellsAgain == nil else { return }
        var random = root.fork("payment", number)
        let channel = ProcessorLines.channel(of: payment, at: merchant)
        let entries = HostEntry.entries(of: payment)
        if entries.isEmpty { return postMoneyless(payment, channel, &random) }
        for entry in entries {
            let lines = ProcessorLines(
                channel: channel,
                entry: entry,
                currency: merchant.currency,
                ownID: Self.ownID(&random)
            )
            post(lines, &random)
        }
    }

    private static func ownID(_ random: inout SeededRandom) -> String { "H\(random.digits(11))" }

    private mutating func add(_ line: PostedLine, to channel: ProcessorLines.Channel) {
        switch channel {
        case .acquirer: acquired.append(line)
        case .amex: amex.append(line)
        case .terminal: batched.append(line)
        }
    }

    // MARK: Money

    private mutating func post(_ lines: ProcessorLines, _ random: inout SeededRandom) {
        let payment = lines.entry.payment
        var posted = PostedLine(lines.line())
        posted.holder = lines.entry.holder
        guard payment.evidence == .complete else {
            // The ledger knows the payment, with or without an id that the processor has too.
            posted.note(
                lines.sharedID == nil ? .missingInLedger : .inDoubtResolved,
                isPlanted: payment.planted == .inDoubtResolved && lines.sharedID != nil,
                of: payment.reference
            )
            // The line is the evidence, and explains the outcome that it shows.
            if lines.sharedID != nil {
                posted.payment = payment.reference
                if Self.distance(lines.entry) > Int64(ProcessorTerms.rules.lateDays) {
                    posted.note(.late, isPlanted: false, of: payment.reference, 0)
                }
            }
            return add(posted, to: lines.channel)
        }
        posted.payment = payment.reference
        if payment.planted == nil, let planted = profile.roll(Self.classes(for: lines), &random) {
            return plant(planted, posted, lines, &random)
        }
        judge(&posted, lines)
        if let twin = payment.repeatedAs {
            posted.note(.duplicateInLedger, isPlanted: true, of: twin, -lines.entry.amount)
        }
        add(posted, to: lines.channel)
        if lines.entry.isAll, lines.entry.kind == .sale, lines.channel != .terminal, random.chance(percent: 2) {
            // A sale is occasionally disputed.
            add(disputed(lines, isPlanted: false, &random), to: lines.channel)
        }
    }

    /// Notes the discrepancies that follow if the device's clock error exceeds the rules' limits.
    private mutating func judge(_ posted: inout PostedLine, _ lines: ProcessorLines) {
        let entry = lines.entry
        let distance = Self.distance(entry)
        if lines.sharedID == nil, abs(distance) > Self.invoiceDays {
            posted.note(.missingInLedger, isPlanted: false, of: entry.payment.reference)
            posted.payment = nil
            unfound.append(Unfound(entry: entry, isPlanted: false))
        } else if distance > Int64(ProcessorTerms.rules.lateDays) {
            posted.note(.late, isPlanted: false, of: entry.payment.reference, 0)
        }
    }

    /// The days from the ledger's day of a payment to the day of its line.
    private static func distance(_ entry: HostEntry) -> Int64 {
        entry.day.daysSince1970 - entry.ledgerDay.daysSince1970
    }

    /// The maximum distance in days for a match by the app's invoice alone.
    private static let invoiceDays =
        ProcessorTerms.rules.ladder.compactMap { $0.keys == [.invoice] ? $0.days : nil }.first.map(Int64.init) ?? .max

    private func chargeback(of lines: ProcessorLines, _ random: inout SeededRandom) -> StatementLine {
        var line = lines.line()
        line.type = .chargeback
        line.role = .own
        line.gross = -lines.entry.amount
        line.fees = []
        line.net = line.gross
        let later = lines.entry.at.wholeSecond.adding(microseconds: Int64(random.within(1...4)) * 86_400_000_000)
        line.localTime = later
        line.day = later.civilDay
        line.references[.related] = "CB\(random.digits(9))"
        if lines.channel == .acquirer {
            line.fees = [LineFee(.markup, -ProcessorTerms.chargebackFee)]
            line.net = (line.gross ?? 0) - ProcessorTerms.chargebackFee
        } else {
            line.bookedDay = line.day
        }
        return line
    }

    /// A chargeback of a payment of the ledger. The line itself reports it.
    private func disputed(_ lines: ProcessorLines, isPlanted: Bool, _ random: inout SeededRandom) -> PostedLine {
        var posted = PostedLine(chargeback(of: lines, &random))
        posted.holder = lines.entry.holder
        posted.disputed = AccountPlace(.disputeReceivable, lines.entry.payment.vendor.rawValue)
        posted.note(.chargebackNotRecorded, isPlanted: isPlanted, of: lines.entry.payment.reference)
        posted.payment = lines.entry.payment.reference
        return posted
    }

    // MARK: Planted discrepancies

    /// Tenders that no acquirer settles: without a line nothing is missing (docs/reconciliation-rules.md).
    private static let unsettled: Set<String> = ["gift", "loyalty", "cash", "check"]

    /// The discrepancies of a line that a reconciliation would find unambiguously.
    private static func classes(for lines: ProcessorLines) -> [ExceptionClass] {
        let entry = lines.entry
        guard entry.isAll, entry.kind == .sale, entry.isOnTime else { return [] }
        let isNamed = lines.sharedID != nil
        let isExpected = !unsettled.contains(entry.payment.tender)
        let classes: [ExceptionClass] = [.missingInLedger] + (isExpected ? [.missingAtProcessor] : [])
        return switch lines.channel {
        case .amex: classes + [.chargebackWithoutSale, .chargebackNotRecorded, .unexplainedLine]
        case .terminal: isNamed ? classes + [.amountDiffers, .duplicateAtProcessor, .statusDiffers] : classes
        case .acquirer where isNamed:
            classes + [
                .chargebackWithoutSale, .feeDiffers, .amountDiffers, .currencyDiffers, .duplicateAtProcessor, .late,
                .chargebackNotRecorded, .unexplainedLine,
            ]
        case .acquirer: classes + [.chargebackWithoutSale, .chargebackNotRecorded, .feeDiffers, .unexplainedLine]
        }
    }

    private mutating func plant(
        _ planted: ExceptionClass,
        _ clean: PostedLine,
        _ lines: ProcessorLines,
        _ random: inout SeededRandom
    ) {
        let reference = lines.entry.payment.reference
        var posted = clean
        posted.payment = nil
        switch planted {
        case .missingAtProcessor: return unfound.append(Unfound(entry: lines.entry, isPlanted: true))
        case .missingInLedger:
            add(clean, to: lines.channel)
            posted = PostedLine(unknown(lines, &random))
            posted.note(planted, isPlanted: true, of: nil)
        case .chargebackWithoutSale:
            add(clean, to: lines.channel)
            var line = chargeback(of: lines, &random)
            line.references[.processor] = Self.ownID(&random)
            line.references[.invoice] = nil
            line.references[.authCode] = nil
            posted = PostedLine(line)
            posted.note(planted, isPlanted: true, of: nil)
        case .chargebackNotRecorded:
            add(clean, to: lines.channel)
            posted = disputed(lines, isPlanted: true, &random)
        case .unexplainedLine:
            add(clean, to: lines.channel)
            posted = PostedLine(adjustment(lines, &random))
            posted.note(planted, isPlanted: true, of: nil)
        case .amountDiffers:
            let difference = Int64(random.within(1...900))
            posted.line.gross = lines.entry.amount + difference
            if lines.channel == .acquirer {
                ProcessorLines.charge(&posted.line)
            } else {
                posted.line.net = posted.line.gross
            }
            posted.note(planted, isPlanted: true, of: reference, difference)
        case .currencyDiffers:
            let other = Self.neighbour(of: merchant.currency)
            posted.line.transactionAmount = Money(lines.entry.amount, other)
            posted.note(planted, isPlanted: true, of: reference)
        case .duplicateAtProcessor:
            add(clean, to: lines.channel)
            Self.move(&posted.line, days: 1)
            posted.note(planted, isPlanted: true, of: reference)
        case .late:
            Self.move(&posted.line, days: Int64(random.within(8...12)))
            posted.payment = reference
            posted.note(planted, isPlanted: true, of: reference, 0)
        case .statusDiffers:
            posted.line.type = .void
            posted.line.net = 0
            posted.note(planted, isPlanted: true, of: reference, -lines.entry.amount)
        case .feeDiffers:
            let extra = lines.entry.amount / 200 + Int64(random.within(5...60))
            posted.line.fees[0].amount -= extra
            posted.line.net = (posted.line.net ?? 0) - extra
            posted.payment = reference
            posted.note(planted, isPlanted: true, of: reference, -extra)
        case .duplicateInLedger, .unmatchedDeposit, .payoutDiffers, .negativeBalance, .controlFailed, .missingStatement,
            .batchOutOfBalance, .expiredAuthorization, .inDoubtResolved:
            break
        }
        add(posted, to: lines.channel)
    }

    /// A sale that no terminal of the simulation made.
    private func unknown(_ lines: ProcessorLines, _ random: inout SeededRandom) -> StatementLine {
        var line = lines.line()
        line.gross = Int64(random.within(merchant.baskets)) + 1
        line.references[.processor] = Self.ownID(&random)
        for kind in [ReferenceKind.rrn, .other, .invoice, .authCode] { line.references[kind] = nil }
        switch lines.channel {
        case .acquirer: ProcessorLines.charge(&line)
        case .terminal: line.net = line.gross
        case .amex: break
        }
        return line
    }

    /// Money that the processor moved for a reason that it does not state.
    private func adjustment(_ lines: ProcessorLines, _ random: inout SeededRandom) -> StatementLine {
        var line = chargeback(of: lines, &random)
        line.type = .adjustment
        line.transactionAmount = nil
        line.gross = Int64(random.within(100...9900)) * (random.chance(percent: 70) ? -1 : 1)
        line.fees = []
        line.net = line.gross
        line.references[.processor] = Self.ownID(&random)
        for kind in [ReferenceKind.rrn, .other, .invoice, .authCode] { line.references[kind] = nil }
        return line
    }

    private static func move(_ line: inout StatementLine, days: Int64) {
        line.localTime = line.localTime?.adding(microseconds: days * 86_400_000_000)
        line.day = line.day?.adding(days: days)
    }

    /// Another currency with the same number of decimals.
    private static func neighbour(of currency: Currency) -> Currency {
        switch currency {
        case .jpy: Currency(alpha: "KRW") ?? .jpy
        case .usd: Currency(alpha: "CAD") ?? .eur
        case .eur: .usd
        case .gbp: .eur
        default: Currency(alpha: "BHD") ?? .usd
        }
    }

    // MARK: No money

    /// A declined payment moves money only if the processor reports it wrongly.
    private mutating func postMoneyless(
        _ payment: PaymentTruth,
        _ channel: ProcessorLines.Channel,
        _ random: inout SeededRandom
    ) {
        let ownID = Self.ownID(&random)
        let entry = HostEntry(
            payment: payment,
            kind: .sale,
            amount: payment.requested,
            at: payment.startedAt.adding(microseconds: 30_000_000),
            ledgerDay: payment.startedAt.civilDay,
            isAll: true
        )
        let lines = ProcessorLines(channel: channel, entry: entry, currency: merchant.currency, ownID: ownID)
        let isPlain = payment.faults.allSatisfy { !Fault.outcomes.contains($0) }
        if payment.status == .declined, payment.evidence == .complete, isPlain, payment.requested > 0,
            lines.sharedID != nil, profile.roll([.statusDiffers], &random) != nil
        {
            var posted = PostedLine(lines.line())
            posted.holder = entry.holder
            posted.note(.statusDiffers, isPlanted: true, of: payment.reference)
            return add(posted, to: channel)
        }
        guard channel == .terminal,
            let line = ProcessorLines.moneyless(payment, merchant.currency, ownID: ownID)
        else { return }
        batched.append(PostedLine(line))
    }
}
