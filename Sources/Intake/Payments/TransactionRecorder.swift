package import Canonical
package import EventLog
package import Payments

/// Records facts about payments and batches: reads the stream, decides, appends, and starts again when another writer
/// was faster.
package struct TransactionRecorder: Sendable {
    /// The number of attempts. A conflict means that another request was faster. In each round at least one succeeds,
    /// so only very many concurrent requests for one payment can use up all rounds.
    static let rounds = 64

    let sequencer: Sequencer
    let reader: EventReader
    let ids: any UUIDGenerator
    let clock: any WallClock
    let memory: PaymentMemory
    /// The most events of a payment or batch that intake and queries append to. The ledger's own evidence has no limit.
    let streamLimit: Int64
    let openPayments: PaymentsAtReader
    let storedResults: StoredResults

    /// - Parameters:
    ///   - openPayments: Finds the payments that a reader's stored result may be of, beside those in memory.
    ///   - storedResults: Finds the payments of which a reader's stored result is recorded, beside those in memory.
    package init(
        sequencer: Sequencer,
        reader: EventReader,
        ids: any UUIDGenerator,
        clock: any WallClock,
        memory: PaymentMemory = PaymentMemory(),
        streamLimit: Int64 = StreamName.eventLimit,
        openPayments: @escaping PaymentsAtReader = { _, _ in [] },
        storedResults: @escaping StoredResults = { _, _, _ in [] }
    ) {
        self.openPayments = openPayments
        self.storedResults = storedResults
        self.memory = memory
        self.streamLimit = streamLimit
        self.sequencer = sequencer
        self.reader = reader
        self.ids = ids
        self.clock = clock
    }

    /// Records facts about the payment that `keys` lead to, or about a new one.
    ///
    /// - Parameters:
    ///   - ifAsked: The facts instead, if the payment's last request is for one of these operations.
    ///   - received: The document the facts were read from; recorded first, and the cause of the rest.
    ///   - stream: The payment's stream, if the sender names it. The payment that a key of the vendor's leads to takes
    ///     precedence: it is the one on which money moved.
    ///   - isIntake: Whether the facts are a sender's, which a full stream refuses.
    /// - Throws: `AppendError`, the errors of reading the log, or `IntakeProblem` if the sender is bound to others than the
    ///   payment names.
    package func record(
        _ read: [TransactionEvent],
        ifAsked: [AskedOperation: [TransactionEvent]] = [:],
        from received: DocumentReceived?,
        stream known: String? = nil,
        keys: [ReferenceKey],
        idempotency: [IdempotencyKey],
        policy: LifecyclePolicy,
        occurredAt: Timestamp,
        sender: Sender,
        isIntake: Bool = false
    ) async throws -> AppendResult {
        let begun = StreamName.transaction(ids.next())
        for _ in 0..<Self.rounds {
            let owners = try await reader.streams(named: keys.map(\.text), of: sender.tenant)
            let names = keys.map { TenantName(tenant: sender.tenant, name: $0.text) }
            var led = names.compactMap { name in owners[name].map { (by: name.name, to: $0) } }
            if let known { led.append((by: "transaction:\(known)", to: known)) }
            let era = memory.era
            var stream = led.first?.to ?? begun
            var (history, isFromMemory) = try await history(of: TenantName(tenant: sender.tenant, name: stream))
            var facts = history.state.answer(read, ifAsked: ifAsked)
            if history.state.isAnother(than: facts, at: received?.terminal, policy: policy) {
                stream = begun
                history = PaymentHistory()
            }
            var claims = names.filter { owners[$0] == nil }
            var mentioned: [String] = []
            if facts.contains(where: \.isRecovered), !history.state.isIdentified(by: facts) {
                let others = try await others(
                    than: TenantName(tenant: sender.tenant, name: stream),
                    history.state,
                    with: facts,
                    at: received?.terminal,
                    policy
                )
                if led.isEmpty, !keys.contains(where: { $0.scheme == .app }), others.count == 1, others[0].isInDoubt {
                    stream = others[0].stream
                    (history, isFromMemory) = try await self.history(
                        of: TenantName(tenant: sender.tenant, name: stream)
                    )
                } else if !others.isEmpty {
                    // The keys of a result that is not placed lead nowhere. One that begins a payment is found by the
                    // gateway's id only: the app's name is that of a payment whose documents may be on their way.
                    claims = zip(keys, names).filter { history.version == 0 && $0.scheme != .app && owners[$1] == nil }
                        .map(\.1)
                    mentioned = others.map(\.stream)
                    facts = Self.ambiguous(facts, after: history, among: mentioned)
                }
            } else {
                let name = TenantName(tenant: sender.tenant, name: stream)
                mentioned = try await results(
                    thatMayBeOf: name,
                    history.state,
                    with: facts,
                    sent: occurredAt,
                    at: received?.terminal,
                    policy
                )
                if !mentioned.isEmpty { facts.append(Self.mention(of: mentioned)) }
            }
            // Other payments name the new one before it is recorded: a repeat must lead to the same.
            if !mentioned.isEmpty, stream == begun, let key = idempotency.last?.key {
                stream = StreamName.transaction(Claims.scoped(key, to: sender.tenant))
                (history, isFromMemory) = try await self.history(of: TenantName(tenant: sender.tenant, name: stream))
            }
            try sender.binding.check(history.state)
            let version = history.version
            let reported = Self.reported(facts, from: received, on: stream, led: led)
            let events = Lifecycle.decide(reported, after: &history, policy: policy, at: occurredAt)
            guard !events.isEmpty else {
                // Nothing is appended that would be compared with the log: only what the log holds is a repeat.
                if isFromMemory {
                    memory.forget(TenantName(tenant: sender.tenant, name: stream))
                    continue
                }
                return try await repeated(stream, at: version, of: sender.tenant)
            }
            // First, so that they are not lost: a document that is not recorded is sent again.
            for other in mentioned { try await mention(stream, on: other, sender: sender) }
            let item = AppendItem(
                tenant: sender.tenant,
                stream: stream,
                expected: .version(version),
                idempotency: idempotency,
                references: claims.map(\.name),
                events: try proposed(events, occurredAt: occurredAt, sender: sender, hasDocument: received != nil),
                isFromMemory: isFromMemory,
                versionLimit: isIntake ? streamLimit : nil
            )
            let result = try await sequencer.append(item)
            if learn(history, of: TenantName(tenant: sender.tenant, name: stream), from: result, era: era) {
                return result
            }
        }
        throw AppendError(.queueFull)
    }

    /// The events about the payment of `stream`: the document first, then its facts, and which of its keys lead to
    /// other payments.
    static func reported(
        _ facts: [TransactionEvent],
        from received: DocumentReceived?,
        on stream: String,
        led: [(by: String, to: String)]
    ) -> [TransactionEvent] {
        var reported: [TransactionEvent] = received.map { [.documentReceived($0)] } ?? []
        reported += facts
        for (key, other) in led where other != stream {
            reported.append(.keysLinked(KeysLinked(other: other, key: key)))
            let explanation = "a key of this document leads to another transaction"
            reported.append(.anomalyRaised(Anomaly(.keysDisagree, explanation, related: [other])))
        }
        return reported
    }

    /// Records facts about a batch. Those of a sender that name only its number are recorded for the generation that
    /// they are about.
    ///
    /// - Parameter isIntake: Whether the facts are a sender's, which a full stream refuses.
    /// - Throws: `AppendError`, or the errors of reading the log.
    package func record(
        _ facts: [BatchEvent],
        about batch: BatchReference,
        from received: DocumentReceived?,
        idempotency: [IdempotencyKey],
        occurredAt: Timestamp,
        sender: Sender,
        isIntake: Bool = true
    ) async throws -> AppendResult {
        for _ in 0..<Self.rounds {
            let placed =
                try await isIntake
                ? place(facts, about: batch, occurredAt: occurredAt, tenant: sender.tenant)
                : unplaced(batch, of: sender.tenant)
            let (stream, history) = (StreamName.batch(placed.reference, of: sender.tenant), placed.history)
            let named = facts.map { $0.about(placed.reference) }
            let reported = (received.map { [BatchEvent.documentReceived($0)] } ?? []) + (isIntake ? named : facts)
            let events = BatchState.decide(reported, after: try history.map(BatchEvent.init))
            guard !events.isEmpty else {
                return .duplicate(AppendedRange(firstPosition: history.last?.position ?? 0, count: 0))
            }
            let item = AppendItem(
                tenant: sender.tenant,
                stream: stream,
                expected: .version(history.last?.version ?? 0),
                idempotency: idempotency,
                events: try proposed(events, occurredAt: occurredAt, sender: sender, hasDocument: received != nil),
                versionLimit: isIntake ? streamLimit : nil
            )
            let result = try await sequencer.append(item)
            if case .conflict = result { continue }
            return result
        }
        throw AppendError(.queueFull)
    }

    /// The item to append for a document that is recorded as received; nil for one about a payment or a batch.
    func journalItem(_ document: PreparedDocument, from sender: Sender) throws -> AppendItem? {
        let received = document.received
        let (stream, events): (String, [ProposedEvent])
        switch document.placement {
        case .payment, .batch: return nil
        case .reader(let reader, let facts):
            stream = StreamName.reader(reader)
            events = try proposed([.documentReceived(received)] + facts, document, sender)
        case .checkout(let checkout, let facts):
            stream = StreamName.checkout(checkout)
            events = try proposed([.documentReceived(received)] + facts, document, sender)
        case .tenant(let facts):
            stream = StreamName.tenant(sender.tenant)
            events = try proposed([.documentReceived(received)] + facts, document, sender)
        }
        return AppendItem(
            tenant: sender.tenant,
            stream: stream,
            expected: .any,
            idempotency: document.idempotency,
            events: events
        )
    }

    private func proposed<Event: LedgerEvent>(
        _ events: [Event],
        _ document: PreparedDocument,
        _ sender: Sender
    ) throws -> [ProposedEvent] {
        try proposed(events, occurredAt: document.occurredAt, sender: sender, hasDocument: true)
    }

    /// Gives events their ids; all but the first are caused by the first if that is the document.
    func proposed(
        _ events: [some LedgerEvent],
        occurredAt: Timestamp,
        sender: Sender,
        hasDocument: Bool
    ) throws -> [ProposedEvent] {
        let cause = ids.next()
        return try events.enumerated().map { index, event in
            try ProposedEvent(
                event,
                id: index == 0 ? cause : ids.next(),
                at: occurredAt,
                by: sender,
                causation: hasDocument && index > 0 ? cause : nil
            )
        }
    }
}

extension TransactionState {
    /// True when the facts begin a payment that cannot be this one although a key leads here: the vendor gave it
    /// another id. Retrieval reference numbers are reused on other terminals and in other years; an app that uses one
    /// reference for two sales has charged twice, and both must count.
    ///
    /// - Parameter terminal: The sender's name for the terminal of the facts.
    func isAnother(than facts: [TransactionEvent], at terminal: String?, policy: LifecyclePolicy) -> Bool {
        // Before a payment's own request is reported, its facts come from follow-ups, which have their own ids.
        guard case .reported = identity.operation,
            let reported = facts.lazy.compactMap(\.beginning).first?.references
        else { return false }
        func differs(_ id: (References) -> String?) -> Bool? {
            guard let known = id(references), let reported = id(reported) else { return nil }
            return !known.hasSameUTF8(as: reported)
        }
        // The vendor's id decides; without one, another terminal or authorization means another payment.
        let byGateway = policy.reusesGatewayID ? nil : differs(\.gatewayTransaction)
        // Before any answer a retrieval reference number is that of the original, as a follow-up names it. For a
        // requested authorization it may also be that of its capture.
        let byNumber = outcome == nil && operation != .authorization ? differs(\.retrievalReference) : nil
        // Only the vendor names a terminal in an answer: the sender's name in a request is of no other one.
        let isSenders =
            terminal != nil && identity.terminal.hasSameUTF8(as: terminal)
            && [references.terminal, reported.terminal].contains { $0.hasSameUTF8(as: terminal) }
        let byTerminal = isSenders ? nil : differs(\.terminal)
        return byGateway ?? differs(\.vendorTransaction)
            ?? (byNumber == true || byTerminal == true || differs(\.authorizationCode) == true
                || isOfAnotherOperation(facts))
    }
}

extension TransactionEvent {
    /// The request that begins a payment; follow-ups have none.
    var beginning: PaymentRequest? {
        switch self {
        case .saleRequested(let request), .authorizationRequested(let request), .creditRequested(let request),
            .verificationRequested(let request):
            request
        default: nil
        }
    }

    /// Reads a recorded event of a transaction stream.
    package init(_ recorded: RecordedEvent) throws {
        // What this process appended need not be decoded.
        if let fact = recorded.source.value as? TransactionEvent {
            self = fact
            return
        }
        try self.init(type: recorded.type, schema: recorded.schema, data: JSONValue(parsing: recorded.data.utf8))
    }
}

extension BatchEvent {
    /// Reads a recorded event of a batch stream.
    package init(_ recorded: RecordedEvent) throws {
        // What this process appended need not be decoded.
        if let fact = recorded.source.value as? BatchEvent {
            self = fact
            return
        }
        try self.init(type: recorded.type, schema: recorded.schema, data: JSONValue(parsing: recorded.data.utf8))
    }
}
