import Access
package import Canonical
import Composition
import EventLog
import Intake
import Payments
import Projections
import Redaction
package import Replay
package import ReplayRules

extension PlanRequest {
    private static let members = [
        "filter", "transactions", "operation", "amount", "tip", "reason", "expiresInSeconds",
    ]

    /// `{"filter": {"status": "declined"}, "reason": "..."}`, or `transactions` in place of the filter.
    ///
    /// - Throws: `IntakeProblem`; `Refusal` for a filter that the list of payments does not have.
    package init(reading json: JSONValue) throws {
        let body = try CommandBody(json, members: Self.members)
        let scope: Scope
        switch (body["filter"], body["transactions"]) {
        case (let filter?, nil): scope = try Self.filter(filter)
        case (nil, let named?): scope = .transactions(try Self.named(named))
        default:
            throw IntakeProblem(.malformedRecord, "One of `filter` and `transactions` is wanted.", pointer: "/filter")
        }
        var operation: ReplayOperation?
        if let reported = body["operation"] {
            guard let known = reported.string.flatMap(ReplayOperation.init(rawValue:)) else {
                let names = ReplayOperation.allCases.map(\.rawValue).joined(separator: ", ")
                throw IntakeProblem(.malformedRecord, "It is one of \(names).", pointer: "/operation")
            }
            operation = known
        }
        let amount = try Self.money("amount", body)
        let tip = try Self.money("tip", body)
        guard operation != nil || (amount == nil && tip == nil) else {
            throw IntakeProblem(.malformedRecord, "An amount is that of an operation.", pointer: "/operation")
        }
        var lifetime = Self.standardLifetime
        if let reported = body["expiresInSeconds"] {
            guard let seconds = reported.int64, Self.lifetimes.contains(seconds) else {
                throw IntakeProblem(
                    .malformedRecord,
                    "It is a whole number, \(Self.lifetimes.lowerBound) to \(Self.lifetimes.upperBound).",
                    pointer: "/expiresInSeconds"
                )
            }
            lifetime = seconds
        }
        self.init(
            scope,
            operation: operation,
            amount: amount,
            tip: tip,
            reason: try body.reason(),
            lifetimeSeconds: lifetime
        )
    }

    private static func filter(_ json: JSONValue) throws -> Scope {
        guard let object = json.object else {
            throw IntakeProblem(
                .malformedRecord,
                "A filter is an object with the query parameters of the list of payments.",
                pointer: "/filter"
            )
        }
        let parameters = try object.members.map { member -> (name: String, value: String) in
            guard let value = member.value.string, !value.utf8.contains(0), !member.key.utf8.contains(0) else {
                throw IntakeProblem(.malformedRecord, "Every value is a text.", pointer: "/filter")
            }
            return (member.key, value)
        }
        return try filter(parameters)
    }

    /// A filter from the parameters of the list of payments.
    ///
    /// - Throws: `Refusal`.
    package static func filter(_ parameters: [(name: String, value: String)]) throws -> Scope {
        var query = ParameterReader(parameters)
        let filter = try TransactionFilter(&query)
        try query.finish()
        let scrubber = TextScrubber()
        let text = parameters.sorted { $0.name < $1.name }
            .map { "\($0.name)=\(scrubber.scrub($0.value).text)" }.joined(separator: "&")
        return .filter(filter, text: text)
    }

    private static func named(_ json: JSONValue) throws(IntakeProblem) -> [UUID128] {
        let ids = json.array?.compactMap { $0.string.flatMap { UUID128($0) } } ?? []
        guard (1...mostNamed).contains(ids.count), ids.count == json.array?.count, Set(ids).count == ids.count else {
            throw IntakeProblem(
                .malformedRecord,
                "They are the ids of 1 to \(mostNamed) payments, each once.",
                pointer: "/transactions"
            )
        }
        return ids
    }

    private static func money(_ name: String, _ body: CommandBody) throws(IntakeProblem) -> Money? {
        guard let reported = body[name] else { return nil }
        guard let value = reported["value"]?.int64, value >= 0, reported.object?.members.count == 2,
            let currency = reported["currency"]?.string.flatMap({ Currency(alpha: $0) })
        else {
            throw IntakeProblem(
                .malformedRecord,
                #"Money is {"value": 1340, "currency": "USD"}, in minor units."#,
                pointer: "/\(name)"
            )
        }
        return Money(value, currency)
    }
}

/// A request for the history of a payment.
package struct ReplayHistoryRequest: Sendable {
    /// The last position; nil for all events.
    package var moment: Moment?
    /// The follow-up to resubmit; nil for the payment itself, or a reversal that is due.
    package var operation: ReplayOperation?
    /// `rule=value`.
    package var overrides: [String] = []

    package init(until moment: Moment? = nil, operation: ReplayOperation? = nil, overrides: [String] = []) {
        self.moment = moment
        self.operation = operation
        self.overrides = overrides
    }

    /// Reads `as_of`, `as_of_position`, `operation` and `what_if`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        moment = try Moment(&query)
        operation = try query.choice("operation", of: ReplayOperation.self)
        let others = try query.text("what_if", maximumBytes: 1024)
        overrides = others?.split(separator: ";", omittingEmptySubsequences: false).map { String($0) } ?? []
    }
}
