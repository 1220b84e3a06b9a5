import Canonical
import Payments

// The answers to an update, and what cash machines do.
extension PaydiantDocument {
    /// An update moves the transaction on: by a tender, by cash, or by something that only changes what is due.
    func updated() throws -> Observation {
        var document = self
        let status = try document.transactionStatus()
        if let text = try told.text("paymentstatus"),
            let known = PaydiantEnum<PaydiantPaymentStatus>(text).value
        {
            switch known {
            case .forcedDepositSuccess, .forcedDepositSuccessSpelled: return try document.deposited(text)
            }
        }
        let type = document.transactionType()
        let isCash = type == .cashAccess || asked.has(["cashamount", "cashaccesstype"]) || told.has(["cashaccesstype"])
        let hasAccounts = told.has(Self.accountNames) || told.has(["paymentstatuscode", "paymentstatustype"])
        // The partial success is documented for cash machines alone.
        if isCash || (status == .partialPayment && !hasAccounts) {
            guard told.has(PaydiantTender.amountNames) || status == .partialPayment else {
                return document.tokenLife(.checkoutUpdated)
            }
            return try document.withdrawn()
        }
        if hasAccounts {
            let text = try told.text("paymentstatustype")
            let payment = text.flatMap {
                PaydiantEnum<PaydiantPaymentStatusType>($0, prefix: "kPDPaymentStatusType").value
            }
            if let text, payment == nil { document.note(unknown: text, in: "paymentStatusType") }
            if type == .refund { return try document.returned() }
            return try document.tendered(status == .partialPayment ? .partiallyCompleted : payment, text: text)
        }
        var reader = FigureReader(currency: currency)
        let tip = try told.amount(PaydiantTender.tipNames, &reader) ?? asked.amount(PaydiantTender.tipNames, &reader)
        let due = try told.amount(Self.dueNames, &reader)
        let amounts = (due ?? tip).map { Amounts(total: $0, tip: tip, figures: reader.recorded) }
        return document.tokenLife(.checkoutUpdated, amounts: amounts)
    }

    private mutating func transactionStatus() throws -> PaydiantTransactionStatus? {
        guard let text = try told.text("transactionstatus") else { return nil }
        let status = PaydiantEnum<PaydiantTransactionStatus>(text, prefix: "kPDTransactionStatus").value
        if status == nil { note(unknown: text, in: "transactionStatus") }
        return status
    }

    /// A return that the wallet took part in: money goes back to an account, and no original is named.
    private func returned() throws -> Observation {
        let observation = try tendered(nil, text: nil)
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

    // MARK: Cash machines

    /// Cash was handed out: all that was asked for, or what the machine had.
    func withdrawn() throws -> Observation {
        var document = self
        let type = told.label("cashaccesstype") ?? asked.label("cashaccesstype")
        if let type, PaydiantEnum<PaydiantCashAccessType>(type, prefix: "kPDCashAccessTransactionType").value == nil {
            document.note(unknown: type, in: "cashAccessType")
            if SensitiveNames.normalized(type).hasSuffix("deposit") { return try document.deposited(nil) }
        }
        var reader = FigureReader(currency: currency)
        let wanted = try asked.amount(["cashamount", "amount"], &reader)
        let names = ["dispensedamount", "updatedamount", "cashamount"] + PaydiantTender.amountNames
        let status = try told.text("transactionstatus")
        // A success without an amount of its own handed out what was asked for; a partial one has to tell.
        guard let amount = try told.amount(names, &reader) ?? (status == nil ? wanted : nil) else {
            throw missingAmount
        }
        let account = try PaydiantTender(told, asked: asked, of: self).account
        guard !amount.isZero else {
            let refusal = TenderRefusal(
                outcome: .failed,
                amount: wanted,
                account: account,
                evidence: .gateway,
                response: Response(code: status),
                references: references,
                at: at
            )
            return document.payment([.tenderRefused(refusal)])
        }
        let isPartial = status.flatMap {
            PaydiantEnum<PaydiantTransactionStatus>($0, prefix: "kPDTransactionStatus").value
        }
        let dispense = Dispense(
            id: transaction ?? "withdrawal",
            requested: wanted,
            dispensed: amount,
            isPartial: isPartial == .partialPayment,
            figures: reader.recorded,
            account: account,
            evidence: .gateway,
            response: Response(code: status),
            references: references,
            at: at
        )
        let start = PaymentRequest(
            amounts: wanted.map { Amounts(total: $0) },
            references: references,
            tender: "cash-access",
            at: at
        )
        return document.payment([.saleRequested(start), .cashDispensed(dispense)])
    }

    /// A deposit the customer wanted to cancel when the machine could not go back any more: the account is credited.
    private func deposited(_ status: String?) throws -> Observation {
        var reader = FigureReader(currency: currency)
        let names = ["depositamount", "cashamount"] + PaydiantTender.amountNames
        guard let amount = try told.amount(names, &reader) ?? asked.amount(names, &reader) else { throw missingAmount }
        let amounts = Amounts(total: amount, figures: reader.recorded)
        let start = PaymentRequest(amounts: amounts, references: references, tender: "cash-access", at: at)
        let approval = Approval(
            amounts: amounts,
            evidence: .gateway,
            response: Response(code: status),
            references: references,
            at: at
        )
        return payment([.creditRequested(start), .creditApproved(approval)])
    }
}
