import Canonical
import Payments
import Statements

/// Adds up the content of a file during the first pass.
struct StatementTally: StatementCollector {
    private struct Key: Hashable {
        var type: LineType
        var currency: Currency
    }

    private struct Sums {
        var lines: Int64 = 0
        var gross: Int128 = 0
        var fees: Int128 = 0
        var amount: Int128 = 0
    }

    private(set) var lines: Int64 = 0
    private(set) var controls: Int64 = 0
    private(set) var failedControls: Int64 = 0
    private(set) var notes: Int64 = 0
    private(set) var firstDay: CivilDate?
    private(set) var lastDay: CivilDate?
    private var sums: [Key: Sums] = [:]

    /// - Throws: `StatementProblem` for a line whose fees exceed the range of amounts.
    mutating func add(_ item: StatementItem) throws(StatementProblem) {
        switch item {
        case .line(let line): try add(line)
        case .control(let control):
            controls += 1
            if !control.holds { failedControls += 1 }
        case .note: notes += 1
        case .section: break
        }
    }

    private mutating func add(_ line: StatementLine) throws(StatementProblem) {
        guard let fees = line.feeTotal else {
            throw StatementProblem(.badAmount, line: line.line, "The sum of the line's fees is out of range.")
        }
        lines += 1
        if let day = line.day ?? line.bookedDay ?? line.valueDay {
            if firstDay.map({ day.daysSince1970 < $0.daysSince1970 }) ?? true { firstDay = day }
            if lastDay.map({ day.daysSince1970 > $0.daysSince1970 }) ?? true { lastDay = day }
        }
        guard line.role != .part else { return }
        var own = sums[Key(type: line.type, currency: line.currency)] ?? Sums()
        own.lines += 1
        own.gross += Int128(line.gross ?? 0)
        own.fees += Int128(fees)
        own.amount += Int128(line.amount ?? 0)
        sums[Key(type: line.type, currency: line.currency)] = own
    }

    /// The totals by type and currency.
    ///
    /// - Throws: `StatementProblem` when a sum exceeds the range of amounts.
    func totals() throws(StatementProblem) -> [StatementTotal] {
        var totals: [StatementTotal] = []
        for (key, sum) in sums {
            guard let gross = Int64(exactly: sum.gross), let fees = Int64(exactly: sum.fees),
                let amount = Int64(exactly: sum.amount)
            else {
                throw StatementProblem(.badAmount, line: 0, "The sum of the file's amounts is out of range.")
            }
            totals.append(
                StatementTotal(
                    type: key.type.rawValue,
                    currency: key.currency.alpha,
                    lines: sum.lines,
                    gross: gross,
                    fees: fees,
                    amount: amount
                )
            )
        }
        return totals.sorted { ($0.currency, $0.type) < ($1.currency, $1.type) }
    }
}
