package import Payments
import Postgres

/// An account at a vendor's gateway.
package struct VendorAccount: Sendable, Hashable {
    package var tenant: String
    package var vendor: Vendor
    package var name: String

    package init(tenant: String, vendor: Vendor, name: String) {
        self.tenant = tenant
        self.vendor = vendor
        self.name = name
    }
}

extension MerchantQuery {
    /// The accounts that payments have named together with another name, first by an event after `start`, up to `end`.
    package func accounts(linkedAfter start: Int64, upTo end: Int64) async throws -> Set<VendorAccount> {
        let rows = try await pool.query(
            """
            SELECT DISTINCT tenant, vendor, CASE role WHEN 'account' THEN name ELSE owner END
            FROM read_merchants.linked_names
            WHERE since > $1 AND since <= $2 AND (role = 'account' OR owner_role = 'account') AND vendor <> ''
                AND (name, role) <> (owner, owner_role)
            """,
            [.int64(start), .int64(end)]
        )
        return Set(
            try rows.map { row in
                guard let vendor = Vendor(rawValue: try row.text(1)) else { throw UnreadableRow() }
                return VendorAccount(tenant: try row.text(0), vendor: vendor, name: try row.text(2))
            }
        )
    }

    /// The names by which documents name an account, with the account: the account's, and those of its terminals and
    /// merchants that name no other account. Only the name itself if it is not an account.
    package func names(of account: VendorAccount, at position: Int64) async throws -> Set<String> {
        let names = try await names(ofAccountOf: account, at: position)
        let asked = MerchantText(account.name)
        let own = Self.account(of: asked, in: try await links([asked], account, position))
        return own == asked ? names : [account.name]
    }

    /// The account that documents name with a name, if they name it with no other one; nil for an account itself.
    ///
    /// - Parameter position: The position up to which documents link names.
    package func account(of name: VendorAccount, at position: Int64) async throws -> VendorAccount? {
        let asked = MerchantText(name.name)
        let found = Self.account(of: asked, in: try await links([asked], name, position))
        guard let found, found != asked else { return nil }
        return VendorAccount(tenant: name.tenant, vendor: name.vendor, name: found.text)
    }

    /// Those of the merchants that are not the account's. They are named together only with other accounts, or with none
    /// while the account has other merchants of the same role.
    ///
    /// - Parameters:
    ///   - account: The account, or a name of it.
    ///   - merchants: Names as the read models store them.
    ///   - position: The position up to which documents link names.
    package func strangers(
        among merchants: Set<String>,
        to account: VendorAccount,
        at position: Int64
    ) async throws -> Set<String> {
        guard !merchants.isEmpty else { return [] }
        let asked = MerchantText(account.name)
        let own = Self.account(of: asked, in: try await links([asked], account, position)) ?? asked
        let around = try await links(Set(merchants.map { MerchantText($0) }).union([own]), account, position)
        let pairs = around.filter { !$0.isOfNameAlone }
        let merchantsOfOwn = pairs.filter { $0.name.text == own && $0.name.role == .account }.map(\.owner)
        return merchants.filter { merchant in
            let text = MerchantText(merchant)
            guard text != own else { return false }
            let accounts = pairs.filter { $0.owner.text == text && $0.name.role == .account }.map(\.name.text)
            if !accounts.isEmpty { return !accounts.contains(own) }
            let roles = around.filter { $0.name.text == text }.map(\.name.role)
            return merchantsOfOwn.contains { roles.contains($0.role) }
        }
    }

    /// The names by which documents name the account of a name, each of which names no other account: the account, its
    /// terminals and its merchants. The name itself is among them.
    ///
    /// - Parameter position: The position up to which payments link names.
    package func names(ofAccountOf name: VendorAccount, at position: Int64) async throws -> Set<String> {
        let asked = MerchantText(name.name)
        let account = Self.account(of: asked, in: try await links([asked], name, position)) ?? asked
        let linked = try await links([account], name, position)
        let candidates = Set(linked.flatMap { [$0.name.text, $0.owner.text] })
        let around = try await links(candidates, name, position)
        let names = candidates.filter { Self.account(of: $0, in: around) == account }
        return Set(names.union([account, asked]).map(\.text))
    }

    /// The links of names in the tenant and vendor of an account.
    private func links(
        _ names: Set<MerchantText>,
        _ account: VendorAccount,
        _ position: Int64
    ) async throws -> [MerchantLink] {
        try await pool.query(
            """
            SELECT n.vendor, n.name, n.role, n.owner, n.owner_role FROM read_merchants.linked_names n
            WHERE n.tenant = $1 AND n.vendor = $2 AND n.since <= $3
                AND (n.name = ANY ($4::text[]) OR n.owner = ANY ($4::text[]))
            """,
            [
                .text(account.tenant), .text(account.vendor.rawValue), .int64(position),
                .textArray(names.map(\.text)),
            ]
        ).map { try MerchantLink($0) }
    }

    private static func account(of name: MerchantText, in links: [MerchantLink]) -> MerchantText? {
        var found: Set<MerchantText> = []
        for link in links {
            if link.name.text == name, link.owner.role == .account { found.insert(link.owner.text) }
            if link.owner.text == name, link.name.role == .account { found.insert(link.name.text) }
            if link.name.text == name, link.name.role == .account { found.insert(name) }
            if link.owner.text == name, link.owner.role == .account { found.insert(name) }
        }
        return found.count == 1 ? found.first : nil
    }
}
