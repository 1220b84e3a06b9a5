/// What other targets may join with: relations over the read models of payments, for the `FROM` of a statement. Each
/// offers only the columns in its list.
package enum PaymentRelations {
    package static let payments = """
        (SELECT tenant, id, status, version, in_doubt, vendor, occurred_at, local_at
            FROM read_transactions.transactions)
        """

    /// The versions of the lines of money: each holds from the position `since`, and before the position `until`.
    package static let lines = """
        (SELECT tenant, transaction, line, since, until, batch, type, currency, amount, voided, vendor, merchant,
            terminal, occurred_at, local_at FROM read_batches.members)
        """

    package static let batches = "(SELECT tenant, id, number FROM read_batches.batches)"

    /// `cleared` is the position of the event that cleared the anomaly.
    package static let anomalies = """
        (SELECT tenant, stream, position, kind, in_doubt, cleared FROM read_anomalies.anomalies)
        """
}
