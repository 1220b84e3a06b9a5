import Payments
package import Postgres
package import Projections

/// The read model `journal`: double entry, as entries that are never changed and the balances of all accounts.
///
/// The book of a payment says where its money is. An event posts the difference between the books after and before it,
/// so a correction reverses what it corrects, at its own position.
package struct JournalProjection: Projection {
    package let name = "journal"
    package let version = 6
    package let definition = [
        EmbeddedFiles.journal_sql, EmbeddedFiles.journalClosings_sql, EmbeddedFiles.journalStatements_sql,
        EmbeddedFiles.journalFees_sql, EmbeddedFiles.journalExports_sql, EmbeddedFiles.journalCharts_sql,
    ].joined(separator: "\n")
    package let contents = [
        ProjectionTable("entries", key: ["tenant", "position", "leg"]),
        ProjectionTable("balances", key: ["tenant", "day", "merchant", "account", "part", "currency"]),
        ProjectionTable("zone_links", key: ["tenant", "name", "role", "owner", "owner_role", "vendor"]),
        ProjectionTable("zones", key: ["tenant", "merchant"]),
        ProjectionTable("closings", key: ["tenant", "merchant", "day", "position"]),
        ProjectionTable("fee_entries", key: ["tenant", "position", "number"]),
        ProjectionTable("files", key: ["tenant", "id"]),
        ProjectionTable("journal_lines", key: ["tenant", "id"]),
        ProjectionTable("journal_links", key: ["tenant", "line", "transaction", "movement"]),
        ProjectionTable("journal_placements", key: ["tenant", "statement", "line"]),
        ProjectionTable("journal_exceptions", key: ["tenant", "id"]),
        ProjectionTable("exports", key: ["tenant", "id"]),
        ProjectionTable("charts", key: ["tenant", "version"]),
    ]

    /// Links and exceptions look for the newest entry of a payment, fundings for its links, parts of totals for their
    /// group, and days of entries for the names of a merchant.
    package let neededIndexes: Set = [
        "entries_by_transaction", "journal_placements_by_group", "journal_lines_revised", "journal_links_by_payment",
        "zone_links_by_owner",
    ]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        try await ClosingRows.write(run, in: transaction)
        var entries: [Entry] = []
        for payment in try run.payments() where payment.movesMoney { entries += Entry.entries(of: payment) }
        let zones = try DescribedZones(run.events)
        try await MerchantLink.insert(run.merchantLinks(), into: "zone_links", in: transaction)
        if !entries.isEmpty {
            let known = try await zones.read(for: entries, after: run.start, in: transaction)
            try await EntryRows(entries, run, known).insert(in: transaction)
        }
        try await zones.write(in: transaction)
        let fundings = Set(entries.filter(\.isFunding).map(\.position))
        try await StatementEntries.post(run, fundings: fundings, in: transaction)
        try await ExportRows.insert(run, in: transaction)
        try await ChartRows.insert(run, in: transaction)
    }
}

extension PaymentRun {
    /// False if no event of the run can change where the payment's money is: most payments of a run do not need to be
    /// folded again.
    fileprivate var movesMoney: Bool { before.hasMoney || after.hasMoney || steps.count > 1 }
}

extension TransactionState {
    fileprivate var hasMoney: Bool {
        !captures.isEmpty || !refunds.isEmpty || credit != nil || !chargebacks.isEmpty || settlement.funded != 0
            || cardValue != nil
    }
}
