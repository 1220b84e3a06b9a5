import Canonical
import Configuration
import Synchronization
import Testing

@testable import Gateways

@Suite("Settings of gateways") struct SettingTests {
    /// The keys that are read.
    private final class Reads: AccessReporter {
        let keys = Mutex<Set<String>>([])

        func report(_ event: AccessEvent) {
            let parts = event.metadata.key.components
            keys.withLock { _ = $0.insert(parts.dropFirst(3).joined(separator: ".")) }
        }
    }

    static let kinds: [(GatewayConfiguration.Kind, [String: String])] = [
        (.bridgecomm, ["user": "u", "password": "p", "merchant.code": "1", "merchant.account": "1"]),
        (.bridgecomm, ["private.key": "k", "merchant.code": "1", "merchant.account": "1"]),
        (.handpoint, ["api.key": "k", "accounts": "1"]), (.spin, ["tpn": "816012345678", "auth.key": "k"]),
        (.transact, ["tpn": "816012345678", "auth.token": "k", "status.url": "https://b.example"]),
    ]

    @Test("Every kind reads the settings of its list, and no others", arguments: GatewayConfiguration.Kind.allCases)
    func lists(kind: GatewayConfiguration.Kind) throws {
        var read: Set<String> = []
        for (other, own) in Self.kinds where other == kind {
            let settings = own.merging(["kind": kind.rawValue, "url": "https://a.example", "tenant": "acme"]) { $1 }
            var values: [AbsoluteConfigKey: ConfigValue] = [["daybook", "gateways"]: "g"]
            for (key, value) in settings {
                values[AbsoluteConfigKey(["daybook", "gateway", "g"] + key.split(separator: ".").map(String.init))] =
                    ConfigValue(.string(value), isSecret: false)
            }
            let reads = Reads()
            let reader = ConfigReader(provider: InMemoryProvider(values: values), accessReporter: reads)
            #expect(try GatewayConfiguration.all(in: reader).count == 1)
            read.formUnion(reads.keys.withLock { $0 })
        }
        read.remove("")
        let listed = Set(GatewayConfiguration.settings.filter { $0.gateways.contains(kind) }.map(\.name))
        #expect(read.isSubset(of: listed.union(["status.url"])), "\(read.subtracting(listed))")
        #expect(listed.isSubset(of: read), "\(listed.subtracting(read))")
        #expect(GatewayConfiguration.settings.allSatisfy { !$0.meaning.isEmpty })
    }
}
