import Canonical
import Payments
import Postgres

/// Changes to the table `members`: one row per version of a line, each with the positions from which and until which
/// it holds.
struct BatchMemberVersions {
    private struct Name: Hashable {
        var tenant: String
        var payment: UUID128
        /// Bytes, because text that is canonically equivalent may name different lines.
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
    /// The index in `opened` of the current version of each line.
    private var current: [Name: Int] = [:]

    /// Records the change that the event at `position` made to a payment's lines in batches.
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
            if let index = current.removeValue(forKey: name(member)) {
                opened[index].until = position
            } else {
                let line = member.line.storableKey
                closed.append(Closed(tenant: payment.tenant, payment: payment.id, line: line, until: position))
            }
        }
        for member in after where !before.contains(where: member.hasSameRow) {
            current[name(member)] = opened.count
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
            EmbeddedFiles.memberInsert_sql,
            [
                .textArray(opened.map(\.tenant)),
                .uuidArray(opened.map(\.payment)),
                .textArray(opened.map(\.member.line.storableKey)),
                .int64Array(opened.map(\.since)),
                .int64Array(opened.map(\.until)),
                .uuidArray(opened.map { one in one.member.batch.map { StreamName.batchID($0, of: one.tenant) } }),
                .textArray(opened.map(\.member.type.rawValue)),
                .textArray(opened.map(\.member.currency.alpha)),
                .int64Array(opened.map(\.member.amount)),
                .int64Array(opened.map(\.member.tip)),
                .int64Array(opened.map(\.member.voided)),
                .textArray(opened.map { $0.member.brand?.storable }),
                .textArray(opened.map { $0.member.tender?.storable }),
                .textArray(opened.map(\.member.batch?.vendor.rawValue)),
                .textArray(opened.map { $0.member.merchant?.storable }),
                .textArray(opened.map { $0.member.terminal?.storable }),
                .textArray(opened.map { $0.member.clerk?.storable }),
                .textArray(opened.map { $0.member.tipRecipient?.storable }),
                .timestamptzArray(opened.map(\.member.at)),
                .timestamptzArray(opened.map(\.member.localAt?.asUTC)),
                .textArray(opened.map(\.member.evidence.rawValue)),
                .boolArray(opened.map(\.member.isUnsettled)),
            ]
        )
    }
}
