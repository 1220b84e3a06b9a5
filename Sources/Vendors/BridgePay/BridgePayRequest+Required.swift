import Payments

// Properties that must be there, or must not be there together.
extension BridgePayRequest {
    /// Missing and contradicting properties: document 000, lines 288 to 346, 424, 532, 586 to 598 and 669. The short
    /// constructors of the guide have neither terminal nor line of business, so those are not required here.
    var incompleteness: [Anomaly] {
        guard kind == .payment else { return several }
        return missing.map { Anomaly(.malformedField, "\(label($0)) is required and not there") } + several + levels
    }

    private var missing: [String] {
        let required: [String] =
            switch operation {
            case .sale, .authorization: ["amount", "invoiceNumber", "tenderType"]
            case .credit: ["amount", "invoiceNumber"]
            case .capture: ["amount", "pnRefNum"]
            case .tipAdjust: ["tipAmount", "pnRefNum"]
            case .void, .refund: ["pnRefNum"]
            case .activation, .load: ["amount"]
            default: []
            }
        return required.filter { name in
            switch name {
            case "pnRefNum": original == nil
            case "invoiceNumber": invoice == nil
            default: !fields.has(name.lowercased())
            }
        }
    }

    /// A token or a wallet's payment method takes the place of the card number.
    private var several: [Anomaly] {
        let identifiers = ["paymentAccountNumber", "token", "bankAccountNumber", "walletPaymentMethodId"]
        let named = identifiers.filter { fields.has($0.lowercased()) }
        guard named.count > 1 else { return [] }
        return [Anomaly(.malformedField, "\(kind.rawValue) names \(named.joined(separator: " and ")); one is allowed")]
    }

    /// Level II and III data lack a part.
    private var levels: [Anomaly] {
        let hasTax = fields.has("taxamount") || fields.has("taxrate")
        if hasTax, !fields.has("taxindicator") {
            return [Anomaly(.malformedField, "\(label("taxIndicator")) is required with a tax and not there")]
        }
        let indicator = (try? fields.text("taxindicator")).flatMap { BridgePayTaxIndicator(rawValue: $0.uppercased()) }
        guard indicator == .provided, !fields.has("taxamount") else { return [] }
        return [Anomaly(.malformedField, "\(label("taxAmount")) is required with taxIndicator P and not there")]
    }
}
