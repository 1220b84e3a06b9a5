package import Canonical
import Payments

/// How the other sides' lines are explained: the events of a tenant's `reconciliation/<uuid>` stream. What is matched and
/// what is not follows from the lines and movements alone; a run records what has changed since the one before.
package enum ReconciliationEvent: LedgerEvent {
    /// The rules from here on.
    case rulesChanged(RulesChange)
    case began(RunBeginning)
    /// Lines and movements that explain each other.
    case matched(RunPart)
    /// They do not any more.
    case unmatched(RunPart)
    /// Payouts and transfers on bank accounts that explain each other.
    case depositsMatched(RunPart)
    /// They do not any more.
    case depositsUnmatched(RunPart)
    /// What nothing explains, or explains in another way than before.
    case exceptionsRaised(RunPart)
    /// What has been explained since.
    case exceptionsCleared(RunPart)
    case completed(RunCompletion)
    /// It did not come to its end: what it has told is true, and the next run tells the rest.
    case failed(RunFailure)

    /// The names of the event types, as they are stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case rulesChanged = "ReconciliationRulesChanged"
        case began = "ReconciliationBegan"
        case matched = "LinesMatched"
        case unmatched = "LinesUnmatched"
        case depositsMatched = "DepositsMatched"
        case depositsUnmatched = "DepositsUnmatched"
        case exceptionsRaised = "ExceptionsRaised"
        case exceptionsCleared = "ExceptionsCleared"
        case completed = "ReconciliationCompleted"
        case failed = "ReconciliationFailed"
    }

    package var schema: Int { 1 }

    package var name: Name {
        switch self {
        case .rulesChanged: .rulesChanged
        case .began: .began
        case .matched: .matched
        case .unmatched: .unmatched
        case .depositsMatched: .depositsMatched
        case .depositsUnmatched: .depositsUnmatched
        case .exceptionsRaised: .exceptionsRaised
        case .exceptionsCleared: .exceptionsCleared
        case .completed: .completed
        case .failed: .failed
        }
    }

    package var type: String { name.rawValue }

    package func data() throws -> JSONValue {
        switch self {
        case .rulesChanged(let payload): try JSONValueEncoder().encode(payload)
        case .began(let payload): try JSONValueEncoder().encode(payload)
        case .matched(let part), .unmatched(let part), .depositsMatched(let part), .depositsUnmatched(let part),
            .exceptionsRaised(let part), .exceptionsCleared(let part):
            try JSONValue(parsing: part.text.utf8)
        case .completed(let payload): try JSONValueEncoder().encode(payload)
        case .failed(let payload): try JSONValueEncoder().encode(payload)
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        let stored = try StoredEvent<Name>(type: type, schema: schema, data: data)
        switch stored.name {
        case .rulesChanged: self = .rulesChanged(try stored.payload())
        case .began: self = .began(try stored.payload())
        case .matched: self = .matched(RunPart(text: data.text))
        case .unmatched: self = .unmatched(RunPart(text: data.text))
        case .depositsMatched: self = .depositsMatched(RunPart(text: data.text))
        case .depositsUnmatched: self = .depositsUnmatched(RunPart(text: data.text))
        case .exceptionsRaised: self = .exceptionsRaised(RunPart(text: data.text))
        case .exceptionsCleared: self = .exceptionsCleared(RunPart(text: data.text))
        case .completed: self = .completed(try stored.payload())
        case .failed: self = .failed(try stored.payload())
        }
    }
}

/// Other rules, and why.
package struct RulesChange: Sendable, Hashable, Codable {
    package var rules: MatchingRules
    package var reason: String

    package init(rules: MatchingRules, reason: String) {
        self.rules = rules
        self.reason = reason
    }
}

/// What a run goes by.
package struct RunBeginning: Sendable, Hashable, Codable {
    package var run: UUID128
    /// Every event up to here has been looked at when the run is over.
    package var covers: Int64
    /// Only what has changed after this position, and what that concerns; 0 for everything.
    package var since: Int64
    /// SHA-256 of the rules, in hexadecimal digits.
    package var rules: String
    /// The newest day that a line of a processor has: `2026-03-01`.
    package var horizon: String?

    package init(run: UUID128, covers: Int64, since: Int64, rules: String, horizon: String?) {
        self.run = run
        self.covers = covers
        self.since = since
        self.rules = rules
        self.horizon = horizon
    }
}

/// Some thousand links or exceptions, as they are stored: written and read by the database.
package struct RunPart: Sendable, Hashable {
    /// The canonical JSON of the event.
    package let text: String

    package init(text: String) {
        self.text = text
    }
}

/// Why a run did not come to its end.
package struct RunFailure: Sendable, Hashable, Codable {
    package enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nothing was heard of it any more: its program has ended. The next run tells.
        case cutOff = "cut-off"
        /// The database has refused a statement, or was gone.
        case database
        /// The log has not taken an event.
        case log
        /// Something else has recorded on the same stream.
        case disturbed
        case other
    }

    package var run: UUID128
    package var reason: Reason

    package init(run: UUID128, reason: Reason) {
        self.run = run
        self.reason = reason
    }
}

/// What a run changed.
package struct RunCompletion: Sendable, Hashable, Codable {
    package var run: UUID128
    /// Pairs of a line and a movement.
    package var matched: Int64
    package var unmatched: Int64
    package var raised: Int64
    package var cleared: Int64
    /// Pairs of a payout and a transfer on a bank account.
    package var depositsMatched: Int64
    package var depositsUnmatched: Int64

    package init(
        run: UUID128,
        matched: Int64 = 0,
        unmatched: Int64 = 0,
        raised: Int64 = 0,
        cleared: Int64 = 0,
        depositsMatched: Int64 = 0,
        depositsUnmatched: Int64 = 0
    ) {
        self.run = run
        self.matched = matched
        self.unmatched = unmatched
        self.raised = raised
        self.cleared = cleared
        self.depositsMatched = depositsMatched
        self.depositsUnmatched = depositsUnmatched
    }

    /// Runs before there were deposits matched none.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            run: try members.decode(UUID128.self, forKey: .run),
            matched: try members.decode(Int64.self, forKey: .matched),
            unmatched: try members.decode(Int64.self, forKey: .unmatched),
            raised: try members.decode(Int64.self, forKey: .raised),
            cleared: try members.decode(Int64.self, forKey: .cleared),
            depositsMatched: try members.decodeIfPresent(Int64.self, forKey: .depositsMatched) ?? 0,
            depositsUnmatched: try members.decodeIfPresent(Int64.self, forKey: .depositsUnmatched) ?? 0
        )
    }
}
