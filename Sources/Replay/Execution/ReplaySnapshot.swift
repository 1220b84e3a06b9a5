import Canonical
import EventLog
import Gateways
import Intake
import Payments
import ReplayRules

/// A payment as an item of a plan finds it.
struct ReplaySnapshot {
    /// What became of the last call by which the item asked for what it is for.
    enum Attempt: Hashable {
        case none
        /// It was certainly never sent, so it may be made again.
        case notSent
        /// It may be under way, or was cut short.
        case open
        case unanswered(failure: String?)
        case answered(GatewayVerdictName?, code: String?)
    }

    let facts: [RecordedFact]
    let state: TransactionState
    let version: Int64
    let attempt: Attempt
    /// How many calls the item made to ask for it, and about it.
    let attempts: Int
    let finds: Int
    /// True while nothing was told of the payment since it was judged but by this item.
    let isOurs: Bool
    /// When what is known of it first happened, by the clock of whoever told it.
    let begunAt: Timestamp?
    /// True where something else stands for the card since then.
    let hasOtherCard: Bool

    /// - Throws: For an event that cannot be read.
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

    static func tellsOtherCard(_ facts: [TransactionEvent], than item: ReplayItem) -> Bool {
        facts.contains { fact in
            guard case .cardToken(let event) = fact else { return false }
            return item.operation.isPayment && event.report.digest != item.card
        }
    }

    /// What became of a call; nil where it was not made.
    private static func attempt(_ name: String, _ facts: [RecordedFact]) -> Attempt? {
        let reference = CallReference(name)
        var found: Attempt?
        for fact in facts {
            guard case .gateway(let event) = fact.event, reference.isReported(as: event.report.reference) else { continue }
            switch event.name {
            case .callSent: found = .open
            case .callFailed: found = .notSent
            case .callTimedOut: found = .unanswered(failure: event.report.failure)
            case .callAnswered: found = .answered(event.report.verdict, code: event.report.response.code)
            }
        }
        return found
    }

    /// The references of calls that certainly never left.
    private var neverSent: Set<String> {
        Set(
            facts.compactMap { fact in
                guard case .gateway(let event) = fact.event, event.name == .callFailed else { return nil }
                return event.report.reference
            }
        )
    }

    /// True where Daybook alone asked for the payment, and none of its calls ever left: there is nothing to look up.
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

    /// The call by which Daybook made the payment, where it did; one that never left made none.
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
