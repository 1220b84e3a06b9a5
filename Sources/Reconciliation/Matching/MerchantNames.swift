import Postgres
import Projections

/// The names of merchants in a run, as SQL over the table `merchant_names` of `sides.sql`: lines and payments of one
/// merchant are compared by its best name.
enum MerchantNames {
    /// Fills `merchant_names`.
    static func fill(_ names: BestNames, in transaction: borrowing PostgresTransaction) async throws {
        if !names.best.isEmpty {
            _ = try await transaction.execute(
                "INSERT INTO merchant_names SELECT * FROM unnest($1::text[], $2::text[])",
                [.textArray(names.best.map(\.name)), .textArray(names.best.map(\.best))]
            )
        }
        try await transaction.script("ANALYZE merchant_names")
    }

    /// The best name of the merchant in a column, for statements about few rows: each is looked up by the key.
    /// Statements about many rows join with the table.
    static func best(_ column: String) -> String {
        "coalesce((SELECT known.best FROM merchant_names known WHERE known.name = \(column)), \(column))"
    }

    /// The condition that two columns name one merchant, outside of a run.
    ///
    /// - Parameter place: Adds a parameter, and returns its name.
    static func areOne(
        _ column: String,
        _ other: String,
        _ names: BestNames,
        _ place: (PostgresValue) -> String
    ) -> String {
        guard !names.best.isEmpty else { return "\(column) = \(other)" }
        let known = place(.textArray(names.best.map(\.name)))
        let best = place(.textArray(names.best.map(\.best)))
        func resolved(_ name: String) -> String {
            "coalesce((\(best)::text[])[array_position(\(known)::text[], \(name))], \(name))"
        }
        return "\(resolved(column)) = \(resolved(other))"
    }

    /// Whether a line of a processor's file names one of these merchants.
    static func areInFiles(
        _ names: Set<String>,
        of tenant: String,
        in transaction: borrowing PostgresTransaction
    ) async throws -> Bool {
        guard !names.isEmpty else { return false }
        return try await transaction.query(
            "SELECT EXISTS (SELECT FROM read_statements.reach WHERE tenant = $1 AND merchant = ANY ($2::text[]))",
            [.text(tenant), .textArray(names.sorted())]
        ).first?.bool(0) ?? false
    }
}
