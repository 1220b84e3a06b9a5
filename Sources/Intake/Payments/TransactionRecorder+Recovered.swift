package import Canonical
import EventLog
package import Payments

// The stored result of a reader's last operation, which may be of another payment than the app names (document 002,
// lines 1297-1298).
extension TransactionRecorder {
    /// Finds payments of a tenant at a reader, under any of its names. It may lag behind the log.
    package typealias PaymentsAtReader =
        @Sendable (_ reader: ReaderReference, _ tenant: String) async throws -> [UUID128]
    /// Finds the payments made since a time of which a stored result of a reader is recorded.
    package typealias StoredResults =
        @Sendable (_ reader: ReaderReference, _ tenant: String, _ since: Timestamp) async throws -> [UUID128]

    /// The payments beside the named one that a reader's stored result may be of: without a known outcome, at the same
    /// reader, with the same operation and amount, and begun before it.
    func others(
        than named: TenantName,
        _ state: TransactionState,
        with facts: [TransactionEvent],
        at terminal: String?,
        _ policy: LifecyclePolicy
    ) async throws -> [(stream: String, isInDoubt: Bool)] {
        guard let reader = facts.lazy.compactMap(\.reportingReader).first ?? state.identity.cardReader,
            reader.serial != ReaderReference.unidentified
        else { return [] }
        let remembered = memory.streams(of: named.tenant) { $0.identity.cardReader == reader && $0.lacksOutcome }
        let listed = try await openPayments(reader, named.tenant).map { StreamName.transaction($0) }
        var others: [(stream: String, isInDoubt: Bool)] = []
        for stream in Set(remembered + listed).sorted() where stream != named.name {
            let other = try await history(of: TenantName(tenant: named.tenant, name: stream)).history.state
            guard other.mayHave(facts, at: terminal, policy) else { continue }
            others.append((stream, other.status == .inDoubt || other.awaitsAnswer))
        }
        return others
    }

    /// The facts of a result that may be of several payments. One that is recorded keeps its outcome, and has only the
    /// reader's report.
    static func ambiguous(
        _ facts: [TransactionEvent],
        after history: PaymentHistory,
        among others: [String]
    ) -> [TransactionEvent] {
        let kept = history.version == 0 ? facts : facts.filter(\.isReport)
        let explanation = "the reader's stored result may be that of another payment without an outcome at this reader"
        return kept + [.anomalyRaised(Anomaly(.keysDisagree, explanation, related: others))]
    }

    /// The stored results of readers that were recorded as payments, and that may be this payment's, of which the
    /// documents arrive later; none unless the facts leave it in doubt. Results from more than a day before the payment
    /// are left out.
    ///
    /// - Parameters:
    ///   - state: The state without the facts.
    ///   - time: The time of the facts, by the clock of their sender.
    ///   - terminal: The sender's name for the terminal of the facts.
    func results(
        thatMayBeOf named: TenantName,
        _ state: TransactionState,
        with facts: [TransactionEvent],
        sent time: Timestamp,
        at terminal: String?,
        _ policy: LifecyclePolicy
    ) async throws -> [String] {
        guard facts.contains(where: \.mayLackResult) else { return [] }
        var state = state
        for fact in facts { Lifecycle.evolve(&state, fact, at: time) }
        let earliest = (state.times.begunAt ?? time).adding(microseconds: -TransactionState.longestMicroseconds)
        guard state.lacksResult(after: facts), let reader = state.identity.cardReader else { return [] }
        let known = state.anomalies.filter { $0.kind == .keysDisagree }.flatMap { $0.related ?? [] }
        let remembered = memory.streams(of: named.tenant) {
            $0.identity.cardReader == reader && $0.steps.hasStoredResult
        }
        let listed = try await storedResults(reader, named.tenant, earliest).map { StreamName.transaction($0) }
        var found: [String] = []
        for stream in Set(remembered + listed).subtracting(known).sorted() where stream != named.name {
            let recorded = try await events(of: stream, tenant: named.tenant)
            guard let first = recorded.first, first.occurredAt >= earliest else { continue }
            let result = Self.storedResult(in: try recorded.map(TransactionEvent.init))
            if !result.isEmpty, state.mayHave(result, at: terminal, policy) { found.append(stream) }
        }
        return found
    }

    /// The facts of the stored result with which a payment began; empty if it began with another document.
    private static func storedResult(in events: [TransactionEvent]) -> [TransactionEvent] {
        let first = events.dropFirst().prefix { event in
            if case .documentReceived = event { false } else { true }
        }
        return first.contains(where: \.isRecovered) ? Array(first) : []
    }

    /// The finding on a payment that a stored result, recorded on another one, may be its result.
    static func mention(of streams: [String]) -> TransactionEvent {
        let explanation = "a stored result of the reader, recorded on another payment, may be that of this payment"
        return .anomalyRaised(Anomaly(.keysDisagree, explanation, related: streams))
    }

    /// Records on a payment that a document recorded on `stream` may be about it, unless that is recorded.
    ///
    /// - Throws: `AppendError`, or the errors of reading the log.
    func mention(_ stream: String, on other: String, sender: Sender) async throws {
        let name = TenantName(tenant: sender.tenant, name: other)
        for _ in 0..<Self.rounds {
            let era = memory.era
            let now = clock.now()
            var (history, isFromMemory) = try await history(of: name)
            let version = history.version
            let finding = Self.mention(of: [stream])
            let events = Lifecycle.decide([finding], after: &history, policy: LifecyclePolicy(), at: now)
            guard !events.isEmpty else { return }
            let item = AppendItem(
                tenant: sender.tenant,
                stream: other,
                expected: .version(version),
                events: try proposed(events, occurredAt: now, sender: sender, hasDocument: false),
                isFromMemory: isFromMemory
            )
            let result = try await sequencer.append(item)
            if learn(history, of: name, from: result, era: era) { return }
        }
        throw AppendError(.queueFull)
    }
}

extension TransactionState {
    /// True if the result has the id that the gateway gave this payment.
    func isIdentified(by facts: [TransactionEvent]) -> Bool {
        let reported = facts.lazy.compactMap(\.beginning).first?.references.gatewayTransaction
        guard let reported, let known = references.gatewayTransaction else { return false }
        return known.hasSameUTF8(as: reported)
    }

    /// True while the outcome of the payment, or of an attempt at it, is not known.
    fileprivate var lacksOutcome: Bool {
        status == .inDoubt || status == .requested || awaitsAttempt
            || anomalies.contains { $0.inDoubt?.subject == .paymentAttempt }
    }

    /// True if the facts leave the payment, in whose state they are folded, in doubt at a known reader.
    func lacksResult(after facts: [TransactionEvent]) -> Bool {
        guard let reader = identity.cardReader, reader.serial != ReaderReference.unidentified else { return false }
        return facts.contains(where: \.mayLackResult) && status == .inDoubt
    }

    /// True if a reader's stored result may be this payment's, of which no document says so.
    fileprivate func mayHave(_ facts: [TransactionEvent], at terminal: String?, _ policy: LifecyclePolicy) -> Bool {
        guard lacksOutcome, let begun = facts.lazy.compactMap(\.begunOperation).first, begun == operation else {
            return false
        }
        return !isAnother(than: facts, at: terminal, policy: policy)
    }

    /// True if the facts are a reader's stored result that cannot be this payment's: its reader, amount or time is
    /// another. A reader reports the result of its last operation, whatever payment the app asks it about, and before
    /// an answer no id of the payment is known.
    func isOfAnotherOperation(_ facts: [TransactionEvent]) -> Bool {
        guard facts.contains(where: \.isRecovered), let request = facts.lazy.compactMap(\.beginning).first else {
            return false
        }
        let reader = facts.lazy.compactMap(\.reportingReader).first
        if let reader, steps.isReaderReported, let known = identity.cardReader,
            known.serial != ReaderReference.unidentified, reader != known
        {
            return true
        }
        if let amount = request.amounts?.total, let requested = authorization.requested, let currency {
            // A larger amount may have a tip in it, unless the result has the amount without it.
            let approved = facts.lazy.compactMap(\.approvedAmounts).first
            let asked = amount.value > requested ? approved?.base ?? amount : amount
            let mayHaveTip = approved != nil && approved?.base == nil
            if asked.currency != currency || asked.value < requested || asked.value > requested && !mayHaveTip {
                return true
            }
        }
        // Of a local time the zone is unknown: it is earlier or later only if it is so in every zone.
        guard let at = request.at, let begun = times.earliest.instant else { return false }
        return at.isBefore(.instant(begun.adding(microseconds: -PlausibleTime.earlyMicroseconds)))
            || ReportedTime.instant(begun.adding(microseconds: Self.longestMicroseconds)).isBefore(at)
    }

    /// The most time between the beginning of a payment and the time of its result: a day.
    fileprivate static let longestMicroseconds: Int64 = 86_400_000_000
}

extension TransactionEvent {
    /// True for an outcome that a reader had stored.
    var isRecovered: Bool {
        if case .outcomeResolved(let resolution) = self { resolution.means == .recoveredResult } else { false }
    }

    /// True for the request of a payment, and for an answer that leaves its outcome open.
    fileprivate var mayLackResult: Bool { if case .outcomeUnknown = self { true } else { beginning != nil } }

    /// True for a report that changes no outcome.
    fileprivate var isReport: Bool {
        switch self {
        case .device, .anomalyRaised: true
        default: false
        }
    }

    /// The operation of the payment that a request begins.
    fileprivate var begunOperation: Operation? {
        switch self {
        case .saleRequested: .sale
        case .authorizationRequested: .authorization
        case .creditRequested: .credit
        case .verificationRequested: .verification
        default: nil
        }
    }

    fileprivate var approvedAmounts: Amounts? {
        switch self {
        case .authorizationApproved(let approval), .partiallyApproved(let approval), .creditApproved(let approval):
            approval.amounts
        default: nil
        }
    }

    fileprivate var reportingReader: ReaderReference? {
        if case .device(let event) = self { event.report.reader } else { nil }
    }
}
