import Canonical
import Configuration
import Payments
import Testing

@testable import Gateways

@Suite("Gateways in the configuration") struct SetupTests {
    private static let values: [String: String] = [
        "daybook.gateways": "main, hp,spin,cloud",
        "daybook.gateway.main.kind": "bridgecomm",
        "daybook.gateway.main.url": "https://gateway.example/PaymentService/RequestHandler.svc",
        "daybook.gateway.main.user": "u", "daybook.gateway.main.password": "pw-1",
        "daybook.gateway.main.merchant.code": "320000", "daybook.gateway.main.merchant.account": "320001",
        "daybook.gateway.main.concurrent": "2",
        "daybook.gateway.main.tenant": "acme", "daybook.gateway.hp.tenant": "acme",
        "daybook.gateway.hp.accounts": "0001640013848, PP-2",
        "daybook.gateway.spin.tenant": "acme", "daybook.gateway.cloud.tenant": "acme",
        "daybook.gateway.main.egress.allow": "10.1.0.0/16",
        "daybook.gateway.hp.kind": "handpoint", "daybook.gateway.hp.url": "https://transactions.handpoint.example",
        "daybook.gateway.hp.api.key": "key-1",
        "daybook.gateway.spin.kind": "spin", "daybook.gateway.spin.url": "http://127.0.0.1:8081/spin",
        "daybook.gateway.spin.tpn": "816012345678", "daybook.gateway.spin.auth.key": "auth-1",
        "daybook.gateway.cloud.kind": "transact", "daybook.gateway.cloud.url": "https://payment.example/api/v3",
        "daybook.gateway.cloud.status.url": "https://api.example/v1", "daybook.gateway.cloud.tpn": "816012345678",
        "daybook.gateway.cloud.auth.token": "token-1",
    ]

    private func read(_ values: [String: String]) throws -> [GatewayConfiguration] {
        let values = Dictionary(
            uniqueKeysWithValues: values.map { key, value in
                (
                    AbsoluteConfigKey(key.split(separator: ".").map(String.init), context: [:]),
                    ConfigValue(.string(value), isSecret: false)
                )
            }
        )
        return try GatewayConfiguration.all(in: ConfigReader(provider: InMemoryProvider(values: values)))
    }

    @Test("All settings are read, and no secret is printed")
    func full() throws {
        let gateways = try read(Self.values)
        #expect(gateways.map(\.name) == ["main", "hp", "spin", "cloud"])
        #expect(gateways[0].queue.concurrent == 2 && gateways.allSatisfy { $0.tenant == "acme" })
        #expect(gateways.map(\.accounts) == [["320001"], ["1640013848", "PP-2"], ["816012345678"], ["816012345678"]])
        #expect(gateways[2].timeouts.readMilliseconds == 150_000 && gateways[0].timeouts.readMilliseconds == 60_000)
        var shown = ""
        dump(gateways, to: &shown)
        shown += "\(gateways) \(String(reflecting: gateways))"
        for secret in ["pw-1", "key-1", "auth-1", "token-1"] { #expect(!shown.contains(secret)) }
    }

    /// Whose account it is, and at which gateways.
    static let owners: [(tenant: String, vendor: Vendor, accounts: Set<String>, gateways: [String])] = [
        ("acme", .bridgepay, ["320001"], ["main"]), ("acme", .bridgepay, ["320002"], []),
        ("acme", .bridgepay, [], []), ("acme", .bridgepay, ["320001", "320002"], []),
        ("acme", .handpoint, ["1640013848"], ["hp"]), ("acme", .handpoint, ["1640013848", "PP-2"], ["hp"]),
        ("acme", .handpoint, ["320001"], []), ("acme", .handpoint, [], []),
        ("acme", .dejavoo, ["816012345678"], ["spin", "cloud"]), ("acme", .youtransactor, ["320001"], []),
        ("other", .bridgepay, ["320001"], []), ("Acme", .bridgepay, ["320001"], []), ("", .bridgepay, ["320001"], []),
        ("other", .handpoint, ["1640013848"], []), ("other", .dejavoo, ["816012345678"], []),
    ]

    @Test("A gateway is found by its tenant and account alone", arguments: owners)
    func owned(_ tenant: String, _ vendor: Vendor, _ accounts: Set<String>, _ expected: [String]) throws {
        let registry = GatewayRegistry(try read(Self.values), clock: SystemClock())
        let found = registry.accounts(accounts, of: tenant, with: vendor)
        #expect(found.map(\.name) == expected)
        #expect(found.allSatisfy { $0.tenant == tenant && accounts.contains($0.account) })
        for name in ["main", "hp", "spin", "cloud", "x"] {
            let named = registry.account(accounts, of: tenant, at: name)
            let isExpected = named.map { $0.vendor == vendor } ?? false
            #expect(isExpected == expected.contains(name))
        }
    }

    @Test("An account belongs to one tenant, at whatever address")
    func accountOfTwoTenants() throws {
        var values = Self.values
        values["daybook.gateway.cloud.tenant"] = "other"
        #expect(throws: GatewayConfigurationError.self) { try read(values) }
        values["daybook.gateway.cloud.tpn"] = "816012345679"
        #expect(try read(values).map(\.tenant) == ["acme", "acme", "acme", "other"])
    }

    @Test("Only a gateway on this machine can be a stand-in")
    func standIns() throws {
        #expect(try read(Self.values).allSatisfy { !$0.isStandIn })
        var values = Self.values
        values["daybook.gateway.spin.mode"] = "test"
        values["daybook.gateway.main.mode"] = "live"
        #expect(try read(values).map(\.isStandIn) == [false, false, true, false])
        for (name, mode) in [("main", "test"), ("hp", "test"), ("cloud", "test"), ("spin", "sandbox")] {
            var values = Self.values
            values["daybook.gateway.\(name).mode"] = mode
            #expect(throws: GatewayConfigurationError.self) { try read(values) }
        }
        // Both URLs must be on this machine.
        values["daybook.gateway.cloud.url"] = "http://127.0.0.1:8082"
        values["daybook.gateway.cloud.mode"] = "test"
        #expect(throws: GatewayConfigurationError.self) { try read(values) }
        values["daybook.gateway.cloud.status.url"] = "http://[::1]:8082"
        #expect(try read(values).last?.isStandIn == true)
    }

    @Test("An empty configuration has no gateways")
    func nothing() throws { #expect(try read([:]).isEmpty) }

    static let wrong: [(String, String?, key: String)] = [
        ("daybook.gateways", "main,main", "daybook.gateways"), ("daybook.gateways", "a b/c", "daybook.gateways"),
        ("daybook.gateway.main.kind", "paypal", "daybook.gateway.main.kind"),
        ("daybook.gateway.main.kind", nil, "daybook.gateway.main.kind"),
        ("daybook.gateway.main.url", "http://gateway.example/", "daybook.gateway.main.url"),
        ("daybook.gateway.main.url", "https://u:p@gateway.example/", "daybook.gateway.main.url"),
        ("daybook.gateway.main.url", "https://gateway.example/?a=b", "daybook.gateway.main.url"),
        ("daybook.gateway.main.url", "ftp://127.0.0.1/", "daybook.gateway.main.url"),
        ("daybook.gateway.main.password", nil, "daybook.gateway.main.password"),
        ("daybook.gateway.main.password", "a\nb", "daybook.gateway.main.password"),
        ("daybook.gateway.main.concurrent", "0", "daybook.gateway.main.concurrent"),
        ("daybook.gateway.main.read.seconds", "soon", "daybook.gateway.main.read.seconds"),
        ("daybook.gateway.main.total.seconds", "69", "daybook.gateway.main.total.seconds"),
        ("daybook.gateway.main.egress.allow", "10.0.0.0/33", "daybook.gateway.main.egress.allow"),
        ("daybook.gateway.main.tenant", nil, "daybook.gateway.main.tenant"),
        ("daybook.gateway.main.tenant", "", "daybook.gateway.main.tenant"),
        ("daybook.gateway.main.tenant", "Some One", "daybook.gateway.main.tenant"),
        ("daybook.gateway.main.merchant.account", nil, "daybook.gateway.main.merchant.account"),
        ("daybook.gateway.main.merchant.account", "32000x", "daybook.gateway.main.merchant.account"),
        ("daybook.gateway.hp.accounts", nil, "daybook.gateway.hp.accounts"),
        ("daybook.gateway.hp.accounts", " , ", "daybook.gateway.hp.accounts"),
        ("daybook.gateway.hp.accounts", "1640013848,", "daybook.gateway.hp.accounts"),
        ("daybook.gateway.hp.accounts", "*", "daybook.gateway.hp.accounts"),
        ("daybook.gateway.hp.accounts", "1640013848,01640013848", "daybook.gateway.hp.accounts"),
        ("daybook.gateway.spin.tpn", nil, "daybook.gateway.spin.tpn"),
        ("daybook.gateway.spin.tpn", "123456789", "daybook.gateway.spin.tpn"),
        ("daybook.gateway.spin.tenant", "elsewhere", "daybook.gateway.cloud.tpn"),
        ("daybook.gateway.hp.api.key", nil, "daybook.gateway.hp.api.key"),
        ("daybook.gateway.spin.tpn", "1/2", "daybook.gateway.spin.tpn"),
        ("daybook.gateway.cloud.auth.token", "", "daybook.gateway.cloud.auth.token"),
    ]

    @Test("A wrong key is named, its value is not", arguments: wrong)
    func named(_ changed: String, _ value: String?, _ key: String) throws {
        var values = Self.values
        values[changed] = value
        do {
            _ = try read(values)
            Issue.record("\(changed) was taken")
        } catch let error as GatewayConfigurationError {
            #expect(error.key == key)
            if let value, value.count > 4 { #expect(!"\(error)".contains(value)) }
        }
    }
}

@Suite("Allowed addresses of gateways") struct EndpointTests {
    @Test(
        "Allowed URLs",
        arguments: [
            "https://gateway.example", "https://gateway.example:8443/a/b/", "http://127.0.0.1:80/x",
            "http://localhost:1",
            "http://[::1]:8080/", "https://[2600::1]/",
        ]
    )
    func good(_ url: String) { #expect(GatewayEndpoint(url) != nil) }

    @Test(
        "Refused URLs",
        arguments: [
            "", "gateway.example", "http://gateway.example", "http://10.0.0.1", "http://localhost.example",
            "http://127.0.0.1.example", "https://", "https://a@b.example", "https://b.example/#x",
            "https://b.example?x",
            "https://b.example:0", "https://b.example:70000", "file:///etc/passwd", "https://b%00.example",
        ]
    )
    func bad(_ url: String) { #expect(GatewayEndpoint(url) == nil) }

    static let specialAddresses = [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.255.255.255", "169.254.169.254", "172.16.0.1",
        "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
        "224.0.0.1", "255.255.255.255", "::", "::1", "fc00::1", "fd00:ec2::254", "fe80::1", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "2002:7f00:1::",
    ]

    @Test("Addresses outside the public internet", arguments: specialAddresses)
    func special(_ text: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect(!address.isPublic)
        #expect(!EgressPolicy(allowed: [], allowsLoopback: false).permits(address))
        let bits = address.bytes.count * 8
        let own = try #require(AddressRange("\(address.text)/\(bits)"))
        #expect(EgressPolicy(allowed: [own], allowsLoopback: false).permits(address))
    }

    @Test(
        "Addresses of the public network",
        arguments: [
            "1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2600::1", "2a00:1450::1",
            "::ffff:8.8.8.8",
        ]
    )
    func ordinary(_ text: String) throws {
        let address = try #require(NetworkAddress(text))
        #expect(address.isPublic && EgressPolicy(allowed: [], allowsLoopback: false).permits(address))
        #expect(NetworkAddress(address.text) == address)
    }

    @Test(
        "Ranges",
        arguments: [
            ("10.0.0.0/9", "10.127.0.1", "10.128.0.1"), ("fd00::/9", "fd7f::", "fd80::"),
            ("1.2.3.4", "1.2.3.4", "1.2.3.5"),
        ]
    )
    func ranges(_ text: String, _ within: String, _ without: String) throws {
        let range = try #require(AddressRange(text))
        #expect(range.contains(try #require(NetworkAddress(within))))
        #expect(!range.contains(try #require(NetworkAddress(without))))
    }

    @Test(
        "No ranges",
        arguments: ["", "a", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "300.0.0.1"]
    )
    func noRanges(_ text: String) { #expect(AddressRange(text) == nil) }
}
