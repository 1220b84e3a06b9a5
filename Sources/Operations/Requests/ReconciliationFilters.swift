import Access
import Canonical
import EventLog
import Intake
import Ledger
import Matching
import Payments
import Projections
import Reconciliation
import Statements
import Tables

extension TransferFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        side = try query.choice("side", of: DepositCoverage.Side.self)
        state = try query.choice("state", of: DepositCoverage.State.self)
        currency = try query.text("currency")
        merchant = try query.text("merchant")
        account = try query.text("account")
        from = try query.value("from", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        to = try query.value("to", expected: "is a day, as 2026-03-01") { CivilDate($0) }
    }
}

extension ExceptionFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        exceptionClass = try query.choice("class", of: ExceptionClass.self)
        status = try query.choice("status", of: ExceptionStatus.self)
        isOpen = try query.flag("open")
        assignee = try query.text("assignee")
        merchant = try query.text("merchant")
        isUnattributed = try query.flag("unattributed")
        terminal = try query.text("terminal")
        currency = try query.text("currency")
        transaction = try query.value("transaction", expected: "is the id of a payment") { UUID128($0) }
        line = try query.value("line", expected: "is the id of a line of a statement") { UUID128($0) }
        from = try query.value("from", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        to = try query.value("to", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        raisedBy = try query.value("raised_by", expected: "is the id of a run") { UUID128($0) }
        clearedBy = try query.value("cleared_by", expected: "is the id of a run") { UUID128($0) }
    }
}

extension PeriodFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        merchant = try query.text("merchant")
        status = try query.choice("status", of: Status.self)
        from = try query.value("from", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        to = try query.value("to", expected: "is a day, as 2026-03-01") { CivilDate($0) }
    }
}

extension MatchFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        transaction = try query.value("transaction", expected: "is the id of a payment") { UUID128($0) }
        line = try query.value("line", expected: "is the id of a line of a statement") { UUID128($0) }
        rule = try query.text("rule")
        madeBy = try query.value("made_by", expected: "is the id of a run") { UUID128($0) }
        endedBy = try query.value("ended_by", expected: "is the id of a run") { UUID128($0) }
    }
}

extension ReportScope {
    /// Reads `from`, `to` and `merchant`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        from = try query.value("from", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        to = try query.value("to", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        merchant = try query.text("merchant")
    }
}

extension StatementFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        format = try query.choice("format", of: StatementFormat.self)?.rawValue
        side = try query.choice("side", of: StatementSide.self)?.rawValue
        isInconsistent = try query.flag("inconsistent")
        status = try query.choice("status", of: StatementView.Status.self)
    }
}
