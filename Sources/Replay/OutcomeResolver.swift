package import Canonical
import Crypto
package import EventLog
package import Gateways
package import Intake
package import Payments
import ReplayRules

/// Ends the doubt about payments by asking their gateways what became of them. Only evidence ends one.
package struct OutcomeResolver: Sendable {
    /// What came of looking at a payment.
    package enum Result: Sendable, Hashable {
        /// There is no such payment.
        case noSuchPayment
        /// Nothing of it is in doubt.
        case nothingInDoubt(TransactionStatus)
        /// It was asked about: how it stands now.
        case asked(DoubtStatus)
        /// It is not time to ask, or somebody else does.
        case waiting(DoubtStatus)
        /// A person has to look: by this rule.
        case person(rule: String)
        /// No gateway is set up that can be asked about it.
        case noGateway
    }

    private let reader: EventReader
    private let recorder: TransactionRecorder
    private let caller: GatewayCaller
    private let gateways: GatewayRegistry
    private let books: RuleBooks
    private let ids: any UUIDGenerator
    private let clock: any WallClock

    package init(
        reader: EventReader,
        recorder: TransactionRecorder,
        gateways: GatewayRegistry,
        books: RuleBooks = RuleBooks(),
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.reader = reader
        self.recorder = recorder
        caller = GatewayCaller(recorder: recorder, clock: clock)
        self.gateways = gateways
        self.books = books
        self.ids = ids
        self.clock = clock
    }

    /// How it stands with a payment; nil where there is none.
    package func status(of transaction: UUID128, tenant: String) async throws -> DoubtStatus? {
        let history = try await reader.stream(StreamName.transaction(transaction), of: tenant)
        guard !history.isEmpty else { return nil }
        let now = clock.now()
        return try DoubtStatus(history, now: now, book: try books.book(at: now))
    }

    /// How it stood with a payment, by the rules of that day.
    ///
    /// - Parameter history: Its events up to then, in order.
    func status(_ history: [RecordedEvent], at time: Timestamp) throws -> DoubtStatus {
        try DoubtStatus(history, now: time, book: try books.book(at: time))
    }

    /// Asks about a payment, or has it taken back, if it is time to.
    ///
    /// - Parameter isForced: Do so whether or not it is time to, and although a person has to look. Not while a call is under
    ///   way.
    /// - Throws: `AppendError`, `RuleBookError`, or what reading the log throws.
    package func resolve(_ transaction: UUID128, isForced: Bool = false, sender: Sender) async throws -> Result {
        guard let status = try await status(of: transaction, tenant: sender.tenant) else { return .noSuchPayment }
        if let result = try await reverse(transaction, status, isForced: isForced, sender: sender) { return result }
        guard let doubt = status.doubt else {
            guard let reversal = status.reversal else { return .nothingInDoubt(status.state.status) }
            if case .person(let rule) = reversal.next { return .person(rule: rule) }
            return .noGateway
        }
        switch status.next {
        case .nothing: return .nothingInDoubt(status.state.status)
        case .underWay: return .waiting(status)
        case .person(let rule): guard isForced else { return .person(rule: rule) }
        case .ask(let at, _): guard isForced || at <= clock.now() else { return .waiting(status) }
        }
        let able = askable(status)
        guard let gateway = able.first else { return .noGateway }
        let call = GatewayCall(
            .find,
            reference: ids.next().text,
            original: OriginalPayment(status.state, sent: status.sent, at: doubt.sentAt),
            amount: status.state.requested.flatMap { status.state.money($0) }
        )
        let outcome = try await caller.call(
            call,
            at: gateway,
            GatewayCaller.Subject(
                stream: StreamName.transaction(transaction),
                version: status.version,
                about: status.sent?.reference,
                abandoned: status.abandoned,
                // Of several gateways one may have what another has not; and by a name it need not have been given, that it has
                // nothing says nothing.
                unpostedFrom: able.count == 1 && Self.isNamed(status) ? status.unpostedFrom : nil,
                sought: SoughtPayment(
                    status.state,
                    sent: status.sent,
                    begunAt: status.begunAt,
                    invoice: gateway.vendor == .bridgepay ? call.soughtInvoice : nil,
                    account: gateway.merchantAccount
                )
            ),
            sender: sender
        )
        let after = try await self.status(of: transaction, tenant: sender.tenant) ?? status
        return outcome == nil ? .waiting(after) : .asked(after)
    }

    // MARK: Taking back

    /// Has a payment taken back that has to be, where that is switched on.
    ///
    /// - Returns: Nil where there is nothing to do about it, so that whatever else is in doubt is asked about.
    private func reverse(
        _ transaction: UUID128,
        _ status: DoubtStatus,
        isForced: Bool,
        sender: Sender
    ) async throws -> Result? {
        guard let reversal = status.reversal else { return nil }
        switch reversal.next {
        case .person: return nil
        case .underWay: return .waiting(status)
        case .acknowledged(let rule):
            try await recordAcknowledgement(of: reversal, rule, transaction, sender)
            return .asked(try await self.status(of: transaction, tenant: sender.tenant) ?? status)
        case .send(let at, _):
            guard let (gateway, operation) = reversing(status) else { return nil }
            guard isForced || at <= clock.now() else { return status.doubt == nil ? .waiting(status) : nil }
            var original = OriginalPayment(status.state, sent: status.sent, at: reversal.dueAt)
            let amount = (status.state.approved ?? status.state.requested).flatMap { status.state.money($0) }
            original.amount = amount
            let id = ids.next().text
            let outcome = try await caller.call(
                GatewayCall(
                    operation,
                    reference: CallReference(id).text(at: gateway),
                    original: original,
                    amount: amount
                ),
                at: gateway,
                GatewayCaller.Subject(
                    stream: StreamName.transaction(transaction),
                    version: status.version,
                    about: reversal.sent.last?.reference,
                    abandoned: status.abandoned
                ),
                sender: sender
            )
            let after = try await self.status(of: transaction, tenant: sender.tenant) ?? status
            if outcome != nil, case .acknowledged(let rule)? = after.reversal?.next, let reported = after.reversal {
                try await recordAcknowledgement(of: reported, rule, transaction, sender)
                return .asked(try await self.status(of: transaction, tenant: sender.tenant) ?? after)
            }
            return outcome == nil ? .waiting(after) : .asked(after)
        }
    }

    /// A reversal is acknowledged by some answers that say that there is nothing to take back, or not any more.
    private func recordAcknowledgement(
        of reversal: ReversalStatus,
        _ rule: String,
        _ transaction: UUID128,
        _ sender: Sender
    ) async throws {
        guard let last = reversal.sent.last(where: { $0.end?.event == .callAnswered }), let end = last.end else {
            return
        }
        let digest = Array(
            SHA256.hash(data: Array("gateway-acknowledged:\(sender.tenant):\(last.reference)".utf8))
        )
        _ = try await recorder.record(
            [
                .reversed(
                    Return(
                        id: last.reference,
                        evidence: .gateway,
                        response: Response(code: end.response.code ?? rule, message: end.response.message),
                        at: end.at
                    )
                )
            ],
            from: nil,
            stream: StreamName.transaction(transaction),
            keys: [],
            idempotency: [IdempotencyKey(key: digest, request: digest)],
            policy: LifecyclePolicy(),
            occurredAt: end.at,
            sender: sender
        )
    }

    /// The gateway that is sent what takes the payment back; nil where none is, or it is not known which.
    private func reversing(_ status: DoubtStatus) -> (gateway: any PaymentGateway, operation: GatewayOperation)? {
        let able = reversible(status)
        guard able.count == 1, let gateway = able.first, gateways.sendsReversals(gateway),
            let operation = GatewayRegistry.reversal(at: gateway)
        else { return nil }
        return (gateway, operation)
    }

    /// Whether the gateway was certainly given the name that it is asked by: Daybook's own, or that of a document.
    private static func isNamed(_ status: DoubtStatus) -> Bool {
        status.sent != nil || status.state.vendor != .handpoint
            || status.state.references.transactionReference != nil
    }

    /// The gateways at which the payment could be taken back.
    package func reversible(_ status: DoubtStatus) -> [any PaymentGateway] {
        if let made = status.calls.last(where: { $0.operation == .sale || $0.operation == .authorization }) {
            // What another gateway has was not made here.
            guard let gateway = gateways.gateway(named: made.gateway) else { return [] }
            return GatewayRegistry.reversal(at: gateway) == nil ? [] : [gateway]
        }
        guard let vendor = status.state.vendor else { return [] }
        return gateways.reversing(vendor, merchant: status.state.merchant)
            .filter { status.accounts.mayBe(at: $0) }
    }

    /// Whether the payment is taken back without anybody asking for it.
    package func sendsReversal(_ status: DoubtStatus) -> Bool { reversing(status) != nil }

    /// The gateway that was called, or those that may have been.
    package func askable(_ status: DoubtStatus) -> [any PaymentGateway] {
        if let sent = status.sent {
            // Another one knows nothing of it, and would say so.
            guard let gateway = gateways.gateway(named: sent.gateway) else { return [] }
            return gateway.support(for: .find) == .supported ? [gateway] : []
        }
        guard let vendor = status.state.vendor else { return [] }
        return gateways.gateways(of: vendor, merchant: status.state.merchant, for: .find)
            .filter { status.accounts.mayBe(at: $0) }
    }
}

extension OriginalPayment {
    /// The names by which the gateway certainly knows the payment: those of Daybook's own call, else those that the vendor's
    /// documents carry. The app's own reference is no name the gateway was given.
    ///
    /// - Parameter sent: The call by which Daybook made it, where it did and nobody knows what came of it.
    init(_ state: TransactionState, sent: GatewayReport?, at sentAt: Timestamp) {
        let payment = sent.flatMap { $0.operation == .sale || $0.operation == .authorization ? $0 : nil }
        let own = payment?.reference
        let references = state.references
        self.init(
            invoice: payment == nil ? references.invoice : payment?.references.invoice,
            reference: own,
            authorizationCode: references.authorizationCode,
            retrievalReference: references.retrievalReference,
            lastFour: state.card?.lastFour,
            begunAt: sentAt
        )
        switch state.vendor {
        // The name the payment was sent with is all the id there is.
        case .dejavoo?: reference = own ?? references.gatewayTransaction
        // Apps may name a payment by the transactionReference, which is a UUID. What is found by it is that payment; that nothing
        // is may be because the app has other names.
        case .handpoint?:
            gatewayTransaction = references.gatewayTransaction
            reference =
                own ?? references.transactionReference ?? state.reference.flatMap { UUID128($0) == nil ? nil : $0 }
        default: gatewayTransaction = references.gatewayTransaction
        }
    }
}

extension References {
    /// Handpoint's transactionReference, a UUID, where a document told it; its terminals number transactions otherwise.
    fileprivate var transactionReference: String? { vendorTransaction.flatMap { UUID128($0) == nil ? nil : $0 } }
}
