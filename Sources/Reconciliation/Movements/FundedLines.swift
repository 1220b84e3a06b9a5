import Canonical
import Payments

/// The lines of a payment's money that deposits have paid, as `Funded` reports.
///
/// A deposit may be less than the captures by fees. So deposits pay the captures in order, each with the first cent of
/// it, and refunds and chargebacks are paid, the earliest first, as far as deposits and deductions together are less than
/// the paid captures by the whole amount of each.
struct FundedLines {
    private var captures: [String] = []
    private let hasCredit: Bool
    private var returns: [String] = []

    init(_ state: TransactionState) {
        let fundings = state.settlement.fundings.map { $0.amount?.value ?? 0 }
        let funded = state.settlement.funded
        hasCredit = funded < 0 && state.captures.isEmpty
        // Nothing can overflow: a payment's turnover is limited.
        let deposited = fundings.reduce(Int64(0)) { $0 + max(0, $1) }
        var paid: Int64 = 0
        for capture in state.captures where capture.amount > capture.voided && paid < deposited {
            paid += capture.amount - capture.voided
            captures.append("capture:\(capture.id)")
        }
        var short = paid - funded
        var returned = state.refunds.filter { !$0.isUndone }.map { (line: $0.refundLine, entry: $0) }
        // A chargeback that was reversed may have been deducted before.
        returned += state.chargebacks.map { (line: "chargeback:\($0.id)", entry: $0) }
        returned.sort { ($0.entry.at ?? .earliest) < ($1.entry.at ?? .earliest) }
        guard !fundings.isEmpty else { return }
        for (line, entry) in returned {
            guard entry.amount <= short else { return }
            short -= entry.amount
            returns.append(line)
        }
    }

    func contains(_ movement: Movement) -> Bool {
        switch movement.type {
        case .sale, .capture: captures.contains { $0.hasSameUTF8(as: movement.line) }
        case .credit: hasCredit
        case .refund: contains(line: movement.line)
        case .none: false
        }
    }

    func contains(chargeback id: String) -> Bool { contains(line: "chargeback:\(id)") }

    private func contains(line: String) -> Bool { returns.contains { $0.hasSameUTF8(as: line) } }
}
