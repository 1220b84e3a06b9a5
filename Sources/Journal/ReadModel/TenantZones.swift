import Payments
import Projections

/// The names by which a tenant's merchants are found, and their business days, at positions in ascending order.
///
/// The newest description of any name of a merchant counts, as in totals and receipts.
struct TenantZones {
    private var links: [(since: Int64, link: MerchantLink)] = []
    private var descriptions: [(from: Int64, merchant: String, days: BusinessDay)] = []
    private var isSorted = false
    /// How many links and descriptions are known at the current position.
    private var linkCount = 0
    private var descriptionCount = 0
    private var known = MerchantLinks()
    /// The business days by the best names of merchants, at the current position.
    private var daysByName: [MerchantText: BusinessDay] = [:]

    mutating func add(_ link: MerchantLink, since position: Int64) { links.append((position, link)) }

    /// - Parameter merchant: As the read models store names.
    mutating func add(_ days: BusinessDay, of merchant: String, from position: Int64) {
        descriptions.append((position, merchant, days))
    }

    /// Adds the business days of the merchants of an entry.
    ///
    /// - Precondition: No earlier call was about a later position, and all links and descriptions were added before.
    mutating func add(_ entry: Entry, to zones: inout ZonesInForce) {
        advance(to: entry.position)
        for leg in entry.legs {
            zones.add(leg.merchant, at: entry.position) {
                entry.reference(ofMerchant: leg.merchant).flatMap { day(of: $0) } ?? .standard
            }
        }
    }

    /// The business day of the merchant that a name leads to; nil without a description.
    private func day(of reference: MerchantReference) -> BusinessDay? {
        let name = reference.name.text
        let merchant = reference.isTerminal ? known.owner(ofTerminal: name, vendor: reference.vendor) : name
        return merchant.flatMap { daysByName[MerchantText(known.best(of: $0))] }
    }

    private mutating func advance(to position: Int64) {
        if !isSorted {
            links.sort { $0.since < $1.since }
            descriptions.sort { $0.from < $1.from }
            isSorted = true
        }
        let before = (linkCount, descriptionCount)
        while linkCount < links.count, links[linkCount].since <= position {
            known.add(links[linkCount].link)
            linkCount += 1
        }
        while descriptionCount < descriptions.count, descriptions[descriptionCount].from <= position {
            descriptionCount += 1
        }
        guard before != (linkCount, descriptionCount) else { return }
        daysByName = [:]
        for one in descriptions[..<descriptionCount] {
            daysByName[MerchantText(known.best(of: one.merchant))] = one.days
        }
    }
}

/// How an entry names the merchant of a leg, as the links store it: by a name, or else by the payment's terminal.
struct MerchantReference: Hashable {
    let tenant: String
    let name: MerchantText
    let isTerminal: Bool
    /// Of a terminal.
    let vendor: Vendor?
}

extension Entry {
    /// The references to the merchants of its legs.
    var merchantReferences: [MerchantReference] { legs.compactMap { reference(ofMerchant: $0.merchant) } }

    /// - Returns: Nil if the payment names no terminal either.
    func reference(ofMerchant merchant: String?) -> MerchantReference? {
        guard let name = merchant ?? terminal else { return nil }
        return MerchantReference(
            tenant: tenant,
            name: MerchantText(name.storable),
            isTerminal: merchant == nil,
            vendor: merchant == nil ? vendor : nil
        )
    }
}
