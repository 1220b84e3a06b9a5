package import Canonical
import EventLog
import Payments
import Vendors

extension TransactionRecorder {
    /// Records that the outcome of a payment, or of a follow-up on it, is unknown because its request was sent and not
    /// answered.
    /// Nothing is recorded if an answer is recorded meanwhile.
    ///
    /// - Parameter time: The time since which nothing was recorded about the payment; else nothing is recorded.
    /// - Returns: Whether it was recorded.
    /// - Throws: `AppendError`, or the errors of reading the log.
    package func recordSilence(of transaction: UUID128, since time: Timestamp, sender: Sender) async throws -> Bool {
        let stream = StreamName.transaction(transaction)
        let recorded = try await reader.stream(stream, of: sender.tenant)
        guard let last = recorded.last, last.recordedAt <= time else { return false }
        var history = PaymentHistory()
        history.fold(try recorded.map(TransactionEvent.init), at: recorded.map(\.occurredAt))
        let state = history.state
        guard state.awaitsAnswer else { return false }
        let response = Response(code: "no-answer", message: "sent to the host and not answered")
        var doubts = state.unansweredFollowUps.map { TransactionEvent.anomalyRaised(.followUpInDoubt($0)) }
        if state.awaitsAttempt { doubts.append(.anomalyRaised(.followUpInDoubt(.paymentAttempt))) }
        if doubts.isEmpty { doubts = [.outcomeUnknown(Verdict(evidence: .reader, response: response))] }
        let policy = state.identity.vendor.map { VendorAdapters.adapter(of: $0).policy } ?? LifecyclePolicy()
        let now = clock.now()
        let results = try await results(
            thatMayBeOf: TenantName(tenant: sender.tenant, name: stream),
            state,
            with: doubts,
            sent: now,
            at: state.identity.terminal,
            policy
        )
        if !results.isEmpty { doubts.append(Self.mention(of: results)) }
        let events = Lifecycle.decide(doubts, after: &history, policy: policy, at: now)
        guard !events.isEmpty else { return false }
        for other in results { try await mention(stream, on: other, sender: sender) }
        let item = AppendItem(
            tenant: sender.tenant,
            stream: stream,
            expected: .version(last.version),
            events: try proposed(events, occurredAt: now, sender: sender, hasDocument: false)
        )
        guard case .appended = try await sequencer.append(item) else { return false }
        memory.forget(TenantName(tenant: sender.tenant, name: stream))
        return true
    }
}
