import Canonical
import Payments
import Postgres

/// What changes in the table `members`: each line as it is from one position of the log on, until another one.
struct BatchMemberVersions {
    private struct Name: Hashable {
        var tenant: String
        var payment: UUID128
        /// Bytes: what only looks the same is another line.
        var line: [UInt8]
    }

    private struct Opened {
        var tenant: String
        var payment: UUID128
        var member: BatchMember
        var since: Int64
        var until: Int64?
    }

    private struct Closed {
        var tenant: String
        var payment: UUID128
        var line: String
        var until: Int64
    }

    private var opened: [Opened] = []
    private var closed: [Closed] = []
    /// Where in `opened` the version of a line is that still holds.
    private var role: [Name: Int] = [:]

    /// Notes what the event at `position` changed in what a payment has in batches.
    mutating func add(
        _ payment: PaymentRun,
        at position: Int64,
        before: [BatchMember],
        after: [BatchMember]
    ) {
        func name(_ member: BatchMember) -> Name {
            Name(tenant: payment.tenant, payment: payment.id, line: Array(member.line.utf8))
        }
        for member in before where !after.contains(where: member.hasSameRow) {
            if let index = role.removeValue(forKey: name(member)) {
                opened[index].until = position
            } else {
                let line = member.line.storableKey
                closed.append(Closed(tenant: payment.tenant, payment: payment.id, line: line, until: position))
            }
        }
        for member in after where !before.contains(where: member.hasSameRow) {
            role[name(member)] = opened.count
            opened.append(Opened(tenant: payment.tenant, payment: payment.id, member: member, since: position))
        }
    }

    func write(in transaction: borrowing PostgresTransaction) async throws {
        if !closed.isEmpty {
            _ = try await transaction.execute(
                """
                UPDATE members m SET until = r.until
                FROM unnest($1::text[], $2::uuid[], $3::text[], $4::int8[]) AS r (tenant, transaction, line, until)
                WHERE m.tenant = r.tenant AND m.transaction = r.transaction AND m.line = r.line AND m.until IS NULL
                """,
                [
                    .textArray(closed.map(\.tenant)), .uuidArray(closed.map(\.payment)), .textArray(closed.map(\.line)),
                    .int64Array(closed.map(\.until)),
                ]
            )
        }
        guard !opened.isEmpty else { return }
        _ = try await transaction.execute(
            """
            INSERT INTO members (tenant, transaction, line, since, until, batch, type, currency, amount, tip, voided,
                brand, tender, vendor, merchant, terminal, clerk, tip_recipient, occurred_at, evidence)
            SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::int8[], $5::int8[], $6::uuid[], $7::text[],
                $8::text[], $9::int8[], $10::int8[], $11::int8[], $12::text[], $13::text[], $14::text[], $15::text[],
                $16::text[], $17::text[], $18::text[], $19::timestamptz[], $20::text[])
            """,
            [
                .textArray(opened.map(\.tenant)),
                .uuidArray(opened.map(\.payment)),
                .textArray(opened.map(\.member.line.storableKey)),
                .int64Array(opened.map(\.since)),
                .int64Array(opened.map(\.until)),
                .uuidArray(opened.map { StreamName.batchID($0.member.batch, of: $0.tenant) }),
                .textArray(opened.map(\.member.type.rawValue)),
                .textArray(opened.map(\.member.currency.alpha)),
                .int64Array(opened.map(\.member.amount)),
                .int64Array(opened.map(\.member.tip)),
                .int64Array(opened.map(\.member.voided)),
                .textArray(opened.map { $0.member.brand?.storable }),
                .textArray(opened.map { $0.member.tender?.storable }),
                .textArray(opened.map(\.member.batch.vendor.rawValue)),
                .textArray(opened.map { $0.member.merchant?.storable }),
                .textArray(opened.map { $0.member.terminal?.storable }),
                .textArray(opened.map { $0.member.clerk?.storable }),
                .textArray(opened.map { $0.member.tipRecipient?.storable }),
                .timestamptzArray(opened.map(\.member.at)),
                .textArray(opened.map(\.member.evidence.rawValue)),
            ]
        )
    }
}
