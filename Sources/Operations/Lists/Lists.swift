/// All lists of the ledger. Each is defined in its own file.
package enum Lists {
    package static let all: [any LedgerList] = [
        transactions,
        timeline,
        batches,
        members,
        changes,
        totals,
        readers,
        readerRates,
        checkouts,
        anomalies,
        doubts,
        duplicates,
        merchants,
        statements,
        statementLines,
        controls,
        reconciliations,
        matches,
        exceptions,
        periods,
        periodChanges,
        deposits,
        paidLines,
        journal,
        trialBalance,
        journalExports,
        replays,
        replayItems,
        events,
    ]

    package static func named(_ name: String) -> (any LedgerList)? { all.first { $0.name == name } }
}
