package import Canonical
package import Payments

/// The configured gateways. Each belongs to one tenant and serves some merchant accounts. A gateway is returned only for
/// a tenant and an account.
package struct GatewayRegistry: Sendable {
    /// A gateway and its owner.
    package struct Entry: Sendable {
        package var gateway: any PaymentGateway
        package var tenant: String
        /// The merchant accounts that it serves, as the vendor's documents name them.
        package var accounts: Set<String>
        package var sendsReversals: Bool

        package init(
            _ gateway: any PaymentGateway,
            tenant: String,
            accounts: Set<String>,
            sendsReversals: Bool = false
        ) {
            self.gateway = gateway
            self.tenant = tenant
            self.accounts = accounts
            self.sendsReversals = sendsReversals
        }

        /// The first of the accounts; nil if it does not serve all of them, or belongs to another tenant.
        fileprivate func account(_ names: Set<String>, of tenant: String) -> GatewayAccount? {
            guard tenant == self.tenant, names.isSubset(of: accounts), let account = names.min() else { return nil }
            return GatewayAccount(tenant: tenant, account: account, sendsReversals: sendsReversals, gateway: gateway)
        }
    }

    /// In the order of the configuration.
    private let entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    package init(_ configurations: [GatewayConfiguration], clock: any WallClock) {
        self.init(
            configurations.map {
                Entry(
                    HTTPGateway($0, clock: clock),
                    tenant: $0.tenant,
                    accounts: $0.accounts,
                    sendsReversals: $0.sendsReversals
                )
            }
        )
    }

    /// The longest call to any of the gateways; 0 without gateways.
    package var longestCallMilliseconds: Int64 { entries.map(\.gateway.longestCallMilliseconds).max() ?? 0 }

    /// The vendors of the gateways.
    package var vendors: Set<Vendor> { Set(entries.map(\.gateway.vendor)) }

    /// The accounts at the tenant's gateways of `vendor` that serve all of a payment's accounts, one for each gateway.
    /// A payment without a known account, or with accounts of several gateways, is at none of them.
    package func accounts(_ names: Set<String>, of tenant: String, with vendor: Vendor) -> [GatewayAccount] {
        entries.lazy.filter { $0.gateway.vendor == vendor }.compactMap { $0.account(names, of: tenant) }
    }

    /// The account at the tenant's gateway of this name; nil if it does not serve all of a payment's accounts.
    package func account(_ names: Set<String>, of tenant: String, at gateway: String) -> GatewayAccount? {
        entries.first { $0.gateway.name == gateway }?.account(names, of: tenant)
    }
}

extension HTTPGateway {
    package init(_ configuration: GatewayConfiguration, clock: any WallClock) {
        func transport(_ endpoint: GatewayEndpoint) -> HTTPTransport {
            configuration.transport(to: endpoint, timeouts: configuration.timeouts)
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
