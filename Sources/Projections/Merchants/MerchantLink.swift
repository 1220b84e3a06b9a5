import Canonical
import EventLog
import Payments
package import Postgres

/// A name as bytes: text that is canonically equivalent may name different merchants.
package struct MerchantText: Sendable, Hashable, Comparable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: MerchantText, right: MerchantText) -> Bool {
        left.text.hasSameUTF8(as: right.text)
    }

    package static func < (left: MerchantText, right: MerchantText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Two names that one payment has reported together: a name, and its owner, a name of a better role.
package struct MerchantLink: Sendable, Hashable {
    /// A name with its role.
    struct Name: Sendable, Hashable {
        /// As the read models store it.
        let text: MerchantText
        let role: Role
        /// The vendor whose gateway gave the name; nil for a name of another role, which is the same at every vendor.
        let vendor: Vendor?

        init(_ text: MerchantText, _ role: Role, _ vendor: Vendor?) {
            self.text = text
            self.role = role
            self.vendor = role == .account || role == .terminal ? vendor : nil
        }
    }

    /// The best first.
    enum Role: String, Sendable, Hashable, CaseIterable {
        case sender, processor, account, terminal

        init(_ role: MerchantRole) {
            self =
                switch role {
                case .sender: .sender
                case .processor: .processor
                case .account: .account
                }
        }
    }

    /// Nil if the payment names no vendor.
    var vendor: Vendor?
    var name: Name
    /// The name itself in the link that records the name.
    var owner: Name

    /// Whether it only records that the name exists, or that a payment at a terminal names no merchant.
    var isOfNameAlone: Bool { name == owner }

    /// The links of what a payment names.
    static func links(of state: TransactionState) -> Set<MerchantLink> {
        let names = MerchantRole.allCases.compactMap { role in
            state.merchant(as: role).map { Name(MerchantText($0.storable), Role(role), state.vendor) }
        }
        var links: Set<MerchantLink> = []
        for (index, owner) in names.enumerated() {
            for name in names[index...] { links.insert(MerchantLink(vendor: state.vendor, name: name, owner: owner)) }
        }
        let owners = [names.first, names.first { $0.role == .account }].compactMap(\.self)
        for terminal in [state.identity.terminal, state.references.terminal].compactMap(\.self) {
            let name = Name(MerchantText(terminal.storable), .terminal, state.vendor)
            // A payment that names no merchant is counted by its terminal.
            for owner in owners.isEmpty ? [name] : owners {
                links.insert(MerchantLink(vendor: state.vendor, name: name, owner: owner))
            }
        }
        return links
    }

    /// The links that a run of payments adds, with the positions of the events that complete them.
    static func found(in payments: [PaymentRun]) -> [Row: Int64] {
        var found: [Row: Int64] = [:]
        // The earliest positions at which payments of the run have these names.
        var seen: [LinkedNames.OfTenant: Int64] = [:]
        for payment in payments {
            var names = LinkedNames(payment.before)
            let last = LinkedNames(payment.after)
            guard names != last else { continue }
            let known = links(of: payment.before)
            var state = payment.before
            for step in payment.steps {
                state.fold(step.fact, at: step.occurredAt)
                let now = LinkedNames(state)
                guard now != names else { continue }
                names = now
                let key = LinkedNames.OfTenant(tenant: payment.tenant, names: now)
                if seen[key].map({ $0 > step.position }) ?? true {
                    seen[key] = step.position
                    for link in links(of: state).subtracting(known) {
                        let row = Row(tenant: payment.tenant, link: link)
                        found[row] = min(found[row] ?? step.position, step.position)
                    }
                }
                // A name that is reported stays, so no later step adds one. Most payments have all in the first steps.
                if names == last { break }
            }
        }
        return found
    }

    /// What the links of a payment depend on.
    private struct LinkedNames: Hashable {
        struct OfTenant: Hashable {
            var tenant: String
            var names: LinkedNames
        }

        private let vendor: Vendor?
        private let sender: String?
        private let processor: String?
        private let account: String?
        private let terminal: String?
        private let reportedTerminal: String?

        init(_ state: TransactionState) {
            vendor = state.vendor
            sender = state.merchant(as: .sender)
            processor = state.merchant(as: .processor)
            account = state.merchant(as: .account)
            terminal = state.identity.terminal
            reportedTerminal = state.references.terminal
        }

        static func == (left: LinkedNames, right: LinkedNames) -> Bool {
            left.vendor == right.vendor && left.sender.hasSameUTF8(as: right.sender)
                && left.processor.hasSameUTF8(as: right.processor) && left.account.hasSameUTF8(as: right.account)
                && left.terminal.hasSameUTF8(as: right.terminal)
                && left.reportedTerminal.hasSameUTF8(as: right.reportedTerminal)
        }
    }

    /// The links between terminals and the accounts of their batches that reports of readers add.
    static func found(inReports events: [RecordedEvent]) throws(UnappliedEvent) -> [Row: Int64] {
        var found: [Row: Int64] = [:]
        for event in events where StreamName.readerReference(event.stream) != nil {
            guard let report = try event.readerReport()?.report, let reader = report.reader,
                let account = report.names?.account, let names = report.names
            else { continue }
            let owner = Name(MerchantText(account.storable), .account, reader.vendor)
            for (_, text) in names.known {
                let name = Name(MerchantText(text.storable), .terminal, reader.vendor)
                guard name.text != owner.text else { continue }
                let row = Row(tenant: event.tenant, link: MerchantLink(vendor: reader.vendor, name: name, owner: owner))
                found[row] = min(found[row] ?? event.position, event.position)
            }
        }
        return found
    }

    package struct Row: Sendable, Hashable {
        var tenant: String
        var link: MerchantLink
    }

    /// Inserts the links that are new into a table with the columns of `linked_names`. An earlier run has recorded the
    /// others at an earlier position.
    package static func insert(
        _ found: [Row: Int64],
        into table: String,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        guard !found.isEmpty else { return }
        let rows = Array(found)
        _ = try await transaction.execute(
            """
            INSERT INTO \(table) (tenant, vendor, name, role, owner, owner_role, since)
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[])
            ON CONFLICT DO NOTHING
            """,
            [
                .textArray(rows.map(\.key.tenant)), .textArray(rows.map { $0.key.link.vendor?.rawValue ?? "" }),
                .textArray(rows.map(\.key.link.name.text.text)), .textArray(rows.map(\.key.link.name.role.rawValue)),
                .textArray(rows.map(\.key.link.owner.text.text)), .textArray(rows.map(\.key.link.owner.role.rawValue)),
                .int64Array(rows.map(\.value)),
            ]
        )
    }

    /// Reads the columns vendor, name, role, owner and owner_role.
    ///
    /// - Parameter first: The number of the first of them.
    /// - Throws: `UnreadableRow`.
    package init(_ row: PostgresRow, from first: Int = 0) throws {
        let vendor = try row.text(first)
        guard let role = Role(rawValue: try row.text(first + 2)),
            let ownerRole = Role(rawValue: try row.text(first + 4))
        else { throw UnreadableRow() }
        self.vendor = Vendor(rawValue: vendor)
        if self.vendor == nil, !vendor.isEmpty { throw UnreadableRow() }
        name = Name(MerchantText(try row.text(first + 1)), role, self.vendor)
        owner = Name(MerchantText(try row.text(first + 3)), ownerRole, self.vendor)
    }

    init(vendor: Vendor?, name: Name, owner: Name) {
        self.vendor = vendor
        self.name = name
        self.owner = owner
    }
}
