package import Canonical
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
        case asked(DoubtStanding)
        /// It is not time to ask, or somebody else does.
        case waiting(DoubtStanding)
        /// A person has to look: by this rule.
        case person(rule: String)
        /// No gateway is set up that can be asked about it.
        case noGateway
    }

    private let reader: EventReader
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
        caller = GatewayCaller(recorder: recorder, clock: clock)
        self.gateways = gateways
        self.books = books
        self.ids = ids
        self.clock = clock
    }

    /// How it stands with a payment; nil where there is none.
    package func standing(of transaction: UUID128, tenant: String) async throws -> DoubtStanding? {
        try await look(at: transaction, tenant: tenant)?.standing
    }

    /// Asks about a payment, if it is time to.
    ///
    /// - Parameter isForced: Ask whether or not it is time to, and although a person has to look. Not while a call is under
    ///   way.
    /// - Throws: `AppendError`, `RuleBookError`, or what reading the log throws.
    package func resolve(_ transaction: UUID128, isForced: Bool = false, sender: Sender) async throws -> Result {
        guard let (standing, version) = try await look(at: transaction, tenant: sender.tenant) else {
            return .noSuchPayment
        }
        guard let doubt = standing.doubt else { return .nothingInDoubt(standing.state.status) }
        switch standing.next {
        case .nothing: return .nothingInDoubt(standing.state.status)
        case .underWay: return .waiting(standing)
        case .person(let rule): guard isForced else { return .person(rule: rule) }
        case .ask(let at, _): guard isForced || at <= clock.now() else { return .waiting(standing) }
        }
        let able = candidates(standing)
        guard let gateway = able.first else { return .noGateway }
        let call = GatewayCall(
            .find,
            reference: ids.next().text,
            original: OriginalPayment(standing.state, sent: standing.sent, at: doubt.sentAt),
            amount: standing.state.requested.flatMap { standing.state.money($0) }
        )
        let outcome = try await caller.call(
            call,
            at: gateway,
            GatewayCaller.Errand(
                stream: StreamName.transaction(transaction),
                version: version,
                about: standing.sent?.reference,
                abandoned: standing.abandoned,
                // Of several gateways one may have what another has not.
                unpostedFrom: able.count == 1 ? standing.unpostedFrom : nil
            ),
            sender: sender
        )
        let after = try await look(at: transaction, tenant: sender.tenant)?.standing ?? standing
        return outcome == nil ? .waiting(after) : .asked(after)
    }

    /// Whether there is a gateway that can be asked about the payment.
    package func canAsk(about state: TransactionState) -> Bool {
        guard let vendor = state.vendor else { return false }
        return !gateways.gateways(of: vendor, merchant: state.merchant, for: .find).isEmpty
    }

    /// The gateway that was called, or those that may have been.
    private func candidates(_ standing: DoubtStanding) -> [any PaymentGateway] {
        if let sent = standing.sent, let gateway = gateways.gateway(named: sent.gateway) {
            return gateway.support(for: .find) == .supported ? [gateway] : []
        }
        guard let vendor = standing.state.vendor else { return [] }
        return gateways.gateways(of: vendor, merchant: standing.state.merchant, for: .find)
    }

    private func look(
        at transaction: UUID128,
        tenant: String
    ) async throws -> (standing: DoubtStanding, version: Int64)? {
        let history = try await reader.stream(StreamName.transaction(transaction), of: tenant)
        guard let last = history.last else { return nil }
        let now = clock.now()
        return (try DoubtStanding(history, now: now, book: try books.book(at: now)), last.version)
    }
}

extension OriginalPayment {
    /// The names by which the gateway knows the payment.
    ///
    /// - Parameter sent: The call by which Daybook made it, where it did and nobody knows what came of it.
    init(_ state: TransactionState, sent: GatewayReport?, at sentAt: Timestamp) {
        let payment = sent.flatMap { $0.operation == .sale || $0.operation == .authorization ? $0 : nil }
        let own = payment?.reference
        let references = state.references
        self.init(
            invoice: payment == nil ? references.invoice : payment?.references.invoice,
            reference: own ?? state.reference,
            authorizationCode: references.authorizationCode,
            retrievalReference: references.retrievalReference,
            lastFour: state.card?.lastFour,
            begunAt: sentAt
        )
        switch state.vendor {
        // The name the payment was sent with is all the id there is.
        case .dejavoo?: reference = own ?? references.gatewayTransaction ?? state.reference
        default: gatewayTransaction = references.gatewayTransaction
        }
    }
}
