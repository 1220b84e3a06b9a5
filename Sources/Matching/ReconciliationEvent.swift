package import Canonical
package import Payments

/// The matches and exceptions of a tenant: the events of its `reconciliation/<uuid>` stream. They follow from the lines
/// and movements alone; a run records only the changes since the previous run.
package enum ReconciliationEvent: LedgerEvent {
    /// New rules apply from here on.
    case rulesChanged(RulesChange)
    case began(RunBeginning)
    /// Lines and movements that explain each other.
    case matched(RunPart)
    /// Lines and movements that no longer explain each other.
    case unmatched(RunPart)
    /// Payouts and transfers on bank accounts that explain each other.
    case depositsMatched(RunPart)
    /// Payouts and transfers that no longer explain each other.
    case depositsUnmatched(RunPart)
    /// Lines that a posting rule explains.
    case posted(RunPart)
    /// Lines that the posting rule no longer explains.
    case unposted(RunPart)
    /// Lines and movements that nothing explains, or that are now explained differently.
    case exceptionsRaised(RunPart)
    /// Exceptions that were explained since.
    case exceptionsCleared(RunPart)
    case completed(RunCompletion)
    /// The run did not complete: its recorded changes are valid, and the next run records the rest.
    case failed(RunFailure)

    /// The names of the event types, as stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case rulesChanged = "ReconciliationRulesChanged"
        case began = "ReconciliationBegan"
        case matched = "LinesMatched"
        case unmatched = "LinesUnmatched"
        case depositsMatched = "DepositsMatched"
        case depositsUnmatched = "DepositsUnmatched"
        case posted = "LinesPosted"
        case unposted = "LinesUnposted"
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
        case .posted: .posted
        case .unposted: .unposted
        case .exceptionsRaised: .exceptionsRaised
        case .exceptionsCleared: .exceptionsCleared
        case .completed: .completed
        case .failed: .failed
        }
    }

    package var type: String { name.rawValue }

    package var payload: any Encodable {
        switch self {
        case .rulesChanged(let payload): payload
        case .began(let payload): payload
        case .matched(let part), .unmatched(let part), .depositsMatched(let part), .depositsUnmatched(let part),
            .posted(let part), .unposted(let part), .exceptionsRaised(let part), .exceptionsCleared(let part):
            StoredJSON(part.text)
        case .completed(let payload): payload
        case .failed(let payload): payload
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
        case .posted: self = .posted(RunPart(text: data.text))
        case .unposted: self = .unposted(RunPart(text: data.text))
        case .exceptionsRaised: self = .exceptionsRaised(RunPart(text: data.text))
        case .exceptionsCleared: self = .exceptionsCleared(RunPart(text: data.text))
        case .completed: self = .completed(try stored.payload())
        case .failed: self = .failed(try stored.payload())
        }
    }
}

/// New rules and the reason for the change.
package struct RulesChange: Sendable, Hashable, Codable {
    package var rules: MatchingRules
    package var reason: String
    /// The operators who proposed and approved it. Nil only in changes from before two were needed.
    package var approval: ChangeApproval?

    package init(rules: MatchingRules, reason: String, approval: ChangeApproval? = nil) {
        self.rules = rules
        self.reason = reason
        self.approval = approval
    }
}

/// The inputs of a run.
package struct RunBeginning: Sendable, Hashable, Codable {
    package var run: UUID128
    /// The completed run covers every event up to this position.
    package var covers: Int64
    /// The run covers only changes after this position and what they affect; 0 for everything.
    package var since: Int64
    /// SHA-256 of the rules, in hexadecimal digits.
    package var rules: String
    /// The newest day of a processor's line: `2026-03-01`.
    package var horizon: String?

    package init(run: UUID128, covers: Int64, since: Int64, rules: String, horizon: String?) {
        self.run = run
        self.covers = covers
        self.since = since
        self.rules = rules
        self.horizon = horizon
    }
}

/// Several thousand links or exceptions in their stored form, which the database writes and reads.
package struct RunPart: Sendable, Hashable {
    /// The canonical JSON of the event.
    package let text: String

    package init(text: String) {
        self.text = text
    }
}

/// The reason a run did not complete.
package struct RunFailure: Sendable, Hashable, Codable {
    package enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The run stopped reporting because its process ended. The next run records this failure.
        case cutOff = "cut-off"
        /// The database refused a statement or was not reachable.
        case database
        /// The log did not accept an event.
        case log
        /// Another writer appended to the same stream.
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

/// The changes made by a run.
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
    /// Lines that a posting rule explains.
    package var posted: Int64
    package var unposted: Int64

    package init(
        run: UUID128,
        matched: Int64 = 0,
        unmatched: Int64 = 0,
        raised: Int64 = 0,
        cleared: Int64 = 0,
        depositsMatched: Int64 = 0,
        depositsUnmatched: Int64 = 0,
        posted: Int64 = 0,
        unposted: Int64 = 0
    ) {
        self.run = run
        self.matched = matched
        self.unmatched = unmatched
        self.raised = raised
        self.cleared = cleared
        self.depositsMatched = depositsMatched
        self.depositsUnmatched = depositsUnmatched
        self.posted = posted
        self.unposted = unposted
    }

    /// Decodes a stored completion. Older runs have no counts of what they did not do yet.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            run: try members.decode(UUID128.self, forKey: .run),
            matched: try members.decode(Int64.self, forKey: .matched),
            unmatched: try members.decode(Int64.self, forKey: .unmatched),
            raised: try members.decode(Int64.self, forKey: .raised),
            cleared: try members.decode(Int64.self, forKey: .cleared),
            depositsMatched: try members.decodeIfPresent(Int64.self, forKey: .depositsMatched) ?? 0,
            depositsUnmatched: try members.decodeIfPresent(Int64.self, forKey: .depositsUnmatched) ?? 0,
            posted: try members.decodeIfPresent(Int64.self, forKey: .posted) ?? 0,
            unposted: try members.decodeIfPresent(Int64.self, forKey: .unposted) ?? 0
        )
    }
}
