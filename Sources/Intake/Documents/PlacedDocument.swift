package import Canonical
package import EventLog
package import Payments
package import Redaction
package import Vendors

/// A document that was scrubbed on arrival and belongs to a known payment: a gateway's answer to a call about that
/// payment.
package struct PlacedDocument: Sendable {
    let received: DocumentReceived
    /// The facts about the payment that the vendor's adapter reads in it.
    let facts: [TransactionEvent]
    let keys: [ReferenceKey]
    let policy: LifecyclePolicy

    /// - Throws: `Refusal` if the adapter of the vendor cannot read it.
    package init(
        _ document: ScrubbedDocument,
        of vendor: Vendor,
        kind: String,
        context: DocumentContext
    ) throws(Refusal) {
        let observation = try VendorAdapters.adapter(of: vendor).interpret(document, kind: kind, context: context)
        received = DocumentReceived(
            vendor: vendor,
            kind: kind,
            document: document.value,
            redactions: document.redactions.map { RedactionNote($0, under: "/body") },
            merchant: context.merchant,
            terminal: context.terminal,
            device: context.device,
            reference: nil,
            isTest: observation.isTest
        )
        keys = observation.keys
        policy = observation.policy
        facts =
            switch observation.subject {
            // For calls made by Daybook, the call itself records the refusal.
            case .transaction(let facts): facts.filter { if case .followUpRefused = $0 { false } else { true } }
            case .device(_, let events, let anomalies):
                events.map { .device($0) } + anomalies.map { .anomalyRaised($0) }
            case .unplaced(let anomalies): anomalies.map { .anomalyRaised($0) }
            case .batch, .checkout: []
            }
    }
}

/// How an answer is recorded: the events about the call, and what of its document.
package struct AnswerRecording: Sendable {
    /// Recorded before the document.
    package var reported: [TransactionEvent]
    /// False if the document is kept but nothing is concluded from it.
    package var isTrusted: Bool
    /// True if the document is about another payment: then nothing of it is kept.
    package var isAboutAnother: Bool

    package init(_ reported: [TransactionEvent], isTrusted: Bool = true, isAboutAnother: Bool = false) {
        self.reported = reported
        self.isTrusted = isTrusted && !isAboutAnother
        self.isAboutAnother = isAboutAnother
    }
}

extension TransactionRecorder {
    /// Records the outcome of a call about a payment, and the document of its answer, in one append: both or neither.
    ///
    /// The stream is fixed. If a name in the document leads to another payment of the tenant, the link is recorded
    /// without the name, and the document is left out, since it is about the other payment.
    ///
    /// - Parameters:
    ///   - recording: Receives whether the document is about another payment.
    ///   - key: The key of the call; an outcome that was already recorded for it is not recorded again.
    /// - Throws: `AppendError`, or the errors of reading the log.
    package func record(
        _ document: PlacedDocument?,
        on stream: String,
        key: IdempotencyKey,
        occurredAt: Timestamp,
        sender: Sender,
        as recording: @Sendable (_ isAboutAnother: Bool) -> AnswerRecording
    ) async throws -> AppendResult {
        let keys = document?.keys ?? []
        for _ in 0..<64 {
            let owners = try await reader.streams(named: keys.map(\.text), of: sender.tenant)
            let names = keys.map { TenantName(tenant: sender.tenant, name: $0.text) }
            let others = names.compactMap { name in
                owners[name].flatMap { $0 == stream ? nil : (by: name.name, to: $0) }
            }
            let recording = recording(!others.isEmpty)
            let isTrusted = recording.isTrusted && others.isEmpty
            var facts = recording.reported
            if let document {
                let isKept = others.isEmpty && !recording.isAboutAnother
                facts += Self.reported(
                    isTrusted ? document.facts : [],
                    from: isKept ? document.received : nil,
                    on: stream,
                    led: others.map { (by: Self.kind(ofKey: $0.by), to: $0.to) }
                )
            }
            let era = memory.era
            let name = TenantName(tenant: sender.tenant, name: stream)
            var (history, isFromMemory) = try await history(of: name)
            let version = history.version
            let policy = document?.policy ?? LifecyclePolicy()
            let events = Lifecycle.decide(facts, after: &history, policy: policy, at: occurredAt)
            guard !events.isEmpty else {
                // As for documents of senders: only what the log holds is a repeat.
                if isFromMemory {
                    memory.forget(name)
                    continue
                }
                return try await repeated(stream, at: version, of: sender.tenant)
            }
            let item = AppendItem(
                tenant: sender.tenant,
                stream: stream,
                expected: .version(version),
                idempotency: [key],
                references: isTrusted ? names.filter { owners[$0] == nil }.map(\.name) : [],
                events: try proposed(events, occurredAt: occurredAt, sender: sender, hasDocument: true),
                isFromMemory: isFromMemory
            )
            let result = try await sequencer.append(item)
            if learn(history, of: name, from: result, era: era) { return result }
        }
        throw AppendError(.queueFull)
    }

    /// A key without its value.
    private static func kind(ofKey key: String) -> String {
        key.split(separator: ":", omittingEmptySubsequences: false).prefix(2).joined(separator: ":")
    }

    /// The time at which an event was recorded; nil if the stream has no such version.
    ///
    /// - Throws: The errors of reading the log.
    package func recordedAt(_ version: Int64, of stream: String, tenant: String) async throws -> Timestamp? {
        try await reader.stream(stream, of: tenant, from: version, limit: 1).first?.recordedAt
    }

    /// Records events about a payment as they are, if its stream is still at `version`.
    ///
    /// - Parameters:
    ///   - claims: Names that are still free, and that the stream has from then on.
    ///   - isQuery: Whether they begin a query, which a full stream refuses.
    /// - Returns: False if another writer was faster.
    /// - Throws: `AppendError`; with `outcomeUnknown` they may be recorded.
    package func record(
        _ events: [TransactionEvent],
        on stream: String,
        version: Int64,
        claims: [String] = [],
        key: IdempotencyKey,
        occurredAt: Timestamp,
        sender: Sender,
        isQuery: Bool = false
    ) async throws -> Bool {
        let item = AppendItem(
            tenant: sender.tenant,
            stream: stream,
            expected: .version(version),
            idempotency: [key],
            references: claims,
            events: try proposed(events, occurredAt: occurredAt, sender: sender, hasDocument: false),
            versionLimit: isQuery ? streamLimit : nil
        )
        // For a repeat under the same key, the caller that recorded it acts, not this one.
        if case .appended = try await sequencer.append(item) { return true }
        return false
    }
}
