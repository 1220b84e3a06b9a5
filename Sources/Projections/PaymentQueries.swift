package import EventLog

/// Reads the read models of payments.
package struct PaymentQueries: Sendable {
    package let transactions: TransactionQuery
    package let receipts: ReceiptQuery
    package let batches: BatchQuery
    /// Past states of batches.
    package let pastBatches: PastBatches
    package let totals: TotalsQuery
    package let days: DayQuery
    package let doubts: DoubtQuery
    package let duplicates: DuplicateQuery
    package let readers: ReaderQuery
    package let readerRates: ReaderRatesQuery
    package let checkouts: CheckoutQuery
    package let anomalies: AnomalyQuery
    package let merchants: MerchantQuery
    let reader: EventReader

    package init(log: LogConnection) {
        reader = log.reader
        transactions = TransactionQuery(pool: log.pool)
        receipts = ReceiptQuery(pool: log.pool)
        batches = BatchQuery(pool: log.pool)
        pastBatches = PastBatches(pool: log.pool, reader: log.reader)
        totals = TotalsQuery(pool: log.pool)
        days = DayQuery(pool: log.pool)
        doubts = DoubtQuery(pool: log.pool)
        duplicates = DuplicateQuery(pool: log.pool)
        readers = ReaderQuery(pool: log.pool)
        readerRates = ReaderRatesQuery(pool: log.pool)
        checkouts = CheckoutQuery(pool: log.pool)
        anomalies = AnomalyQuery(pool: log.pool)
        merchants = MerchantQuery(pool: log.pool)
    }
}
