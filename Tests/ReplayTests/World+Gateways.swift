import Canonical
import Configuration
import DaybookTestKit
import GatewayStandIn
import Gateways
import Simulator

// The gateways of the tenant, and their merchant accounts.
extension World {
    /// The serial number of Handpoint's reader.
    static let reader = "1640013848"
    /// The merchant accounts of the gateways.
    static let accounts: Set<String> = ["320001", "Z11NATASHA98", reader]

    /// The tenant's account at a gateway.
    func account(at gateway: String) throws -> GatewayAccount {
        let found = Self.accounts.lazy.compactMap { gateways.account([$0], of: "acme", at: gateway) }.first
        guard let found else { throw MissingGateway() }
        return found
    }

    static func registry(
        _ ports: [StandInGateway: Int],
        _ failuresToOpen: Int,
        _ reversals: Bool,
        _ transact: Bool,
        _ clock: ManualClock
    ) throws -> GatewayRegistry {
        func url(_ gateway: StandInGateway, _ path: String) -> String {
            "http://127.0.0.1:\(ports[gateway] ?? 1)\(path)"
        }
        var values = [
            "daybook.gateways": transact ? "bridge,hp,transact" : "bridge,hp,spin",
            "daybook.gateway.bridge.kind": "bridgecomm", "daybook.gateway.bridge.tenant": "acme",
            "daybook.gateway.bridge.url": url(.bridgepay, "/PaymentService/RequestHandler.svc"),
            "daybook.gateway.bridge.user": "u", "daybook.gateway.bridge.password": "pw-1",
            "daybook.gateway.bridge.merchant.code": "320000", "daybook.gateway.bridge.merchant.account": "320001",
            "daybook.gateway.hp.kind": "handpoint", "daybook.gateway.hp.url": url(.handpoint, ""),
            "daybook.gateway.hp.api.key": "key-1", "daybook.gateway.hp.accounts": reader,
            "daybook.gateway.hp.tenant": "acme", "daybook.gateway.spin.tenant": "acme",
            "daybook.gateway.transact.tenant": "acme",
            "daybook.gateway.spin.kind": "spin", "daybook.gateway.spin.url": url(.dejavoo, ""),
            "daybook.gateway.spin.tpn": "Z11NATASHA98", "daybook.gateway.spin.auth.key": "zbhRAW9N6x",
        ]
        values["daybook.gateway.transact.kind"] = "transact"
        values["daybook.gateway.transact.url"] = url(.ipos, "")
        values["daybook.gateway.transact.tpn"] = "Z11NATASHA98"
        values["daybook.gateway.transact.auth.token"] = "token-1"
        for name in ["bridge", "hp", "spin", "transact"] {
            values["daybook.gateway.\(name).failures.to.open"] = "\(failuresToOpen)"
            values["daybook.gateway.\(name).reversals"] = reversals ? "on" : nil
        }
        let given = Dictionary(
            uniqueKeysWithValues: values.map { key, value in
                (
                    AbsoluteConfigKey(key.split(separator: ".").map(String.init), context: [:]),
                    ConfigValue(.string(value), isSecret: false)
                )
            }
        )
        return GatewayRegistry(
            try GatewayConfiguration.all(in: ConfigReader(provider: InMemoryProvider(values: given))),
            clock: clock
        )
    }
}
