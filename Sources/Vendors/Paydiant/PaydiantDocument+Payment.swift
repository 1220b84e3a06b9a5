import Canonical
import Payments

// Payments with one or more tenders, and failed attempts.
extension PaydiantDocument {
    static let offerNames = ["appliedoffers", "redeemedoffers", "offersapplied", "offers", "offer"]
    private static let balanceNames = [
        "balancedue", "outstandingbalance", "remainingbalance", "balanceremaining", "amountremaining", "balance",
    ]

    /// The answer to `paymentWith`: one tender, the balance it left, and the earlier attempts.
    func paid() throws -> Observation {
        var document = self
        let status = try document.status()
        return document.transactionType() == .refund
            ? try document.returned(status) : try document.tendered(status)
    }

    func tendered(_ status: PaydiantStatus) throws -> Observation {
        var document = self
        var reader = FigureReader(currency: currency)
        var balance = try reported.amount(Self.balanceNames, &reader)
        // For a partial payment, the amount due is the remaining balance.
        if balance == nil, status.payment == .partiallyCompleted {
            balance = try reported.amount(["amountdue"], &reader)
        }
        if balance == nil, status.payment == .completed { balance = .zero(currency) }
        let accounts = reported.objects(Self.accountNames).map { PaydiantFields(scopes: [$0]) }
        var events: [TransactionEvent] = []
        var count = PaydiantTenderCount()
        for previous in reported.objects(["previouspaymentresults"]) {
            let fields = PaydiantFields(scopes: [previous])
            let tender = try PaydiantTender(fields, asked: PaydiantFields(scopes: []), of: self)
            events += document.earlier(tender, &count)
        }
        let offers = try offers()
        for offer in offers {
            let event = checkoutEvent(
                .offerApplied,
                amounts: offer.amount.map { Amounts(total: $0) },
                details: [Detail("offer", offer.id)]
            )
            if let event { events.append(.checkout(event)) }
        }
        if accounts.count > 1 {
            for account in accounts {
                var tender = try PaydiantTender(account, asked: PaydiantFields(scopes: []), of: self)
                count.mark(&tender, isListed: true)
                events += try document.events(tender, status, balance, offers)
            }
        } else {
            let whole = PaydiantFields(scopes: (accounts.first?.scopes ?? []) + reported.scopes)
            var tender = try PaydiantTender(whole, asked: asked, of: self)
            count.mark(&tender, isListed: false)
            events += try document.events(tender, status, balance, offers)
        }
        let isTaken = events.contains {
            switch $0 {
            case .tenderApplied, .creditApproved: true
            default: false
            }
        }
        if status.payment == .completed, isTaken { events += completed(Response(code: status.text)) }
        return document.payment(events)
    }

    private mutating func events(
        _ tender: PaydiantTender,
        _ status: PaydiantStatus,
        _ balance: Money?,
        _ offers: [NamedAmount]
    ) throws -> [TransactionEvent] {
        let text = status.text
        noteCode(of: tender, in: "paymentStatusCode")
        switch tender.meaning {
        case .declined, .failed, .duplicate:
            if tender.meaning == .duplicate { anomalies.append(.duplicate) }
            // The status reports a payment and the code denies it: the outcome is unknown.
            guard status.payment != nil, reported.objects(Self.accountNames).count < 2 else {
                return [.tenderRefused(refusal(tender, text))]
            }
            anomalies.append(.deniedByCode)
            return [.outcomeUnknown(verdict(tender.response(text), tender.references))]
        case .unknown, .notPayment: return [.outcomeUnknown(verdict(tender.response(text), tender.references))]
        case .refunded: return [.creditApproved(try approval(tender, text))]
        // There is no deciding code, and the status is not in the table: the outcome is unknown.
        case nil where status.undecided != nil:
            return [.outcomeUnknown(verdict(tender.response(status.undecided), tender.references))]
        case .paid, .partlyPaid, .authorized, .partlyAuthorized, nil: break
        }
        guard let amount = tender.amount else { throw missingAmount }
        let isHeld = tender.meaning == .authorized || tender.meaning == .partlyAuthorized
        let isPart = tender.meaning == .partlyPaid || tender.meaning == .partlyAuthorized
        return [
            .tenderApplied(
                Tender(
                    id: tender.name(balance: balance),
                    marks: tender.marks,
                    amounts: Amounts(total: amount, tip: tender.tip, figures: tender.figures),
                    balance: balance,
                    offers: offers.isEmpty ? nil : offers,
                    isPartial: status.payment == .partiallyCompleted || isPart || balance.map { $0.value > 0 } ?? false,
                    isCaptured: !isHeld,
                    account: tender.account,
                    evidence: .gateway,
                    response: tender.response(text),
                    references: tender.references,
                    at: at
                )
            )
        ]
    }

    /// An attempt before the successful one. An attempt that took money counts if the platform's id identifies its
    /// tender; without an id it may already be recorded.
    private mutating func earlier(
        _ tender: PaydiantTender,
        _ count: inout PaydiantTenderCount
    ) -> [TransactionEvent] {
        noteCode(of: tender, in: "previousPaymentResults")
        switch tender.meaning {
        case .declined, .failed, .duplicate: return [.tenderRefused(refusal(tender, nil))]
        case .unknown, .notPayment:
            anomalies.append(.followUpInDoubt(.furtherTender))
            return []
        case .paid, .partlyPaid, .authorized, .partlyAuthorized:
            guard tender.id != nil, let amount = tender.amount else { return [] }
            var tender = tender
            count.mark(&tender, isListed: true)
            let isHeld = tender.meaning == .authorized || tender.meaning == .partlyAuthorized
            let earlier = Tender(
                id: tender.name(balance: nil),
                marks: tender.marks,
                amounts: Amounts(total: amount, tip: tender.tip, figures: tender.figures),
                isCaptured: !isHeld,
                account: tender.account,
                evidence: .gateway,
                response: tender.response(nil),
                references: tender.references,
                at: at
            )
            return [.tenderApplied(earlier)]
        case .refunded, nil: return []
        }
    }

    /// Notes a code outside the tables, or a code of the tables that is not about a payment.
    mutating func noteCode(of tender: PaydiantTender, in field: String) {
        guard let code = tender.code, !tender.isKnownCode || tender.meaning == .notPayment else { return }
        note(unknown: code, in: field)
    }

    /// The discounts of the applied offers, by offer.
    private func offers() throws -> [NamedAmount] {
        let applied = reported.objects(Self.offerNames)
        return try (applied.isEmpty ? asked.objects(Self.offerNames) : applied).compactMap { offer in
            guard let id = try offer.identifier("offeruri", "offerid", "uri", "id") else { return nil }
            var reader = FigureReader(currency: currency)
            let fields = PaydiantFields(scopes: [offer])
            let names = ["discountamount", "redeemedamount", "offeramount", "savingsamount", "amount"]
            return NamedAmount(id: id, amount: try fields.amount(names, &reader))
        }
    }

    var missingAmount: Refusal {
        Refusal(.missingMoney, "Neither the answer nor the call has an amount.", pointer: reported.pointer + "/amount")
    }

    // MARK: Refused

    /// A call that would have moved money failed.
    func refused(_ error: PaydiantError, _ fault: PaydiantFault?) throws -> Observation {
        let event: CheckoutEvent? =
            switch fault {
            case .tokenBlocked: checkoutEvent(.checkoutTokenBlocked, error.response)
            case .tokenInUse: checkoutEvent(.checkoutTokenInUse, error.response)
            case .cancelledByPOS: checkoutEvent(.checkoutCancelled, error.response)
            default: nil
            }
        let reported = [event.map(TransactionEvent.checkout)].compactMap(\.self)
        let tender = try PaydiantTender(asked, asked: PaydiantFields(scopes: []), of: self)
        var verdict = verdict(error.response, references)
        verdict.attempted = tender.amount ?? asked.cash(in: currency)
        switch error.meaning(for: method) {
        case .cancelled: return payment([.cancelled(verdict)] + reported)
        case .unknown, .approved, .partiallyApproved: return payment([.outcomeUnknown(verdict)] + reported)
        case .declined, .failed:
            // Another payment is in progress with this token; it reports its own outcome.
            if fault == .tokenInUse { return tokenLife(.checkoutTokenInUse, error.response) }
            var refusal = refusal(tender, nil)
            refusal.amount = verdict.attempted
            refusal.outcome = error.meaning(for: method) == .declined ? .declined : .failed
            refusal.response = error.response
            return payment([.tenderRefused(refusal)] + reported)
        }
    }

    func refusal(_ tender: PaydiantTender, _ status: String?) -> TenderRefusal {
        TenderRefusal(
            outcome: tender.meaning == .declined ? .declined : .failed,
            id: tender.id,
            amount: tender.amount,
            account: tender.account,
            evidence: .gateway,
            response: tender.response(status),
            references: tender.references,
            at: at
        )
    }

    func verdict(_ response: Response, _ references: References) -> Verdict {
        Verdict(evidence: .gateway, response: response, references: references, at: at)
    }

    private func approval(_ tender: PaydiantTender, _ status: String?) throws -> Approval {
        guard let amount = tender.amount else { throw missingAmount }
        return Approval(
            amounts: Amounts(total: amount, figures: tender.figures),
            evidence: .gateway,
            response: tender.response(status),
            references: tender.references,
            at: at
        )
    }
}
