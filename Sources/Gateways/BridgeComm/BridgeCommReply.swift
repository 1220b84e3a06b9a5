import Canonical
import Foundation
import Payments
import XML

/// A decoded answer of BridgeComm: a SOAP envelope that contains XML in base64.
struct BridgeCommReply {
    /// The elements with text, under the names of PayGuardian's object.
    private(set) var members = JSONObject()

    /// The names of an answer's root element. Source: facts/vendor_codes, 1: the root varies by request type.
    private static let roots: Set<String> = [
        "auth", "capture", "voidrefund", "void", "refund", "token", "multiusetoken", "managegiftcard", "giftcard",
        "accountinquiry", "initiatesettlement", "settlement", "findtransaction", "find", "transaction",
        "changepassword",
        "merchantinfo", "ping", "errorresponse", "responseheader", "response",
    ]

    /// - Throws: `malformed`.
    init(_ body: [UInt8]) throws(GatewayFailure) {
        let envelope = try Self.tree(body)
        guard envelope.name == "Envelope" else { throw Self.broken("it is not a SOAP envelope") }
        guard let result = envelope.at("Body", "ProcessRequestResponse", "ProcessRequestResult") else {
            throw Self.broken("the envelope has no result")
        }
        let encoded = result.children.isEmpty ? result.text.filter { !$0.isWhitespace } : ""
        guard !encoded.isEmpty, let data = Data(base64Encoded: encoded) else { throw Self.broken("it is not base64") }
        let answer = try Self.tree(Array(data))
        guard Self.roots.contains(answer.name.lowercased()) else { throw Self.broken("the root is another one") }
        try take(answer, depth: 0)
    }

    private static func tree(_ bytes: [UInt8]) throws(GatewayFailure) -> XMLTree {
        do {
            return try XMLTree(parsing: bytes)
        } catch {
            throw GatewayFailure(.malformed, "The answer is not readable XML: \(error.kind), line \(error.line).")
        }
    }

    private static func broken(_ what: String) -> GatewayFailure {
        GatewayFailure(.malformed, "The answer is not an answer of BridgeComm: \(what).")
    }

    /// Collects the elements with text, including those inside `responseMessage` and similar elements.
    ///
    /// - Throws: `malformed` if an element occurs twice with different values.
    private mutating func take(_ tree: XMLTree, depth: Int) throws(GatewayFailure) {
        for element in tree.children {
            if !element.children.isEmpty {
                // The service fee's result is about a separate payment.
                guard element.name != "ServiceFeeResult", depth < 4 else { continue }
                try take(element, depth: depth + 1)
                continue
            }
            let value = element.value
            guard !value.isEmpty else { continue }
            let name = Self.sdkNames[element.name] ?? element.name
            if let reported = members[name], reported != .string(value) {
                throw Self.broken("it has \(name.count > 32 ? "an element" : name) twice with different values")
            }
            members[name] = .string(value)
        }
    }

    /// Elements with another name in the SDK. Source: PayGuardian iOS guide, `BridgeCommResponse`.
    private static let sdkNames = [
        "GatewayTransID": "gatewayTransactionID", "GatewayTransId": "gatewayTransactionID", "AVSResult": "AVSResponse",
        "AVSResponseCode": "AVSResponse", "GatewayResults": "gatewayResult", "IsoCountryCode": "ISOCountryCode",
        "IsoCurrencyCode": "ISOCurrencyCode", "IsoTransactionDate": "ISOTransactionDate",
        "IsoRequestDate": "ISORequestDate", "MaskedPan": "maskedPAN", "TransactionID": "transactionID",
        "RequestType": "requestType", "ResponseCode": "responseCode", "ResponseDescription": "responseDescription",
        "GatewayMessage": "gatewayMessage", "GatewayResult": "gatewayResult", "AuthorizationCode": "authorizationCode",
        "AuthorizedAmount": "authorizedAmount", "OriginalAmount": "originalAmount",
        "RemainingAmount": "remainingAmount", "Token": "token", "CardType": "cardType",
        "ResponseTypeDescription": "responseTypeDescription", "MerchantAccountCode": "merchantAccountCode",
        "NetworkReferenceNumber": "networkReferenceNumber", "NetworkMerchantId": "networkMerchantID",
        "NetworkTerminalId": "networkTerminalID", "InternalMessage": "internalMessage",
    ]

    func text(_ name: String) -> String? { members[name]?.string }

    /// Amounts that PayGuardian prints in major units; on the wire they are cents without a decimal point.
    private static let amounts = ["authorizedAmount", "originalAmount", "remainingAmount"]

    /// The answer as PayGuardian's object.
    func document(requestType: String) -> JSONObject {
        var document = members
        for name in Self.amounts {
            guard let text = text(name), let cents = Int64(text), cents >= 0, text.utf8.allSatisfy({ $0 != 0x2B })
            else {
                continue
            }
            document[name] = .string(Money(cents, .usd).decimalText)
        }
        if document["requestType"] == nil { document["requestType"] = .string(requestType) }
        return document
    }
}
