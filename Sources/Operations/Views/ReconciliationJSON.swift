package import Canonical
package import Matching
package import Payments
import Projections
package import Reconciliation

/// A run of the reconciliation.
package struct RunJSON: Codable, Sendable, Hashable {
    package var id: UUID128
    package var status: RunView.Status
    package var position: Int64
    package var covers: Int64
    package var since: Int64
    package var horizon: String?
    package var beganAt: Timestamp
    package var beganBy: String
    package var completedPosition: Int64?
    package var completedAt: Timestamp?
    package var matched: Int64?
    package var unmatched: Int64?
    package var raised: Int64?
    package var cleared: Int64?
    package var depositsMatched: Int64?
    package var depositsUnmatched: Int64?
    package var posted: Int64?
    package var unposted: Int64?
    package var failedPosition: Int64?
    package var failedAt: Timestamp?
    package var failure: RunFailure.Reason?
    package var rules: String

    package init(_ run: RunView) throws {
        id = run.id
        status = run.status
        position = run.position
        covers = run.covers
        since = run.since
        horizon = run.horizon?.description
        beganAt = run.beganAt
        beganBy = run.beganBy
        completedPosition = run.completion?.position
        completedAt = run.completion?.at
        matched = run.completion?.matched
        unmatched = run.completion?.unmatched
        raised = run.completion?.raised
        cleared = run.completion?.cleared
        depositsMatched = run.completion?.depositsMatched
        depositsUnmatched = run.completion?.depositsUnmatched
        posted = run.completion?.posted
        unposted = run.completion?.unposted
        failedPosition = run.failure?.position
        failedAt = run.failure?.at
        failure = try run.failure.map { try RunFailure.Reason(stored: $0.reason) }
        rules = run.rules
    }
}

/// A run that was requested, with the counts of matched lines and open exceptions after it.
package typealias RunAnswerJSON = Joined<RunJSON, RunResultJSON>

package struct RunResultJSON: Codable, Sendable, Hashable {
    /// The number of payments in doubt that were resolved.
    package var resolved: Int64
    package var explained: ExplainedCounts
    package var open: [OpenExceptionsJSON]

    package init(resolved: Int, explained: ExplainedCounts, open: [OpenExceptions]) throws {
        self.resolved = Int64(resolved)
        self.explained = explained
        self.open = try open.map(OpenExceptionsJSON.init)
    }
}

/// A line and a movement that explain each other.
package struct MatchJSON: Codable, Sendable, Hashable {
    package var line: UUID128
    package var transaction: UUID128
    package var movement: String
    package var match: UUID128
    package var rule: String
    package var position: Int64
    package var endedPosition: Int64?
    package var statement: UUID128?
    package var number: Int64?
    package var day: String?
    package var lineAmount: Money?
    package var ledgerAmount: Money?

    package init(_ match: MatchView) throws {
        line = match.line
        transaction = match.transaction
        movement = match.movement
        self.match = match.match
        rule = match.rule
        position = match.position
        endedPosition = match.until
        statement = match.statement
        number = match.number
        day = match.day?.description
        lineAmount = try .stored(match.lineAmount, match.currency)
        ledgerAmount = try .stored(match.ledgerAmount, match.ledgerCurrency)
    }
}

/// The number and amount of open exceptions of one class and currency.
package struct OpenExceptionsJSON: Codable, Sendable, Hashable {
    package var `class`: ExceptionClass
    package var count: Int64
    package var currency: Currency?
    package var amount: Money?

    package init(_ open: OpenExceptions) throws {
        try self.init(open.exceptionClass, open.count, open.amount, open.currency)
    }

    package init(_ carried: CarriedExceptions) throws {
        try self.init(carried.exceptionClass, carried.count, carried.amount, carried.currency)
    }

    private init(_ name: String, _ count: Int64, _ amount: Int64?, _ code: String?) throws {
        `class` = try ExceptionClass(stored: name)
        self.count = count
        currency = try code.map(Currency.init(stored:))
        self.amount = try .stored(amount, code)
    }
}

/// The rules of the reconciliation. Version 0 are the standard rules, which no event records.
package struct RulesJSON: Codable, Sendable, Hashable {
    package struct Remark: Codable, Sendable, Hashable {
        package var rule: String
        package var code: RuleRemark.Code
        package var detail: String
    }

    package var version: Int64
    package var position: Int64?
    package var changedAt: Timestamp?
    package var changedBy: String?
    package var reason: String?
    package var digest: String
    package var rules: MatchingRules
    package var remarks: [Remark]
}
