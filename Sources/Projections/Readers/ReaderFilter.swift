package import Canonical
package import Payments
import Postgres

/// A filter of readers. Every condition that is set must hold.
package struct ReaderFilter: Sendable, Hashable {
    package var vendor: Vendor?
    /// Only readers with, or without, a payment in progress.
    package var isBusy: Bool?
    /// Only readers with, or without, an update that was found and not installed.
    package var isUpdateDue: Bool?
    /// Only readers with, or without, a mandatory update that was found and not installed.
    package var isMandatoryUpdateDue: Bool?
    /// Only readers whose charge was last reported below this percentage.
    package var batteryBelow: Int64?
    package var isCharging: Bool?
    /// Only readers whose latest report is earlier.
    package var notSeenSince: Timestamp?
    /// Only readers that reported an error of this kind: the vendor's code, or its text if there is none.
    package var error: String?
    /// Only readers with, or without, any reported error.
    package var hasErrors: Bool?
    /// Only readers with, or without, the result of a payment that the app has not fetched.
    package var holdsResult: Bool?
    /// Only readers of which a component has, or none has, another version than most readers of the vendor and model.
    package var isUnlikeFleet: Bool?

    package init() {}

    /// Adds the conditions on `read_readers.readers r`, of the tenant `$1`.
    func add(to conditions: inout QueryConditions) {
        conditions.add("r.vendor =", text: vendor?.rawValue)
        conditions.add("(r.payment IS NOT NULL) =", isBusy.map(PostgresValue.bool))
        conditions.add("r.update_due =", isUpdateDue.map(PostgresValue.bool))
        conditions.add("r.mandatory_due =", isMandatoryUpdateDue.map(PostgresValue.bool))
        conditions.add("r.battery <", batteryBelow.map(PostgresValue.int64))
        conditions.add("r.charging =", isCharging.map(PostgresValue.bool))
        conditions.add("r.last_seen <", notSeenSince.map(PostgresValue.timestamptz))
        conditions.add("coalesce(r.holds_result, false) =", holdsResult.map(PostgresValue.bool))
        conditions.add("(r.errors <> '{}') =", hasErrors.map(PostgresValue.bool))
        if let error { conditions.add("\(conditions.parameter(.text(error))) = ANY (r.errors)") }
        if let isUnlikeFleet { conditions.add((isUnlikeFleet ? "" : "NOT ") + Self.differs) }
    }

    /// Whether a component's version is not the most frequent one of the readers of this vendor and model.
    private static let differs = """
        (r.vendor, r.serial) IN (
            WITH components AS (
                SELECT f.vendor, f.serial, f.view ->> 'model' AS model, v.name, v.value
                FROM read_readers.readers f, json_to_recordset(f.view -> 'versions') AS v (name text, value text)
                WHERE f.tenant = $1
            ), usual AS (
                SELECT vendor, model, name, mode() WITHIN GROUP (ORDER BY value) AS value
                FROM components GROUP BY vendor, model, name
            )
            SELECT c.vendor, c.serial FROM components c JOIN usual u ON u.vendor = c.vendor AND u.name = c.name
                AND u.model IS NOT DISTINCT FROM c.model
            WHERE c.value <> u.value
        )
        """
}
