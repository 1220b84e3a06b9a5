import Access
import Canonical
import DaybookAPI
import HTTPEdge
import Operations
import Projections

/// One request of an operator with a session.
struct Visit: Sendable {
    let request: WebConsole.Request
    let token: SessionToken
    let session: SessionStore.Session
    /// The time zone in which times are shown and read.
    var zone: Zone
    /// Whether the address names the zone.
    let namesZone: Bool
    /// The merchant whose zone is used, with its business day.
    var merchant: (name: String, day: BusinessDay)?
    let now: Timestamp

    var tenant: String { session.principal.tenant }

    /// The query without the zone, which every page accepts.
    var query: ParameterReader {
        var query = request.query
        // A zone that is too long stays in the query, which then refuses it.
        _ = try? query.list("zone")
        return query
    }

    /// The place of the requested address.
    var place: ViewPlace {
        ViewPlace(path: request.parameters, query: FormQuery(self).exact, tenant: tenant)
    }

    /// Uses the time zone of a merchant, unless the address names another zone.
    mutating func adopt(_ merchant: MerchantView?) {
        guard !namesZone, let merchant, let day = merchant.day else { return }
        zone = day.zone
        self.merchant = (merchant.merchant, day)
    }

    /// The note that names the merchant whose time zone is used; nil if the operator chose the zone.
    var zoneNote: String? {
        merchant.map { name, day in
            "Times on this page are in the zone \(day.zone.name) of the merchant \(name). Its business day begins at "
                + "\(day.cutoff)."
        }
    }

    func may(_ scopes: [Scope]) -> Bool { !session.principal.scopes.isDisjoint(with: scopes) }
    func may(_ permission: Permission) -> Bool { may(permission.scopes) }
}

/// The answer of a page.
enum PageAnswer: Sendable {
    case page(Page)
    /// A redirect to another address of the console.
    case redirect(String)
    case other(EdgeResponse)
}

/// A page before its template is filled.
struct Page: Sendable {
    var template: String
    var title: String
    var status = 200
    var retryAfterSeconds: Int?
    var values: [String: PageValue] = [:]
    /// The place of the page, if its address does not contain all of it.
    var place: ViewPlace?
    /// The note that names the zone of the page, if the operator did not choose it.
    var zoneNote: String?

    init(_ template: String, _ title: String, _ values: KeyValuePairs<String, PageValue?> = [:]) {
        self.template = template
        self.title = title
        for (name, value) in values { self.values[name] = value }
    }
}
