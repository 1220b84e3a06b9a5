import Canonical
import Postgres

/// The primary key of read models with one row for each payment.
struct PaymentKey: Sendable, Hashable {
    var tenant: String
    var id: UUID128

    /// Keys as rows `k` of `tenant` and `id`, for the `FROM` of a statement whose first parameters are `parameters`.
    ///
    /// As results of subqueries, the parameters do not change the plan, so each connection soon keeps the plan. With
    /// parameters alone PostgreSQL prefers a new plan for each read of few keys, and planning takes longer than the read.
    static let relation = "unnest((SELECT $1::text[]), (SELECT $2::uuid[])) k (tenant, id)"

    static func parameters(_ keys: [PaymentKey]) -> [PostgresValue] {
        [.textArray(keys.map(\.tenant)), .uuidArray(keys.map(\.id))]
    }
}
