package import Payments

/// A merchant account of a tenant at one of its gateways, and the only way to call that gateway.
///
/// Only `GatewayRegistry` makes one: a caller that holds it calls a gateway of this tenant, about a payment of this
/// account.
package struct GatewayAccount: Sendable {
    package let tenant: String
    /// The account, as the vendor's documents name it.
    package let account: String
    /// Whether Daybook sends reversals to the gateway automatically.
    package let sendsReversals: Bool
    private let gateway: any PaymentGateway

    init(tenant: String, account: String, sendsReversals: Bool, gateway: any PaymentGateway) {
        self.tenant = tenant
        self.account = account
        self.sendsReversals = sendsReversals
        self.gateway = gateway
    }

    /// The gateway's name in the configuration.
    package var name: String { gateway.name }
    package var vendor: Vendor { gateway.vendor }
    package var takesPresentedCards: Bool { gateway.takesPresentedCards }
    package var longestReference: Int { gateway.longestReference }
    package var longestCallMilliseconds: Int64 { gateway.longestCallMilliseconds }

    package func support(for operation: GatewayOperation) -> GatewaySupport { gateway.support(for: operation) }

    package func supports(_ operation: GatewayOperation) -> Bool { support(for: operation) == .supported }

    /// Whether a query finds a call of this operation by its reference.
    package func findsByReference(_ operation: GatewayOperation) -> Bool { gateway.findsByReference(operation) }

    /// The operation that reverses a payment; nil if there is none.
    package var reversal: GatewayOperation? { [.reversal, .void].first { supports($0) } }

    /// Calls the gateway once. See `PaymentGateway.call`.
    package func call(_ call: GatewayCall, by deadline: ContinuousClock.Instant) async -> GatewayOutcome {
        await gateway.call(call, by: deadline)
    }

    /// Calls the gateway once, with the maximum duration of a call.
    package func call(_ call: GatewayCall) async -> GatewayOutcome { await gateway.call(call) }
}
