package import Canonical
package import Payments

// The rules of YouTransactor that the rest of Daybook needs.
extension YouTransactorAdapter {
    package func serial(ofDevice device: String) -> String { device }

    /// An app knows a terminal by its Bluetooth name or identifier until the terminal reports its serial number.
    package var hasReaderNames: Bool { true }

    /// By the call that failed. Document 004, lines 93 to 124 (connection), 371 to 385 (registration).
    package func remedy(of error: String) -> String? {
        switch error {
        case "ConnectionManager.setDevice", "ConnectionManager.getDevice":
            "Scan for the terminal and select it again; the app then has to keep its identifier."
        case "ConnectionManager.connect":
            "Check that the app may use Bluetooth and that a terminal is selected."
        case UCubeMethod.mdmCheckUpdate.rawValue, UCubeMethod.mdmUpdate.rawValue, UCubeMethod.mdmSendLogs.rawValue:
            "Check with isMdmManagerReady whether the terminal is registered at the server. If not, call mdmRegister."
        default: nil
        }
    }

    package func merchantAccount(in document: JSONValue, terminal: String?, device: String?) -> String? { nil }

    package func lookupNames(_ references: References, appReference: String?) -> LookupNames {
        LookupNames(gatewayTransaction: references.gatewayTransaction)
    }

    package var policy: LifecyclePolicy { UCubePayment.policy }

    package var findsByInvoice: Bool { false }

    package func lookupProof(isOwn: Bool, invoice: LookupInvoice?) -> LookupProof { LookupInvoice.proof(invoice) }

    package func batchNumber(inTransaction transaction: String) -> String? { nil }

    /// The terminal has its own codes; the host has one, 98, and otherwise passes on the issuer's answer.
    package func code(_ code: String, by evidence: Evidence) -> VendorCode {
        if evidence == .reader { return VendorCode(tables: ["youtransactor.terminal"]) }
        return code == "98"
            ? VendorCode(tables: ["youtransactor.host"], restIsIssuers: true) : VendorCode(isIssuerAnswer: true)
    }
}
