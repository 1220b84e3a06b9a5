import Canonical
package import Payments
import Postgres

// The closings of a batch number.
extension BatchQuery {
    /// The closings of a batch number under the name that a batch has, and under that of its account, if documents name
    /// the batch by a name of one account only.
    ///
    /// Closings under both names may have one number of a generation. If the account's was recorded first, and the
    /// names were linked by then, settlement records the other one again, for the next generation: only that one is
    /// returned.
    package func generations(of batch: BatchReference, tenant: String) async throws -> BatchGenerations {
        let own = VendorAccount(tenant: tenant, vendor: batch.vendor, name: batch.account?.storable ?? "")
        let merchants = MerchantQuery(pool: pool)
        let account = try await batch.account == nil ? nil : merchants.account(of: own, at: .max)
        let rows = try await pool.query(
            EmbeddedFiles.batchClosings_sql,
            [
                .text(tenant), .text(batch.vendor.rawValue), .optional(batch.number?.storable, PostgresValue.text),
                .textArray([own.name] + (account.map { [$0.name] } ?? [])),
            ]
        )
        let closed = try rows.map { row in
            BatchGenerations.Closed(
                generation: Int(try row.int64(0)),
                closing: try JSONValueDecoder().decode(BatchClosing.self, parsing: row.text(1)),
                occurredAt: try row.timestamp(2),
                position: try row.int64(3)
            )
        }
        var counted: [BatchGenerations.Closed] = []
        for (row, one) in zip(rows, closed) {
            let isOwn = try row.textOrNull(4).hasSameUTF8(as: own.name)
            let isSecond = isOwn && closed.contains { $0.isAnotherClosing(before: one) }
            if isSecond, try await merchants.account(of: own, at: one.position) != nil { continue }
            counted.append(one)
        }
        return BatchGenerations(counted)
    }
}
