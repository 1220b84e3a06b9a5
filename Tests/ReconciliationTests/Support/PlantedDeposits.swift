import DaybookTestKit
import Matching

/// Payouts and bank accounts with planted discrepancies, and the truth about each.
struct PlantedDeposits {
    /// A line of a processor or a bank; its reference holds its name.
    struct Line {
        var name: String
        var type: String
        var currency = "USD"
        var amount: Int64
        var day: Int
        /// Other columns of Daybook's CSV.
        var keys: [String: String] = [:]
    }

    struct Link: Hashable, CustomStringConvertible {
        var rule: String
        var payout: String
        var deposit: String

        var description: String { "\(rule) \(payout) \(deposit)" }
    }

    /// The last day of the bank's lines.
    static let lastDay = 60
    /// A party that pays out for processors.
    private static let acquirer = "Acquirer Inc"

    private(set) var payouts: [Line] = []
    private(set) var deposits: [Line] = []
    private(set) var links: Set<Link> = []
    /// The names of the lines with an exception.
    private(set) var exceptions: Set<String> = []
    /// The names of the bank lines that are not compared.
    private(set) var leftOut: Set<String> = []
    private var random: SeededGenerator
    private var count = 0

    init(each: Int, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        // Both the bank and the processor have reached this day: today's payout has not arrived yet.
        let (today, _) = pair(day: Self.lastDay)
        payouts.append(today)
        var (payout, deposit) = pair(day: Self.lastDay - 5)
        deposit.day = Self.lastDay
        deposit.keys["bank_reference"] = payout.keys["payout"]
        match(payout, deposit, "bank-reference")
        for _ in 0..<each {
            plantNamed()
            plantSums()
            plantAmounts()
            plantDays()
            plantFaults()
        }
        // Three equal pairs that only their order distinguishes.
        (payout, deposit) = pair()
        deposit.keys["bank_reference"] = payout.keys["payout"]
        for place in 0..<3 {
            payout.name = "p-again-\(place)"
            deposit.name = "d-again-\(place)"
            payout.day += 1
            deposit.day = payout.day + 1
            match(payout, deposit, "bank-reference")
        }
        payouts.shuffle(using: &random)
        deposits.shuffle(using: &random)
    }

    // MARK: Pieces

    /// A payout and its deposit, with nothing but the amount in common.
    private mutating func pair(day: Int? = nil) -> (Line, Line) {
        count += 1
        let day = day ?? Int.random(in: 20...33, using: &random)
        let amount = Int64.random(in: 1_000_000...9_999_999_999, using: &random)
        return (
            Line(name: "p-\(count)", type: "payout", amount: -amount, day: day, keys: ["payout": "po_\(count)"]),
            Line(
                name: "d-\(count)",
                type: "deposit",
                amount: amount,
                day: day + 1,
                keys: ["account": "DE77", "counterparty": Self.acquirer]
            )
        )
    }

    /// The links of a rule with a unique amount, in order: while one of the two is missing, nothing takes its place.
    func onlyOnesOfTheirAmount(_ rule: String) -> [Link] {
        let amounts = Dictionary(grouping: deposits, by: \.amount).mapValues(\.count)
        return links.filter { link in
            link.rule == rule && deposits.contains { $0.name == link.deposit && amounts[$0.amount] == 1 }
        }.sorted { $0.payout < $1.payout }
    }

    private mutating func match(_ payout: Line, _ deposit: Line, _ rule: String) {
        payouts.append(payout)
        deposits.append(deposit)
        links.insert(Link(rule: rule, payout: payout.name, deposit: deposit.name))
    }

    // MARK: Correct payouts

    private mutating func plantNamed() {
        for (column, rule) in [
            ("bank_reference", "bank-reference"), ("end_to_end", "end-to-end"), ("invoice", "customer-reference"),
        ] {
            let (payout, named) = pair()
            var deposit = named
            deposit.keys[column] = payout.keys["payout"]
            // With a name, other days and amounts do not matter.
            deposit.day += 9
            match(payout, deposit, rule)
        }
        var (payout, deposit) = pair()
        payout.keys["bank_reference"] = "trace-\(count)"
        deposit.keys["bank_reference"] = "trace-\(count)"
        match(payout, deposit, "trace")

        (payout, deposit) = pair()
        deposit.keys["text"] = "TRANSFER/PO_\(count). thank you"
        match(payout, deposit, "remittance")

        // Part of a word is no name; the amount matches the pair.
        (payout, deposit) = pair()
        deposit.keys["text"] = "xpo_\(count)x"
        match(payout, deposit, "amount")

        // A payout that the bank returned.
        (payout, deposit) = pair()
        payout.type = "payout-return"
        payout.amount.negate()
        deposit.type = "withdrawal"
        deposit.amount.negate()
        deposit.keys["end_to_end"] = payout.keys["payout"]
        match(payout, deposit, "end-to-end")

        (payout, deposit) = pair()
        payout.keys = ["merchant": "M\(count)", "batch": "77"]
        deposit.keys["text"] = "batch 77 of M\(count)"
        deposit.day += 20
        match(payout, deposit, "merchant-batch")
    }

    private mutating func plantSums() {
        // Three payouts named in one deposit.
        var (payout, deposit) = pair()
        var text = "payouts po_\(count)"
        match(payout, deposit, "remittance-sum")
        deposits.removeLast()
        for _ in 0..<2 {
            let (other, _) = pair()
            text += ", po_\(count)"
            deposit.amount -= other.amount
            payouts.append(other)
            links.insert(Link(rule: "remittance-sum", payout: other.name, deposit: deposit.name))
        }
        deposit.keys["text"] = text
        deposits.append(deposit)

        // One payout in two deposits.
        (payout, deposit) = pair()
        deposit.keys["bank_reference"] = payout.keys["payout"]
        var second = deposit
        second.name += "b"
        second.amount = deposit.amount / 3
        deposit.amount -= second.amount
        second.day += 2
        match(payout, deposit, "bank-reference-sum")
        deposits.append(second)
        links.insert(Link(rule: "bank-reference-sum", payout: payout.name, deposit: second.name))
    }

    private mutating func plantAmounts() {
        var (payout, deposit) = pair()
        match(payout, deposit, "amount")

        // Two of the same amount, distinguished by the merchant in one text.
        (payout, deposit) = pair()
        payout.keys["merchant"] = "S\(count)"
        deposit.keys["text"] = "settlement S\(count)"
        match(payout, deposit, "merchant-amount")
        payout.name += "b"
        payout.keys = ["payout": "po_\(count)b"]
        deposit.name += "b"
        deposit.keys["text"] = nil
        match(payout, deposit, "amount")

        // Two distinguished by the account.
        (payout, deposit) = pair()
        for account in ["GB\(count)a", "GB\(count)b"] {
            payout.name += "x"
            deposit.name += "x"
            payout.keys["account"] = account
            deposit.keys["account"] = account
            match(payout, deposit, "account-amount")
        }
    }

    private mutating func plantDays() {
        // All payouts of a merchant on one day.
        var (payout, deposit) = pair()
        let merchant = "N\(count)"
        payout.keys["merchant"] = merchant
        match(payout, deposit, "payouts-of-day")
        deposits.removeLast()
        var (other, _) = pair(day: payout.day)
        other.keys["merchant"] = merchant
        deposit.amount -= other.amount
        payouts.append(other)
        deposits.append(deposit)
        links.insert(Link(rule: "payouts-of-day", payout: other.name, deposit: deposit.name))

        // All deposits of a party on one day.
        (payout, deposit) = pair()
        deposit.keys["counterparty"] = "Party \(count)"
        var second = deposit
        second.name += "b"
        second.amount = deposit.amount / 4
        deposit.amount -= second.amount
        match(payout, deposit, "deposits-of-day")
        deposits.append(second)
        links.insert(Link(rule: "deposits-of-day", payout: payout.name, deposit: second.name))
    }

    // MARK: Discrepancies

    private mutating func plantFaults() {
        // A payout that never arrived.
        var (payout, deposit) = pair()
        payouts.append(payout)
        exceptions.insert(payout.name)

        // A deposit without a payout, from a party that pays payouts.
        (payout, deposit) = pair()
        deposits.append(deposit)
        exceptions.insert(deposit.name)

        // A deposit without a party, on an account that receives payouts.
        (payout, deposit) = pair()
        deposit.keys["counterparty"] = nil
        deposits.append(deposit)
        exceptions.insert(deposit.name)

        // A cent less than the payout.
        (payout, deposit) = pair()
        deposit.amount -= 1
        deposit.keys["bank_reference"] = payout.keys["payout"]
        payouts.append(payout)
        deposits.append(deposit)
        exceptions.formUnion([payout.name, deposit.name])

        // A deposit in another currency.
        (payout, deposit) = pair()
        deposit.currency = "EUR"
        deposit.keys["bank_reference"] = payout.keys["payout"]
        payouts.append(payout)
        deposits.append(deposit)
        exceptions.formUnion([payout.name, deposit.name])

        // The same deposit again.
        (payout, deposit) = pair()
        deposit.keys["end_to_end"] = payout.keys["payout"]
        match(payout, deposit, "end-to-end")
        deposit.name += "b"
        deposit.day += 1
        deposits.append(deposit)
        exceptions.insert(deposit.name)

        // Two payouts, and nothing shows which of them arrived.
        (payout, deposit) = pair()
        deposits.append(deposit)
        exceptions.insert(deposit.name)
        for _ in 0..<2 {
            payout.name += "x"
            payout.keys["payout"]?.append("x")
            payouts.append(payout)
            exceptions.insert(payout.name)
        }

        // Other business: a customer's payment, the rent, and an outgoing transfer without a name.
        for (party, sign) in [("Customer \(count)", 1), ("Landlord", -1), (nil, -1)] as [(String?, Int64)] {
            (payout, deposit) = pair()
            deposit.amount *= sign
            deposit.type = sign < 0 ? "withdrawal" : "deposit"
            deposit.keys["counterparty"] = party
            deposits.append(deposit)
            leftOut.insert(deposit.name)
        }
    }
}
