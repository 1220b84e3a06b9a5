import Canonical
import Payments
import Redaction

/// The gateway's answer: `BridgeCommResponse`, with the card facts of `BPNReceipt`.
struct BridgePayResponse {
    let fields: Fields
    let receipt: Fields?
    let message: String?
    let messageCode: String?
    let gatewayTransaction: String?
    let at: ReportedTime?
    /// The sender's clock.
    let receivedAt: Timestamp?
    let currency: Currency
    private let tags: Result<BridgePayTagData?, any Error>

    /// - Parameter time: The sender's time, used if the gateway reports none.
    init(_ fields: Fields, receipt: Fields?, at time: ReportedTime?) throws {
        self.fields = fields
        self.receipt = receipt
        message = try fields.text("gatewaymessage")
        messageCode = BridgePayCodes.messageCode(in: message)
        gatewayTransaction = try fields.identifier("gatewaytransactionid")
        let printed = try fields.text("isotransactiondate") ?? fields.text("isorequestdate")
        receivedAt = time?.instant
        at = printed.flatMap { LocalTime(spaced: $0) }.map { .local($0) } ?? time
        currency = try Self.currency(of: fields)
        tags = Result { try Self.tagData(of: fields) }
        guard ["gatewaymessage", "gatewayresult", "responsecode"].contains(where: fields.has) else {
            throw Refusal(
                .missingField,
                "The response has none of gatewayMessage, gatewayResult and responseCode.",
                pointer: fields.pointer(to: "gatewayMessage")
            )
        }
    }

    /// Answers to captures and adjustments name no currency. PayGuardian prints every amount with `$` and serves US
    /// merchants.
    private static func currency(of fields: Fields) throws -> Currency {
        guard let name = try fields.text("isocurrencycode") else { return .usd }
        guard let currency = Currency(named: name) else {
            throw Refusal(
                .unknownCurrency,
                "An ISO 4217 currency code is expected.",
                pointer: fields.pointer(to: "isocurrencycode")
            )
        }
        return currency
    }

    /// The EMV data of the answer.
    ///
    /// - Throws: `malformedDocument` if it is no text.
    var tagData: BridgePayTagData? {
        get throws { try tags.get() }
    }

    var result: String? {
        get throws { try fields.text("gatewayresult") }
    }
    var responseCode: String? {
        get throws { try fields.text("responsecode") }
    }

    // MARK: Outcome

    /// The meaning of the codes. If they contradict each other about the money, the outcome is unknown.
    var meaning: (CodeMeaning, contradiction: String?) {
        get throws {
            let (meaning, contradiction) = try gatewayMeaning
            guard meaning.isApproval, let code = try responseCode,
                let byResponse = BridgePayCodes.meaning(ofResponse: code), !byResponse.isApproval
            else { return (meaning, contradiction) }
            return (.unknown, "the gateway approved, and responseCode is \(code)")
        }
    }

    private var gatewayMeaning: (CodeMeaning, contradiction: String?) {
        get throws {
            let byMessage = messageCode.flatMap(BridgePayCodes.meaning(ofMessage:))
            let byResult = try result.flatMap(BridgePayCodes.meaning(ofResult:))
            guard let byMessage else {
                // An unknown message code is never an approval, whatever the result code.
                if messageCode != nil, byResult == .approved { return (.unknown, nil) }
                if try result != nil { return (byResult ?? .unknown, nil) }
                let byResponse = try declinedByResponse ?? responseCode.flatMap(BridgePayCodes.meaning(ofResponse:))
                // Without a gateway code, `Successful Request` only means that the request was understood.
                return (byResponse == .approved && message != nil ? .unknown : byResponse ?? .unknown, nil)
            }
            guard let byResult else { return (byMessage, nil) }
            // "No update": the request was understood and nothing was changed.
            if messageCode == "A04", byResult == .approved { return (.failed, nil) }
            switch (byMessage, byResult) {
            case (.approved, .partiallyApproved): return (.partiallyApproved, nil)
            case (let left, let right) where left == right: return (left, nil)
            case (.partiallyApproved, .approved), (.declined, .failed), (.failed, .declined), (.unknown, .failed),
                (.unknown, .declined), (.cancelled, .declined), (.declined, .cancelled), (.cancelled, .failed),
                (.unknown, .approved), (.unknown, .partiallyApproved):
                return (byMessage, nil)
            case (.declined, .unknown), (.failed, .unknown), (.cancelled, .unknown): return (byMessage, nil)
            default:
                let code = messageCode ?? ""
                return (.unknown, "the gateway message reports \(code), the result code a conflicting outcome")
            }
        }
    }

    /// Declined, if `responseCode` is 2 and its description confirms the guide's table of result codes (document 000,
    /// line 2142), and not the list of constants, which calls it an error.
    private var declinedByResponse: CodeMeaning? {
        get throws {
            guard try responseCode.flatMap({ Int($0) }) == 2,
                let text = try fields.text("responsedescription"),
                ["declined", "denied"].contains(SensitiveNames.normalized(text))
            else { return nil }
            return .declined
        }
    }

    /// The answer as stored in events.
    var response: Response {
        get throws {
            let code = try messageCode ?? result ?? responseCode
            return Response(
                code: code,
                message: try message ?? fields.text("responsedescription", "internalmessage"),
                issuer: try tagData?.issuer
            )
        }
    }

    // MARK: Operation

    /// The operation named by `responseTypeDescription`: `sale`, `auth`.
    var described: BridgePayOperation? {
        get throws { try fields.text("responsetypedescription").flatMap { BridgePayOperation(transactionType: $0) } }
    }

    /// The operation that the request names, or else the one found by message code, `requestType` and
    /// `responseTypeDescription`. A tip adjustment has the request type of a sale. Nil if none of them names it.
    func operation(for request: BridgePayRequest?) throws -> BridgePayOperation? {
        if let request, request.isOperationReported, let operation = request.operation { return operation }
        switch messageCode {
        case "A12": return .tipAdjust
        case "A03", "A06", "A07": return .void
        case "A08": return .refund
        case "A09": return .increment
        default: break
        }
        let described = try described
        if let type = try fields.text("requesttype").flatMap({ BridgePayRequestType($0) }),
            let operation = type.operation(described: described, messageCode: messageCode)
        {
            return operation
        }
        return described ?? request?.operation
    }

    // MARK: References

    func references(_ request: BridgePayRequest?) throws -> References {
        References(
            gatewayTransaction: request?.original ?? gatewayTransaction,
            authorizationCode: try fields.identifier("authorizationcode") ?? receipt?.identifier("authorizationcode"),
            retrievalReference: try fields.identifier("networkreferencenumber"),
            // The guide calls transactionID an authorisation code; every sample has the invoice there.
            invoice: try request?.invoice ?? receipt?.identifier("invoice") ?? fields.identifier("transactionid"),
            merchant: try fields.identifier("networkmerchantid") ?? receipt?.identifier("networkmerchantid"),
            gatewayAccount: try fields.identifier("merchantaccountcode") ?? request?.account,
            terminal: try fields.identifier("networkterminalid") ?? receipt?.identifier("networkterminalid"),
            clerk: request?.clerk,
            tipRecipient: request?.tipRecipient
        )
    }

    var card: CardPresentation? {
        get throws {
            var card = CardPresentation()
            card.brand = try fields.text("cardtype") ?? receipt?.text("cardtype")
            // The receipt prints a colon after the number, and only the colon if there is no number.
            let masked = try fields.text("maskedpan") ?? receipt?.text("maskedcardnumber")
            card.maskedNumber = masked.map { String($0.prefix { $0 != ":" }) }.flatMap { $0.isEmpty ? nil : $0 }
            card.lastFour = CardPresentation.lastFour(of: card.maskedNumber)
            card.entryMethod = try receipt?.text("entrymethod")
            card.applicationLabel = try receipt?.text("applabel")
            card.applicationIdentifier =
                try fields.identifier("applicationidentifier") ?? receipt?.identifier("chipcardaid")
            card.terminalVerificationResults = try fields.identifier("terminalverificationresults")
            card.transactionStatusInformation = try fields.identifier("transactionstatusinformation")
            card.issuerApplicationData = try fields.identifier("issuerapplicationdata")
            if let tags = try tagData { card = card.filled(from: tags.card) }
            card.requiresSignature = try receipt?.flag("requiressignature")
            card.pinEntered = try receipt?.flag("pinentered")
            card.addressCheck = try fields.text("avsresponse").map { code in
                CardCheck(code: String(code.prefix(10)), result: BridgePayAddressCheck(code: code)?.text)
            }
            card.codeCheck = try fields.text("cvresult").map { code in
                CardCheck(code: String(code.prefix(10)), result: BridgePayCodeCheck(rawValue: code.uppercased())?.text)
            }
            card.isCommercial = try fields.flag("iscommercialcard")
            if let token = try fields.text("token"), token.hasPrefix("sha256:") { card.tokenDigest = token }
            return card.ifAnything
        }
    }

    /// The card as a receipt alone prints it.
    static func card(onReceipt receipt: Fields) throws -> CardPresentation? {
        var card = CardPresentation()
        card.brand = try receipt.text("cardtype")
        card.maskedNumber = try receipt.text("maskedcardnumber").map { String($0.prefix { $0 != ":" }) }
            .flatMap { $0.isEmpty ? nil : $0 }
        card.lastFour = CardPresentation.lastFour(of: card.maskedNumber)
        card.entryMethod = try receipt.text("entrymethod")
        card.applicationLabel = try receipt.text("applabel")
        card.applicationIdentifier = try receipt.identifier("chipcardaid")
        card.requiresSignature = try receipt.flag("requiressignature")
        card.pinEntered = try receipt.flag("pinentered")
        return card.ifAnything
    }

    // MARK: Amounts

    struct Printed {
        var money: Money?
        var figure: Figure
    }

    /// A printed amount that may be corrupt: one sample prints `$8.F00`. A corrupt amount has no `money`.
    ///
    /// - Throws: `negativeAmount`, `amountTooLarge`: these figures are readable but invalid.
    func printed(_ name: String, as label: String) throws -> Printed? {
        guard let raw = try fields.text(name) else { return nil }
        var reader = FigureReader(currency: currency)
        do throws {
            let money = try reader.decimal(fields, name, as: label)
            return reader.figures.first.map { Printed(money: money, figure: $0) }
        } catch let refusal as Refusal where refusal.code == .malformedMoney {
            return Printed(money: nil, figure: Figure(field: label, raw: FigureReader.printable(raw), exponent: nil))
        }
    }
}
