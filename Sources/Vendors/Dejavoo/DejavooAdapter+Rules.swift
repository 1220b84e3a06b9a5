package import Canonical
package import Payments

// The rules of Dejavoo that the rest of Daybook needs.
extension DejavooAdapter {
    package func serial(ofDevice device: String) -> String { device }

    /// A TPN is ten to twelve letters and digits; any other name of a terminal is none.
    package func merchantAccount(in document: JSONValue, terminal: String?, device: String?) -> String? {
        guard let terminal, (10...12).contains(terminal.utf8.count),
            terminal.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) })
        else { return nil }
        return terminal
    }

    /// The name the payment was sent with is its only id.
    package func lookupNames(_ references: References, appReference: String?) -> LookupNames {
        LookupNames(reference: references.gatewayTransaction)
    }

    package var policy: LifecyclePolicy { DejavooTransaction.policy }

    package var findsByInvoice: Bool { false }

    /// A ReferenceId of a terminal may come again.
    package func lookupProof(isOwn: Bool, invoice: LookupInvoice?) -> LookupProof { isOwn ? .own : .reusable }

    /// SPIn's ids of payments have three parts: terminal, batch, reference.
    package func batchNumber(inTransaction transaction: String) -> String? {
        let parts = transaction.split(separator: "/")
        return parts.count == 3 ? String(parts[1]) : nil
    }

    /// SPIn's status codes have four digits, its result codes one. The others are the host's; of two characters they
    /// are the issuer's answer too.
    package func code(_ code: String, by evidence: Evidence) -> VendorCode {
        let isNumber = code.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return switch code.utf8.count {
        case 4 where isNumber: VendorCode(tables: ["dejavoo.spin"])
        case 1 where isNumber: VendorCode(tables: ["dejavoo.result"])
        case let length:
            VendorCode(tables: ["dejavoo.host"], isIssuerAnswer: length == 2, restIsIssuers: true)
        }
    }
}
