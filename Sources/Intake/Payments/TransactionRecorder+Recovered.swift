package import Canonical
import EventLog
package import Payments

// The stored result of a reader's last operation, which may be of another payment than the app names (document 002,
// lines 1297-1298).
extension TransactionRecorder {
    /// Finds payments of a tenant whose outcome is not known, at a reader, under any of its names. It may lag behind
    /// the log.
    package typealias OpenPayments =
        @Sendable (_ reader: ReaderReference, _ tenant: String) async throws -> [UUID128]

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
    private static let longestMicroseconds: Int64 = 86_400_000_000
}

extension TransactionEvent {
    /// True for an outcome that a reader had stored.
    var isRecovered: Bool {
        if case .outcomeResolved(let resolution) = self { resolution.means == .recoveredResult } else { false }
    }

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
