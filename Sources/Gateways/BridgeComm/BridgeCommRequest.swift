import Canonical
import Foundation
import Payments
import XML

/// The message of one BridgeComm request. Source: BridgeComm introduction and the request messages of its white label
/// (facts/vendor_codes, 1); request types as in `BridgePayRequestType`.
struct BridgeCommRequest {
    let call: GatewayCall
    let account: BridgeCommAccount

    static let namespace = "http://bridgepaynetsecuretx.com/requesthandler"
    static let action = namespace + "/IRequestHandler/ProcessRequest"

    /// The request type, for example `004`.
    static func type(of operation: GatewayOperation) -> String {
        switch operation {
        case .token: "001"
        case .sale, .authorization, .followUp(.tipAdjustment), .followUp(.increment): "004"
        case .passwordChange: "007"
        case .merchantInformation: "011"
        case .followUp(.void), .followUp(.refund), .followUp(.reversal), .followUp(.refundVoid): "012"
        case .giftActivation, .giftLoad, .giftDeactivation: "014"
        case .accountInquiry: "015"
        case .followUp(.capture): "019"
        case .settlement: "020"
        case .find: "023"
        }
    }

    /// A credit without an original payment is an authorisation request, like a sale.
    static func type(of call: GatewayCall) -> String {
        call.operation == .refund && call.original.gatewayTransaction == nil ? "004" : type(of: call.operation)
    }

    /// The complete SOAP envelope.
    ///
    /// - Throws: `incomplete`.
    func body(at now: Timestamp) throws(GatewayFailure) -> [UInt8] {
        let encoded = Data(try message(at: now).xml.utf8).base64EncodedString()
        // Base64 needs no escaping.
        let envelope =
            #"<?xml version="1.0" encoding="utf-8"?>"#
            + #"<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" "#
            + #"xmlns:req="\#(Self.namespace)"><soapenv:Header/><soapenv:Body><req:ProcessRequest>"#
            + "<req:requestMsg>\(encoded)</req:requestMsg>"
            + "</req:ProcessRequest></soapenv:Body></soapenv:Envelope>"
        return Array(envelope.utf8)
    }

    private func message(at now: Timestamp) throws(GatewayFailure) -> XMLTree {
        var header = XMLTree("requestHeader")
        header.add("ClientIdentifier", "SOAP")
        header.add("TransactionID", call.reference)
        header.add("RequestType", Self.type(of: call))
        header.add("RequestDateTime", now.compactText)
        switch account.credentials {
        case .user(let user, let password):
            header.add("User", user)
            header.add("Password", password.exposed())
        case .privateKey(let key):
            guard let token = call.token else {
                throw GatewayFailure(.incomplete, "With a private key every call has its own authentication token.")
            }
            header.add("PrivateKey", key.exposed())
            header.add("AuthenticationTokenId", token.exposed())
        }
        header.children.append(try content())
        return header
    }

    private func content() throws(GatewayFailure) -> XMLTree {
        var message = XMLTree("requestMessage")
        message.add("MerchantCode", account.merchantCode)
        message.add("MerchantAccountCode", account.merchantAccountCode)
        switch call.operation {
        case .sale, .authorization: try addPayment(to: &message, type: call.operation == .sale ? "sale" : "sale-auth")
        case .followUp(.refund) where call.original.gatewayTransaction == nil:
            try addPayment(to: &message, type: "credit")
        case .followUp(.tipAdjustment):
            guard let tip = call.tip else { throw GatewayFailure(.incomplete, "A tip adjustment has its tip.") }
            message.add("TransactionType", "adjustment")
            try addAccount(to: &message)
            message.add("Amount", try implied(required(call.amount, "A tip adjustment has its new total.")))
            message.add("TipAmount", try implied(tip))
            try addOriginal(to: &message)
        case .followUp(.capture):
            message.add("TransactionType", "capture")
            message.add("Amount", try implied(required(call.amount, "A capture has its amount.")))
            if let tip = call.tip { message.add("TipAmount", try implied(tip)) }
            try addOriginal(to: &message)
        case .followUp(.void), .followUp(.reversal), .followUp(.refund):
            message.add("TransactionType", call.operation == .refund ? "refund" : "void")
            if let amount = call.amount { message.add("Amount", try implied(amount)) }
            try addOriginal(to: &message)
            // A refund is a separate transaction, found by this number.
            if call.operation == .refund { message.add("InvoiceNum", try Self.plain(Self.invoice(of: call))) }
        case .followUp(.increment), .followUp(.refundVoid):
            throw GatewayFailure(.unsupported, "Daybook does not send this follow-up.")
        case .giftActivation, .giftLoad, .giftDeactivation:
            try addGift(to: &message)
        case .accountInquiry:
            message.add("TransactionType", "balance-inquiry")
            try addAccount(to: &message)
            try addToken(to: &message, isRequired: true)
        case .token:
            try addAccount(to: &message)
            try addToken(to: &message, isRequired: true)
        case .find: try addFind(to: &message)
        case .passwordChange:
            guard let password = call.newPassword else {
                throw GatewayFailure(.incomplete, "A change of the password has the new one.")
            }
            message.add("NewPassword", password.exposed())
            message.add("ConfirmPassword", password.exposed())
        case .merchantInformation, .settlement: break
        }
        message.add("SoftwareVendor", account.software)
        return message
    }

    // MARK: Parts

    private func addPayment(to message: inout XMLTree, type: String) throws(GatewayFailure) {
        let amount = try required(call.amount, "A payment has its amount.")
        message.add("TransactionType", type)
        message.add("TransIndustryType", account.industry)
        try addAccount(to: &message)
        message.add("HolderType", "P")
        try addToken(to: &message, isRequired: true)
        message.add("Amount", try implied(amount))
        if let tip = call.tip { message.add("TipAmount", try implied(tip)) }
        message.add("CurrencyCode", amount.currency.alpha)
        message.add("InvoiceNum", try Self.plain(Self.invoice(of: call)))
        // All or nothing: a partial approval would have to be reversed.
        message.add("PartialAuthorization", "false")
    }

    private func addGift(to message: inout XMLTree) throws(GatewayFailure) {
        switch call.operation {
        case .giftActivation: message.add("TransactionType", "activate")
        case .giftLoad: message.add("TransactionType", "reactivate")
        default: message.add("TransactionType", "deactivate")
        }
        message.add("AcctType", "G")
        try addToken(to: &message, isRequired: true)
        if call.operation != .giftDeactivation {
            message.add("Amount", try implied(required(call.amount, "A load of a gift card must have its amount.")))
        }
        message.add("InvoiceNum", try Self.plain(Self.invoice(of: call)))
    }

    /// The invoice number of the call's transaction: the app's, or one derived from the reference.
    static func invoice(of call: GatewayCall) -> String { call.invoice ?? invoice(ofReference: call.reference) }

    /// The invoice number of the call's original payment.
    static func originalInvoice(of call: GatewayCall) -> String? {
        call.original.invoice ?? call.original.reference.map(invoice(ofReference:))
    }

    /// The last twelve letters and digits: invoice numbers have at most twelve characters (PayGuardian iOS guide), and
    /// the last digits of a UUID are the random ones.
    private static func invoice(ofReference reference: String) -> String {
        String(reference.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.suffix(12))
    }

    /// Finds by the strongest known name.
    private func addFind(to message: inout XMLTree) throws(GatewayFailure) {
        if let id = call.original.gatewayTransaction {
            message.add("GatewayTransID", try Self.plain(id))
        } else if let invoice = Self.originalInvoice(of: call) {
            message.add("InvoiceNum", try Self.plain(invoice))
        } else if let token = call.original.purchaseToken {
            message.add("PurchaseToken", token.exposed())
        } else {
            throw GatewayFailure(.incomplete, "A find names a gateway transaction, an invoice or a purchase token.")
        }
    }

    /// BridgeComm's `AcctType` by tender. There is none for loyalty cards and wallets.
    private static let accountTypes = [
        "credit": "R", "signature": "R", "debit": "E", "gift": "G", "ebt": "F", "ebt-food": "F", "ebt-cash": "H",
        "bank-account-checking": "C", "bank-account-savings": "S", "check": "K", "fleet": "L",
    ]

    private func addAccount(to message: inout XMLTree) throws(GatewayFailure) {
        guard let type = Self.accountTypes[call.tender] else {
            throw GatewayFailure(.incomplete, "The gateway has no account type for this tender.")
        }
        message.add("AcctType", type)
    }

    /// With a private key, the token is the header's authentication token.
    private func addToken(to message: inout XMLTree, isRequired: Bool) throws(GatewayFailure) {
        if case .privateKey = account.credentials { return }
        guard let token = call.token else {
            throw GatewayFailure(.incomplete, "The card is named by a token; card numbers are never sent.")
        }
        message.add("Token", token.exposed())
    }

    private func addOriginal(to message: inout XMLTree) throws(GatewayFailure) {
        guard let id = call.original.gatewayTransaction else {
            throw GatewayFailure(.incomplete, "The gateway's id of the payment is needed.")
        }
        message.add("ReferenceNumber", try Self.plain(id))
    }

    private func required(_ amount: Money?, _ reason: String) throws(GatewayFailure) -> Money {
        guard let amount else { throw GatewayFailure(.incomplete, reason) }
        return amount
    }

    /// Cents without a decimal point.
    private func implied(_ money: Money) throws(GatewayFailure) -> String {
        guard money.currency.exponent == 2 else {
            throw GatewayFailure(.incomplete, "The gateway counts amounts with two decimals.")
        }
        return String(money.value)
    }

    /// A text that is safe in XML and accepted by every vendor.
    static func plain(_ text: String) throws(GatewayFailure) -> String {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw GatewayFailure(.incomplete, "A name has 1 to 64 printable ASCII characters.")
        }
        return text
    }
}

extension Timestamp {
    /// `yyyyMMddHHmmss` in UTC.
    var compactText: String {
        String(rfc3339.utf8.filter { (0x30...0x39).contains($0) }.prefix(14).map(Character.init))
    }
}

extension Character {
    fileprivate init(_ byte: UInt8) { self.init(Unicode.Scalar(byte)) }
}
