import Canonical
import EventLog
import Payments
import Vendors

/// Decides about documents one after the other before any of them is in the log, so that all of them can be appended
/// with one call: a later one sees what an earlier one will have done.
///
/// What is not known is taken to be new. The append finds out where that is wrong, appends nothing of that item, and
/// the document is decided again from the log.
struct PaymentWindow {
    /// What became of a document.
    enum Decision {
        /// It is to be appended.
        case item(AppendItem, Decided)
        /// It hangs on one that is not in the log yet: append those before it first.
        case waits
        /// Its payment, or what it repeats, is not known here: read the log, after what is decided is in it.
        case unknown
    }

    /// What will be known once the item is in the log.
    struct Decided {
        let stream: String
        let events: [TransactionEvent]
        let payment: PaymentMemory.Payment
        /// Names that lead to the stream from then on.
        let keys: [String]
    }

    private let recorder: TransactionRecorder
    private let sender: Sender
    /// Streams that begin in this window.
    private var begun: Set<String> = []
    /// Decided, but not in the log yet.
    private var owners: [String: String] = [:]
    private var payments: [String: PaymentMemory.Payment] = [:]
    /// Of every document of the request so far.
    private var idempotency: Set<[UInt8]> = []

    init(_ recorder: TransactionRecorder, _ sender: Sender) {
        self.recorder = recorder
        self.sender = sender
    }

    /// Forgets what was decided, when it has become of it what may.
    mutating func clear() {
        begun.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
        payments.removeAll(keepingCapacity: true)
    }

    private func owner(of key: String) -> String? {
        owners[key] ?? recorder.memory.owner(of: key, sender.tenant)
    }

    private func payment(_ stream: String) -> PaymentMemory.Payment? {
        payments[stream] ?? recorder.memory.payment(stream, sender.tenant)
    }

    /// - Throws: What encoding an event throws.
    mutating func decide(_ document: PreparedDocument, _ facts: [TransactionEvent]) throws -> Decision {
        // A repeat within the request appends nothing, and is answered from the log.
        if document.idempotency.contains(where: { idempotency.contains($0.key) }) { return .unknown }
        let known = document.namedStream
        // That a payment is not remembered does not say that there is none: only the log knows.
        if let known, payment(known) == nil { return .unknown }
        let keys = document.keys(isNamed: known != nil).map(\.text)
        let found = keys.map { (key: $0, owner: owner(of: $0)) }
        var led = found.compactMap { key, owner in owner.map { (by: key, to: $0) } }
        if let known { led.append((by: "transaction:\(known)", to: known)) }
        var stream: String
        var history = PaymentHistory()
        if let first = led.first?.to {
            guard let payment = payment(first) else { return .unknown }
            stream = first
            history = payment.history
            if history.state.isAnother(than: facts) {
                stream = StreamName.transaction(recorder.ids.next())
                history = PaymentHistory()
            }
        } else {
            stream = StreamName.transaction(recorder.ids.next())
        }
        // What is said about another payment must be true whatever becomes of this window.
        if led.contains(where: { $0.to != stream && begun.contains($0.to) }) { return .waits }
        let version = history.version
        let told = TransactionRecorder.told(facts, from: document.received, on: stream, led: led)
        let events = Lifecycle.decide(told, after: &history, policy: document.observation.policy)
        let claimed = found.filter { $0.owner == nil }.map(\.key)
        let item = AppendItem(
            tenant: sender.tenant,
            stream: stream,
            expected: .version(version),
            idempotency: document.idempotency,
            references: claimed,
            events: try recorder.proposed(
                events,
                occurredAt: document.occurredAt,
                sender: sender,
                hasDocument: true
            )
        )
        let decided = Decided(
            stream: stream,
            events: events,
            payment: PaymentMemory.Payment(history),
            keys: claimed
        )
        if version == 0 { begun.insert(stream) }
        payments[stream] = decided.payment
        for key in claimed { owners[key] = stream }
        for key in document.idempotency { idempotency.insert(key.key) }
        return .item(item, decided)
    }
}

// MARK: - Reading ahead

extension TransactionRecorder {
    /// Reads what deciding about these documents will need and is not known: nothing, where each of them begins a
    /// payment or follows up one that was seen lately.
    func recall(_ documents: [(PreparedDocument, [TransactionEvent])], of tenant: String) async throws {
        var expected: Set<String> = []
        var unknown: Set<String> = []
        var streams: Set<String> = []
        func recallStream(_ stream: String) {
            if memory.payment(stream, tenant) == nil { streams.insert(stream) }
        }
        for (document, facts) in documents {
            if let stream = document.namedStream { recallStream(stream) }
            let keys = document.keys(isNamed: false).map(\.text)
            let isNew = facts.contains { $0.beginning != nil }
            let owner = keys.lazy.compactMap { self.memory.owner(of: $0, tenant) }.first
            if let owner { recallStream(owner) }
            // Which key leads first counts, so the first must be known; a weaker one that leads elsewhere is found out
            // by the append.
            if !isNew, let first = keys.first, !expected.contains(first), memory.owner(of: first, tenant) == nil {
                unknown.formUnion(keys.filter { !expected.contains($0) && memory.owner(of: $0, tenant) == nil })
            }
            expected.formUnion(keys)
        }
        if !unknown.isEmpty {
            for (key, stream) in try await reader.streams(named: Array(unknown), of: tenant) {
                memory.learn(nil, on: stream, keys: [key], of: tenant)
                recallStream(stream)
            }
        }
        try await recall(streams, of: tenant)
    }

    private func recall(_ streams: Set<String>, of tenant: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, stream) in streams.enumerated() {
                if index >= 4 { try await group.next() }
                group.addTask {
                    let events = try await reader.stream(stream, of: tenant)
                    guard !events.isEmpty else { return }
                    let history = PaymentHistory(try events.map(TransactionEvent.init))
                    memory.learn(PaymentMemory.Payment(history), on: stream, keys: [], of: tenant)
                }
            }
            try await group.waitForAll()
        }
    }
}
