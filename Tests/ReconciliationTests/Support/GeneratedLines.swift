import DaybookTestKit
import Payments
import Statements

/// Files with lines of every type in a random order.
struct GeneratedLines {
    struct File {
        var side: StatementSide
        var lines: [Line]
    }

    struct Line {
        var name: String
        var type: LineType
        var amount: Money
        /// Within the line, below zero if the merchant pays it.
        var fee: Int64 = 0
        /// The amount in the cardholder's currency, if it is another one.
        var paid: Money?
        var day: Int
        /// Whether the file lists the parts of this total.
        var hasParts = false
        /// Other columns of Daybook's CSV.
        var keys: [String: String] = [:]

        var written: PlantedDeposits.Line {
            var keys = keys
            if fee != 0 { keys["fee"] = Money(fee, amount.currency).decimalText }
            if let paid {
                keys["transaction_amount"] = paid.decimalText
                keys["transaction_currency"] = paid.currency.alpha
            }
            return PlantedDeposits.Line(
                name: name,
                type: type.rawValue,
                currency: amount.currency.alpha,
                amount: amount.value,
                day: day,
                keys: keys
            )
        }
    }

    private static let size = 14
    /// Types that take money from the merchant.
    private static let outgoing: Set<LineType> = [.refund, .chargeback, .fee, .reserve, .payout, .withdrawal]
    private static let eitherWay: Set<LineType> = [.adjustment, .transfer, .conversion, .other]
    private static let ofBanks: [LineType] = [.deposit, .deposit, .deposit, .withdrawal, .fee, .transfer, .balance]

    /// The money of payments, by the gateway's id.
    var movements: [(id: String, amount: Money)] = []
    private var random: SeededGenerator
    private var count = 0
    /// The types that are still to come before any type comes again.
    private var types: [LineType] = []
    /// The names of the payouts so far.
    private var payouts: [String] = []
    /// The lines so far that another file may report again.
    private var earlier: [StatementSide: [Line]] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }

    mutating func file(of side: StatementSide, isAboutPayments: Bool) -> File {
        var lines: [Line] = []
        while lines.count < Self.size {
            let line = side == .bank ? bankLine() : self.line(isAboutPayments)
            if chance(20), let repeated = earlier[side]?.randomElement(using: &random),
                !lines.contains(where: { $0.name == repeated.name })
            {
                lines.append(repeated)
            }
            if line.type == .batch, chance(60) {
                lines += total(line)
            } else {
                lines.append(line)
            }
        }
        earlier[side, default: []] += lines.filter { $0.keys["group"] == nil }
        return File(side: side, lines: lines.shuffled(using: &random))
    }

    private mutating func line(_ isAboutPayments: Bool) -> Line {
        if types.isEmpty { types = LineType.allCases.shuffled(using: &random) }
        let type = types.removeLast()
        var line = self.line(
            type,
            isNegative: Self.outgoing.contains(type) || Self.eitherWay.contains(type) && chance(50)
        )
        line.keys["merchant"] = pick(["M1", "M2"])
        switch type {
        case .batch:
            line.keys["role"] = LineRole.total.rawValue
            line.keys["terminal"] = "tpn"
            line.keys["batch"] = pick(["1", "2", "3"])
        case .payout, .payoutReturn:
            payouts.append("po-\(count)")
            line.keys["payout"] = payouts.last
        default: if chance(30) { line.keys["payout"] = payouts.randomElement(using: &random) }
        }
        if type != .fee, chance(type == .sale || type == .capture ? 50 : 10) {
            line.fee = -Int64.random(in: 1...30, using: &random)
        }
        let isOfCardholder = type == .chargeback || type == .chargebackReversal || type.isPayment
        guard isAboutPayments, isOfCardholder else { return line }
        let isNegative = line.amount.isNegative
        let payments = movements.filter { $0.amount.isNegative == isNegative || type == .chargeback }
        if let payment = payments.randomElement(using: &random), chance(80) {
            line.keys[isNegative ? "related_id" : "processor_id"] = payment.id
            if chance(80) {
                let value = abs(payment.amount.value)
                line.amount = Money(isNegative ? -value : value, payment.amount.currency)
            }
        } else if chance(30) {
            line.keys["rrn"] = pick(["1", "2"])
        }
        if type.isPayment, line.amount.currency == .usd, chance(10) { line.paid = Money(line.amount.value, .eur) }
        return line
    }

    /// A total and two parts of it; of some, the sum is another one.
    private mutating func total(_ line: Line) -> [Line] {
        var (total, parts) = (line, [Line]())
        for _ in 0..<2 {
            var part = self.line(.sale, isNegative: false)
            part.amount = Money(part.amount.value, total.amount.currency)
            part.keys = ["role": LineRole.part.rawValue, "group": total.name]
            parts.append(part)
        }
        let sum = parts.reduce(0) { $0 + $1.amount.value }
        total.amount = Money(chance(80) ? sum : sum + 1, total.amount.currency)
        total.keys["group"] = total.name
        total.hasParts = true
        return [total] + parts
    }

    /// A transfer on a bank account: of a payout, if there is one.
    private mutating func bankLine() -> Line {
        let type = pick(Self.ofBanks)
        var line = self.line(type, isNegative: Self.outgoing.contains(type))
        line.keys["account"] = "DE77"
        let sent = earlier[.processor, default: []].filter { $0.type == .payout }
        if type == .deposit, let payout = sent.randomElement(using: &random), chance(70) {
            line.amount = Money(-payout.amount.value - payout.fee, payout.amount.currency)
            line.keys["bank_reference"] = payout.keys["payout"]
        }
        return line
    }

    private mutating func line(_ type: LineType, isNegative: Bool) -> Line {
        count += 1
        let amount: Int64 = pick([100, 250, 500, 750, 1000, 1200])
        return Line(
            name: "l-\(count)",
            type: type,
            amount: Money(isNegative ? -amount : amount, chance(5) ? .eur : .usd),
            day: Int.random(in: 0...6, using: &random)
        )
    }
}
