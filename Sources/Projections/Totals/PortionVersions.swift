import Canonical
import Payments
import Postgres

/// Changes to the table `portions`: one row per version of a portion.
struct PortionVersions {
    private struct Version {
        var tenant: String
        var payment: UUID128
        var portion: Portion
        var since: Int64
        var until: Int64?
    }

    private var opened: [Version] = []
    /// Versions that were stored before, with the positions that end them.
    private var closed: [Version] = []

    /// Records the change that the event at `position` made to a payment's portions.
    mutating func add(_ payment: PaymentRun, at position: Int64, before: [Portion], after: [Portion]) {
        for portion in before where !after.contains(portion) {
            let index = opened.lastIndex {
                $0.until == nil && $0.payment == payment.id && $0.tenant == payment.tenant
                    && $0.portion.hasSameKey(as: portion)
            }
            if let index {
                opened[index].until = position
            } else {
                closed.append(
                    Version(tenant: payment.tenant, payment: payment.id, portion: portion, since: 0, until: position)
                )
            }
        }
        for portion in after where !before.contains(portion) {
            opened.append(Version(tenant: payment.tenant, payment: payment.id, portion: portion, since: position))
        }
    }

    func write(in transaction: borrowing PostgresTransaction) async throws {
        if !closed.isEmpty {
            _ = try await transaction.execute(
                """
                UPDATE portions p SET until = r.until FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[],
                    $5::text[], $6::int8[]) AS r (tenant, transaction, line, kind, label, until)
                WHERE (p.tenant, p.transaction, p.line, p.kind, p.label)
                    = (r.tenant, r.transaction, r.line, r.kind, r.label) AND p.until IS NULL
                """,
                Self.names(closed) + [.int64Array(closed.map(\.until))]
            )
        }
        guard !opened.isEmpty else { return }
        _ = try await transaction.execute(
            """
            INSERT INTO portions (tenant, transaction, line, kind, label, since, until, amount)
            SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::int8[], $7::int8[],
                $8::int8[])
            """,
            Self.names(opened) + [
                .int64Array(opened.map(\.since)), .int64Array(opened.map(\.until)),
                .int64Array(opened.map(\.portion.amount)),
            ]
        )
    }

    private static func names(_ versions: [Version]) -> [PostgresValue] {
        [
            .textArray(versions.map(\.tenant)), .uuidArray(versions.map(\.payment)),
            .textArray(versions.map(\.portion.line)), .textArray(versions.map(\.portion.kind.rawValue)),
            .textArray(versions.map(\.portion.label)),
        ]
    }
}
