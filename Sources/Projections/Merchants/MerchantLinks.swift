package import Payments

/// The links around some names of a tenant, by which names are resolved.
///
/// The owner of a name is the one in the best role that any payment with it names. A name with two such owners is
/// ambiguous: it stays itself, so that two merchants are never merged.
package struct MerchantLinks: Sendable {
    private typealias Name = MerchantLink.Name

    /// The owners of each name, without the name itself.
    private var owners: [Name: Set<Name>] = [:]
    /// The names with each text: it may have several roles, and be the account of several vendors.
    private var named: [MerchantText: Set<Name>] = [:]
    /// The owners of each terminal.
    private var atTerminals: [Name: Set<Name>] = [:]

    package init(_ links: [MerchantLink] = []) {
        for link in links { add(link) }
    }

    /// Adds a link that is known from now on.
    package mutating func add(_ link: MerchantLink) {
        if link.name.role == .terminal {
            if !link.isOfNameAlone { atTerminals[link.name, default: []].insert(link.owner) }
        } else {
            named[link.name.text, default: []].insert(link.name)
            if !link.isOfNameAlone { owners[link.name, default: []].insert(link.owner) }
        }
    }

    /// The names with a text, in all roles. An account that is named before its vendor is known is the account of the
    /// vendor that is known later.
    private func names(with text: MerchantText) -> Set<Name> {
        let names = named[text] ?? []
        guard names.count > 1, names.contains(where: { $0.vendor != nil }) else { return names }
        return names.filter { $0.role != .account || $0.vendor != nil }
    }

    /// Every name with a link.
    var names: Set<MerchantText> { Set(named.keys) }

    /// The best name of a merchant; the name itself if it is unknown or ambiguous.
    package func best(of name: String) -> String { best(of: MerchantText(name)).text }

    private func best(of text: MerchantText) -> MerchantText {
        let ends = Set(names(with: text).map { end(of: $0) ?? text })
        return ends.count == 1 ? ends.first ?? text : text
    }

    /// Whether the name has two owners in the best role, directly or through its owner, or another one in each of its
    /// roles or at each vendor.
    private func isAmbiguous(_ text: MerchantText) -> Bool {
        let ends = Set(names(with: text).map { end(of: $0) })
        return ends.contains(nil) || ends.count > 1
    }

    /// The best role in which payments have the name; nil if it is unknown or ambiguous.
    func role(of text: MerchantText) -> MerchantLink.Role? {
        let names = names(with: text)
        guard !isAmbiguous(text) else { return nil }
        return MerchantLink.Role.allCases.first { role in names.contains { $0.role == role } }
    }

    /// The last owner of a name; nil if it is ambiguous.
    private func end(of name: Name) -> MerchantText? {
        let best = Self.best(owners[name] ?? [])
        guard let owner = best.first else { return name.text }
        // Each owner has a better role, so this ends.
        return best.count == 1 ? end(of: owner) : nil
    }

    /// Those in the best role.
    private static func best(_ owners: Set<Name>) -> Set<Name> {
        let role = MerchantLink.Role.allCases.first { role in owners.contains { $0.role == role } }
        return owners.filter { $0.role == role }
    }

    /// The merchant of the payments at a terminal that name none: the terminal's only owner in the best role. Nil
    /// without owners, or if there are several. An account that no payment names is that of batches, and no merchant.
    package func owner(ofTerminal terminal: String, vendor: Vendor?) -> String? {
        let owners = atTerminals[Name(MerchantText(terminal), .terminal, vendor)] ?? []
        let best = Self.best(owners.filter { $0.role != .account || named[$0.text]?.contains($0) == true })
        return best.count == 1 ? best.first?.text.text : nil
    }

    /// The other names with the same best name.
    package func others(of name: String) -> [String] {
        let text = MerchantText(name)
        return names(of: text).subtracting([text]).sorted().map(\.text)
    }

    /// The names with the same best name, with the name itself.
    private func names(of text: MerchantText) -> Set<MerchantText> {
        let best = best(of: text)
        return Set(named.keys.filter { self.best(of: $0) == best }).union([text])
    }

    /// A name beside the description of a merchant.
    package struct Shown: Sendable, Hashable {
        package var name: String
        /// The best role in which payments have it.
        package var role: String
        /// Whether it belongs to several merchants, and is therefore counted separately.
        package var isAmbiguous: Bool
    }

    /// The names of a merchant with their roles, and the ambiguous names that payments name together with one of them.
    /// Empty if there is no other name.
    package func shown(beside name: String) -> [Shown] {
        let own = names(of: MerchantText(name))
        var others: Set<MerchantText> = []
        for (name, owners) in owners {
            let linked = owners.map(\.text) + [name.text]
            if !own.isDisjoint(with: linked) { others.formUnion(linked.filter(isAmbiguous)) }
        }
        let all = own.union(others)
        guard all.count > 1 else { return [] }
        let roles = MerchantLink.Role.allCases
        let found = all.compactMap { text in
            let own = Set(names(with: text).map(\.role))
            return roles.firstIndex(where: own.contains).map { (rank: $0, text: text) }
        }
        return found.sorted { $0 < $1 }.map {
            Shown(name: $0.text.text, role: roles[$0.rank].rawValue, isAmbiguous: isAmbiguous($0.text))
        }
    }
}
