import Canonical
import Payments

/// BridgePay's gateway behind BridgeComm, with the test gateway's amounts and cards.
///
/// Sources: BridgeComm integration guide; Test Dollar Amount Ranges; PayGuardian iOS guide for request types and
/// `forceOnDuplicate`.
struct BridgeCommGateway {
    let options: GatewayOptions
    let at: Timestamp

    /// The maximum length of `TransactionID` and `InvoiceNum` in the books, in bytes.
    static let longestName = 64

    func answer(_ request: BridgeCommRequest, _ books: inout GatewayBooks) -> BridgeCommAnswer {
        guard request.isAuthenticated, (1...Self.longestName).contains(request.transactionID.utf8.count),
            request["InvoiceNum"]?.utf8.count ?? 0 <= Self.longestName
        else {
            return refusal(request, BridgeCommOutcome(nil, "TransactionID and credentials are required", "10001"))
        }
        switch request.type {
        case "001": return token(request)
        case "004": return authorization(request, &books)
        case "007": return password(request)
        case "011": return merchant(request)
        case "012": return giveBack(request, &books)
        case "014": return giftCard(request)
        case "015": return inquiry(request)
        case "019": return capture(request, &books)
        case "020": return settlement(request, &books)
        case "023": return find(request, books)
        default: return refusal(request, BridgeCommOutcome(nil, "Unknown RequestType", "10001"))
        }
    }

    /// The common elements of answers about a payment; for a declined payment most are empty.
    func elements(of payment: BookedPayment, _ outcome: BridgeCommOutcome, approved: Int64) -> [(String, String)] {
        let isApproved = outcome.isApproval
        let card = StandInCard(brand: payment.brand, lastFour: payment.lastFour)
        return [
            ("Token", card.token), ("ExpirationDate", "1229"), ("AuthorizationCode", payment.authorizationCode),
            ("ReferenceNumber", ""), ("AuthorizedAmount", "\(approved)"),
            ("OriginalAmount", "\(payment.requested)"), ("GatewayTransID", payment.id),
            ("GatewayMessage", outcome.line),
            (
                "InternalMessage",
                isApproved ? "Approved: \(payment.authorizationCode) (approval code)" : outcome.text
            ),
            ("GatewayResult", outcome.result), ("TransactionCode", payment.reference),
            ("TransactionDate", payment.at.dayText),
            ("RemainingAmount", "\(isApproved ? max(0, payment.requested - approved) : 0)"),
            ("IsoCountryCode", "840"), ("IsoCurrencyCode", payment.currency.alpha),
            ("IsoTransactionDate", payment.at.millisecondText), ("IsoRequestDate", payment.at.millisecondText),
            ("NetworkMerchantId", "518564010126944"), ("NetworkTerminalId", "PPB01."),
            ("CardType", payment.brand), ("MaskedPan", card.masked), ("IsCommercialCard", "False"),
        ]
    }

    func reply(
        _ root: String,
        to request: BridgeCommRequest,
        _ outcome: BridgeCommOutcome,
        _ elements: [(String, String)]
    ) -> BridgeCommAnswer {
        BridgeCommAnswer(
            root: root,
            head: [
                .init(name: "TransactionID", value: request.transactionID),
                .init(name: "RequestType", value: request.type),
                .init(name: "ResponseCode", value: outcome.isApproval ? "00000" : outcome.result),
                .init(
                    name: "ResponseDescription",
                    value: outcome.isApproval ? "Successful Request" : outcome.text
                ),
            ],
            message: elements.map { BridgeCommAnswer.Element(name: $0.0, value: $0.1) }
        )
    }

    /// An answer with codes only.
    func plain(
        _ root: String,
        to request: BridgeCommRequest,
        _ outcome: BridgeCommOutcome,
        also elements: [(String, String)] = []
    ) -> BridgeCommAnswer {
        let codes = [("GatewayMessage", outcome.line), ("GatewayResult", outcome.result)]
        return reply(root, to: request, outcome, codes + elements)
    }

    /// The request was not understood; nothing was done.
    func refusal(_ request: BridgeCommRequest, _ outcome: BridgeCommOutcome) -> BridgeCommAnswer {
        BridgeCommAnswer(
            root: "ErrorResponse",
            head: [
                .init(name: "TransactionID", value: request.transactionID),
                .init(name: "RequestType", value: request.type),
                .init(name: "ResponseCode", value: outcome.result),
                .init(name: "ResponseDescription", value: outcome.text),
            ],
            message: nil
        )
    }

    // MARK: Reading

    /// Implied cents with at most twelve digits; nil if they cannot be read.
    static func cents(_ text: String?) -> Int64? {
        guard let text, (1...12).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(text)
    }

    /// The account of a request; every request about money requires both codes.
    func account(_ request: BridgeCommRequest) -> String? {
        request["MerchantCode"].flatMap { _ in request["MerchantAccountCode"] }
    }

    func currency(_ request: BridgeCommRequest) -> Currency? {
        guard let name = request["IsoCurrencyCode"] ?? request["CurrencyCode"] else { return .usd }
        return Currency(alpha: name) ?? Currency(numericText: name)
    }

    /// The original payment of a follow-up, by the gateway's id, at the caller's account.
    func original(_ request: BridgeCommRequest, _ books: GatewayBooks) -> BookedPayment? {
        guard let id = originalID(request), let payment = books.payment(id, at: .bridgepay),
            payment.account == account(request)
        else { return nil }
        return payment
    }

    func originalID(_ request: BridgeCommRequest) -> String? {
        request["ReferenceNumber"] ?? request["GatewayTransID"]
    }

    // MARK: Services

    /// 001: a token for a test card, without expiry.
    private func token(_ request: BridgeCommRequest) -> BridgeCommAnswer {
        guard let number = request["PaymentAccountNumber"], let card = StandInCard(number: number) else {
            return plain("GetToken", to: request, .badCard)
        }
        return plain("GetToken", to: request, .approved, also: [("Token", card.token), ("ExpirationDate", "1229")])
    }

    /// 007: change of password.
    private func password(_ request: BridgeCommRequest) -> BridgeCommAnswer {
        guard let new = request["NewPassword"], new == request["ConfirmPassword"] else {
            return plain("UpdatePassword", to: request, .missing)
        }
        return plain("UpdatePassword", to: request, .requestAccepted)
    }

    /// 011: merchant information.
    private func merchant(_ request: BridgeCommRequest) -> BridgeCommAnswer {
        guard let account = account(request), let code = request["MerchantCode"] else {
            return plain("MerchantInfo", to: request, .missing)
        }
        return plain(
            "MerchantInfo",
            to: request,
            .requestAccepted,
            also: [
                ("MerchantCode", code), ("MerchantAccountCode", account), ("MerchantName", "Stand-in \(account)"),
            ]
        )
    }

    /// 014: gift cards. Their balances are not in these books; the outcome depends on the amount as for a payment.
    private func giftCard(_ request: BridgeCommRequest) -> BridgeCommAnswer {
        guard account(request) != nil, let type = request["TransactionType"] else {
            return plain("ManageGiftCard", to: request, .missing)
        }
        let cents = Self.cents(request["Amount"])
        let outcome = cents.map { BridgeCommAmount.payment($0).outcome } ?? .approved
        return plain("ManageGiftCard", to: request, outcome, also: [("ResponseTypeDescription", type)])
    }

    /// 015: whether the account is a test card's.
    private func inquiry(_ request: BridgeCommRequest) -> BridgeCommAnswer {
        guard account(request) != nil else { return plain("AccountInquiry", to: request, .missing) }
        guard let card = card(request) else { return plain("AccountInquiry", to: request, .badCard) }
        return plain(
            "AccountInquiry",
            to: request,
            .approved,
            also: [
                ("Token", card.token), ("CardType", card.brand), ("MaskedPan", card.masked),
                ("ResponseTypeDescription", "verify"), ("AuthorizedAmount", "0"), ("OriginalAmount", "0"),
            ] + Self.verification(request)
        )
    }

    /// 020: closes the account's open batch.
    private func settlement(_ request: BridgeCommRequest, _ books: inout GatewayBooks) -> BridgeCommAnswer {
        guard let account = account(request) else { return plain("CloseCycle", to: request, .missing) }
        let batch = books.batch(of: account, at: .bridgepay)
        let settled = books.settle(account, at: .bridgepay)
        return plain(
            "CloseCycle",
            to: request,
            settled.isEmpty ? .settlementFailed : .requestAccepted,
            also: [("CycleCode", "\(batch)"), ("MerchantAccountCode", account), ("ResponseType", "CloseCycle")]
        )
    }

    /// The card of a request: a test card by its number, or any token in BridgePay's form.
    func card(_ request: BridgeCommRequest) -> StandInCard? {
        if let number = request["PaymentAccountNumber"] { return StandInCard(number: number) }
        return request["Token"].flatMap { StandInCard(token: $0) }
    }

    /// Address and card verification, by the postcodes and codes of the test data.
    static func verification(_ request: BridgeCommRequest) -> [(String, String)] {
        var elements: [(String, String)] = []
        if let zip = request["AccountZip"] {
            let result =
                ["11111": "00", "22222": "46", "33333": "43", "44444": "40", "55555": "4F"][zip] ?? "4F"
            elements.append(("AVSResult", result))
        }
        if let code = request["SecurityCode"] {
            elements.append(("CVResult", ["111", "999", "1234", "1111"].contains(code) ? "M" : "N"))
        }
        return elements
    }
}

extension Timestamp {
    /// For example `2016-10-20 13:39:46.987`.
    var millisecondText: String { String(rfc3339.prefix(23).replacing("T", with: " ")) }
}
