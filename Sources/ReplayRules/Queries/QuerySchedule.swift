package import Canonical
package import Payments

/// One query about a doubt and its answer.
package struct QueryEvidence: Sendable, Hashable {
    /// The possible answers of a gateway to a query about a payment.
    package enum Answer: String, Sendable, Hashable, Codable, CaseIterable {
        case approved, declined, reversed
        /// The gateway does not have the payment.
        case notPosted = "not-posted"
        /// The payment is still being processed, or it is too early for an answer.
        case pending
        /// The gateway has several payments that match.
        case ambiguous
        /// The gateway answered, but the answer proves nothing.
        case unknown
        /// No answer arrived, or it could not be read.
        case unanswered
        /// The query was invalid, and a repeat would be invalid too.
        case refused
    }

    package var position: Int64
    /// The time of the query. The log's time may be some seconds ahead: then that of its sender.
    package var at: Timestamp
    /// The time of the query by the clock of its sender, if that is later: the next interval begins then.
    package var sentAt: Timestamp
    package var answer: Answer

    /// - Parameters:
    ///   - at: The time of its record.
    ///   - sentAt: The time by the clock of its sender.
    package init(position: Int64, at: Timestamp, sentAt: Timestamp? = nil, answer: Answer) {
        self.position = position
        self.at = min(at, sentAt ?? at)
        self.sentAt = max(at, sentAt ?? at)
        self.answer = answer
    }
}

/// An operation with an unknown outcome.
package struct Doubt: Sendable, Hashable {
    /// The operation in doubt; nil if it is not recorded.
    package var operation: ReplayOperation?
    /// The position of the event that reports the doubt.
    package var position: Int64
    /// The time it was sent to the gateway, or may have been sent.
    package var sentAt: Timestamp
    package var vendor: Vendor?
    /// The queries about it so far, in any order.
    package var queries: [QueryEvidence]

    package init(
        operation: ReplayOperation?,
        position: Int64,
        sentAt: Timestamp,
        vendor: Vendor?,
        queries: [QueryEvidence] = []
    ) {
        self.operation = operation
        self.position = position
        self.sentAt = sentAt
        self.vendor = vendor
        self.queries = queries
    }
}

/// The result of a doubt. Only evidence ends a doubt.
package enum DoubtEnd: String, Sendable, Hashable, Codable, CaseIterable {
    case approved, declined
    case notPosted = "not-posted"
    case reversed
    case handedToPerson = "handed-to-person"
}

/// The next step for a doubt.
package enum NextQuery: Sendable, Hashable {
    /// The gateway is queried at this time, or as soon as possible if the time is past.
    case query(at: Timestamp, rule: String)
    /// No more queries are made.
    case ended(DoubtEnd, rule: String)
}

/// Decides the next step for an unknown outcome.
///
/// The intervals grow. The query after the last one is the last query, and then the doubt is an operator's. Time never
/// ends a doubt, only an answer does: approved, declined, reversed, or not posted by a gateway that was queried late
/// enough to know. Contradicting answers, several matching payments, and a query that the gateway refuses need review by
/// an operator.
///
/// - Parameters:
///   - queries: The queries so far, in any order.
///   - now: The current time. The doubt was sent before it.
package func nextQuery(_ doubt: Doubt, queries: [QueryEvidence], now: Timestamp, book: RuleBook) -> NextQuery {
    let vendor = doubt.vendor?.rawValue
    let wait = book.limit("wait.unposted", vendor)
    var knownFrom: Timestamp?
    if let seconds = wait?.number { knownFrom = doubt.sentAt.adding(seconds: seconds) }
    if let (end, rule) = ended(by: queries, knownFrom: knownFrom) { return .ended(end, rule: rule) }
    guard let lookup = book.limit("lookup", vendor), lookup.number == 1 else {
        return .ended(.handedToPerson, rule: book.limit("lookup", vendor)?.id ?? "default")
    }
    guard let rule = book.limit("query.intervals"), let intervals = rule.list else {
        return .ended(.handedToPerson, rule: "default")
    }
    let last = queries.map(\.sentAt).max() ?? doubt.sentAt
    let next = queries.count < intervals.count ? last.adding(seconds: intervals[queries.count]) : nil
    // The first query that can be answered with "not posted" is made as soon as that answer is reliable.
    if let knownFrom, let wait, last < knownFrom, next.map({ $0 > knownFrom }) ?? true {
        return .query(at: knownFrom, rule: wait.id)
    }
    return next.map { .query(at: $0, rule: rule.id) } ?? .ended(.handedToPerson, rule: rule.id)
}

/// The end of a doubt according to the answers, and the rule that decides; nil if the answers do not end it.
///
/// - Parameter knownFrom: The time from which a gateway's "not posted" is reliable; nil for never.
private func ended(by queries: [QueryEvidence], knownFrom: Timestamp?) -> (DoubtEnd, rule: String)? {
    var ends: Set<DoubtEnd> = []
    for query in queries {
        switch query.answer {
        case .approved: ends.insert(.approved)
        case .declined: ends.insert(.declined)
        case .reversed: ends.insert(.reversed)
        case .notPosted: if let knownFrom, query.at >= knownFrom { ends.insert(.notPosted) }
        case .ambiguous, .refused: ends.insert(.handedToPerson)
        case .pending, .unknown, .unanswered: break
        }
    }
    switch ends {
    case []: return nil
    // A payment that was approved and then reversed is reversed.
    case [.approved, .reversed]: return (.reversed, rule: "doubt.evidence")
    case _ where ends.count == 1 && ends != [.handedToPerson]:
        return (ends.first ?? .handedToPerson, rule: "doubt.evidence")
    default:
        return (.handedToPerson, rule: ends.contains(.handedToPerson) ? "doubt.ambiguous" : "doubt.contradiction")
    }
}
