import Canonical
import EventLog
import Ledger
import Payments
import Projections
import Reconciliation
import Replay
import Tables

extension LedgerList {
    /// The names of the lists on the command line.
    package static let names = [
        "transactions", "timeline", "batches", "members", "changes", "totals", "readers", "checkouts", "anomalies",
        "in-doubt", "doubts", "duplicates", "merchants", "statements", "statement-lines", "controls", "reconciliations",
        "matches", "exceptions", "periods", "deposits",
        "paid-lines", "replays", "replay-items", "events",
    ]

    /// A list by its name, with the filters of the API by their names. Ids that are in a path of the API are filters
    /// here: `transaction` of a timeline, `batch` of members, changes and totals, `statement` of lines and controls,
    /// `payout` of paid lines, `replay` of items.
    ///
    /// A list of the past is given by position, `as_of_position`, and not by time.
    ///
    /// The merchant's business days are not in it yet: see `Ledger.settled`.
    ///
    /// - Parameter head: The end of the log, with which changes are compared by default.
    /// - Returns: Nil for an unknown name.
    /// - Throws: `Refusal` for an unknown filter or an invalid value.
    package init?(
        named name: String,
        filters: [(name: String, value: String)],
        head: Int64 = .max
    ) throws(Refusal) {
        var query = ParameterReader(filters)
        switch name {
        case "transactions":
            let position = try Self.past(&query, head)
            self = .transactions(try TransactionFilter(&query), try TransactionOrder(&query), at: position)
        case "timeline": self = .timeline(try Self.id("transaction", &query))
        case "batches":
            let position = try Self.past(&query, head)
            self = .batches(try BatchFilter(&query), at: position)
        case "members":
            let batch = try Self.id("batch", &query)
            self = .members(batch, at: try query.integer("as_of_position", in: 0...Int64.max))
        case "changes":
            let batch = try query.value("batch", expected: "is the id of a batch") { UUID128($0) }
            let scope = try ChangesScope(&query)
            let asked = try ChangesRequest(&query)
            let to = min(asked.to ?? head, head)
            var comparison = BatchComparison(from: min(asked.from ?? 0, to), to: to)
            comparison.batch = batch
            self = .changes(comparison, scope)
        case "totals":
            let batch = try query.value("batch", expected: "is the id of a batch") { UUID128($0) }
            let keys = try query.totalsKeys(batch == nil ? TotalsKey.offered : TotalsKey.allCases)
            var asked = TotalsRequest(keys: keys ?? [batch == nil ? .currency : .type])
            asked.batch = batch
            asked.filter = try TotalsFilter(&query)
            asked.daysAsked = try BusinessDayRequest(&query)
            asked.position = try query.integer("as_of_position", in: 0...Int64.max)
            self = .totals(asked)
        case "readers": self = .readers(try ReaderFilter(&query))
        case "checkouts": self = .checkouts(try CheckoutFilter(&query))
        case "anomalies": self = .anomalies(try AnomalyFilter(&query))
        case "in-doubt": self = .inDoubt(try DoubtQuery.Filter(&query))
        case "doubts": self = .doubts(try DoubtWorklist.Filter(&query), try DoubtQuery.Order(&query))
        case "duplicates": self = .duplicates(try DuplicateQuery.Filter(&query))
        case "merchants": self = .merchants
        case "statements":
            let position = try Self.past(&query, head)
            self = .statements(try StatementFilter(&query), at: position)
        case "statement-lines": self = .statementLines(try Self.id("statement", &query))
        case "controls": self = .controls(try Self.id("statement", &query), holds: try query.flag("holds"))
        case "reconciliations": self = .runs(at: try Self.past(&query, head))
        case "matches":
            let position = try Self.past(&query, head)
            self = .matches(try MatchFilter(&query), at: position)
        case "exceptions":
            let position = try Self.past(&query, head)
            self = .exceptions(try ExceptionFilter(&query), at: position)
        case "deposits":
            let position = try Self.past(&query, head)
            self = .deposits(try TransferFilter(&query), at: position)
        case "paid-lines":
            let position = try Self.past(&query, head)
            self = .paidLines(try Self.id("payout", &query), at: position)
        case "periods":
            let position = try Self.past(&query, head)
            self = .periods(try PeriodFilter(&query), at: position)
        case "replays": self = .replays(try ReplayFilter(&query))
        case "replay-items": self = .replayItems(try Self.id("replay", &query), try ReplayItemFilter(&query))
        case "events":
            self = .events(try EventFilter(&query), order: try query.choice("order", of: EventOrder.self) ?? .oldest)
        default: return nil
        }
        try query.finish()
    }

    private static func past(_ query: inout ParameterReader, _ head: Int64) throws(Refusal) -> Int64? {
        try query.integer("as_of_position", in: 0...Int64.max).map { min($0, head) }
    }

    private static func id(_ name: String, _ query: inout ParameterReader) throws(Refusal) -> UUID128 {
        let expected = "is the id of a \(name)"
        guard let id = try query.value(name, expected: expected, { UUID128($0) }) else {
            throw ParameterReader.invalid(name, expected)
        }
        return id
    }
}
