import Canonical
import Matching
import Payments
import Statements

/// The entries on the merchants' bank accounts: payouts one day after they were sent, and deposits without a payout.
struct BankBook {
    let profile: DiscrepancyProfile
    var random: SeededRandom
    /// A North American bank reports in BAI2, a European one in camt.053.
    let isAmerican: Bool

    private(set) var entries: [PostedLine] = []

    init(isAmerican: Bool, profile: DiscrepancyProfile, random: SeededRandom) {
        self.isAmerican = isAmerican
        self.profile = profile
        self.random = random
    }

    mutating func enter(_ payouts: [Payout]) {
        // Deposits without a payout only go to accounts that receive payouts.
        let accounts = Set(payouts.filter(\.arrives).map { account(of: $0.merchant) })
        for payout in payouts {
            if payout.arrives {
                var posted = PostedLine(arrival(of: payout))
                posted.payout = payout.id
                entries.append(posted)
            }
            guard profile.plants(.unmatchedDeposit, &random), random.chance(percent: 50),
                accounts.contains(account(of: payout.merchant))
            else { continue }
            var stray = arrival(of: payout)
            let amount = Int64(random.within(1_000...99_900))
            (stray.gross, stray.net) = (amount, amount)
            stray.type = .deposit
            stray.rawType = isAmerican ? "301" : "PMNT/CNTR/CDPT"
            stray.references[.endToEnd] = nil
            stray.references[.invoice] = nil
            stray.references[.counterparty] = nil
            stray.references[.text] = "CASH DEPOSIT BRANCH \(random.within(10...99))"
            stray.references[.bank] = "BK\(random.digits(9))"
            var posted = PostedLine(stray)
            posted.note(.unmatchedDeposit, isPlanted: true, of: nil)
            entries.append(posted)
        }
        let isAmerican = isAmerican
        entries.sort { Self.key($0, isAmerican) < Self.key($1, isAmerican) }
    }

    /// BAI2 has a group for each day, camt.053 a statement for each account.
    private static func key(_ posted: PostedLine, _ isAmerican: Bool) -> (String, String, String) {
        let day = posted.line.day.map(\.description) ?? ""
        let account = posted.line.references[.account] ?? ""
        let bank = posted.line.references[.bank] ?? ""
        return isAmerican ? (day, account, bank) : (account, day, bank)
    }

    private func account(of merchant: Merchant) -> String {
        isAmerican ? "7\(merchant.id)" : "GB33BUKB2020\(merchant.id)"
    }

    private mutating func arrival(of payout: Payout) -> StatementLine {
        let isIn = payout.amount > 0
        var line = StatementLine(
            line: 0,
            side: .bank,
            type: isIn ? .deposit : .withdrawal,
            currency: payout.merchant.currency
        )
        line.gross = payout.amount
        line.net = payout.amount
        line.day = payout.day.adding(days: 1)
        line.bookedDay = line.day
        line.valueDay = line.day
        line.references = [
            .account: account(of: payout.merchant), .bank: "BK\(random.digits(9))",
            .text: "\(payout.processor) PAYOUT \(payout.id)",
        ]
        if isAmerican {
            line.rawType = isIn ? "165" : "455"
            line.references[.invoice] = payout.id
        } else {
            line.rawType = isIn ? "PMNT/RCDT/ESCT" : "PMNT/RDDT/ESDD"
            line.references[.endToEnd] = payout.id
            line.references[.counterparty] = payout.processor
        }
        return line
    }
}
