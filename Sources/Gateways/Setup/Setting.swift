/// A key of the configuration, with its type and meaning.
package struct Setting: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case text
        /// A text that is never printed.
        case secret
        /// Texts separated by commas; in the file also an array.
        case list
        /// `on` or `off`; in the file also a truth value.
        case flag
        /// A whole number.
        case number(ClosedRange<Int64>)
    }

    /// The part after `daybook.`; of a gateway's key the part after `daybook.gateway.<name>.`.
    package var name: String
    package var kind: Kind
    package var meaning: String
    /// The kinds of gateways that have the key; for other keys empty.
    package var gateways: [GatewayConfiguration.Kind]

    package init(_ name: String, _ kind: Kind, _ meaning: String, of gateways: [GatewayConfiguration.Kind] = []) {
        self.name = name
        self.kind = kind
        self.meaning = meaning
        self.gateways = gateways
    }

    /// The expected form; nil if the text has it.
    package func objection(to text: String) -> String? {
        switch kind {
        case .text, .secret, .list: nil
        case .flag: ["on", "off", "true", "false", ""].contains(text) ? nil : "on or off"
        case .number: text.isEmpty || Int64(text) != nil ? nil : "a whole number"
        }
    }
}

extension GatewayConfiguration {
    /// The keys of a gateway, after `daybook.gateway.<name>.`.
    package static let settings: [Setting] = {
        let all = Kind.allCases
        return [
            Setting("kind", .text, "bridgecomm, handpoint, spin or transact", of: all),
            Setting("tenant", .text, "the tenant whose payments it serves", of: all),
            Setting("url", .text, "its address", of: all),
            Setting("mode", .text, "live, or test for a stand-in on this machine", of: all),
            Setting("reversals", .flag, "whether reversals are sent automatically", of: all),
            Setting("trust.roots", .text, "PEM file with the certificates that are trusted", of: all),
            Setting("connect.seconds", .number(1...120), "wait limit for a connection", of: all),
            Setting("read.seconds", .number(1...900), "wait limit for the next byte of an answer", of: all),
            Setting("total.seconds", .number(1...1_800), "wait limit for a call", of: all),
            Setting("concurrent", .number(1...256), "calls at once", of: all),
            Setting("waiting", .number(0...4_096), "calls in the queue", of: all),
            Setting("wait.seconds", .number(0...600), "wait limit of the queue", of: all),
            Setting("failures.to.open", .number(1...1_000), "failures after which it is not called", of: all),
            Setting("open.seconds", .number(0...3_600), "how long it is not called then", of: all),
            Setting("egress.allow", .list, "networks beside the public one that it may be in", of: all),
            Setting("user", .text, "user of the interface", of: [.bridgecomm]),
            Setting("password", .secret, "password of the user", of: [.bridgecomm]),
            Setting("private.key", .secret, "key instead of user and password", of: [.bridgecomm]),
            Setting("merchant.code", .text, "MerchantCode", of: [.bridgecomm]),
            Setting("merchant.account", .text, "MerchantAccountCode: the account that it serves", of: [.bridgecomm]),
            Setting("industry", .text, "TransIndustryType", of: [.bridgecomm]),
            Setting("software", .text, "SoftwareVendor", of: [.bridgecomm]),
            Setting("api.key", .secret, "key of the interface", of: [.handpoint]),
            Setting("accounts", .list, "serial numbers of the readers that it serves", of: [.handpoint]),
            Setting("tpn", .text, "terminal profile number: the account that it serves", of: [.spin, .transact]),
            Setting("auth.key", .secret, "key of the terminal", of: [.spin]),
            Setting("auth.token", .secret, "token of the interface", of: [.transact]),
            Setting("status.url", .text, "address of status queries", of: [.transact]),
        ]
    }()
}
