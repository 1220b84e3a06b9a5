import Postgres

/// The names of a tenant's merchants that payments name together with a better one, as `MerchantLinks` resolves them.
package struct BestNames: Sendable {
    /// The best name of each name that has a better one, as the read models store names.
    package private(set) var best: [(name: String, best: String)] = []
    /// The names that no payment named before, and that are best names.
    package private(set) var new: Set<String> = []
    /// The names that no payment named before, and that have a better one.
    package private(set) var joined: Set<String> = []
    /// Whether a name that payments named before has another best name, or that one another role.
    package private(set) var areChanged = false
    /// The best names, each with the best role in which payments have it, without names of several merchants.
    package private(set) var known: [(name: String, role: String)] = []

    package init() {}

    fileprivate init(_ links: MerchantLinks, since earlier: MerchantLinks) {
        let earlierNames = earlier.names
        for name in links.names.sorted() {
            let now = MerchantText(links.best(of: name.text))
            if now != name { best.append((name: name.text, best: now.text)) }
            let role = links.role(of: now)
            if now == name, let role { known.append((name: name.text, role: role.rawValue)) }
            if earlierNames.contains(name) {
                let before = MerchantText(earlier.best(of: name.text))
                if before != now || earlier.role(of: now) != role { areChanged = true }
            } else if now == name {
                new.insert(name.text)
            } else {
                joined.insert(name.text)
            }
        }
    }
}

extension MerchantQuery {
    /// The names that payments name together with a better one.
    ///
    /// - Parameters:
    ///   - position: The position up to which payments link names.
    ///   - earlier: The position since which changes of merchants are found.
    package func bestNames(of tenant: String, at position: Int64, since earlier: Int64) async throws -> BestNames {
        let rows = try await pool.query(
            """
            SELECT vendor, name, role, owner, owner_role, since FROM read_merchants.linked_names
            WHERE tenant = $1 AND role <> 'terminal' AND since <= $2
            """,
            [.text(tenant), .int64(position)]
        )
        var (before, now) = (MerchantLinks(), MerchantLinks())
        for row in rows {
            let link = try MerchantLink(row)
            now.add(link)
            if try row.int64(5) <= earlier { before.add(link) }
        }
        return BestNames(now, since: before)
    }
}
