package import Canonical
import Crypto
package import EventLog
package import Gateways
package import Intake
package import Payments
import ReplayRules
import Vendors

/// Resolves payments in doubt by querying their gateways. Only evidence resolves a doubt.
package struct OutcomeResolver: Sendable {
    /// The result of checking a payment.
    package enum Result: Sendable, Hashable {
        case noSuchPayment
        /// Nothing is in doubt.
        case nothingInDoubt(TransactionStatus)
        /// The gateway was queried, with the status afterwards.
        case queried(DoubtStatus)
        /// The next query is not due, or another process makes one.
        case waiting(DoubtStatus)
        /// The payment needs review, by this rule.
        case person(rule: String)
        /// No configured gateway can be queried about it.
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
        logGuard: LogGuard? = nil,
        ids: any UUIDGenerator,
        clock: any WallClock
    ) {
        self.reader = reader
        self.recorder = recorder
        caller = GatewayCaller(recorder: recorder, logGuard: logGuard, clock: clock)
        self.gateways = gateways
        self.books = books
        self.ids = ids
        self.clock = clock
    }

    /// Whether the log and the database allow calls now.
    var mayCall: Bool { caller.mayCall }

    /// The epoch of the log that this process knows; nil if it knows none.
    var epoch: Int64? { caller.epoch }

    /// The status of a payment; nil when there is none.
    package func status(of transaction: UUID128, tenant: String) async throws -> DoubtStatus? {
        let history = try await reader.stream(StreamName.transaction(transaction), of: tenant)
        guard !history.isEmpty else { return nil }
        let now = clock.now()
        return try DoubtStatus(history, now: now, book: try books.book(at: now))
    }

    /// The status of a payment at a past time, by the rules of that day.
    ///
    /// - Parameter history: Its events up to that time, in order.
    func status(_ history: [RecordedEvent], at time: Timestamp) throws -> DoubtStatus {
        try DoubtStatus(history, now: time, book: try books.book(at: time))
    }

    /// Queries the gateway about a payment, or sends its reversal, if that is due.
    ///
    /// - Parameter isForced: Do so even if it is not due or the payment needs review. Not while a call is in
    ///   progress.
    /// - Throws: `CallHold` if nothing was sent; `AppendError`, `RuleBookError`, or the errors of reading the log.
    package func resolve(_ transaction: UUID128, isForced: Bool = false, sender: Sender) async throws -> Result {
        try await check(transaction, isForced: isForced, sender: sender).result
    }

    /// The same, with the status afterwards; nil when there is no such payment.
    ///
    /// The payment is read as a whole once, and then only what is new of it.
    package func check(
        _ transaction: UUID128,
        isForced: Bool = false,
        sender: Sender
    ) async throws -> (result: Result, status: DoubtStatus?) {
        let stream = StreamName.transaction(transaction)
        var payment = try RecordedPayment(try await recorder.events(of: stream, tenant: sender.tenant))
        guard payment.version > 0 else { return (.noSuchPayment, nil) }
        let status = try status(payment)
        let result = try await resolve(transaction, &payment, status, isForced: isForced, sender: sender)
        switch result {
        case .queried(let after), .waiting(let after): return (result, after)
        case .noSuchPayment, .nothingInDoubt, .person, .noGateway: return (result, status)
        }
    }

    private func status(_ payment: RecordedPayment) throws -> DoubtStatus {
        let now = clock.now()
        return DoubtStatus(payment, now: now, book: try books.book(at: now))
    }

    /// The status after what was recorded meanwhile.
    private func status(
        of transaction: UUID128,
        after payment: inout RecordedPayment,
        _ sender: Sender
    ) async throws -> DoubtStatus {
        let stream = StreamName.transaction(transaction)
        try payment.append(try await reader.stream(stream, of: sender.tenant, from: payment.version + 1))
        return try status(payment)
    }

    private func resolve(
        _ transaction: UUID128,
        _ payment: inout RecordedPayment,
        _ status: DoubtStatus,
        isForced: Bool,
        sender: Sender
    ) async throws -> Result {
        if let result = try await reverse(transaction, &payment, status, isForced: isForced, sender: sender) {
            return result
        }
        guard let doubt = status.doubt else {
            guard let reversal = status.reversal else { return .nothingInDoubt(status.state.status) }
            if case .person(let rule) = reversal.next { return .person(rule: rule) }
            return .noGateway
        }
        switch status.next {
        case .nothing: return .nothingInDoubt(status.state.status)
        case .underWay: return .waiting(status)
        case .person(let rule): guard isForced else { return .person(rule: rule) }
        case .query(let at, _): guard isForced || at <= clock.now() else { return .waiting(status) }
        }
        let able = queryable(status)
        guard let gateway = able.first else { return .noGateway }
        let call = GatewayCall(
            .find,
            reference: ids.next().text,
            original: OriginalPayment(status.state, sent: status.sent, at: doubt.sentAt),
            amount: status.state.authorization.requested.flatMap { status.state.money($0) }
        )
        let outcome = try await caller.call(
            call,
            at: gateway,
            GatewayCaller.Subject(
                stream: StreamName.transaction(transaction),
                version: status.version,
                accounts: status.accounts.names(with: gateway.vendor),
                about: status.sent?.reference,
                abandoned: status.abandoned,
                // With several possible gateways, or with a name that the gateway need not have received, a report of
                // no such payment is no evidence.
                unpostedFrom: able.count == 1 && Self.isNamed(status) ? status.unpostedFrom : nil,
                sought: SoughtPayment(
                    status.state,
                    sent: status.sent,
                    begunAt: status.state.times.begunAt,
                    invoice: VendorAdapters.adapter(of: gateway.vendor).findsByInvoice ? call.soughtInvoice : nil,
                    account: gateway.account
                ),
                isRefusedByFullStream: true
            ),
            sender: sender
        )
        if let hold = caller.hold(in: outcome) { throw hold }
        let after = try await self.status(of: transaction, after: &payment, sender)
        return outcome == nil ? .waiting(after) : .queried(after)
    }

    // MARK: Reversals

    /// Sends the reversal of a payment if one is due and reversals are enabled.
    ///
    /// - Returns: Nil when there is nothing to reverse now, so that any other doubt is queried.
    private func reverse(
        _ transaction: UUID128,
        _ payment: inout RecordedPayment,
        _ status: DoubtStatus,
        isForced: Bool,
        sender: Sender
    ) async throws -> Result? {
        guard let reversal = status.reversal else { return nil }
        switch reversal.next {
        // An operator may send it again.
        case .person where isForced && reversal.isExhausted:
            return try await send(reversal, of: transaction, &payment, status, sender)
        case .person: return nil
        case .underWay: return .waiting(status)
        case .acknowledged(let rule):
            try await recordAcknowledgement(of: reversal, rule, transaction, sender)
            return .queried(try await self.status(of: transaction, after: &payment, sender))
        case .send(let at, _):
            guard reversing(status) != nil else { return nil }
            guard isForced || at <= clock.now() else { return status.doubt == nil ? .waiting(status) : nil }
            return try await send(reversal, of: transaction, &payment, status, sender)
        }
    }

    /// - Returns: Nil when no gateway reverses the payment.
    private func send(
        _ reversal: ReversalStatus,
        of transaction: UUID128,
        _ payment: inout RecordedPayment,
        _ status: DoubtStatus,
        _ sender: Sender
    ) async throws -> Result? {
        guard let (gateway, operation) = reversing(status) else { return nil }
        var original = OriginalPayment(status.state, sent: status.sent, at: reversal.dueAt)
        let amount = (status.state.authorization.approved ?? status.state.authorization.requested).flatMap {
            status.state.money($0)
        }
        original.amount = amount
        let outcome = try await caller.call(
            GatewayCall(
                operation,
                reference: CallReference(ids.next().text).text(at: gateway),
                original: original,
                amount: amount
            ),
            at: gateway,
            GatewayCaller.Subject(
                stream: StreamName.transaction(transaction),
                version: status.version,
                accounts: status.accounts.names(with: gateway.vendor),
                about: reversal.sent.last?.reference,
                abandoned: status.abandoned
            ),
            sender: sender
        )
        if let hold = caller.hold(in: outcome) { throw hold }
        let after = try await self.status(of: transaction, after: &payment, sender)
        if outcome != nil, case .acknowledged(let rule)? = after.reversal?.next, let reported = after.reversal {
            try await recordAcknowledgement(of: reported, rule, transaction, sender)
            return .queried(try await self.status(of: transaction, after: &payment, sender))
        }
        return outcome == nil ? .waiting(after) : .queried(after)
    }

    /// Records the acknowledgement of a reversal. Some answers acknowledge it by reporting that there is nothing left
    /// to reverse.
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
                        at: .instant(end.at)
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

    /// The gateway and operation for the reversal; nil when reversals are not sent, or the gateway is ambiguous.
    private func reversing(_ status: DoubtStatus) -> (gateway: GatewayAccount, operation: GatewayOperation)? {
        let able = reversible(status)
        guard able.count == 1, let gateway = able.first, gateway.sendsReversals, let operation = gateway.reversal
        else { return nil }
        return (gateway, operation)
    }

    /// Whether the gateway certainly received the name in the query: Daybook's own name, or one from a document.
    private static func isNamed(_ status: DoubtStatus) -> Bool {
        status.sent != nil || status.state.lookupNames.isCertain
    }

    /// The gateways at which the payment could be reversed.
    package func reversible(_ status: DoubtStatus) -> [GatewayAccount] {
        if let made = status.calls.last(where: { $0.operation == .sale || $0.operation == .authorization }) {
            // Daybook made the payment at this gateway, so no other one counts.
            let names = status.accounts.names(with: made.vendor)
            return [gateways.account(names, of: status.tenant, at: made.gateway)]
                .compactMap(\.self).filter { $0.reversal != nil }
        }
        let able = possible(status).filter { $0.reversal != nil }
        // Gateways with voids come first.
        return able.filter { $0.supports(.void) } + able.filter { !$0.supports(.void) }
    }

    /// The tenant's gateways at which a payment of an app may have been made.
    private func possible(_ status: DoubtStatus) -> [GatewayAccount] {
        status.state.identity.vendor.map { vendor in
            gateways.accounts(status.accounts.names(with: vendor), of: status.tenant, with: vendor)
        } ?? []
    }

    /// Whether the payment names no merchant account, so that it is at none of the gateways.
    package func lacksAccount(_ status: DoubtStatus) -> Bool {
        status.state.identity.vendor.map { status.accounts.names(with: $0).isEmpty } ?? false
    }

    /// Whether the reversal is sent automatically.
    package func sendsReversal(_ status: DoubtStatus) -> Bool { reversing(status) != nil }

    /// The gateway that was called, or the gateways that may have been.
    package func queryable(_ status: DoubtStatus) -> [GatewayAccount] {
        if let sent = status.sent {
            // Another gateway would report that it has no such payment.
            let names = status.accounts.names(with: sent.vendor)
            return [gateways.account(names, of: status.tenant, at: sent.gateway)]
                .compactMap(\.self).filter { $0.supports(.find) }
        }
        return possible(status).filter { $0.supports(.find) }
    }
}
