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

        var hasOutcome: Bool {
            if case .answered(let verdict?, _) = self { verdict != .pending } else { false }
        }
    }

    /// The queries that the item made for one purpose.
    struct Queries: Hashable {
        var made = 0
        /// The number of queries after the last one whose answer had an outcome.
        var unanswered = 0
    }

    let facts: [RecordedFact]
    let state: TransactionState
    let version: Int64
    let attempt: Attempt
    /// The number of submissions by any plan that may have reached the gateway.
    let attempts: Int
    let finds: Queries
    let recalls: Queries
    /// True while all events since the judgement come from this item.
    let isOurs: Bool
    /// True when the card's token has changed since the judgement.
    let hasOtherCard: Bool

    /// - Throws: An error for an event that cannot be read.
    init(_ history: [RecordedEvent], plan: UUID128, item: ReplayItem) throws {
        facts = try history.map(RecordedFact.init)
        state = TransactionState(recorded: facts)
        version = history.last?.version ?? 0
        let own = ReplayReference.text(plan, item.number, .work)
        isOurs = version >= item.version && history.allSatisfy { $0.version <= item.version || $0.correlation == own }
        hasOtherCard = Self.tellsOtherCard(facts.dropFirst(Int(clamping: item.version)).map(\.event), than: item)
        var attempt = Attempt.none
        var attempts = 0
        let owned = Set(history.lazy.filter { $0.correlation == own }.map(\.position))
        while true {
            let reference = ReplayReference.attempt(history.last?.tenant ?? "", item, attempts + 1)
            guard let last = Self.attempt(reference, facts, of: item) else { break }
            attempt = owned.contains(last.position) ? last.result : .none
            // The reference was certainly never sent, so the next submission has it again.
            if last.result == .notSent { break }
            attempts += 1
        }
        self.attempt = attempt
        self.attempts = attempts
        finds = Self.queries(.find, plan, item, facts)
        recalls = Self.queries(.recall, plan, item, facts)
    }

    private static func queries(
        _ purpose: ReplayReference.Purpose,
        _ plan: UUID128,
        _ item: ReplayItem,
        _ facts: [RecordedFact]
    ) -> Queries {
        var queries = Queries()
        while let query = attempt(
            ReplayReference.text(plan, item.number, purpose, queries.made + 1),
            facts,
            of: item
        ) {
            queries.made += 1
            queries.unanswered = query.result.hasOutcome ? 0 : queries.unanswered + 1
        }
        return queries
    }

    /// The payment's merchant accounts at a vendor.
    func accounts(with vendor: Vendor) -> Set<String> { MerchantAccounts(facts).names(with: vendor) }

    static func tellsOtherCard(_ facts: [TransactionEvent], than item: ReplayItem) -> Bool {
        facts.contains { fact in
            guard case .cardToken(let event) = fact else { return false }
            return item.operation.isPayment && event.report.digest != item.card
        }
    }

    /// The result of a call, and the position of its last sending; nil when it was not made.
    private static func attempt(
        _ name: String,
        _ facts: [RecordedFact],
        of item: ReplayItem
    ) -> (result: Attempt, position: Int64)? {
        let reference = CallReference(name)
        var found: (result: Attempt, position: Int64)?
        for fact in facts {
            guard case .gateway(let event) = fact.event else { continue }
            let report = event.report
            guard reference.isReported(as: report.reference) else {
                // A query may find the outcome of a payment. It shows nothing about a follow-up.
                if event.name == .callAnswered, report.operation == .find, item.operation.isPayment,
                    let about = report.about, reference.isReported(as: about), report.verdict?.isPosted != nil
                {
                    found?.result = .answered(report.verdict, code: report.response.code)
                }
                continue
            }
            switch event.name {
            case .callSent: found = (.open, fact.position)
            case .callFailed: found?.result = .notSent
            case .callTimedOut: found?.result = .unanswered(failure: report.failure)
            case .callAnswered: found?.result = .answered(report.verdict, code: report.response.code)
            }
        }
        return found
    }

    /// The references of calls that were certainly never sent.
    private var neverSent: Set<String> {
        var last: [String: GatewayEventName] = [:]
        for fact in facts {
            guard case .gateway(let event) = fact.event else { continue }
            last[event.report.reference] = event.name
        }
        return Set(last.lazy.filter { $0.value == .callFailed }.map(\.key))
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

extension GatewayVerdictName {
    /// Whether the payment was made or declined; nil if the verdict does not decide it.
    fileprivate var isPosted: Bool? {
        switch self {
        case .approved, .partiallyApproved: true
        case .declined: false
        case .notPosted, .pending, .ambiguous, .unknown, .refused: nil
        }
    }
}
