import Canonical
package import Postgres

/// How the rows of payments name a merchant, beside the name that was requested.
package struct OtherNames: Sendable, Hashable {
    /// A terminal of a vendor.
    package struct Terminal: Sendable, Hashable {
        package var vendor: String
        package var name: String
    }

    /// The merchant's other names.
    package var merchants: [String] = []
    /// Terminals whose only merchant it is: a payment there that names no merchant is this one's.
    package var terminals: [Terminal] = []

    package init() {}
}

extension MerchantQuery {
    /// The other names by which rows of payments name a merchant; none without a merchant.
    ///
    /// - Parameter position: The position up to which payments link names; nil for all.
    package func otherNames(
        of merchant: String?,
        tenant: String,
        at position: Int64? = nil
    ) async throws -> OtherNames {
        guard let merchant else { return OtherNames() }
        var found = OtherNames()
        found.merchants = try await others(of: merchant, tenant: tenant, at: position)
        let rows = try await pool.query(
            EmbeddedFiles.merchantTerminals_sql,
            [
                .text(tenant), .textArray([merchant.storable] + found.merchants), .int64(position ?? .max),
                .textArray(MerchantLink.Role.allCases.map(\.rawValue)),
            ]
        )
        found.terminals = try rows.map { OtherNames.Terminal(vendor: try $0.text(0), name: try $0.text(1)) }
        return found
    }
}

extension MerchantQuery {
    /// A relation of the terminals that have only one owner in the best role, as `merchantTerminals.sql` finds them. Its
    /// columns are `of_vendor`, `of_terminal` and `of_merchant`.
    ///
    /// - Parameters:
    ///   - tenant: The parameter with the tenant.
    ///   - roles: The parameter with the roles, the best first.
    ///   - position: The parameter with the position up to which payments link names; nil for all.
    static func terminalOwners(tenant: String, roles: String, at position: String?) -> String {
        """
        (SELECT vendor AS of_vendor, name AS of_terminal, min(owner) COLLATE "default" AS of_merchant FROM (
            SELECT vendor, name, owner, rank() OVER (
                PARTITION BY vendor, name ORDER BY array_position(\(roles)::text[], owner_role)) AS place
            FROM read_merchants.linked_names l
            WHERE tenant = \(tenant) AND role = 'terminal' AND owner_role <> 'terminal'
                \(position.map { "AND since <= \($0)" } ?? "") AND (owner_role <> 'account' OR EXISTS (
                    SELECT FROM read_merchants.linked_names a WHERE a.tenant = l.tenant AND a.vendor = l.vendor
                        AND a.name = l.owner AND a.role = 'account' AND a.owner = a.name AND a.owner_role = 'account'
                        \(position.map { "AND a.since <= \($0)" } ?? "")
                ))
        ) owners WHERE place = 1 GROUP BY vendor, name HAVING count(*) = 1)
        """
    }
}

extension QueryConditions {
    /// Adds the condition that a row is of a merchant, if there is one: by any of its names, or by its terminal if the
    /// row names no merchant.
    ///
    /// - Parameter row: The prefix of the columns `merchant`, `vendor` and `terminal`, such as `t.`.
    package mutating func add(row: String = "", merchant: String?, _ others: OtherNames) {
        guard let merchant else { return }
        add(others.condition(merchant, row: row) { parameter($0) })
    }
}

extension OtherNames {
    /// The condition that a row is of a merchant with these other names.
    ///
    /// - Parameters:
    ///   - row: The prefix of the columns `merchant`, `vendor` and `terminal`, such as `t.`.
    ///   - parameter: Adds a parameter, and returns its name.
    package func condition(
        _ merchant: String,
        row: String = "",
        _ parameter: (PostgresValue) -> String
    ) -> String {
        let isNamed =
            merchants.isEmpty
            ? "\(row)merchant = \(parameter(.text(merchant)))"
            : "\(row)merchant = ANY (\(parameter(.textArray([merchant] + merchants)))::text[])"
        guard !terminals.isEmpty else { return isNamed }
        let names = parameter(.textArray(terminals.map(\.name)))
        let vendors = parameter(.textArray(terminals.map(\.vendor)))
        // The comparison of the terminal alone is for an index.
        return """
            (\(isNamed) OR \(row)merchant IS NULL AND \(row)terminal = ANY (\(names)::text[])
                AND (coalesce(\(row)vendor, ''), \(row)terminal) IN (
                    SELECT * FROM unnest(\(vendors)::text[], \(names)::text[])))
            """
    }
}
