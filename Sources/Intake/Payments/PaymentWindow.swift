import Canonical
package import EventLog
import Payments
import Vendors

/// Decides about documents one after the other before any of them is in the log, so that all of them can be appended
/// with one call: a later document sees the effect of an earlier one. They may come from several senders, also of
/// several tenants.
///
/// Unknown payments and keys are assumed to be new. If that is wrong, the append detects it and appends nothing of that
/// item, and the document is decided again from the log.
struct PaymentWindow {
    /// The decision about a document.
    enum Decision {
        /// Append this item.
        case item(AppendItem, Decided)
        /// It depends on one that is not in the log yet: append those before it first.
        case waits
        /// Its payment, or the record it repeats, is not known here: append what is decided, then read the log.
        case unknown
    }

    /// The facts that will be known once the item is in the log.
    struct Decided {
        let stream: TenantName
        let events: [TransactionEvent]
        let payment: PaymentMemory.Payment
        /// Names that lead to the stream from then on.
        let keys: [TenantName]
    }

    private let recorder: TransactionRecorder
    /// Streams that begin in this window.
    private var begun: Set<TenantName> = []
    /// Decided, but not in the log yet.
    private var owners: [TenantName: String] = [:]
    private var payments: [TenantName: PaymentMemory.Payment] = [:]
    /// The repeat keys of every document so far.
    private var idempotency: Set<Repeat> = []

    /// The key by which a repeat of a document is recognised.
    private struct Repeat: Hashable {
        let tenant: String
        let key: [UInt8]
    }

    init(_ recorder: TransactionRecorder) {
        self.recorder = recorder
    }

    /// Drops the decisions once they were appended or refused.
    mutating func clear() {
        begun.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
        payments.removeAll(keepingCapacity: true)
    }

    private func owner(of key: TenantName) -> String? {
        owners[key] ?? recorder.memory.owner(of: key)
    }

    private func payment(_ stream: TenantName) -> PaymentMemory.Payment? {
        payments[stream] ?? recorder.memory.payment(stream)
    }

    /// - Throws: `IntakeProblem` if the sender is bound to others than the payment names, and the errors of encoding an
    ///   event.
    mutating func decide(
        _ document: PreparedDocument,
        _ read: [TransactionEvent],
        from sender: Sender
    ) throws -> Decision {
        var facts = read
        func name(_ text: String) -> TenantName { TenantName(tenant: sender.tenant, name: text) }
        let repeats = document.idempotency.map { Repeat(tenant: sender.tenant, key: $0.key) }
        // A repeat within the window appends nothing, and is answered from the log.
        if repeats.contains(where: idempotency.contains) { return .unknown }
        let known = document.namedStream
        // Of which payment a reader's stored result is, other payments show as well.
        if read.contains(where: \.isRecovered) { return .unknown }
        // A payment that is not in memory may still exist: only the log knows.
        if let known, payment(name(known)) == nil { return .unknown }
        let keys = document.keys(isNamed: known != nil).map { name($0.text) }
        let found = keys.map { (key: $0, owner: owner(of: $0)) }
        var led = found.compactMap { key, owner in owner.map { (by: key.name, to: $0) } }
        if let known { led.append((by: "transaction:\(known)", to: known)) }
        var stream: String
        var history = PaymentHistory()
        if let first = led.first?.to {
            guard let payment = payment(name(first)) else { return .unknown }
            stream = first
            history = payment.history
            facts = history.state.answer(facts, ifAsked: document.ifAsked)
            let terminal = document.received.terminal
            if history.state.isAnother(than: facts, at: terminal, policy: document.observation.policy) {
                stream = StreamName.transaction(recorder.ids.next())
                history = PaymentHistory()
            }
        } else {
            stream = StreamName.transaction(recorder.ids.next())
        }
        // A statement about another payment must be true whatever the outcome of this window.
        if led.contains(where: { $0.to != stream && begun.contains(name($0.to)) }) { return .waits }
        try sender.binding.check(history.state)
        let version = history.version
        let reported = TransactionRecorder.reported(facts, from: document.received, on: stream, led: led)
        let events = Lifecycle.decide(
            reported,
            after: &history,
            policy: document.observation.policy,
            at: document.occurredAt
        )
        // Whether a stored result is this payment's, other payments show.
        if history.state.lacksResult(after: facts) { return .unknown }
        let claimed = found.filter { $0.owner == nil }.map(\.key)
        let item = AppendItem(
            tenant: sender.tenant,
            stream: stream,
            expected: .version(version),
            idempotency: document.idempotency,
            references: claimed.map(\.name),
            events: try recorder.proposed(
                events,
                occurredAt: document.occurredAt,
                sender: sender,
                hasDocument: true
            ),
            isFromMemory: true,
            versionLimit: recorder.streamLimit
        )
        let decided = Decided(
            stream: name(stream),
            events: events,
            payment: PaymentMemory.Payment(history),
            keys: claimed
        )
        if version == 0 { begun.insert(decided.stream) }
        payments[decided.stream] = decided.payment
        for key in claimed { owners[key] = stream }
        idempotency.formUnion(repeats)
        return .item(item, decided)
    }
}

// MARK: - Reading ahead

extension TransactionRecorder {
    /// Reads what deciding about these documents needs and is not in memory: nothing, if each of them begins a payment
    /// or follows up a recent one.
    func recall(_ documents: [(document: PreparedDocument, facts: [TransactionEvent], tenant: String)]) async throws {
        let era = memory.era
        var expected: Set<TenantName> = []
        var unknown: Set<TenantName> = []
        var streams: Set<TenantName> = []
        func recallStream(_ stream: TenantName) {
            if memory.payment(stream) == nil { streams.insert(stream) }
        }
        for (document, facts, tenant) in documents {
            if let stream = document.namedStream { recallStream(TenantName(tenant: tenant, name: stream)) }
            let keys = document.keys(isNamed: false).map { TenantName(tenant: tenant, name: $0.text) }
            let isNew = facts.contains { $0.beginning != nil }
            let owner = keys.lazy.compactMap { self.memory.owner(of: $0) }.first
            if let owner { recallStream(TenantName(tenant: tenant, name: owner)) }
            // The first key that leads to a stream decides, so the first must be known. The append detects a weaker key
            // that leads elsewhere.
            if !isNew, let first = keys.first, !expected.contains(first), memory.owner(of: first) == nil {
                unknown.formUnion(keys.filter { !expected.contains($0) && memory.owner(of: $0) == nil })
            }
            expected.formUnion(keys)
        }
        for (tenant, names) in Dictionary(grouping: unknown, by: \.tenant) {
            for (key, stream) in try await reader.streams(named: names.map(\.name), of: tenant) {
                let stream = TenantName(tenant: tenant, name: stream)
                memory.learn(nil, on: stream, keys: [key], era: era)
                recallStream(stream)
            }
        }
        try await recall(streams)
    }

    /// Reads payments into memory; those without events are left out.
    func recall(_ streams: Set<TenantName>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, stream) in streams.enumerated() {
                if index >= 4 { try await group.next() }
                group.addTask { _ = try await history(of: stream) }
            }
            try await group.waitForAll()
        }
    }

    /// The history of a payment: what is remembered of it, and what the log has after that. So a long payment is read
    /// as a whole once.
    ///
    /// - Returns: Also whether a part is remembered: the log may have lost that part meanwhile.
    func history(of stream: TenantName) async throws -> (history: PaymentHistory, isFromMemory: Bool) {
        let era = memory.era
        let known = memory.payment(stream)?.history
        var history = known ?? PaymentHistory()
        let newer = try await reader.stream(stream.name, of: stream.tenant, from: history.version + 1)
        if !newer.isEmpty {
            history.fold(try newer.map(TransactionEvent.init), at: newer.map(\.occurredAt))
            memory.learn(PaymentMemory.Payment(history), on: stream, keys: [], era: era)
        }
        return (history, known != nil)
    }

    /// Every event of a payment. What is recorded next about it reads only what is new.
    ///
    /// - Throws: The errors of reading the log, and an error for an event that cannot be read.
    package func events(of stream: String, tenant: String) async throws -> [RecordedEvent] {
        let era = memory.era
        let name = TenantName(tenant: tenant, name: stream)
        var events = try await reader.stream(stream, of: tenant)
        var history = memory.payment(name)?.history ?? PaymentHistory()
        let facts = try events.map(TransactionEvent.init)
        // The caller need not decode them again.
        for (index, fact) in facts.enumerated() { events[index].source = EventSource(fact) }
        let newer = zip(events, facts).filter { $0.0.version > history.version }
        if !newer.isEmpty {
            history.fold(newer.map(\.1), at: newer.map(\.0.occurredAt))
            memory.learn(PaymentMemory.Payment(history), on: name, keys: [], era: era)
        }
        return events
    }

    /// Remembers a history that an append has recorded, and forgets the payment if the log has another one.
    ///
    /// - Returns: False if the payment must be read and decided again.
    func learn(_ history: PaymentHistory, of stream: TenantName, from result: AppendResult, era: Int) -> Bool {
        switch result {
        case .appended: memory.learn(PaymentMemory.Payment(history), on: stream, keys: [], era: era)
        case .conflict, .claimed:
            memory.forget(stream)
            return false
        case .duplicate, .mismatch: break
        }
        return true
    }

    /// The result for facts that are all recorded: the last event of the payment.
    func repeated(_ stream: String, at version: Int64, of tenant: String) async throws -> AppendResult {
        let last = version > 0 ? try await reader.stream(stream, of: tenant, from: version, limit: 1).first : nil
        return .duplicate(AppendedRange(firstPosition: last?.position ?? 0, count: 0))
    }
}
