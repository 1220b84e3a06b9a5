import Canonical
import Matching
import Payments
import Statements

/// American Express's report to a merchant: a payment for each day, with its submission.
struct AmexBook {
    let merchant: Merchant
    let tag: String
    let profile: DiscrepancyProfile
    var random: SeededRandom

    private(set) var records: [PostedLine] = []
    private(set) var payouts: [Payout] = []

    init(_ merchant: Merchant, tag: String, profile: DiscrepancyProfile, random: SeededRandom) {
        self.merchant = merchant
        self.tag = tag
        self.profile = profile
        self.random = random
    }

    mutating func enter(_ lines: [PostedLine]) {
        let days = Dictionary(grouping: lines) { $0.line.day ?? CivilDate(daysSince1970: 0) }
        for (index, (day, lines)) in days.sorted(by: { $0.key < $1.key }).enumerated() {
            let sorted = lines.sorted {
                ($0.line.localTime ?? .earliest, $0.line.references[.processor] ?? "")
                    < ($1.line.localTime ?? .earliest, $1.line.references[.processor] ?? "")
            }
            let parts = sorted.filter { $0.line.role == .part }
            let others = sorted.filter { $0.line.role != .part }
            enter(parts, others, on: day, number: index + 1)
        }
    }

    private mutating func enter(_ parts: [PostedLine], _ others: [PostedLine], on day: CivilDate, number: Int) {
        var records: [PostedLine] = []
        var net: Int64 = 0
        if !parts.isEmpty {
            let submission = submission(of: parts, on: day, number: number)
            net += submission.line.net ?? 0
            records.append(submission)
            records += parts.map { part in
                var part = part
                part.line.references[.payout] = nil
                part.line.bookedDay = submission.line.bookedDay
                return part
            }
        }
        records += others
        net += others.reduce(0) { $0 + ($1.line.net ?? 0) }
        let id = "AX\(tag)M\(merchant.id.suffix(3))N\(number)"
        var payout = StatementLine(line: 0, side: .processor, type: .payout, currency: merchant.currency)
        payout.gross = -net
        payout.net = -net
        payout.day = day.adding(days: 2)
        payout.valueDay = payout.day
        payout.references = [.merchant: merchant.id, .payout: id, .account: "AC\(merchant.id)"]
        var posted = PostedLine(payout)
        let arrives = net <= 0 || !(profile.plants(.unmatchedDeposit, &random) && random.chance(percent: 60))
        if !arrives {
            posted.note(.unmatchedDeposit, isPlanted: true, of: nil)
        } else if net != 0 {
            posted.payout = id
        }
        self.records += [posted] + records
        guard net != 0 else { return }
        payouts.append(
            Payout(
                id: id,
                merchant: merchant,
                processor: "AMERICAN EXPRESS",
                amount: net,
                day: day.adding(days: 2),
                arrives: arrives
            )
        )
    }

    private mutating func submission(of parts: [PostedLine], on day: CivilDate, number: Int) -> PostedLine {
        let listed = parts.reduce(Int64(0)) { $0 + ($1.line.gross ?? 0) }
        let difference =
            profile.plants(.batchOutOfBalance, &random)
            ? Int64(random.within(100...900)) * (random.chance(percent: 50) ? 1 : -1) : 0
        let gross = listed + difference
        var line = StatementLine(line: 0, side: .processor, type: .batch, currency: merchant.currency)
        line.role = .total
        line.gross = gross
        if gross > 0 { line.fees = [LineFee(.discount, -ProcessorTerms.share(ProcessorTerms.amexDiscount, of: gross))] }
        line.net = gross + line.fees.reduce(0) { $0 + $1.amount }
        line.day = day
        line.bookedDay = day.adding(days: 1)
        line.references = [.merchant: merchant.id, .batch: "\(number)"]
        var posted = PostedLine(line)
        if difference != 0 { posted.note(.batchOutOfBalance, isPlanted: true, of: nil, difference) }
        return posted
    }
}
