import Payments
import Redaction

extension BridgePayResponse {
    /// `receiptTagData`, with gaps filled from `issuerTagData`.
    static func tagData(of fields: Fields) throws -> BridgePayTagData? {
        let texts = [try fields.text("receipttagdata"), try fields.text("issuertagdata")].compactMap(\.self)
        return texts.isEmpty ? nil : BridgePayTagData(texts.joined(separator: ";"))
    }

    /// The answer's details besides the money: the results of the address and card verification value checks, the
    /// outcome for the wallet, the host's answer to the chip. They use the names of `BridgeCommResponse`.
    var details: [Detail] {
        get throws {
            var details: [Detail] = []
            if let code = try fields.text("avsresponse").map(Self.cut) {
                details.append(Detail("AVSResponse", code))
                if let check = BridgePayAddressCheck(code: code) { details.append(Detail("AVSResult", check.text)) }
            }
            if let message = try fields.text("avsmessage") { details.append(Detail("AVSMessage", Self.cut(message))) }
            if let message = try fields.text("streetmatchmessage") {
                details.append(Detail("streetMatchMessage", Self.cut(message)))
            }
            if let code = try fields.text("cvresult").map(Self.cut) {
                details.append(Detail("CVResult", code))
                if let check = BridgePayCodeCheck(rawValue: code.uppercased()) {
                    details.append(Detail("CVCheck", check.text))
                }
            }
            if let message = try fields.text("cvmessage") { details.append(Detail("CVMessage", Self.cut(message))) }
            for (name, field) in Self.walletFields {
                if let text = try fields.text(field) { details.append(Detail(name, Self.cut(text))) }
            }
            for (name, field) in Self.furtherFields {
                if let text = try fields.text(field) { details.append(Detail(name, Self.cut(text))) }
            }
            // The samples repeat the processor's reference here.
            if let original = try fields.text("originalreferencenumber"),
                try original != fields.text("networkreferencenumber")
            {
                details.append(Detail("originalReferenceNumber", Self.cut(original)))
            }
            if let answer = try tagData?.authorizationResponse { details.append(Detail("8A", answer)) }
            return details
        }
    }

    /// The samples print `NetworkCategoryCode` as `merchantCategoryCode`.
    private static let furtherFields = [
        ("transactionCode", "transactioncode"), ("ISOCountryCode", "isocountrycode"),
        ("networkCategoryCode", "networkcategorycode"), ("networkCategoryCode", "merchantcategorycode"),
        ("secondsRemaining", "secondsremaining"), ("merchantName", "merchantname"),
    ]

    /// The guide prints `WalletResponseMessage` as `WalledREsponseMessage` once.
    private static let walletFields = [
        ("WalletId", "walletid"), ("WalletPaymentMethodId", "walletpaymentmethodid"),
        ("WalletResponseCode", "walletresponsecode"), ("WalletResponseMessage", "walletresponsemessage"),
        ("WalletResponseMessage", "walledresponsemessage"),
    ]

    private static func cut(_ text: String) -> String { String(text.prefix(100)) }

    /// The limits that a receipt breaks.
    static func receiptLimits(_ receipt: Fields) -> [Anomaly] {
        BridgePayProperty.receipt.compactMap { $0.anomaly(in: receipt, of: "BPNReceipt") }
    }

    /// Codes that are in no table, and unreadable fields.
    var anomalies: [Anomaly] {
        get throws {
            var anomalies = receipt.map(Self.receiptLimits) ?? []
            anomalies += BridgePayProperty.response.compactMap { $0.anomaly(in: fields, of: "BridgeCommResponse") }
            func check(_ field: String, _ isKnown: (String) -> Bool) throws {
                guard let text = try fields.text(SensitiveNames.normalized(field)), !isKnown(text) else { return }
                anomalies.append(.unlisted("BridgeCommResponse.\(field)", text))
            }
            if let messageCode, BridgePayCodes.messages[messageCode] == nil {
                anomalies.append(.unlisted("BridgeCommResponse.gatewayMessage", messageCode))
            }
            try check("gatewayResult") { BridgePayCodes.isDocumented(result: $0) }
            try check("responseCode") {
                BridgePayCodes.isDocumented(result: $0) || ["1", "2"].contains($0)
            }
            try check("requestType") { BridgePayRequestType($0) != nil }
            try check("responseTypeDescription") { BridgePayOperation(transactionType: $0) != nil }
            try check("AVSResponse") { BridgePayAddressCheck(code: $0) != nil }
            try check("CVResult") { BridgePayCodeCheck(rawValue: $0.uppercased()) != nil }
            if let tags = try tagData {
                if !tags.isReadable {
                    anomalies.append(Anomaly(.malformedField, "receiptTagData is not a sequence of tags and values"))
                }
                let reported = try fields.identifier("terminalverificationresults")
                if let reported, let inTags = tags.values["95"], reported.uppercased() != inTags {
                    anomalies.append(
                        Anomaly(.malformedField, "receiptTagData and terminalVerificationResults do not agree")
                    )
                }
            }
            return anomalies
        }
    }
}

extension Anomaly {
    /// A value that is not in the vendor's lists. It is shown if it is short and plain.
    static func unlisted(_ field: String, _ value: String) -> Anomaly {
        let isPlain =
            (1...32).contains(value.utf8.count)
            && value.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || [0x2D, 0x5F].contains(byte)
            }
        return Anomaly(.unknownValue, "\(field) is not documented\(isPlain ? ": \(value)" : "")")
    }
}
