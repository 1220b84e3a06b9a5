package import Canonical
package import Payments

/// What was asked about a doubt, and what came of it.
package struct QueryEvidence: Sendable, Hashable {
    /// What a gateway can say about a payment that it is asked for.
    package enum Answer: String, Sendable, Hashable, Codable, CaseIterable {
        case approved, declined, reversed
        /// It knows nothing of it.
        case notPosted = "not-posted"
        /// It is still worked on, or too early to say.
        case pending
        /// It knows several that it might be.
        case ambiguous
        /// It answered, and nothing follows from it.
        case unknown
        /// Nothing came back, or what cannot be read.
        case unanswered
        /// The question was wrong, and would be again.
        case refused
    }

    package var position: Int64
    /// When it was asked.
    package var at: Timestamp
    package var answer: Answer

    package init(position: Int64, at: Timestamp, answer: Answer) {
        self.position = position
        self.at = at
        self.answer = answer
    }
}

/// Something of which nobody knows whether it took effect.
package struct Doubt: Sendable, Hashable {
    /// What is in doubt; nil where that is not told.
    package var operation: ReplayOperation?
    /// The position of the event that tells of it.
    package var position: Int64
    /// When it was sent to the gateway, or may have been.
    package var sentAt: Timestamp
    package var vendor: Vendor?
    /// What was asked about it so far, in any order.
    package var asked: [QueryEvidence]

    package init(
        operation: ReplayOperation?,
        position: Int64,
        sentAt: Timestamp,
        vendor: Vendor?,
        asked: [QueryEvidence] = []
    ) {
        self.operation = operation
        self.position = position
        self.sentAt = sentAt
        self.vendor = vendor
        self.asked = asked
    }
}

/// How a doubt ends. Only evidence ends one.
package enum DoubtEnd: String, Sendable, Hashable, Codable, CaseIterable {
    case approved, declined
    case notPosted = "not-posted"
    case reversed
    case handedToPerson = "handed-to-person"
}

/// What is to be done about a doubt next.
package enum NextQuery: Sendable, Hashable {
    /// It is asked about at this time, or as soon as can be where that is past. `isShown` once a person should see it
    /// as well: it is asked about for as long as it takes all the same.
    case ask(at: Timestamp, rule: String, isShown: Bool)
    /// Nothing is asked any more.
    case ended(DoubtEnd, rule: String)
}

/// What to do next about an outcome that nobody knows.
///
/// The intervals grow, and the last one repeats for ever. No time ends a doubt, only an answer does: approved,
/// declined, reversed, or not posted by a gateway that was asked late enough to know. Answers that contradict each
/// other, several payments that it might be, and a question the gateway does not take are a person's.
///
/// - Parameters:
///   - asked: What was asked so far, in any order.
///   - now: What is asked about was sent before.
package func nextAsk(_ doubt: Doubt, asked: [QueryEvidence], now: Timestamp, book: RuleBook) -> NextQuery {
    let vendor = doubt.vendor?.rawValue
    let wait = book.limit("wait.unposted", vendor)
    var knownFrom: Timestamp?
    if let seconds = wait?.number { knownFrom = doubt.sentAt.adding(seconds: seconds) }
    if let (end, rule) = ended(by: asked, knownFrom: knownFrom) { return .ended(end, rule: rule) }
    guard let lookup = book.limit("lookup", vendor), lookup.number == 1 else {
        return .ended(.handedToPerson, rule: book.limit("lookup", vendor)?.id ?? "default")
    }
    guard let rule = book.limit("ask.intervals"), let intervals = rule.list, let longest = intervals.last else {
        return .ended(.handedToPerson, rule: "default")
    }
    let count = asked.count
    let last = asked.map(\.at).max() ?? doubt.sentAt
    var next = last.adding(seconds: count < intervals.count ? intervals[count] : longest)
    var deciding = rule.id
    // The first question that can be answered with "nothing was posted" is not put off beyond its time.
    if let knownFrom, let wait, last < knownFrom, next > knownFrom {
        next = knownFrom
        deciding = wait.id
    }
    return .ask(at: next, rule: deciding, isShown: count >= intervals.count)
}

/// What the answers end a doubt as, and by which rule; nil where they do not.
///
/// - Parameter knownFrom: From when on a gateway that has nothing of a payment is believed; nil for never.
private func ended(by asked: [QueryEvidence], knownFrom: Timestamp?) -> (DoubtEnd, rule: String)? {
    var ends: Set<DoubtEnd> = []
    for ask in asked {
        switch ask.answer {
        case .approved: ends.insert(.approved)
        case .declined: ends.insert(.declined)
        case .reversed: ends.insert(.reversed)
        case .notPosted: if let knownFrom, ask.at >= knownFrom { ends.insert(.notPosted) }
        case .ambiguous, .refused: ends.insert(.handedToPerson)
        case .pending, .unknown, .unanswered: break
        }
    }
    switch ends {
    case []: return nil
    // What was approved and reversed is reversed.
    case [.approved, .reversed]: return (.reversed, rule: "doubt.evidence")
    case _ where ends.count == 1 && ends != [.handedToPerson]:
        return (ends.first ?? .handedToPerson, rule: "doubt.evidence")
    default:
        return (.handedToPerson, rule: ends.contains(.handedToPerson) ? "doubt.ambiguous" : "doubt.contradiction")
    }
}
