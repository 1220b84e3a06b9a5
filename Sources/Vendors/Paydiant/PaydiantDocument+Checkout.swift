import Payments

// The facts of the calls around a payment: tokens, the amount due, updates and cancellations.
extension PaydiantDocument {
    func observation() throws -> Observation {
        switch result {
        case .requested: return try request()
        case .completed: return try completion()
        case .failed(let error): return try failure(error)
        }
    }

    /// Requires the checkout's name if the document has nothing else.
    private func requireName() throws {
        guard checkout == nil, transaction == nil, anomalies.isEmpty else { return }
        throw Refusal(
            .missingField,
            "The document names neither a checkoutToken nor a paydiantTransactionRefId.",
            pointer: asked.pointer + "/checkoutToken"
        )
    }

    /// A call without an answer has no known effect; it is recorded as a command to the device.
    private func request() throws -> Observation {
        if method != .obtainCheckoutTokenFor { try requireName() }
        if method == .obtainCheckoutTokenFor, transactionTypeText == nil {
            throw Refusal(
                .missingField,
                "The call must have an aTransactionType.",
                pointer: asked.pointer + "/aTransactionType"
            )
        }
        guard method.takesMoney else {
            return device(method == .cancelTransactionUsingToken ? .cancelRequested : .commandSent)
        }
        // Its answer may be lost: after the wait limit the payment is in doubt.
        var reader = FigureReader(currency: currency)
        let amount = try? asked.amount(PaydiantTender.amountNames + ["cashamount"], &reader)
        return device(.authorizationSent, attempted: amount)
    }

    private func completion() throws -> Observation {
        switch method {
        case .obtainCheckoutTokenFor:
            guard checkout != nil || !anomalies.isEmpty else {
                throw Refusal(
                    .missingField,
                    "The block hands over a checkoutToken.",
                    pointer: reported.pointer + "/checkoutToken"
                )
            }
            var document = self
            _ = document.transactionType()
            return document.tokenLife(.checkoutTokenIssued)
        case .releaseCheckoutToken:
            try requireName()
            return tokenLife(.checkoutTokenReleased)
        case .retrieveTransactionMetaData, .retrieveTransactionInformation:
            try requireName()
            return try described()
        case .updateTransaction:
            try requireName()
            return try updated()
        case .paymentWith:
            try requireAnswer("paymenttransaction", "paymentstatustype", "response", "splittenderpaymentresponse")
            return try paid()
        case .submitATMCashAccessAmount:
            try requireAnswer(
                "cashaccesstransaction",
                "amount",
                "pdcashaccesstransaction",
                "transactionstatus",
                "paymentstatuscode"
            )
            return try withdrawn()
        case .generateAccessCode:
            guard asked.has(["length"]) || reported.has(["length"]) else {
                throw Refusal(.missingField, "The call must have a length.", pointer: asked.pointer + "/length")
            }
            guard !isCodeMissing else {
                return device(.readerErrorReported, Response(message: Self.noAccessCode))
            }
            return device(.commandAnswered)
        case .cancelTransactionUsingToken:
            try requireName()
            return cancelled(Response())
        }
    }

    static let noAccessCode = "no access code was generated"

    /// The call returns null for an invalid length: document 001, line 248.
    private var isCodeMissing: Bool {
        let length = (try? asked.text("length") ?? reported.text("length")).flatMap { Int($0) }
        let names = ["result", "returnvalue", "accesscode", "value", "return"]
        return length.map { $0 < 1 } ?? false
            || (reported.scopes + asked.scopes).contains { scope in
                names.contains(where: scope.isNull)
            }
    }

    private func requireAnswer(_ names: String...) throws {
        guard !reported.has(names) else { return }
        throw Refusal(
            .missingField,
            "The block must report the outcome of the payment.",
            pointer: reported.pointer + "/\(method == .paymentWith ? "paymentTransaction" : "cashAccessTransaction")"
        )
    }

    // MARK: Amount due

    var transactionTypeText: String? {
        let named =
            reported.label("transactiontype", "atransactiontype") ?? asked.label("transactiontype", "atransactiontype")
        return named ?? (method == .obtainCheckoutTokenFor ? reported.label("type") : nil)
    }

    /// Nil if the document does not name it.
    mutating func transactionType() -> PaydiantTransactionType? {
        guard let text = transactionTypeText else { return nil }
        let type = PaydiantEnum<PaydiantTransactionType>(text, prefix: "kPDTransactionType").value
        if type == nil { note(unknown: text, in: "transactionType") }
        return type
    }

    /// The answer to a scan, with which the wallet joins the transaction. The amount due starts the payment. Later
    /// stages only describe it, because tips and offers change the amount due, not the requested amount.
    private func described() throws -> Observation {
        var document = self
        let type = document.transactionType()
        var reader = FigureReader(currency: currency)
        let due = try reported.amount(Self.dueNames, &reader)
        let tip = try reported.amount(["tipamount", "tip"], &reader)
        let isDiscovery =
            method == .retrieveTransactionInformation
            || flowRule.flatMap { PaydiantEnum<PaydiantFlowRule>($0).value } == .discovery
        let amounts = due.map { Amounts(total: $0, tip: tip, figures: reader.recorded) }
        guard isDiscovery else { return document.tokenLife(.checkoutDescribed, amounts: amounts) }
        let events = [
            checkoutEvent(.checkoutTokenScanned),
            checkoutEvent(.checkoutDescribed, amounts: amounts, details: offered),
        ].compactMap(\.self)
        // A cash machine requests no amount before the customer does.
        guard let amounts, type != .cashAccess else {
            guard let checkout else { return document.device(.commandAnswered) }
            return document.observation(.checkout(checkout, events, document.anomalies))
        }
        let asked = PaymentRequest(amounts: amounts, references: references, tender: nil, at: at)
        if type == nil || type == .unknown {
            document.anomalies.append(
                Anomaly(
                    .operationAssumed,
                    "the document does not distinguish a purchase from a return; a purchase was assumed"
                )
            )
        }
        let start: TransactionEvent = type == .refund ? .creditRequested(asked) : .saleRequested(asked)
        return document.payment([start] + events.map(TransactionEvent.checkout))
    }

    /// The names of the amount due, in order of preference.
    static let dueNames = ["amountdue", "totalamountdue", "totaldue", "totalamount", "transactionamount", "amount"]

    /// The offers and tenders that the wallet may choose from.
    private var offered: [Detail] {
        let offers = reported.objects(["eligibleoffers", "offers"]).compactMap {
            try? $0.identifier("offeruri", "offerid")
        }
        let tenders = reported.objects(["supportedtenders", "paymenttenders", "tenders"])
            .compactMap { try? $0.identifier("paymentaccounttype", "tendertype", "name") }
        return offers.compactMap { $0 }.map { Detail("eligibleOffer", $0) }
            + tenders.compactMap { $0 }.map { Detail("supportedTender", $0) }
    }

    // MARK: Ends

    /// The payment ended before it was made. This does not affect money that a tender has already moved: the
    /// contradiction is flagged when the payment's events are folded.
    func cancelled(_ response: Response) -> Observation {
        let verdict = Verdict(evidence: .gateway, response: response, references: references, at: at)
        let event = checkoutEvent(.checkoutCancelled, response)
        return payment([.cancelled(verdict)] + [event.map(TransactionEvent.checkout)].compactMap(\.self))
    }

    private func failure(_ error: PaydiantError) throws -> Observation {
        var document = self
        let fault = error.fault(of: method)
        if let status = error.status, fault == nil { document.note(unknown: status, in: "statusCode") }
        if let code = error.paymentCode {
            let (meaning, isKnown) = PaydiantPaymentCode.meaning(of: code)
            if !isKnown { document.note(unknown: code, in: "errorCode") }
            if meaning == .duplicate { document.anomalies.append(.duplicate) }
        }
        if fault == .suspectedFraud {
            document.anomalies.append(Anomaly(.riskReported, "the platform suspects fraud"))
        } else if fault == .underReview {
            document.anomalies.append(Anomaly(.riskReported, "the platform reviews the transaction"))
        }
        if document.attemptsPayment(error) { return try document.refused(error, fault) }
        let event: CheckoutEvent.Name =
            switch fault {
            case .tokenBlocked: .checkoutTokenBlocked
            case .tokenInUse: .checkoutTokenInUse
            default: .checkoutFailed
            }
        switch (method, fault) {
        // There is no token yet.
        case (.obtainCheckoutTokenFor, _): return document.device(.commandAnswered, error.response)
        // The POS ended the transaction, whatever the wallet requested.
        case (_, .cancelledByPOS): return document.cancelled(error.response)
        case (.cancelTransactionUsingToken, _) where error.meaning(for: method) == .unknown:
            document.anomalies.append(.followUpInDoubt(.reversal))
            let failed = document.checkoutEvent(event, error.response)
            guard !keys.isEmpty else { return document.device(.commandAnswered, error.response) }
            return document.payment([failed.map(TransactionEvent.checkout)].compactMap(\.self))
        default: return document.tokenLife(event, error.response)
        }
    }

    /// True if the call would have moved money: always for payments and withdrawals. For an update, true if it submits
    /// an account or an amount, or does not name its stage. The stages are not published, so an update with an unknown
    /// outcome counts too, unless it clearly had another purpose.
    private func attemptsPayment(_ error: PaydiantError) -> Bool {
        if method.takesMoney { return true }
        guard method == .updateTransaction else { return false }
        let accounts = [
            "accounturi", "paymentaccounturi", "selectedaccounturi", "cashamount", "depositamount", "amount",
            "paymentamount",
        ]
        if asked.has(accounts + Self.accountNames) { return true }
        guard let flowRule else { return true }
        let isPlain =
            PaydiantEnum<PaydiantFlowRule>(flowRule).value == .discovery
            || asked.has(["tipamount", "tip"] + Self.offerNames)
        return error.meaning(for: method) == .unknown && !isPlain
    }

    /// Lists of `PDTransactionAccount`.
    static let accountNames = [
        "transactionaccounts", "paymentaccounts", "transactionaccount", "pdtransactionaccount", "accounts", "payments",
    ]
}

extension Anomaly {
    static let deniedByCode = Anomaly(
        .conflictingOutcome,
        "the status of the payment reports success, its code a failure"
    )
    static let duplicate = Anomaly(.duplicateSuspected, "the platform reports that it received the same payment before")
}
