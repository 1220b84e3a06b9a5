package import Payments

/// A shop and its customers' behaviour.
package struct Merchant: Sendable, Hashable {
    package enum Trade: String, Sendable, Hashable, CaseIterable {
        case cafe, restaurant, grocery, fashion, pharmacy, kiosk
    }

    package var id: String
    package var trade: Trade
    package var vendor: Vendor
    package var currency: Currency
    /// Its index among its vendor's merchants, from 0.
    package var place: Int
    /// Nil: UTC.
    package var zone: String?
    /// The troubles of all its payments.
    package var traits: Set<Trouble> = []
    package var codes: MerchantCodes

    /// The opening hours in minutes after midnight, by the terminals' clock.
    var hours: ClosedRange<Int> {
        switch trade {
        case .cafe: 7 * 60...18 * 60
        case .restaurant: 11 * 60 + 30...22 * 60 + 30
        case .grocery: 8 * 60...21 * 60
        case .fashion: 10 * 60...19 * 60 + 30
        case .pharmacy: 8 * 60 + 30...18 * 60 + 30
        case .kiosk: 6 * 60...22 * 60
        }
    }

    /// The busy hours, with weights; the whole opening time has a weight of 20.
    private var rushes: [(ClosedRange<Int>, weight: Int)] {
        switch trade {
        case .cafe: [(7 * 60...9 * 60 + 30, 12), (12 * 60...14 * 60, 9)]
        case .restaurant: [(12 * 60...14 * 60, 12), (18 * 60...21 * 60, 15)]
        case .grocery: [(16 * 60 + 30...19 * 60, 12)]
        case .fashion: [(15 * 60...18 * 60, 9)]
        case .pharmacy: [(9 * 60...11 * 60, 8)]
        case .kiosk: [(6 * 60...8 * 60 + 30, 12), (16 * 60...18 * 60, 9)]
        }
    }

    /// The time of a purchase, in microseconds after midnight.
    func moment(_ random: inout SeededRandom) -> Int64 {
        let spans = [(hours, weight: 20)] + rushes
        let span = random.pick(spans)
        let second = random.within(span.lowerBound * 60...span.upperBound * 60 - 1)
        return Int64(second) * 1_000_000 + Int64(random.below(1_000)) * 1_000
    }

    /// The amounts of baskets, in cents of a currency with two decimals.
    var baskets: ClosedRange<Int> {
        switch trade {
        case .cafe: 280...1_890
        case .restaurant: 1_450...6_900
        case .grocery: 390...6_990
        case .fashion: 1_990...6_990
        case .pharmacy: 510...5_990
        case .kiosk: 520...2_490
        }
    }

    var takesTips: Bool { trade == .cafe || trade == .restaurant }
}

/// The ids of a merchant by role.
package struct MerchantCodes: Sendable, Hashable {
    /// BridgePay's MerchantCode and MerchantAccountCode, at the gateway.
    package var gateway: String
    package var account: String
    /// At the processor.
    package var network: String
    /// As a wallet's platform names the merchant and its store.
    package var display: String
    /// Nil: the store is named like the terminal.
    package var store: String?

    /// One id for all.
    init(_ id: String) {
        gateway = id
        account = id
        network = id
        display = id
    }

    init(tag: String, index: Int) {
        gateway = "\(tag)\(700 + index)"
        account = "\(tag)\(4_000 + index)"
        network = "5185\(tag)\(20 + index % 80)"
        display = "Corner Shop No. \(index + 1)"
        store = "Store \(index + 12)"
    }
}
