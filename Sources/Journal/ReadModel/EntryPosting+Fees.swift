extension EntryPosting {
    /// Stores fees, after those that the position has already, as a part of a statement before `legs`. The parameters
    /// are those of `legs`.
    ///
    /// - Parameter source: Selects `day`, `merchant`, `processor`, `brand`, `part`, `currency`, `source`, `amount`,
    ///   `lines` and `volume`.
    static func fees(_ source: String) -> String {
        """
        , charged AS (
            INSERT INTO fee_entries (tenant, position, number, day, adjusts, merchant, processor, brand, component,
                currency, source, amount, lines, volume)
            SELECT $1, $2, coalesce((SELECT max(number) FROM fee_entries e WHERE e.tenant = $1 AND e.position = $2), 0)
                + row_number() OVER (ORDER BY day, adjusts, merchant, processor, brand, component, currency, source),
                f.*
            FROM (
                SELECT \(openDay) AS day, \(closedDay) AS adjusts, coalesce(merchant, '') AS merchant,
                    coalesce(processor, '') AS processor, coalesce(brand, '') AS brand, part AS component, currency,
                    source, sum(amount) AS amount, sum(lines) AS lines, sum(volume) AS volume
                FROM (
                    SELECT $1::text AS tenant, $2::int8 AS position, coalesce(day, $4::text::date) AS day,
                        $4::text::date AS event_day, merchant, processor, brand, part, currency, source, amount, lines,
                        volume
                    FROM (\(source)) s
                ) n \(closed)
                GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
                HAVING sum(amount) <> 0 OR sum(lines) <> 0 OR sum(volume) <> 0
            ) f
        )
        """
    }
}
