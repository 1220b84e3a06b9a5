/// The vendor of the mPOS SDK a document comes from. The raw value is the id used in paths, keys and events.
package enum Vendor: String, Sendable, Hashable, Codable, CaseIterable {
    /// BridgePay PayGuardian for iOS, over BridgeComm.
    case bridgepay
    /// Paydiant wallet transaction module.
    case paydiant
    /// Handpoint Heft SDK.
    case handpoint
    /// Dejavoo iPOSgo deep linking, versions 1 and 2.
    case dejavoo
    /// YouTransactor uCube.
    case youtransactor
}

extension Vendor {
    /// The name as the vendor writes it.
    package var displayName: String {
        switch self {
        case .bridgepay: "BridgePay"
        case .paydiant: "Paydiant"
        case .handpoint: "Handpoint"
        case .dejavoo: "Dejavoo"
        case .youtransactor: "YouTransactor"
        }
    }
}

/// The meaning of the one code that an event keeps of an answer.
package struct VendorCode: Sendable, Hashable {
    /// The code tables that may list the code, by their names in the rules: `bridgepay.result`.
    package var tables: [String]
    /// True if the code is the issuer's answer, ISO 8583 field 39.
    package var isIssuerAnswer: Bool
    /// True if the tables list only the host's own codes: a code without a rule is the issuer's, not an unknown one.
    package var restIsIssuers: Bool

    package init(tables: [String] = [], isIssuerAnswer: Bool = false, restIsIssuers: Bool = false) {
        self.tables = tables
        self.isIssuerAnswer = isIssuerAnswer
        self.restIsIssuers = restIsIssuers
    }
}

/// Reads a code that is not empty, reported by the given side. The adapters of the vendors implement it.
package typealias VendorCodeReader = (_ code: String, _ vendor: Vendor, _ evidence: Evidence) -> VendorCode
