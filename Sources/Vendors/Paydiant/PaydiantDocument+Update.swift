import Canonical
import Payments
import Redaction

// The answers to an update, and the operations of cash machines.
extension PaydiantDocument {
    /// An update advances the transaction: by a tender, by cash, or by a change of the amount due.
    func updated() throws -> Observation {
        var document = self
        let status = try document.status()
        if let deposit = status.deposit { return try document.deposited(deposit) }
        let type = document.transactionType()
        let isCash =
            type == .cashAccess || asked.has(["cashamount", "depositamount", "cashaccesstype"])
            || reported.has(["depositamount", "cashaccesstype"])
        let hasAccounts = reported.has(Self.accountNames) || reported.has(["paymentstatuscode", "paymentstatustype"])
        // The partial success is documented for cash machines only.
        if isCash || (status.transaction == .partialPayment && !hasAccounts) {
            // While a next stage is named, the cash of the answer is still only requested.
            let cash = reported.label("nextflowrule") == nil ? ["cashamount", "depositamount"] : []
            guard
                reported.has(PaydiantTender.amountNames + Self.dispensedNames + cash) || status.transaction != nil
                    || status.undecided != nil
            else {
                return document.tokenLife(.checkoutUpdated)
            }
            return try document.withdrawn(status)
        }
        if hasAccounts {
            if type == .refund { return try document.returned(status) }
            var payment = status
            if status.transaction == .partialPayment { payment.payment = .partiallyCompleted }
            return try document.tendered(payment)
        }
        var reader = FigureReader(currency: currency)
        let tip =
            try reported.amount(PaydiantTender.tipNames, &reader) ?? asked.amount(PaydiantTender.tipNames, &reader)
        let due = try reported.amount(Self.dueNames, &reader)
        // A tip alone is not the amount due.
        let amounts = due.map { Amounts(total: $0, tip: tip, figures: reader.recorded) }
        let details = due == nil ? (reader.recorded ?? []).map { Detail($0.field, $0.raw) } : []
        return document.tokenLife(.checkoutUpdated, amounts: amounts, details: details)
    }

    /// A return with the wallet: the account is credited, and no original payment is named.
    func returned(_ status: PaydiantStatus) throws -> Observation {
        let observation = try tendered(status)
        guard case .transaction(let events) = observation.subject else { return observation }
        let facts = events.map { event -> TransactionEvent in
            guard case .tenderApplied(let tender) = event else { return event }
            return .creditApproved(
                Approval(
                    amounts: tender.amounts,
                    evidence: tender.evidence,
                    response: tender.response,
                    references: tender.references,
                    at: tender.at
                )
            )
        }
        return self.observation(.transaction(facts))
    }

    /// The fact that the transaction is paid, for its checkout.
    func completed(_ response: Response) -> [TransactionEvent] {
        [checkoutEvent(.checkoutCompleted, response).map(TransactionEvent.checkout)].compactMap(\.self)
    }

    // MARK: Cash machines

    /// Cash was dispensed: the requested amount, or as much as the machine had.
    func withdrawn() throws -> Observation {
        var document = self
        let status = try document.status()
        return try document.withdrawn(status)
    }

    private static let dispensedNames = ["dispensedamount", "updatedamount", "updateamount"]
    private static let depositNames = ["depositamount", "cashamount"]

    private func withdrawn(_ status: PaydiantStatus) throws -> Observation {
        var document = self
        let isDeposit = document.isDeposit()
        var reader = FigureReader(currency: currency)
        let wanted = try asked.amount((isDeposit ? ["depositamount"] : []) + ["cashamount", "amount"], &reader)
        let start = PaymentRequest(
            amounts: wanted.map { Amounts(total: $0) },
            references: references,
            tender: "cash-access",
            at: at
        )
        let begun: TransactionEvent = isDeposit ? .creditRequested(start) : .saleRequested(start)
        let isPartial = status.transaction == .partialPayment || status.payment == .partiallyCompleted
        let account = PaydiantFields(scopes: Array(reported.objects(Self.accountNames).prefix(1)) + reported.scopes)
        let tender = try PaydiantTender(account, asked: asked, of: self)
        document.noteCode(of: tender, in: "paymentStatusCode")
        let answer = Response(code: status.transactionText ?? status.undecided ?? tender.code)
        func refused(_ outcome: TenderRefusal.Outcome) -> Observation {
            let refusal = TenderRefusal(
                outcome: outcome,
                amount: wanted,
                account: tender.account,
                evidence: .gateway,
                response: answer,
                references: references,
                at: at
            )
            return document.payment([.tenderRefused(refusal)])
        }
        switch tender.meaning {
        case .declined, .failed, .duplicate:
            if tender.meaning == .duplicate { document.anomalies.append(.duplicate) }
            guard isPartial || status.payment != nil else {
                return refused(tender.meaning == .declined ? .declined : .failed)
            }
            document.anomalies.append(.deniedByCode)
            return document.payment([begun, .outcomeUnknown(verdict(answer, references))])
        case .unknown, .notPayment, .refunded:
            return document.payment([begun, .outcomeUnknown(verdict(answer, references))])
        case nil where status.undecided != nil:
            return document.payment([begun, .outcomeUnknown(verdict(answer, references))])
        case .paid, .partlyPaid, .authorized, .partlyAuthorized, nil: break
        }
        if isDeposit {
            // The requested amount is not what the machine accepted.
            let names = Self.depositNames + PaydiantTender.amountNames
            guard try !isPartial || reported.amount(names, &reader) != nil else {
                return document.payment([begun, .outcomeUnknown(verdict(answer, references))])
            }
            return try document.deposited(answer.code)
        }
        // In a partial answer, the cash amount may be the requested amount.
        let names = Self.dispensedNames + (isPartial ? [] : ["cashamount"]) + PaydiantTender.amountNames
        // A success without an amount dispensed the requested amount; a partial one must have its own amount.
        guard let amount = try reported.amount(inOrder: names, &reader) ?? (isPartial ? nil : wanted) else {
            throw missingAmount
        }
        guard !amount.isZero else { return refused(.failed) }
        let dispense = Dispense(
            // There is one for each checkout, and the transaction's id may arrive after the cash.
            id: "withdrawal",
            requested: wanted,
            dispensed: amount,
            isPartial: isPartial,
            figures: reader.recorded,
            account: tender.account,
            evidence: .gateway,
            response: answer,
            references: references,
            at: at
        )
        return document.payment([begun, .cashDispensed(dispense)] + completed(answer))
    }

    /// Whether cash goes into the machine. Document 001, lines 7 and 103: deposits exist, although the published types
    /// do not include them. A type that is unknown or not published leaves the direction to the name of the amount.
    private mutating func isDeposit() -> Bool {
        let text = reported.label("cashaccesstype") ?? asked.label("cashaccesstype")
        let type = text.flatMap {
            PaydiantEnum<PaydiantCashAccessType>($0, prefix: "kPDCashAccessTransactionType").value
        }
        if let text, type == nil { note(unknown: text, in: "cashAccessType") }
        if let text, SensitiveNames.normalized(text).hasSuffix("deposit") { return true }
        let isDeposit = type != .withdrawal && (reported.has(["depositamount"]) || asked.has(["depositamount"]))
        if type == .unknown {
            let assumed = isDeposit ? "a deposit" : "a withdrawal"
            anomalies.append(
                Anomaly(
                    .operationAssumed,
                    "the type of the cash access is reported as unknown; \(assumed) was assumed"
                )
            )
        }
        return isDeposit
    }

    /// A deposit, also one that the customer wanted to cancel when the machine could no longer return the cash: the
    /// account is credited.
    private func deposited(_ status: String?) throws -> Observation {
        var reader = FigureReader(currency: currency)
        let names = Self.depositNames + PaydiantTender.amountNames
        guard let amount = try reported.amount(names, &reader) ?? asked.amount(names, &reader) else {
            throw missingAmount
        }
        let amounts = Amounts(total: amount, figures: reader.recorded)
        let start = PaymentRequest(amounts: amounts, references: references, tender: "cash-access", at: at)
        let approval = Approval(
            amounts: amounts,
            evidence: .gateway,
            response: Response(code: status),
            references: references,
            at: at
        )
        return payment([.creditRequested(start), .creditApproved(approval)] + completed(Response(code: status)))
    }
}
