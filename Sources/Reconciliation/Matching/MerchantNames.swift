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
        let best = resolving(names, place)
        return "\(best(column)) = \(best(other))"
    }

    /// The condition that two columns do not name two merchants that payments name in one role, outside of a run; see
    /// `KnownPlaces`.
    ///
    /// - Parameter place: Adds a parameter, and returns its name.
    static func mayBeOne(
        _ column: String,
        _ other: String,
        _ names: BestNames,
        _ place: (PostgresValue) -> String
    ) -> String {
        guard names.known.count > 1 else { return "true" }
        let best = resolving(names, place)
        let known = place(.textArray(names.known.map(\.name)))
        let roles = place(.textArray(names.known.map(\.role)))
        func role(_ name: String) -> String { "(\(roles)::text[])[array_position(\(known)::text[], \(best(name)))]" }
        return "(\(best(column)) <> \(best(other)) AND \(role(column)) = \(role(other))) IS NOT TRUE"
    }

    /// The best name of the merchant in a column, as SQL with the names as parameters.
    private static func resolving(
        _ names: BestNames,
        _ place: (PostgresValue) -> String
    ) -> (_ column: String) -> String {
        guard !names.best.isEmpty else { return { $0 } }
        let known = place(.textArray(names.best.map(\.name)))
        let best = place(.textArray(names.best.map(\.best)))
        return { "coalesce((\(best)::text[])[array_position(\(known)::text[], \($0))], \($0))" }
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
