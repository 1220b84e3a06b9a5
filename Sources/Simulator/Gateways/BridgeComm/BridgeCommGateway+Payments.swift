import Canonical
import Payments

// Request 004: sales, authorisations, credits and tip adjustments.
extension BridgeCommGateway {
    func authorization(_ request: BridgeCommRequest, _ books: inout GatewayBooks) -> BridgeCommAnswer {
        guard let account = account(request), let type = request["TransactionType"]?.lowercased() else {
            return plain("Auth", to: request, .missing)
        }
        switch type {
        case "adjustment", "tip-adjust", "tip-adjustment": return tip(request, &books)
        case "sale": return pay(.sale, request, account, &books)
        case "sale-auth": return pay(.authorization, request, account, &books)
        case "credit", "refund":
            // With an original it is a refund of that payment.
            return originalID(request) == nil
                ? pay(.credit, request, account, &books) : giveBack(request, &books, root: "Auth")
        default: return plain("Auth", to: request, BridgeCommOutcome(nil, "Unknown TransactionType", "10001"))
        }
    }

    private func pay(
        _ kind: BookedPayment.Kind,
        _ request: BridgeCommRequest,
        _ account: String,
        _ books: inout GatewayBooks
    ) -> BridgeCommAnswer {
        guard let amount = Self.cents(request["Amount"]), amount > 0, let currency = currency(request) else {
            return plain("Auth", to: request, .invalidAmount)
        }
        guard let card = card(request) else { return plain("Auth", to: request, .badCard) }
        let isBank = ["S", "C"].contains(request["AcctType"])
        let ruled =
            kind == .credit
            ? BridgeCommAmount.credit(amount)
            : isBank ? BridgeCommAmount.bankAccount(amount) : BridgeCommAmount.payment(amount)
        if let known = duplicate(kind, request, account, amount, card, books) {
            books.noteRepeat(of: known)
            return plain("Auth", to: request, .duplicate)
        }
        let number = books.nextNumber
        var host = SeededRandom.host(number, seed: options.seed)
        var payment = BookedPayment(
            gateway: .bridgepay,
            id: String(214_000_000 + number),
            kind: kind,
            reference: request.transactionID,
            invoice: request["InvoiceNum"],
            account: account,
            batch: books.batch(of: account, at: .bridgepay),
            original: nil,
            currency: currency,
            requested: amount,
            approved: ruled.approved,
            state: ruled.approved == 0 ? .declined : kind == .authorization ? .authorized : .captured,
            code: ruled.outcome.message ?? "",
            text: ruled.outcome.text,
            result: ruled.outcome.result,
            authorizationCode: ruled.approved > 0 ? host.digits(6) : "",
            brand: card.brand,
            lastFour: card.lastFour,
            at: at,
            arrivesAt: nil,
            answersAt: nil
        )
        if payment.state == .captured {
            payment.captured = ruled.approved
            // The tip is part of the amount, as in the guide's examples.
            payment.tip = min(Self.cents(request["TipAmount"]) ?? 0, ruled.approved)
        }
        if ruled.isPosted { books.write(payment) }
        // After a network error the gateway knows no more than its caller.
        guard ruled.outcome.message?.first != "E", ruled.isPosted else {
            return plain("Auth", to: request, ruled.outcome)
        }
        let description = [BookedPayment.Kind.sale: "sale", .authorization: "auth", .credit: "credit"][kind] ?? ""
        return reply(
            "Auth",
            to: request,
            ruled.outcome,
            elements(of: payment, ruled.outcome, approved: ruled.approved) + Self.verification(request) + [
                ("ResponseTypeDescription", description)
            ]
        )
    }

    /// The payment in the open batch that this one duplicates: the same account, invoice, amount, kind and card.
    ///
    /// It is documented that the gateway refuses a duplicate unless it is forced, but not how it recognises one.
    private func duplicate(
        _ kind: BookedPayment.Kind,
        _ request: BridgeCommRequest,
        _ account: String,
        _ amount: Int64,
        _ card: StandInCard,
        _ books: GatewayBooks
    ) -> BookedPayment? {
        guard options.refusesDuplicates, request["ForceOnDuplicate"]?.lowercased() != "true",
            let invoice = request["InvoiceNum"]
        else { return nil }
        return books.payments(invoice: invoice, at: .bridgepay).first {
            $0.account == account && $0.kind == kind && $0.requested == amount && $0.lastFour == card.lastFour
                && ($0.state == .captured || $0.state == .authorized) && !$0.isSettled
        }
    }

    /// The last tip counts, until the batch is closed.
    private func tip(_ request: BridgeCommRequest, _ books: inout GatewayBooks) -> BridgeCommAnswer {
        guard originalID(request) != nil else { return plain("Auth", to: request, .missing) }
        guard let tip = Self.cents(request["TipAmount"]) else { return plain("Auth", to: request, .invalidAmount) }
        guard var payment = original(request, books), payment.kind == .sale || payment.kind == .authorization,
            payment.state == .captured, !payment.isSettled, payment.partlyVoided == 0
        else { return plain("Auth", to: request, .noUpdate) }
        let base = payment.captured - payment.tip
        payment.tip = tip
        payment.captured = base + tip
        books.write(payment)
        return reply(
            "Auth",
            to: request,
            .tipPosted,
            [
                ("AuthorizationCode", payment.authorizationCode), ("ReferenceNumber", ""),
                ("AuthorizedAmount", "\(base + tip)"), ("OriginalAmount", "\(base)"), ("GatewayTransID", payment.id),
                ("GatewayMessage", BridgeCommOutcome.tipPosted.line), ("GatewayResult", "00000"),
                ("RemainingAmount", "0"),
            ]
        )
    }
}
