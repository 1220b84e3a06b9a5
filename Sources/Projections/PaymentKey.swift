import Canonical
import Postgres

/// The primary key of read models with one row for each payment.
struct PaymentKey: Sendable, Hashable {
    var tenant: String
    var id: UUID128

    /// Keys as rows `k` of `tenant` and `id`, for the `FROM` of a statement whose first parameters are `parameters`.
    static let relation = "unnest($1::text[], $2::uuid[]) k (tenant, id)"

    static func parameters(_ keys: [PaymentKey]) -> [PostgresValue] {
        [.textArray(keys.map(\.tenant)), .uuidArray(keys.map(\.id))]
    }
}
