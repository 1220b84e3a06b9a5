import Canonical
import Projections
import Reconciliation

/// Everything with one name.
package struct FoundJSON: Codable, Sendable, Hashable {
    package var sought: String
    package var limit: Int
    package var items: [FindingJSON]

    package init(_ answer: SearchAnswer) throws {
        sought = answer.sought
        limit = SearchAnswer.limit
        items = try answer.findings.map { try FindingJSON($0, at: answer.now) }
    }
}

/// The matches of one kind of name. It has the members that match.
package struct FindingJSON: Codable, Sendable, Hashable {
    package var kind: SearchAnswer.Kind
    package var transactions: [TransactionJSON]?
    package var batches: [BatchJSON]?
    package var checkouts: [CheckoutJSON]?
    package var statements: [StatementJSON]?
    package var readers: [ReaderJSON]?
    package var events: [EventJSON]?
    package var exceptions: [ExceptionJSON]?
    package var runs: [RunJSON]?
    package var periods: [PeriodJSON]?

    fileprivate init(_ finding: SearchAnswer.Finding, at now: Timestamp) throws {
        func some<View, Document>(_ views: [View], _ read: (View) throws -> Document) rethrows -> [Document]? {
            views.isEmpty ? nil : try views.map(read)
        }
        kind = finding.kind
        transactions = try some(finding.transactions) { try TransactionJSON($0) }
        batches = some(finding.batches) { BatchJSON($0) }
        checkouts = some(finding.checkouts) { CheckoutJSON($0) }
        statements = try some(finding.statements) { try StatementJSON($0) }
        readers = some(finding.readers) { ReaderJSON($0) }
        events = try some(finding.events) { try EventJSON($0) }
        exceptions = try some(finding.exceptions) { try ExceptionJSON($0, at: now) }
        runs = try some(finding.runs) { try RunJSON($0) }
        periods = try some(finding.periods) { try PeriodJSON($0) }
    }
}
