package import Canonical
package import Payments

/// The configured gateways, by name and by merchant.
package struct GatewayRegistry: Sendable {
    /// In the order of the configuration.
    package let gateways: [any PaymentGateway]
    private let merchants: [String: [String]]
    private let reversing: Set<String>

    /// - Parameters:
    ///   - merchants: The merchants of each gateway, by its name; none for a gateway that serves any of them.
    ///   - reversing: The names of the gateways to which Daybook sends reversals automatically.
    package init(
        _ gateways: [any PaymentGateway],
        merchants: [String: [String]] = [:],
        reversing: Set<String> = []
    ) {
        self.gateways = gateways
        self.merchants = merchants
        self.reversing = reversing
    }

    package init(_ configurations: [GatewayConfiguration], clock: any WallClock) {
        self.init(
            configurations.map { HTTPGateway($0, clock: clock) },
            merchants: Dictionary(
                configurations.map { ($0.name, $0.merchants) },
                uniquingKeysWith: { first, _ in first }
            ),
            reversing: Set(configurations.filter(\.sendsReversals).map(\.name))
        )
    }

    package func gateway(named name: String) -> (any PaymentGateway)? { gateways.first { $0.name == name } }

    /// Whether Daybook sends reversals to this gateway automatically.
    package func sendsReversals(_ gateway: any PaymentGateway) -> Bool { reversing.contains(gateway.name) }

    /// The operation that reverses a payment at this gateway; nil if there is none.
    package static func reversal(at gateway: any PaymentGateway) -> GatewayOperation? {
        [.reversal, .void].first { gateway.support(for: $0) == .supported }
    }

    /// The gateways that can reverse a payment of `merchant` with `vendor`; gateways that name the merchant come first.
    package func reversing(_ vendor: Vendor, merchant: String?) -> [any PaymentGateway] {
        let voiding = gateways(of: vendor, merchant: merchant, for: .void)
        return voiding
            + gateways(of: vendor, merchant: merchant, for: .reversal).filter { other in
                !voiding.contains { $0.name == other.name }
            }
    }

    /// The gateways that support `operation` for a payment of `merchant` with `vendor`; gateways that name the merchant
    /// come first. Without a merchant, any of them may have received the payment.
    package func gateways(
        of vendor: Vendor,
        merchant: String?,
        for operation: GatewayOperation
    ) -> [any PaymentGateway] {
        let able = gateways.filter { $0.vendor == vendor && $0.support(for: operation) == .supported }
        guard merchant != nil else { return able }
        let own = able.filter { gateway in merchant.map { merchants[gateway.name]?.contains($0) ?? false } ?? false }
        return own + able.filter { merchants[$0.name]?.isEmpty ?? true }
    }
}

extension HTTPGateway {
    package init(_ configuration: GatewayConfiguration, clock: any WallClock) {
        func transport(_ endpoint: GatewayEndpoint) -> HTTPTransport {
            HTTPTransport(
                endpoint: endpoint,
                egress: EgressPolicy(allowed: configuration.allowedNetworks, allowsLoopback: endpoint.isLoopback),
                timeouts: configuration.timeouts,
                trustRootsFile: configuration.trustRootsFile
            )
        }
        let dialect: any WireDialect =
            switch configuration.credentials {
            case .bridgecomm(let account): BridgeCommDialect(account: account)
            case .handpoint(let key): HandpointCloudDialect(apiKey: key)
            case .spin(let tpn, let key): SpinDialect(tpn: tpn, authKey: key)
            case .transact(let tpn, let token): TransactDialect(tpn: tpn, authToken: token)
            }
        let main = transport(configuration.endpoint)
        self.init(
            name: configuration.name,
            dialect: dialect,
            transport: configuration.statusEndpoint.map { SplitTransport(calls: main, queries: transport($0)) } ?? main,
            gate: GatewayGate(configuration.queue, configuration.breaker, clock: clock),
            clock: clock
        )
    }
}

/// Sends queries and other calls to different endpoints.
struct SplitTransport: WireTransport {
    let calls: any WireTransport
    let queries: any WireTransport

    var longestMilliseconds: Int64 { max(calls.longestMilliseconds, queries.longestMilliseconds) }

    func send(_ request: WireRequest, by deadline: ContinuousClock.Instant) async -> WireOutcome {
        await request.isQuery ? queries.send(request, by: deadline) : calls.send(request, by: deadline)
    }
}
