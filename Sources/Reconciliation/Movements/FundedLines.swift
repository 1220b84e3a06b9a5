import Canonical
import Payments

/// The lines of a payment's money that deposits have paid, as `Funded` reports.
///
/// A deposit may be less than the captures by fees, so it pays all of them. Refunds and chargebacks are paid, the
/// earliest first, as far as the deposits are less than the captures by the whole amount of each.
struct FundedLines {
    private let hasCaptures: Bool
    private let hasCredit: Bool
    private var returns: [String] = []

    init(_ state: TransactionState) {
        let funded = state.settlement.funded
        (hasCaptures, hasCredit) = (funded > 0, funded < 0)
        guard funded != 0 else { return }
        // Nothing can overflow: a payment's turnover is limited.
        var short = funded > 0 ? state.captured - funded : -funded
        var returned = state.refunds.filter { !$0.isUndone }.map { (line: $0.refundLine, entry: $0) }
        // A chargeback that was reversed may have been deducted before.
        returned += state.chargebacks.map { (line: "chargeback:\($0.id)", entry: $0) }
        returned.sort { ($0.entry.at ?? .earliest) < ($1.entry.at ?? .earliest) }
        for (line, entry) in returned {
            guard entry.amount <= short else { return }
            short -= entry.amount
            returns.append(line)
        }
    }

    func contains(_ movement: Movement) -> Bool {
        switch movement.type {
        case .sale, .capture: hasCaptures
        case .credit: hasCredit
        case .refund: contains(line: movement.line)
        case .none: false
        }
    }

    func contains(chargeback id: String) -> Bool { contains(line: "chargeback:\(id)") }

    private func contains(line: String) -> Bool { returns.contains { $0.hasSameUTF8(as: line) } }
}
