/// A gateway that has a stand-in.
package enum StandInGateway: String, Sendable, Hashable, Codable, CaseIterable {
    /// BridgePay's BridgeComm.
    case bridgepay
    /// Handpoint's cloud: the status of transactions.
    case handpoint
    /// Dejavoo's SPIn over REST.
    case dejavoo
    /// Dejavoo's iPOS Transact.
    case ipos
}
