import Canonical
package import Configuration
import Payments
import Vendors

/// One configured gateway. Only this type holds its credentials.
///
/// `daybook.gateways` lists the names, separated by commas. For each name, `daybook.gateway.<name>.` has `kind`
/// (`bridgecomm`, `handpoint`, `spin`, `transact`), `tenant`, `url`, and the keys of the kind: for `bridgecomm` `user`
/// and `password` or `private.key`, `merchant.code`, `merchant.account`, and `industry` (RE); for `handpoint` `api.key`
/// and `accounts`; for `spin` `tpn` and `auth.key`; for `transact` `tpn`, `auth.token` and, if status queries use
/// another URL, `status.url`. With `reversals` (off by default), Daybook sends it reversals of payments that the host
/// approved and the terminal did not complete. Environment variables use capitals and underscores:
/// `DAYBOOK_GATEWAY_MAIN_PASSWORD`.
package struct GatewayConfiguration: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case bridgecomm, handpoint, spin, transact

        /// The default of `read.seconds`.
        fileprivate var readSeconds: Int64 {
            switch self {
            // A terminal waits for the cardholder, by default 120 seconds.
            case .spin: 150
            case .bridgecomm, .handpoint, .transact: 60
            }
        }

        /// The key that names its accounts.
        fileprivate var accountKey: String {
            switch self {
            case .bridgecomm: "merchant.account"
            case .handpoint: "accounts"
            case .spin, .transact: "tpn"
            }
        }

        fileprivate var vendor: Vendor {
            switch self {
            case .bridgecomm: .bridgepay
            case .handpoint: .handpoint
            case .spin, .transact: .dejavoo
            }
        }
    }

    package var name: String
    package var kind: Kind
    package var endpoint: GatewayEndpoint
    /// For `transact`: the URL of status queries.
    package var statusEndpoint: GatewayEndpoint?
    /// The tenant whose payments it serves.
    package var tenant: String
    /// The merchant accounts that it serves, as the vendor's documents name them; at least one.
    package var accounts: Set<String>
    /// Whether Daybook reverses payments automatically.
    package var sendsReversals: Bool
    /// Whether it is a stand-in on this machine, which moves no money.
    package var isStandIn: Bool
    package var timeouts: GatewayTimeouts
    package var queue: CallQueue.Settings
    package var breaker: CircuitBreaker.Settings
    /// Networks that it may be in, beside the public internet.
    package var allowedNetworks: [AddressRange]
    /// PEM file with the trusted certificates, replacing the system's.
    package var trustRootsFile: String?
    var credentials: Credentials

    enum Credentials: Sendable, Hashable {
        case bridgecomm(BridgeCommAccount)
        case handpoint(apiKey: Secret)
        case spin(tpn: String, authKey: Secret)
        case transact(tpn: String, authToken: Secret)
    }
}

/// The reason why the gateways cannot be set up. It names the key, never its value.
package struct GatewayConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package var key: String
    package var expected: String

    package var description: String { "\(key): \(expected)" }
}

extension GatewayConfiguration {
    /// All gateways of the configuration, in its order.
    ///
    /// - Throws: The first error.
    package static func all(in reader: ConfigReader) throws(GatewayConfigurationError) -> [GatewayConfiguration] {
        guard let list = reader.string(forKey: "daybook.gateways") else { return [] }
        var gateways: [GatewayConfiguration] = []
        for name in list.split(separator: ",").map({ $0.filter { $0 != " " } }) where !name.isEmpty {
            guard name.utf8.count <= 32,
                name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }),
                !gateways.contains(where: { $0.name == name })
            else {
                throw GatewayConfigurationError(
                    key: "daybook.gateways",
                    expected: "names of lower-case letters and digits, each once"
                )
            }
            let gateway = try GatewayConfiguration(name, GatewayKeys(reader: reader, name: name))
            // An account is one merchant's, at whatever address it is called; of two equal gateways, which one has a
            // payment is unknown. A terminal may be reached through two interfaces.
            if gateways.contains(where: {
                $0.sharesAccount(with: gateway) && ($0.tenant != gateway.tenant || $0.kind == gateway.kind)
            }) {
                throw GatewayConfigurationError(
                    key: "daybook.gateway.\(name).\(gateway.kind.accountKey)",
                    expected: "an account that no other gateway serves"
                )
            }
            gateways.append(gateway)
        }
        return gateways
    }

    private init(_ name: String, _ keys: GatewayKeys) throws(GatewayConfigurationError) {
        self.name = name
        guard let kind = Kind(rawValue: try keys.required("kind")) else {
            throw keys.error("kind", "one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        self.kind = kind
        tenant = try keys.tenant("tenant")
        endpoint = try keys.endpoint("url")
        statusEndpoint = keys.text("status.url") == nil ? nil : try keys.endpoint("status.url")
        sendsReversals = try keys.flag("reversals") ?? false
        switch keys.text("mode") {
        case nil, "live"?: isStandIn = false
        case "test"? where endpoint.isLoopback && statusEndpoint?.isLoopback ?? true: isStandIn = true
        default: throw keys.error("mode", "live, or test for a stand-in on this machine")
        }
        trustRootsFile = keys.text("trust.roots")
        let read = try keys.number("read.seconds", in: 1...900) ?? kind.readSeconds
        let connect = try keys.number("connect.seconds", in: 1...120) ?? 10
        let total = try keys.number("total.seconds", in: 1...1_800) ?? (connect + read + 20)
        guard total >= connect + read else {
            throw keys.error("total.seconds", "at least connect.seconds and read.seconds together")
        }
        timeouts = GatewayTimeouts(
            connectMilliseconds: connect * 1_000,
            readMilliseconds: read * 1_000,
            totalMilliseconds: total * 1_000
        )
        queue = CallQueue.Settings(
            concurrent: Int(try keys.number("concurrent", in: 1...256) ?? 4),
            waiting: Int(try keys.number("waiting", in: 0...4_096) ?? 32),
            waitMicroseconds: (try keys.number("wait.seconds", in: 0...600) ?? 5) * 1_000_000
        )
        breaker = CircuitBreaker.Settings(
            failuresToOpen: Int(try keys.number("failures.to.open", in: 1...1_000) ?? 5),
            openMicroseconds: (try keys.number("open.seconds", in: 0...3_600) ?? 30) * 1_000_000
        )
        var networks: [AddressRange] = []
        for text in keys.list("egress.allow") {
            guard let range = AddressRange(text) else {
                throw keys.error("egress.allow", "networks such as 10.1.0.0/16")
            }
            networks.append(range)
        }
        allowedNetworks = networks
        credentials = try Self.credentials(kind, keys)
        accounts = try Self.accounts(credentials, keys)
    }

    private func sharesAccount(with other: GatewayConfiguration) -> Bool {
        kind.vendor == other.kind.vendor
            && !Set(accounts.map { $0.lowercased() }).isDisjoint(with: other.accounts.map { $0.lowercased() })
    }

    private static func isSerialByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D || byte == 0x5F
    }

    /// The account of the credentials; Handpoint's key belongs to a merchant, whose readers are listed.
    private static func accounts(
        _ credentials: Credentials,
        _ keys: GatewayKeys
    ) throws(GatewayConfigurationError) -> Set<String> {
        switch credentials {
        case .bridgecomm(let account): return [account.merchantAccountCode]
        case .spin(let tpn, _), .transact(let tpn, _): return [tpn]
        case .handpoint:
            let serials = (keys.text("accounts") ?? "").split(separator: ",", omittingEmptySubsequences: false)
                .map { VendorAdapters.adapter(of: .handpoint).serial(ofDevice: String($0.drop { $0 == " " })) }
            guard serials.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isSerialByte) }),
                Set(serials).count == serials.count
            else {
                throw keys.error(
                    "accounts",
                    "the serial numbers of the merchant's readers, each once, separated by commas"
                )
            }
            return Set(serials)
        }
    }

    private static func credentials(
        _ kind: Kind,
        _ keys: GatewayKeys
    ) throws(GatewayConfigurationError) -> Credentials {
        switch kind {
        case .handpoint: return .handpoint(apiKey: try keys.secret("api.key"))
        case .spin: return .spin(tpn: try keys.terminal("tpn"), authKey: try keys.secret("auth.key"))
        case .transact: return .transact(tpn: try keys.terminal("tpn"), authToken: try keys.secret("auth.token"))
        case .bridgecomm:
            let signIn: BridgeCommAccount.Credentials =
                if let user = keys.text("user") {
                    .user(user, password: try keys.secret("password"))
                } else {
                    .privateKey(try keys.secret("private.key"))
                }
            return .bridgecomm(
                BridgeCommAccount(
                    credentials: signIn,
                    merchantCode: try keys.required("merchant.code"),
                    merchantAccountCode: try keys.digits("merchant.account"),
                    industry: keys.text("industry") ?? "RE",
                    software: keys.text("software") ?? "Daybook"
                )
            )
        }
    }
}

private struct GatewayKeys {
    let reader: ConfigReader
    let name: String

    private func key(_ key: String) -> ConfigKey {
        ConfigKey(["daybook", "gateway", name] + key.split(separator: ".").map(String.init))
    }

    func error(_ key: String, _ expected: String) -> GatewayConfigurationError {
        GatewayConfigurationError(key: "daybook.gateway.\(name).\(key)", expected: expected)
    }

    func text(_ name: String) -> String? {
        reader.string(forKey: key(name)).flatMap { $0.isEmpty ? nil : $0 }
    }

    func required(_ name: String) throws(GatewayConfigurationError) -> String {
        guard let text = text(name) else { throw error(name, "is missing") }
        return text
    }

    func secret(_ name: String) throws(GatewayConfigurationError) -> Secret {
        guard let text = reader.string(forKey: key(name), isSecret: true), let secret = Secret(text),
            // The value is used in header fields and XML.
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw error(name, "is missing, or has other than printable ASCII characters") }
        return secret
    }

    /// A terminal profile number, as documents have it.
    func terminal(_ name: String) throws(GatewayConfigurationError) -> String {
        let text = try required(name)
        guard VendorAdapters.adapter(of: .dejavoo).merchantAccount(in: [:], terminal: text, device: nil) == text
        else { throw error(name, "a terminal profile number of 10 to 12 letters and digits") }
        return text
    }

    func digits(_ name: String) throws(GatewayConfigurationError) -> String {
        let text = try required(name)
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw error(name, "digits") }
        return text
    }

    func tenant(_ name: String) throws(GatewayConfigurationError) -> String {
        let text = try required(name)
        let isName = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F
        }
        guard isName, text.utf8.count <= 63 else { throw error(name, "a tenant's name: a-z, 0-9, - and _") }
        return text
    }

    func endpoint(_ name: String) throws(GatewayConfigurationError) -> GatewayEndpoint {
        guard let endpoint = GatewayEndpoint(try required(name)) else {
            throw error(name, "an https URL without credentials and query; http only on this machine")
        }
        return endpoint
    }

    func list(_ name: String) -> [String] {
        text(name)?.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty } ?? []
    }

    func flag(_ name: String) throws(GatewayConfigurationError) -> Bool? {
        switch text(name) {
        case nil: return nil
        case "true"?, "on"?: return true
        case "false"?, "off"?: return false
        default: throw error(name, "on or off")
        }
    }

    func number(_ name: String, in range: ClosedRange<Int64>) throws(GatewayConfigurationError) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw error(name, "a whole number, \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
