import Canonical
import DaybookTestKit
import Payments

/// What a payment names of its merchant.
struct SaleNames: Sendable {
    var merchant: String?
    var processor: String?
    var account: String?
    var terminal: String?
    var vendor = Vendor.bridgepay

    func sale() -> [TransactionEvent] {
        Samples.sale(
            500,
            references: References(merchant: processor, gatewayAccount: account),
            document: Samples.document(vendor: vendor, merchant: merchant, terminal: terminal)
        )
    }
}

/// Sales of shops with four names each, a few of which also name another shop, and descriptions of any name.
struct ZoneHistory {
    struct Description: Sendable {
        var tenant: String
        var position: Int64
        var merchant: String
        /// The business day of 10:30 UTC on 8 March.
        var day: String
    }

    static let tenants = ["acme", "other"]
    private static let shops = 5
    private static let zones = [
        ("Pacific/Kiritimati", "2026-03-09"), ("Pacific/Pago_Pago", "2026-03-07"), ("UTC", "2026-03-08"),
    ]

    var random: SeededGenerator
    /// In the order of positions.
    private(set) var descriptions: [Description] = []
    private(set) var vendors: [UUID128: Vendor] = [:]

    init(_ random: SeededGenerator) { self.random = random }

    /// Appends sales of 10:30 UTC, and a description after every sixth.
    mutating func record(_ count: Int, in log: TestLog, at time: Timestamp) async throws {
        for number in 0..<count {
            let tenant = Self.tenants[number % 2]
            let names = self.names()
            vendors[Samples.id(number)] = names.vendor
            try await log.record(names.sale(), about: Samples.id(number), of: tenant, occurredAt: time)
            guard number % 6 == 5 else { continue }
            let tenantOfDescription = Self.tenants[number / 6 % 2]
            let (zone, day) = Self.zones[number / 12 % Self.zones.count]
            let role = ["s", "p", "a"][Int.random(in: 0..<3, using: &random)]
            let merchant = "\(role)\(shop())"
            let description = MerchantDescription(merchant: merchant, zone: zone, cutoff: "00:00", reason: "opened")
            let position = try await log.record(
                [TenantEvent.merchantDescribed(description)],
                of: tenantOfDescription
            )
            descriptions.append(
                Description(tenant: tenantOfDescription, position: position, merchant: merchant, day: day)
            )
        }
    }

    private mutating func shop() -> Int { Int.random(in: 0..<Self.shops, using: &random) }

    private mutating func names() -> SaleNames {
        let own = shop()
        let vendor: Vendor = own % 2 == 0 ? .bridgepay : .dejavoo
        return SaleNames(
            merchant: name("s", own),
            processor: name("p", own),
            account: name("a", own),
            terminal: name("t", own),
            vendor: vendor
        )
    }

    /// Half of the names are left out, and one of thirty is another shop's.
    private mutating func name(_ role: String, _ own: Int) -> String? {
        let isOther = Int.random(in: 0..<30, using: &random) == 0
        let number = isOther ? shop() : own
        return Bool.random(using: &random) ? "\(role)\(number)" : nil
    }
}
