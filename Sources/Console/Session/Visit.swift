import Access
import Canonical
import DaybookAPI
import HTTPEdge
import Operations
import Projections

/// Somebody with a session, on a page.
struct Visit: Sendable {
    let request: Console.Request
    let token: SessionToken
    let session: SessionStore.Session
    /// In which times are shown and read.
    var zone: Zone
    /// Whether the address itself names the zone.
    let namesZone: Bool
    /// The merchant whose zone it is, with its business day.
    var merchant: (name: String, day: BusinessDay)?
    let now: Timestamp

    var tenant: String { session.principal.tenant }

    /// The query, without the zone, which every page takes.
    var query: ParameterReader {
        var query = request.query
        // Too long a zone is no zone, and leaves the parameter to be refused.
        _ = try? query.list("zone")
        return query
    }

    /// Where the address stands.
    var place: ViewPlace {
        ViewPlace(path: request.parameters, query: FormQuery(self).exact, tenant: tenant)
    }

    /// Shows times as the clocks of a merchant do, unless the address names another zone.
    mutating func adopt(_ merchant: MerchantView?) {
        guard !namesZone, let merchant, let day = merchant.day else { return }
        zone = day.zone
        self.merchant = (merchant.merchant, day)
    }

    /// Says whose clocks times are shown by, where that is not the visitor's own choice.
    var zoneNote: String? {
        merchant.map { name, day in
            "Times on this page are in the zone \(day.zone.name) of the merchant \(name). Its business day begins at "
                + "\(day.cutoff)."
        }
    }

    func may(_ scopes: [Scope]) -> Bool { !session.principal.scopes.isDisjoint(with: scopes) }
}

/// What a page answers.
enum PageAnswer: Sendable {
    case page(Page)
    /// Another place of the console.
    case redirect(String)
    case other(EdgeResponse)
}

/// A page before it is written.
struct Page: Sendable {
    var template: String
    var title: String
    var status = 200
    var retryAfterSeconds: Int?
    var values: [String: PageValue] = [:]
    /// Where the page stands, where its address does not say all of it.
    var place: ViewPlace?
    /// In which zone its times are, where that is not the visitor's own.
    var zoneNote: String?

    init(_ template: String, _ title: String, _ values: KeyValuePairs<String, PageValue?> = [:]) {
        self.template = template
        self.title = title
        for (name, value) in values { self.values[name] = value }
    }
}
