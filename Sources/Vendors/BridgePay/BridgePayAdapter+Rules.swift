package import Canonical
package import Payments

// The rules of BridgePay that the rest of Daybook needs.
extension BridgePayAdapter {
    package func serial(ofDevice device: String) -> String { device }

    /// By the code of the SDK's error. Document 000, lines 117 to 125 and 2318 (pairing), 763 and 2346 (card data).
    package func remedy(of error: String) -> String? {
        switch error.uppercased() {
        case "E1012": "Scan for readers, and pair the one that is meant with the phone again."
        case "E1019":
            "Retry. An app that is given the first digits of the card has to resume or cancel the card read in time."
        default: nil
        }
    }

    package func merchantAccount(in document: JSONValue, terminal: String?, device: String?) -> String? {
        Self.merchantAccount(in: document)
    }

    package func lookupNames(_ references: References, appReference: String?) -> LookupNames {
        LookupNames(gatewayTransaction: references.gatewayTransaction)
    }

    package var policy: LifecyclePolicy { Self.policy }

    /// Document 000, lines 294 and 313 to 319: the amount is described with the tip in it, and the tip as an addition.
    package var tipMayBeOnTop: Bool { true }

    package func calledTender(of tender: String?) -> String { tender ?? BridgePayTender.credit.rawValue }

    package var findsByInvoice: Bool { true }

    package func lookupProof(isOwn: Bool, invoice: LookupInvoice?) -> LookupProof { LookupInvoice.proof(invoice) }

    package func batchNumber(inTransaction transaction: String) -> String? { nil }

    /// Numbers are gateway results; the others are codes of messages.
    package func code(_ code: String, by evidence: Evidence) -> VendorCode {
        let isNumber = code.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return VendorCode(tables: [isNumber ? "bridgepay.result" : "bridgepay.message"])
    }
}
