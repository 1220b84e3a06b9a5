import Canonical
import EventLog
import Gateways
import Intake
import Payments
import Projections
import ReplayRules
import Vendors

/// Judges payments for plans: by the rules, and by the available gateways.
struct ReplayJudge: Sendable {
    let gateways: GatewayRegistry
    let book: RuleBook
    let time: Timestamp

    /// One request and its ruling.
    struct Judgement {
        var request: ReplayRequest
        var ruling: Ruling

        /// True when a card would be charged, or credited, again.
        var isCharge: Bool { ruling.disposition == .resubmit && request.operation.isPayment }
    }

    /// The judgements of a payment and of its failed follow-ups.
    ///
    /// - Parameters:
    ///   - history: Every event of its stream, in order.
    ///   - hasToken: Whether the card has a token.
    ///   - others: Attempts with the card on other payments.
    /// - Throws: An error for an event that cannot be read.
    func judge(
        _ history: [RecordedEvent],
        for asked: PlanRequest,
        hasToken: Bool,
        beside others: [AttemptEvidence] = []
    ) throws -> [Judgement] {
        let facts = try history.map(RecordedFact.init)
        let state = TransactionState(recorded: facts)
        let tenant = history.last?.tenant ?? ""
        func judge(_ wanted: ReplayRequest?, isReported: Bool) -> Judgement {
            var evidence = PaymentEvidence(folding: facts, wanted: wanted, codes: VendorAdapters.code)
            evidence.attempts += others
            var ruling = classify(evidence, at: time, book: book)
            if ruling.disposition == .resubmit,
                let obstacle = isReported
                    ? obstacle(to: evidence.wanted, state, facts, of: tenant, hasToken: hasToken) : .incomplete
            {
                ruling = Ruling(.needsPerson, rule: obstacle.rawValue, evidence: ruling.evidence)
            }
            return Judgement(request: evidence.wanted, ruling: ruling)
        }
        if let operation = asked.operation {
            let whole = operation.isPayment ? state.authorization.requested.flatMap { state.money($0) } : nil
            // The tip of the request belongs to its amount only.
            let tip = asked.tip ?? (operation.isPayment && asked.amount == nil ? state.requestedTip : nil)
            return [judge(ReplayRequest(operation, amount: asked.amount ?? whole, tip: tip), isReported: true)]
        }
        let failed = FailedFollowUps(facts).all.map { judge($0.request, isReported: $0.isReported) }
        let own = judge(nil, isReported: true)
        return !failed.isEmpty && own.ruling.disposition == .alreadyPosted ? failed : [own] + failed
    }

    /// The reason why a permitted request cannot be executed; nil if it can.
    private func obstacle(
        to wanted: ReplayRequest,
        _ state: TransactionState,
        _ facts: [RecordedFact],
        of tenant: String,
        hasToken: Bool
    ) -> ReplayRule? {
        switch way(to: wanted.operation, state, facts, of: tenant) {
        case .failure(let rule): return rule
        case .success: break
        }
        switch wanted.operation {
        case .payment(.sale), .payment(.authorization), .payment(.credit):
            if wanted.amount == nil { return .incomplete }
            if state.identity.tender.map(Self.needsCustomer) ?? false { return .tender }
            return hasToken ? nil : .noToken
        case .followUp(.capture): return wanted.amount == nil && state.authorized <= 0 ? .incomplete : nil
        case .followUp(.tipAdjustment): return wanted.tip == nil ? .incomplete : nil
        case .followUp(.void), .followUp(.refund), .followUp(.reversal): return nil
        case .payment(.verification), .followUp(.increment), .followUp(.refundVoid): return .unsupported
        }
    }

    /// True for tenders that need the customer's PIN, check or wallet, or whose token is no credit card's.
    private static func needsCustomer(_ tender: String) -> Bool {
        let name = tender.lowercased()
        return ["debit", "gift", "loyalty", "ebt", "bank-account", "check", "cash", "fleet", "wallet"]
            .contains { name.hasPrefix($0) }
    }

    /// The gateway for the request.
    func way(
        to operation: ReplayOperation,
        _ state: TransactionState,
        _ facts: [RecordedFact],
        of tenant: String
    ) -> Result<GatewayAccount, ReplayRule> {
        guard let asked = operation.call else { return .failure(.unsupported) }
        let called = facts.last { fact in
            guard case .gateway(let event) = fact.event, event.name == .callSent else { return false }
            return event.report.operation.canMoveMoney
        }
        let accounts = MerchantAccounts(facts)
        if case .gateway(let event)? = called?.event {
            let names = accounts.names(with: event.report.vendor)
            guard let gateway = gateways.account(names, of: tenant, at: event.report.gateway) else {
                return .failure(.gatewayGone)
            }
            return Self.way(asked, at: gateway)
        }
        guard let vendor = state.identity.vendor else { return .failure(.noGateway) }
        let names = accounts.names(with: vendor)
        if names.isEmpty { return .failure(.noAccount) }
        let known = gateways.accounts(names, of: tenant, with: vendor)
        let able = known.filter { $0.supports(asked) }
        if able.count > 1 { return .failure(.severalGateways) }
        if let gateway = able.first { return Self.way(asked, at: gateway) }
        return .failure(known.isEmpty ? .noGateway : .unsupported)
    }

    /// A terminal that waits for a card takes any presented card, so no payment is resubmitted there.
    private static func way(
        _ asked: GatewayOperation,
        at gateway: GatewayAccount
    ) -> Result<GatewayAccount, ReplayRule> {
        guard gateway.supports(asked) else { return .failure(.unsupported) }
        let needsCard = asked == .sale || asked == .authorization || asked == .refund
        return needsCard && gateway.takesPresentedCards ? .failure(.unsupported) : .success(gateway)
    }
}

extension ReplayRule: Error {}

extension ReplayOperation {
    /// The gateway operation; nil when gateways have none.
    var call: GatewayOperation? {
        switch self {
        case .payment(.sale): .sale
        case .payment(.authorization): .authorization
        case .payment(.credit): .refund
        case .payment(.verification): nil
        case .followUp(let followUp): followUp.isCallable ? .followUp(followUp) : nil
        }
    }
}
