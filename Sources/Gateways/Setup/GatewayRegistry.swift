package import Canonical
package import Payments

/// The gateways there are, by name and by whom they serve.
package struct GatewayRegistry: Sendable {
    /// In the order of the configuration.
    package let gateways: [any PaymentGateway]
    private let merchants: [String: [String]]
    private let reversing: Set<String>

    package init(_ configurations: [GatewayConfiguration], clock: any WallClock) {
        gateways = configurations.map { HTTPGateway($0, clock: clock) }
        reversing = Set(configurations.filter(\.sendsReversals).map(\.name))
        merchants = Dictionary(configurations.map { ($0.name, $0.merchants) }, uniquingKeysWith: { first, _ in first })
    }

    /// The gateway of this name.
    package func gateway(named name: String) -> (any PaymentGateway)? { gateways.first { $0.name == name } }

    /// Whether this gateway is sent what takes payments back, without anybody asking for it.
    package func sendsReversals(_ gateway: any PaymentGateway) -> Bool { reversing.contains(gateway.name) }

    /// What takes a payment back at this gateway; nil where nothing does.
    package static func reversal(at gateway: any PaymentGateway) -> GatewayOperation? {
        [.reversal, .void].first { gateway.support(for: $0) == .supported }
    }

    /// The gateways at which a payment of `merchant` with `vendor` can be taken back, those first that name the merchant.
    package func reversing(_ vendor: Vendor, merchant: String?) -> [any PaymentGateway] {
        let voiding = gateways(of: vendor, merchant: merchant, for: .void)
        return voiding
            + gateways(of: vendor, merchant: merchant, for: .reversal).filter { other in
                !voiding.contains { $0.name == other.name }
            }
    }

    /// The gateways that can be asked for `operation` about a payment of `merchant` with `vendor`, those first that name the
    /// merchant. Of a payment whose merchant nobody knows each of them may have been asked.
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
            transport: configuration.statusEndpoint.map { SplitTransport(acts: main, asks: transport($0)) } ?? main,
            gate: GatewayGate(configuration.queue, configuration.breaker, clock: clock),
            clock: clock
        )
    }
}

/// Questions go elsewhere than what acts.
struct SplitTransport: WireTransport {
    let acts: any WireTransport
    let asks: any WireTransport

    var longestMilliseconds: Int64 { max(acts.longestMilliseconds, asks.longestMilliseconds) }

    func send(_ request: WireRequest, by deadline: ContinuousClock.Instant) async -> WireOutcome {
        await request.isQuestion ? asks.send(request, by: deadline) : acts.send(request, by: deadline)
    }
}
