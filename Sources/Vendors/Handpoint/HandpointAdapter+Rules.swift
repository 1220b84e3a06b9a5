package import Canonical
package import Payments

// The rules of Handpoint that the rest of Daybook needs.
extension HandpointAdapter {
    package func serial(ofDevice device: String) -> String { HandpointDetails.serial(device) ?? device }

    /// No document names the merchant's account. The gateway knows each reader as one merchant's.
    package func merchantAccount(in document: JSONValue, terminal: String?, device: String?) -> String? {
        let named = document.object.flatMap { object in try? HandpointDetails(Fields(object)).reader }
        return named?.serial ?? HandpointDetails.serial(device)
    }

    /// Apps may name a payment by the transactionReference, which is a UUID. A payment found by such a name is the
    /// payment; if none is found, the app may use other names.
    package func lookupNames(_ references: References, appReference: String?) -> LookupNames {
        // Terminals number transactions otherwise.
        let reported = references.vendorTransaction.flatMap { UUID128($0) == nil ? nil : $0 }
        return LookupNames(
            gatewayTransaction: references.gatewayTransaction,
            reference: reported ?? appReference.flatMap { UUID128($0) == nil ? nil : $0 },
            isCertain: reported != nil
        )
    }

    package var policy: LifecyclePolicy { Self.policy }

    package var findsByInvoice: Bool { false }

    package func lookupProof(isOwn: Bool, invoice: LookupInvoice?) -> LookupProof { isOwn ? .own : .vendors }

    package func batchNumber(inTransaction transaction: String) -> String? { nil }

    package func code(_ code: String, by evidence: Evidence) -> VendorCode { VendorCode(tables: ["handpoint.status"]) }
}
