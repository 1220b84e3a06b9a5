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
