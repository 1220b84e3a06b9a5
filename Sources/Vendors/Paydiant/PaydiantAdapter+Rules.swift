package import Canonical
package import Payments

// The rules of Paydiant that the rest of Daybook needs.
extension PaydiantAdapter {
    package func serial(ofDevice device: String) -> String { device }

    /// The SDK's tables name reasons and no remedies. Document 001, line 248: there is no code of an invalid length.
    package func remedy(of error: String) -> String? {
        error == PaydiantDocument.noAccessCode ? "Ask for an access code of a valid length." : nil
    }

    package func merchantAccount(in document: JSONValue, terminal: String?, device: String?) -> String? { nil }

    package func lookupNames(_ references: References, appReference: String?) -> LookupNames {
        LookupNames(gatewayTransaction: references.gatewayTransaction)
    }

    package var policy: LifecyclePolicy { Self.policy }

    package var findsByInvoice: Bool { false }

    package func lookupProof(isOwn: Bool, invoice: LookupInvoice?) -> LookupProof { LookupInvoice.proof(invoice) }

    package func batchNumber(inTransaction transaction: String) -> String? { nil }

    /// Payments and calls have separate tables, and an event keeps only the number.
    package func code(_ code: String, by evidence: Evidence) -> VendorCode {
        VendorCode(tables: ["paydiant.payment", "paydiant.call"])
    }
}
