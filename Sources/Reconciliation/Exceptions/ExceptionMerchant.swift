import Postgres
import Projections

/// The merchants of exceptions, as SQL.
enum ExceptionMerchant {
    /// The condition that an exception `x` is of a merchant: by any of its names, or, if no report names one, by the
    /// terminal of the payment.
    ///
    /// - Parameters:
    ///   - others: The other names of the merchant.
    ///   - place: Adds a parameter and returns its placeholder; `$1` is the tenant.
    static func condition(
        _ merchant: String,
        _ others: OtherNames,
        _ place: (PostgresValue) -> String
    ) -> String {
        let isNamed =
            others.merchants.isEmpty
            ? "x.merchant = \(place(.text(merchant)))"
            : "x.merchant = ANY (\(place(.textArray([merchant] + others.merchants)))::text[])"
        guard !others.terminals.isEmpty else { return isNamed }
        let terminals = place(.textArray(others.terminals.map(\.name)))
        let vendors = place(.textArray(others.terminals.map(\.vendor)))
        return """
            (\(isNamed) OR x.merchant IS NULL AND x.terminal = ANY (\(terminals)::text[]) AND EXISTS (
                SELECT FROM \(PaymentRelations.payments) p WHERE p.tenant = $1 AND p.id = x.transaction
                    AND (coalesce(p.vendor, ''), x.terminal) IN (
                        SELECT * FROM unnest(\(vendors)::text[], \(terminals)::text[]))))
            """
    }
}
