WITH touched AS (
    SELECT x.resolution FROM read_reconciliation.exceptions x
    WHERE x.tenant = $1 AND x.status = 'resolved' AND x.resolution ->> 'kind' = 'matched' AND (
        EXISTS (
            SELECT FROM json_array_elements_text(x.resolution -> 'lines') AS i (value)
            JOIN scope_lines s ON s.line = i.value::uuid AND s.round = $2::int
        ) OR EXISTS (
            SELECT FROM json_to_recordset(x.resolution -> 'movements') AS i (transaction uuid)
            JOIN scope_transactions s ON s.transaction = i.transaction AND s.round = $2::int
        )
    )
)
