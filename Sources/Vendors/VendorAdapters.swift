package import Payments

/// The adapters this build has.
package enum VendorAdapters {
    package static let all: [any VendorAdapter] = Vendor.allCases.map(adapter)

    package static func adapter(of vendor: Vendor) -> any VendorAdapter {
        switch vendor {
        case .bridgepay: BridgePayAdapter()
        case .paydiant: PaydiantAdapter()
        case .handpoint: HandpointAdapter()
        case .dejavoo: DejavooAdapter()
        case .youtransactor: YouTransactorAdapter()
        }
    }

    /// Reads a code by the rules of its vendor.
    package static func code(_ code: String, of vendor: Vendor, by evidence: Evidence) -> VendorCode {
        adapter(of: vendor).code(code, by: evidence)
    }
}
