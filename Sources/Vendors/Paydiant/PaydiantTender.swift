import Canonical
import Payments
import Redaction

/// One `PDTransactionAccount`: an account of the wallet, its paid amount and the result.
struct PaydiantTender {
    var amount: Money?
    var tip: Money?
    var figures: [Figure]?
    var code: String?
    var meaning: PaydiantPaymentCode.Meaning?
    var isKnownCode = true
    /// The platform's id of the payment; nil if none is reported.
    var reference: String?
    /// The number of identical tenders before it in the same answer.
    var marks = TenderMarks()
    var account: TenderAccount?
    var references: References

    /// - Parameters:
    ///   - account: One entry of the list, or the whole answer if it has no list.
    ///   - asked: The call's arguments, for an answer that does not repeat them; empty for earlier attempts.
    init(_ account: PaydiantFields, asked: PaydiantFields, of document: PaydiantDocument) throws {
        var reader = FigureReader(currency: document.currency)
        amount = try account.amount(Self.amountNames, &reader) ?? asked.amount(Self.amountNames, &reader)
        tip = try account.amount(Self.tipNames, &reader) ?? asked.amount(Self.tipNames, &reader)
        figures = reader.recorded
        code = try account.text("paymentstatuscode")
        if let code {
            let (meaning, isKnown) = PaydiantPaymentCode.meaning(of: code)
            self.meaning = meaning
            isKnownCode = isKnown
        }
        references = document.references
        references.authorizationCode = account.label("authorizationcode", "authcode", "approvalcode")
        reference = account.label(
            "paymentrefid",
            "paymentid",
            "paymenttransactionid",
            "paymenttransactionrefid",
            "tenderid"
        )
        marks.reference = reference
        marks.authorization = references.authorizationCode
        self.account = Self.account(account, asked)
    }

    static let amountNames = ["paymentamount", "paidamount", "tenderamount", "authorizedamount", "amount"]
    static let tipNames = ["tipamount", "tip"]

    private static func account(_ reported: PaydiantFields, _ asked: PaydiantFields) -> TenderAccount? {
        func label(_ read: (PaydiantFields) -> String?) -> String? { read(reported) ?? read(asked) }
        let masked = label {
            $0.label("maskedaccountnumber", "maskedcardnumber", "cardnumber", "accountnumber")
        }
        let lastFour = label { $0.label("lastfour", "lastfourdigits", "accountlastfour") }
        // A digest exceeds the length limit of identifiers.
        let uri = label { try? $0.text("accounturi", "paymentaccounturi", "selectedaccounturi") }
        let account = TenderAccount(
            kind: label { $0.label("paymentaccounttype", "accounttype", "tendertype", "paymentaccounttypename") }?
                .lowercased(),
            brand: label { $0.label("cardtype", "cardbrand", "brand") },
            lastFour: lastFour.flatMap { CardNumber.digits($0) != nil && $0.utf8.count == 4 ? $0 : nil }
                ?? masked.flatMap { CardPresentation.lastFour(of: $0) },
            tokenDigest: uri.flatMap { $0.hasPrefix("sha256:") ? $0 : nil }
        )
        return account == TenderAccount() ? nil : account
    }

    /// An id from the platform or from the account's issuer.
    var id: String? { reference ?? references.authorizationCode }

    /// The tender's name within the checkout: the platform's id, else authorisation, account and amount. Without an
    /// authorisation it is account, amount and the remaining balance, which together distinguish two payments with one
    /// account. If an answer lists several tenders, the balance belongs to none of them.
    func name(balance: Money?) -> String {
        if let reference { return reference }
        if let code = references.authorizationCode { return "\(code)/\(accountAndAmount)" }
        guard marks.isListed != true else { return accountAndAmount }
        return "\(accountAndAmount)/\(balance.map { String($0.value) } ?? "-")"
    }

    var accountAndAmount: String {
        // Sixteen digits of the digest distinguish the accounts of one wallet.
        let account = account?.tokenDigest.map { String($0.dropFirst(7).prefix(16)) } ?? account?.lastFour ?? "-"
        return "\(account)/\(amount.map { String($0.value) } ?? "-")"
    }

    func response(_ status: String?) -> Response { Response(code: code, message: status) }
}

/// Counts identical tenders of one answer.
struct PaydiantTenderCount {
    private var names: [String: Int] = [:]

    /// - Parameter isListed: True if the answer lists several tenders.
    mutating func mark(_ tender: inout PaydiantTender, isListed: Bool) {
        func count(_ name: String) -> Int? {
            defer { names[name, default: 0] += 1 }
            return names[name]
        }
        tender.marks.turn = count("turn " + tender.accountAndAmount)
        tender.marks.place = count("place \(tender.references.authorizationCode ?? "")/\(tender.accountAndAmount)")
        if isListed { tender.marks.isListed = true }
    }
}
