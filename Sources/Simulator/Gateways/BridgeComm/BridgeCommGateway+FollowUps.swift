import Canonical
import Payments

// Requests 019, 012 and 023: follow-ups.
extension BridgeCommGateway {
    /// 019: once, up to the authorised amount plus a tip. The answer has the authorisation's id, no amount, and almost
    /// no other field.
    func capture(_ request: BridgeCommRequest, _ books: inout GatewayBooks) -> BridgeCommAnswer {
        guard originalID(request) != nil else { return plain("Capture", to: request, .missing) }
        guard var payment = original(request, books), payment.kind == .authorization else {
            return plain("Capture", to: request, .invalidVoid)
        }
        guard payment.state == .authorized else { return plain("Capture", to: request, .noUpdate) }
        let tip = Self.cents(request["TipAmount"]) ?? 0
        guard let amount = Self.cents(request["Amount"]), amount > 0, amount <= payment.approved + tip else {
            return plain("Capture", to: request, .invalidAmount)
        }
        payment.state = .captured
        payment.captured = amount
        payment.tip = min(tip, amount)
        payment.batch = books.batch(of: payment.account, at: .bridgepay)
        books.write(payment)
        return reply(
            "Capture",
            to: request,
            .approved,
            [
                ("AuthorizedAmount", "0"), ("OriginalAmount", "0"), ("GatewayTransID", payment.id),
                ("GatewayMessage", BridgeCommOutcome.approved.line), ("GatewayResult", "00000"),
                ("RemainingAmount", "0"),
            ]
        )
    }

    /// 012: for a requested void or refund alike, an unsettled payment is voided once, in full or in part, and a
    /// settled payment is refunded until nothing is left.
    func giveBack(
        _ request: BridgeCommRequest,
        _ books: inout GatewayBooks,
        root: String = "VoidRefund"
    ) -> BridgeCommAnswer {
        guard originalID(request) != nil, account(request) != nil else { return plain(root, to: request, .missing) }
        guard let payment = original(request, books) else { return plain(root, to: request, .invalidVoid) }
        let asked: Int64?
        if let text = request["Amount"] {
            guard let amount = Self.cents(text), amount > 0 else { return plain(root, to: request, .invalidAmount) }
            asked = amount
        } else {
            asked = nil
        }
        switch payment.state {
        case .declined, .cancelled: return plain(root, to: request, .invalidVoid)
        case .voided: return plain(root, to: request, .alreadyVoided)
        case .authorized: return void(payment, asked, request, &books, root)
        case .captured:
            return payment.isSettled
                ? refund(payment, asked, request, &books, root) : void(payment, asked, request, &books, root)
        }
    }

    private func void(
        _ original: BookedPayment,
        _ asked: Int64?,
        _ request: BridgeCommRequest,
        _ books: inout GatewayBooks,
        _ root: String
    ) -> BridgeCommAnswer {
        var payment = original
        let isHeld = payment.state == .authorized
        let whole = isHeld ? payment.approved : payment.captured
        guard payment.partlyVoided == 0, !payment.isPartlyReleased else {
            return plain(root, to: request, .invalidVoid)
        }
        let amount = asked ?? whole
        guard amount <= whole else { return plain(root, to: request, .invalidAmount) }
        let outcome: BridgeCommOutcome
        if amount == whole {
            payment.state = .voided
            outcome = isHeld ? .voidReversed : .voidPosted
        } else {
            if isHeld {
                payment.approved -= amount
                payment.isPartlyReleased = true
            } else {
                payment.partlyVoided = amount
            }
            outcome = .partialVoid
        }
        books.write(payment)
        if payment.kind == .refund, let id = payment.original, var refunded = books.payment(id, at: .bridgepay) {
            refunded.refunded -= amount
            books.write(refunded)
        }
        return reply(root, to: request, outcome, followUp(payment, outcome, amount, id: payment.id, type: "void"))
    }

    private func refund(
        _ original: BookedPayment,
        _ asked: Int64?,
        _ request: BridgeCommRequest,
        _ books: inout GatewayBooks,
        _ root: String
    ) -> BridgeCommAnswer {
        // A settled credit cannot be reversed.
        guard original.kind == .sale || original.kind == .authorization else {
            return plain(root, to: request, .invalidVoid)
        }
        let amount = asked ?? original.remaining
        guard amount > 0, amount <= original.remaining else { return plain(root, to: request, .overRefundLimit) }
        let outcome: BridgeCommOutcome = amount == original.captured ? .creditPosted : .partialRefund
        let number = books.nextNumber
        var host = SeededRandom.host(number, seed: options.seed)
        var refund = BookedPayment(
            gateway: .bridgepay,
            id: String(214_000_000 + number),
            kind: .refund,
            reference: request.transactionID,
            invoice: request["InvoiceNum"] ?? original.invoice,
            account: original.account,
            batch: books.batch(of: original.account, at: .bridgepay),
            original: original.id,
            currency: original.currency,
            requested: amount,
            approved: amount,
            state: .captured,
            code: outcome.message ?? "",
            text: outcome.text,
            result: outcome.result,
            authorizationCode: host.digits(6),
            brand: original.brand,
            lastFour: original.lastFour,
            at: at,
            arrivesAt: nil,
            answersAt: nil
        )
        refund.captured = amount
        books.write(refund)
        var payment = original
        payment.refunded += amount
        books.write(payment)
        return reply(root, to: request, outcome, followUp(refund, outcome, amount, id: refund.id, type: "refund"))
    }

    private func followUp(
        _ payment: BookedPayment,
        _ outcome: BridgeCommOutcome,
        _ amount: Int64,
        id: String,
        type: String
    ) -> [(String, String)] {
        [
            ("AuthorizationCode", payment.authorizationCode), ("ReferenceNumber", payment.original ?? payment.id),
            ("AuthorizedAmount", "\(amount)"), ("OriginalAmount", "\(payment.requested)"), ("GatewayTransID", id),
            ("GatewayMessage", outcome.line), ("GatewayResult", outcome.result),
            ("TransactionDate", at.dayText), ("RemainingAmount", "0"),
            ("IsoCurrencyCode", payment.currency.alpha), ("IsoTransactionDate", at.millisecondText),
            ("CardType", payment.brand), ("ResponseTypeDescription", type),
        ]
    }

    /// 023: by the gateway's id, or by the invoice and, if it is sent, the amount. A payment's refunds are not found by
    /// its invoice, but by their own.
    func find(_ request: BridgeCommRequest, _ books: GatewayBooks) -> BridgeCommAnswer {
        let found: [BookedPayment]
        if let id = request["GatewayTransID"] ?? request["ReferenceNumber"] {
            guard id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return plain("Find", to: request, .invalidID)
            }
            found = books.payment(id, at: .bridgepay).map { [$0] } ?? []
        } else if let invoice = request["InvoiceNum"] {
            let amount = Self.cents(request["Amount"])
            found = books.payments(invoice: invoice, at: .bridgepay).filter {
                let own = $0.original.flatMap { books.payment($0, at: .bridgepay) }?.invoice != $0.invoice
                return ($0.kind != .refund || own) && (amount == nil || $0.requested == amount)
            }
        } else {
            return plain("Find", to: request, .missing)
        }
        let account = account(request)
        let ours = found.filter { account == nil || $0.account == account }
        guard let payment = ours.first else { return plain("Find", to: request, .notFound) }
        guard ours.count == 1 else { return plain("Find", to: request, .ambiguous) }
        let outcome = status(payment)
        let amount =
            payment.state == .captured
            ? payment.captured - payment.partlyVoided : payment.state == .declined ? 0 : payment.approved
        return reply(
            "Find",
            to: request,
            outcome,
            elements(of: payment, outcome, approved: amount) + [
                ("InvoiceNum", payment.invoice ?? ""), ("MerchantAccountCode", payment.account),
                ("ResponseTypeDescription", "find"), ("BatchID", "\(payment.batch)"),
            ]
        )
    }

    /// The gateway's answer to a later query: the payment's current status.
    private func status(_ payment: BookedPayment) -> BridgeCommOutcome {
        switch payment.state {
        case .voided: return payment.captured == 0 ? .voidReversed : .voidPosted
        case .declined, .cancelled:
            return BridgeCommOutcome(payment.code.isEmpty ? nil : payment.code, payment.text, payment.result)
        case .authorized, .captured:
            if payment.partlyVoided > 0 || payment.isPartlyReleased { return .partialVoid }
            switch payment.kind {
            case .credit, .refund: return .creditPosted
            case .sale, .authorization: return payment.approved < payment.requested ? .partialApproval : .approved
            }
        }
    }
}
