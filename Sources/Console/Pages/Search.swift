import Access
import Canonical
import EventLog
import HTTPEdge
import Ledger
import Payments
import Projections

extension Console {
    /// How many of each kind are listed.
    private static let searchLimit = 10

    func addSearch(to router: inout EdgeRouter<Principal>) {
        addPage("/console/search", needs: [.read], to: &router) { try await search($0) }
    }

    /// What was found under one kind of name.
    private struct Finding: Sendable {
        var kind: String
        var transactions: [StoredTransaction] = []
        var batches: [BatchView] = []
        var readers: [ReaderView] = []
        var position: Int64?

        /// The pages of all of it.
        var places: [String] {
            var places = transactions.map { Address.transaction($0.id.description) }
            places += batches.map { Address.batch($0.id.description) }
            places += readers.map { Address.reader($0.reader.vendor.rawValue, $0.reader.serial) }
            if let position { places.append(Address.event(position)) }
            return places
        }
    }

    /// Finds whatever has the name that was typed. The only one is shown at once.
    private func search(_ visit: Visit) async throws -> PageAnswer {
        var query = visit.query
        let typed = try query.text("q") ?? ""
        try query.finish()
        let sought = typed.split(separator: " ").joined(separator: " ")
        guard !sought.isEmpty else { return .redirect(Address.root) }
        let findings = try await findings(sought, visit.tenant)
        let places = Set(findings.flatMap(\.places))
        if places.count == 1, let place = places.first { return .redirect(place) }
        let sections = try findings.map { finding -> PageValue in
            var members: [String: PageValue] = ["kind": .text(finding.kind)]
            if !finding.transactions.isEmpty {
                let items = try finding.transactions.map { try JSONValue(parsing: $0.json.utf8) }
                members["table"] = transactionTable(items, finding.kind, visit).value
            } else if !finding.batches.isEmpty {
                members["table"] = batchTable(finding.batches, finding.kind, visit).value
            } else if !finding.readers.isEmpty {
                members["table"] = readerTable(finding.readers, finding.kind, visit).value
            } else if let position = finding.position {
                members["event"] = .members(["href": .text(Address.event(position)), "position": "\(position)"])
            }
            return .object(members)
        }
        let limit = findings.contains { max($0.transactions.count, $0.batches.count) >= Self.searchLimit }
        return .page(
            Page(
                "search",
                "Search",
                [
                    "sought": .text(sought), "sections": .list(sections), "nothing": .given(sections.isEmpty),
                    "isCut": .given(limit), "limit": "\(Self.searchLimit)",
                ]
            )
        )
    }

    private func findings(_ sought: String, _ tenant: String) async throws -> [Finding] {
        var filters: [(String, TransactionFilter)] = []
        func add(_ kind: String, _ set: (inout TransactionFilter) -> Void) {
            var filter = TransactionFilter()
            set(&filter)
            filters.append((kind, filter))
        }
        add("Transactions with this gateway id") { $0.gatewayTransaction = sought }
        add("Transactions with this retrieval reference") { $0.retrievalReference = sought }
        add("Transactions with this invoice") { $0.invoice = sought }
        add("Transactions with this authorisation code") { $0.authorizationCode = sought }
        add("Transactions with this reference of an app") { $0.reference = sought }
        add("Transactions in a batch of this number") { $0.batch = sought }
        let isLastFour = sought.utf8.count == 4 && sought.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isLastFour { add("Transactions with a card that ends like this") { $0.lastFour = sought } }
        var findings = try await named(sought, tenant)
        findings += try await withThrowingTaskGroup(of: (Int, Finding).self) { group in
            for (index, (kind, filter)) in filters.enumerated() {
                group.addTask {
                    let found = try await ledger.transactions.transactions(
                        of: tenant,
                        matching: filter,
                        limit: Self.searchLimit
                    )
                    return (index, Finding(kind: kind, transactions: found))
                }
            }
            var found: [(Int, Finding)] = []
            for try await finding in group { found.append(finding) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
        return findings.filter { finding in
            !finding.transactions.isEmpty || !finding.batches.isEmpty || !finding.readers.isEmpty
                || finding.position != nil
        }
    }

    /// What the text names by itself.
    private func named(_ sought: String, _ tenant: String) async throws -> [Finding] {
        var findings: [Finding] = []
        if let id = UUID128(sought) {
            let transaction = try await ledger.transactions.transaction(id, of: tenant)
            findings.append(Finding(kind: "Transactions with this id", transactions: transaction.map { [$0] } ?? []))
            let batch = try await ledger.batches.batch(id, of: tenant)
            findings.append(Finding(kind: "Batches with this id", batches: batch.map { [$0] } ?? []))
        }
        let batches = try await ledger.batches.batches(of: tenant, number: sought, limit: Self.searchLimit)
        findings.append(Finding(kind: "Batches with this number", batches: batches))
        var readers: [ReaderView] = []
        for vendor in Vendor.allCases {
            let reference = ReaderReference(vendor: vendor, serial: sought)
            if let reader = try await ledger.readers.reader(reference, of: tenant) { readers.append(reader) }
        }
        findings.append(Finding(kind: "Readers with this serial number", readers: readers))
        // Written with a hash sign, so that it is not taken for anything else.
        if sought.hasPrefix("#"), let position = Int64(sought.dropFirst()), position > 0,
            try await ledger.reader.event(at: position, of: tenant) != nil
        {
            findings.append(Finding(kind: "Events at this position", position: position))
        }
        return findings
    }
}
