package import Canonical
package import Payments
import Projections
package import Replay
package import ReplayRules
import Vendors

/// A payment in doubt, with the calls to its gateways and the next one.
package struct DoubtJSON: Codable, Sendable, Hashable {
    /// The cause of the doubt.
    package struct Cause: Codable, Sendable, Hashable {
        package var what: String
        package var isFollowUp: Bool
        package var event: String
        package var position: Int64
        package var at: Timestamp
        package var refund: String?
        package var sentAt: Timestamp?
        package var code: String?
        package var message: String?
        /// What the vendor says to do about the code; nil if it says nothing.
        package var remedy: String?
    }

    /// A reversal that is due.
    package struct Reversal: Codable, Sendable, Hashable {
        package var dueAt: Timestamp
        package var position: Int64
        package var sent: Int64
        package var gateways: [String]
        package var isSent: Bool
        package var deadline: Timestamp?
        package var lastSentAt: Timestamp?
    }

    /// The last query.
    package struct Query: Codable, Sendable, Hashable {
        package var at: Timestamp
        package var answer: QueryEvidence.Answer
        package var position: Int64
    }

    /// The reason why an operator must review the payment, or should.
    package struct Attention: Codable, Sendable, Hashable {
        package var rule: String
        package var isNeeded: Bool
        package var explanation: String
    }

    /// The reader that the payment was made at.
    package struct Reader: Codable, Sendable, Hashable {
        package var vendor: Vendor
        package var serial: String
        package var holdsResult: Bool?
        /// What to do about a result that it holds.
        package var remedy: String?
    }

    package var transaction: UUID128
    package var status: TransactionStatus
    package var vendor: Vendor?
    package var merchant: String?
    package var terminal: String?
    package var reference: String?
    package var reader: Reader?
    package var occurredAt: Timestamp
    package var ageSeconds: Int64
    package var atRisk: Money?
    package var version: Int64
    package var isOpen: Bool
    package var doubt: Cause?
    package var reversal: Reversal?
    package var gateways: [String]
    package var queries: Int64
    package var lastQuery: Query?
    package var nextAt: Timestamp?
    package var nextRule: String?
    package var underWayUntil: Timestamp?
    package var notPostedFrom: Timestamp?
    package var attention: Attention?

    /// - Parameter now: The time at which the age is computed.
    package init(_ item: DoubtItem, at now: Timestamp) throws {
        let payment = item.payment
        let status = item.status
        transaction = payment.transaction
        self.status = payment.status
        vendor = try payment.vendor.map(Vendor.init(stored:))
        merchant = payment.merchant
        terminal = payment.terminal
        reference = payment.reference
        reader = payment.cardReader.map { Reader($0, holdsResult: payment.readerHoldsResult) }
        occurredAt = payment.occurredAt
        // A device's clock may be ahead.
        ageSeconds = max(0, now.microseconds(since: payment.occurredAt) / 1_000_000)
        atRisk = payment.value
        version = status.version
        isOpen = status.isOpen
        doubt = Cause(status)
        reversal = status.reversal.map { Reversal($0, item) }
        gateways = item.gateways
        queries = Int64(status.queries.count)
        lastQuery = status.queries.last.map { Query(at: $0.at, answer: $0.answer, position: $0.position) }
        // An overdue query is sent as soon as possible.
        nextAt = item.nextAt.map { max($0, now) }
        if nextAt != nil, case .query(_, let rule) = status.next { nextRule = rule }
        underWayUntil = status.underWayUntil
        notPostedFrom = status.unpostedFrom
        attention = item.attention.map {
            Attention(rule: $0.rule, isNeeded: $0.isNeeded, explanation: $0.explanation)
        }
    }
}

extension DoubtJSON.Reader {
    fileprivate init(_ reader: ReaderReference, holdsResult: Bool?) {
        vendor = reader.vendor
        serial = reader.serial
        self.holdsResult = holdsResult
        remedy = holdsResult == true ? VendorAdapters.adapter(of: vendor).pendingResultRemedy : nil
    }
}

extension DoubtJSON.Cause {
    fileprivate init?(_ status: DoubtStatus) {
        guard let doubt = status.doubt, let cause = status.cause else { return nil }
        what = cause.followUp?.subject.rawValue ?? doubt.operation?.rawValue ?? "payment"
        isFollowUp = cause.followUp != nil
        event = cause.event
        position = cause.position
        at = cause.at
        refund = cause.followUp?.refund
        sentAt = doubt.sentAt
        code = cause.response.code
        message = cause.response.message
        if let vendor = doubt.vendor, let code { remedy = VendorAdapters.adapter(of: vendor).remedy(of: code) }
    }
}

extension DoubtJSON.Reversal {
    fileprivate init(_ reversal: ReversalStatus, _ item: DoubtItem) {
        dueAt = reversal.dueAt
        position = reversal.position
        sent = Int64(reversal.sent.count)
        gateways = item.reversing
        isSent = item.sendsReversal
        deadline = reversal.deadline
        lastSentAt = reversal.sent.last?.sentAt
    }
}

extension DoubtItem.Attention {
    /// The reason, for operators.
    package var explanation: String {
        switch rule {
        case "query.intervals": "All queries were made and none resolved it: an operator must resolve it."
        case "doubt.ambiguous":
            "The result fits several payments, or is another payment, or the gateway does not support the query."
        case "doubt.contradiction": "The answers contradict each other."
        case "doubt.evidence": "The answer does not resolve this doubt."
        case "lookup", "default": "No gateway can be queried about it."
        case "reversal.settled": "It is settled: a refund replaces the reversal."
        case "reversal.late-intervals":
            "All reversals were sent and none was acknowledged: an operator must resolve it, or send it again."
        case FixedRule.noGateway.rawValue:
            "No gateway is configured for its merchant account: an operator must resolve it."
        case FixedRule.noAccount.rawValue:
            "Its documents name no merchant account, so no gateway is called: an operator must resolve it."
        case FixedRule.reversalOff.rawValue: "It must be reversed, and no gateway is configured for reversals."
        case FixedRule.streamFull.rawValue:
            "It has the largest number of events, so no gateway is queried: an operator must resolve it."
        case let rule where rule.hasPrefix("deadline.reversal"): "The deadline of its reversal has passed."
        case let rule where rule.hasPrefix("lookup."): "No gateway can be queried about it."
        default: "Rule \(rule)."
        }
    }
}

/// A doubt with every gateway call about the payment.
package typealias DoubtDetailJSON = Joined<DoubtJSON, DoubtCallsJSON>

package struct DoubtCallsJSON: Codable, Sendable, Hashable {
    package var calls: [GatewayCallJSON]
}

extension DoubtDetailJSON {
    /// - Parameter now: The time at which the age is computed.
    package init(_ item: DoubtItem, at now: Timestamp) throws {
        self.init(try DoubtJSON(item, at: now), DoubtCallsJSON(calls: item.status.calls.map(GatewayCallJSON.init)))
    }
}

/// A call to a gateway and its end, if it has ended.
package struct GatewayCallJSON: Codable, Sendable, Hashable {
    /// The type of the event that ended a call.
    package enum End: String, Codable, Sendable, CaseIterable {
        case answered = "GatewayCallAnswered"
        case timedOut = "GatewayCallTimedOut"
        case failed = "GatewayCallFailed"
    }

    package var position: Int64
    package var reference: String
    package var gateway: String
    package var operation: GatewayOperation
    package var sentAt: Timestamp
    package var about: String?
    package var event: End?
    package var answeredAt: Timestamp?
    package var answerPosition: Int64?
    package var verdict: GatewayVerdictName?
    package var differs: String?
    package var failure: String?
    package var code: String?
    package var message: String?

    package init(_ call: GatewayQuery) {
        position = call.position
        reference = call.reference
        gateway = call.gateway
        operation = call.operation
        sentAt = call.sentAt
        about = call.about
        event = (call.end?.event.rawValue).flatMap(End.init)
        answeredAt = call.end?.at
        answerPosition = call.end?.position
        verdict = call.end?.verdict
        differs = call.end?.differs
        failure = call.end?.failure
        code = call.end?.response.code
        message = call.end?.response.message
    }
}

/// The result of a requested query, with the doubt after it.
package struct QueriedDoubtJSON: Codable, Sendable, Hashable {
    package var result: DoubtQueryResult.Result
    package var doubt: DoubtDetailJSON

    /// - Parameter now: The time at which the age is computed.
    package init(_ queried: DoubtQueryResult, at now: Timestamp) throws {
        result = queried.result
        doubt = try DoubtDetailJSON(queried.doubt, at: now)
    }
}
