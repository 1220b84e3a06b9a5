import Canonical
import EventLog
import Gateways
import Intake
import Payments
import ReplayRules

/// A payment at the time when an item of a plan is executed.
struct ReplaySnapshot {
    /// The result of the item's last submission.
    enum Attempt: Hashable {
        case none
        /// It was certainly never sent, so it may be made again.
        case notSent
        /// It may be in progress, or was interrupted.
        case open
        case unanswered(failure: String?)
        case answered(GatewayVerdictName?, code: String?)
    }

    let facts: [RecordedFact]
    let state: TransactionState
    let version: Int64
    let attempt: Attempt
    /// The number of submissions and of queries that the item made.
    let attempts: Int
    let finds: Int
    /// True while all events since the judgement come from this item.
    let isOurs: Bool
    /// The earliest time in its events, by the clocks of their senders.
    let begunAt: Timestamp?
    /// True when the card's token has changed since the judgement.
    let hasOtherCard: Bool

    /// - Throws: An error for an event that cannot be read.
    init(_ history: [RecordedEvent], plan: UUID128, item: ReplayItem) throws {
        facts = try history.map {
            RecordedFact(position: $0.position, at: $0.recordedAt, event: try TransactionEvent($0))
        }
        state = TransactionState(folding: facts.lazy.map(\.event))
        version = history.last?.version ?? 0
        begunAt = history.lazy.map(\.occurredAt).min()
        let own = ReplayReference.text(plan, item.number, .work)
        isOurs = version >= item.version && history.allSatisfy { $0.version <= item.version || $0.correlation == own }
        hasOtherCard = Self.tellsOtherCard(facts.dropFirst(Int(clamping: item.version)).map(\.event), than: item)
        var attempt = Attempt.none
        var attempts = 0
        while true {
            let reference = ReplayReference.text(plan, item.number, .attempt, attempts + 1)
            guard let last = Self.attempt(reference, facts) else { break }
            attempts += 1
            attempt = last
        }
        self.attempt = attempt
        self.attempts = attempts
        var finds = 0
        while Self.attempt(ReplayReference.text(plan, item.number, .find, finds + 1), facts) != nil { finds += 1 }
        self.finds = finds
    }

    /// The payment's merchant accounts at a vendor.
    func accounts(with vendor: Vendor) -> Set<String> { MerchantAccounts(facts).names(with: vendor) }

    static func tellsOtherCard(_ facts: [TransactionEvent], than item: ReplayItem) -> Bool {
        facts.contains { fact in
            guard case .cardToken(let event) = fact else { return false }
            return item.operation.isPayment && event.report.digest != item.card
        }
    }

    /// The result of a call; nil when it was not made.
    private static func attempt(_ name: String, _ facts: [RecordedFact]) -> Attempt? {
        let reference = CallReference(name)
        var found: Attempt?
        for fact in facts {
            guard case .gateway(let event) = fact.event, reference.isReported(as: event.report.reference) else {
                continue
            }
            switch event.name {
            case .callSent: found = .open
            case .callFailed: found = .notSent
            case .callTimedOut: found = .unanswered(failure: event.report.failure)
            case .callAnswered: found = .answered(event.report.verdict, code: event.report.response.code)
            }
        }
        return found
    }

    /// The references of calls that were certainly never sent.
    private var neverSent: Set<String> {
        Set(
            facts.compactMap { fact in
                guard case .gateway(let event) = fact.event, event.name == .callFailed else { return nil }
                return event.report.reference
            }
        )
    }

    /// True when only Daybook requested the payment, and none of its calls was sent: there is nothing to query.
    var wasNeverSent: Bool {
        let failed = neverSent
        var isAsked = false
        for fact in facts {
            if case .documentReceived = fact.event { return false }
            guard case .gateway(let event) = fact.event, event.report.operation.canMoveMoney else { continue }
            isAsked = true
            guard failed.contains(event.report.reference) else { return false }
        }
        return isAsked
    }

    /// The call with which Daybook made the payment, if it did and the call was not certainly unsent.
    var payment: GatewayReport? {
        let failed = neverSent
        return facts.lazy.reversed().compactMap { fact -> GatewayReport? in
            guard case .gateway(let event) = fact.event, event.name == .callSent,
                event.report.operation == .sale || event.report.operation == .authorization,
                !failed.contains(event.report.reference)
            else { return nil }
            return event.report
        }.first
    }
}
