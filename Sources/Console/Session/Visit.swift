import Access
import Canonical
import HTTPEdge
import Projections

/// Somebody with a session, on a page.
struct Visit: Sendable {
    let request: Console.Request
    let token: SessionToken
    let session: SessionStore.Session
    let zone: Zone
    let now: Timestamp

    var tenant: String { session.principal.tenant }

    /// The query, without the zone, which every page takes.
    var query: QueryReader {
        var query = request.query
        // Too long a zone is no zone, and leaves the parameter to be refused.
        _ = try? query.list("zone")
        return query
    }

    /// Where the address stands.
    var place: ViewPlace {
        ViewPlace(path: request.parameters, query: FormQuery(self).exact, tenant: tenant)
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
    var values: [String: PageValue] = [:]
    /// Where the page stands, where its address does not say all of it.
    var place: ViewPlace?

    init(_ template: String, _ title: String, _ values: KeyValuePairs<String, PageValue?> = [:]) {
        self.template = template
        self.title = title
        for (name, value) in values { self.values[name] = value }
    }
}
