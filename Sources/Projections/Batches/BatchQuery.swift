package import Canonical
package import Payments
package import Postgres

/// One batch, read from the read model.
package struct BatchView: Sendable, Hashable {
    package var id: UUID128
    package var reference: BatchReference
    package var status: BatchState.Status
    package var closing: BatchClosing?
    package var firstPosition: Int64
    package var lastPosition: Int64
    package var openedAt: Timestamp
    package var closedAt: Timestamp?
    /// Whether a request to close it was recorded.
    package var isRequested: Bool
    /// The last answer to a request to close it, other than its closing.
    package var answer: Response?
    package var totals: [BatchTotal]
    /// The position of the log at which the batch is shown; nil for the current state.
    package var asOf: Int64?

    /// Replaces the current status and closing with those of `state`.
    package mutating func stand(as state: BatchState, closedAt: Timestamp?) {
        status = state.status
        closing = state.closing
        isRequested = state.isRequested
        answer = state.answer
        self.closedAt = closedAt
    }
}

/// The sum of one type of line. Voided amounts are listed and not counted (I5, I7).
package struct BatchTotal: Sendable, Hashable {
    /// `sale`, `capture`, `refund` or `credit`.
    package var type: String
    package var brand: String?
    package var tender: String?
    package var currency: Currency
    /// Lines with an amount left after voids, and lines with the amount zero.
    package var count: Int64
    /// Minor units, without voided amounts; positive also for refunds and credits.
    package var amount: Int64
    /// The tips included in the amount.
    package var tips: Int64
    package var voidedCount: Int64
    package var voided: Int64
    /// The counted lines that no host has confirmed: a terminal approved and stored them offline.
    package var offlineCount: Int64
    /// The part of the amount from those lines.
    package var offline: Int64

    /// The share of the batch's net: refunds and credits are negative.
    package var net: Int64 { type == "refund" || type == "credit" ? -amount : amount }
}

/// One line of a batch.
package struct BatchLine: Sendable, Hashable {
    package var transaction: UUID128
    package var line: String
    package var type: String
    package var amount: Money
    package var tip: Int64
    package var voided: Int64
    package var brand: String?
    /// The strongest evidence for the line.
    package var evidence: Evidence

    package init(
        transaction: UUID128,
        line: String,
        type: String,
        amount: Money,
        tip: Int64,
        voided: Int64,
        brand: String?,
        evidence: Evidence
    ) {
        self.transaction = transaction
        self.line = line
        self.type = type
        self.amount = amount
        self.tip = tip
        self.voided = voided
        self.brand = brand
        self.evidence = evidence
    }
}

/// Reads the read model `batches`.
package struct BatchQuery: Sendable {
    let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// One batch of the tenant; nil when there is none.
    package func batch(_ id: UUID128, of tenant: String) async throws -> BatchView? {
        try await batches(of: tenant, where: "AND b.id = $2", [.uuid(id)]).first
    }

    /// One batch with its totals from all events up to `position`; nil when no event had named it. Status and closing
    /// are the current ones: the earlier ones must be read from the batch's own events.
    package func batch(_ id: UUID128, of tenant: String, at position: Int64) async throws -> BatchView? {
        var found = try await batches(
            of: tenant,
            where: "AND b.id = $2 AND b.first_position <= $3",
            [.uuid(id), .int64(position)],
            at: position
        ).first
        found?.asOf = position
        return found
    }

    /// The batches that existed at a position of the log.
    package enum Past: Sendable, Hashable {
        /// Batches without a later event.
        case unchanged(Int64)
        /// Batches with a later event: their status or closing may have been different then.
        case changed(Int64)

        var position: Int64 {
            switch self {
            case .unchanged(let position), .changed(let position): position
            }
        }
    }

    /// Up to `limit` batches, newest first, with first positions from `start` on and before `position`.
    ///
    /// - Parameters:
    ///   - past: Only these batches, with their members and totals of that position. `merchant` and `terminal` are
    ///     compared with those members too. Status and closing are the current ones.
    ///   - withTotals: False when the caller drops some of the batches and then calls `addTotals`.
    package func batches(
        of tenant: String,
        status: BatchState.Status? = nil,
        vendor: Vendor? = nil,
        number: String? = nil,
        merchant: String? = nil,
        terminal: String? = nil,
        isOpen: Bool? = nil,
        past: Past? = nil,
        from start: Int64 = 0,
        before position: Int64 = .max,
        limit: Int,
        withTotals: Bool = true
    ) async throws -> [BatchView] {
        var conditions = ["AND b.first_position < $2"]
        var parameters: [PostgresValue] = [.int64(position)]
        func add(_ value: PostgresValue) -> String {
            parameters.append(value)
            return "$\(parameters.count + 1)"
        }
        if start > 0 { conditions.append("b.first_position >= \(add(.int64(start)))") }
        var stands = "m.until IS NULL"
        let end = past.map { add(.int64($0.position)) }
        conditions.append("\(Self.isPart("b", at: end)) IS NOT TRUE")
        if let past, let end {
            stands = "m.since <= \(end) AND (m.until IS NULL OR m.until > \(end))"
            switch past {
            // A last position up to the end implies such a first position. The second condition is for the index.
            case .unchanged: conditions.append("b.last_position <= \(end) AND b.first_position <= \(end)")
            case .changed: conditions.append("b.last_position > \(end) AND b.first_position <= \(end)")
            }
        }
        func holds(_ condition: String) -> String {
            """
            (EXISTS (SELECT 1 FROM read_batches.members m WHERE m.tenant = b.tenant AND m.batch = b.id
                AND \(stands) AND \(condition))
                OR b.id IN (SELECT p.part_of FROM read_batches.batches p WHERE p.tenant = $1
                    AND \(Self.isPart("p", at: end)) AND EXISTS (SELECT 1 FROM read_batches.members m
                        WHERE m.tenant = p.tenant AND m.batch = p.id AND \(stands) AND \(condition))))
            """
        }
        if let status { conditions.append("b.status = \(add(.text(status.rawValue)))") }
        if let vendor { conditions.append("b.vendor = \(add(.text(vendor.rawValue)))") }
        if let number { conditions.append("b.number = \(add(.text(number)))") }
        if let isOpen { conditions.append("(b.status <> 'closed') = \(add(.bool(isOpen)))") }
        if let merchant {
            let merchants = MerchantQuery(pool: pool)
            let others = try await merchants.otherNames(of: merchant, tenant: tenant, at: past?.position)
            conditions.append(holds(others.condition(merchant, row: "m.", add)))
        }
        if let terminal {
            let name = add(.text(terminal))
            let named = """
                b.id IN (SELECT p.part_of FROM read_batches.batches p
                    WHERE p.tenant = $1 AND p.account = \(name) AND \(Self.isPart("p", at: end)))
                """
            conditions.append("(b.account = \(name) OR \(named) OR \(holds("m.terminal = \(name)")))")
        }
        let most = add(.int64(Int64(limit)))
        var found = try await batches(
            of: tenant,
            where: conditions.joined(separator: " AND ") + " ORDER BY b.first_position DESC, b.id LIMIT \(most)",
            parameters,
            at: past?.position,
            withTotals: withTotals
        )
        for index in found.indices { found[index].asOf = past?.position }
        return found
    }

    private func batches(
        of tenant: String,
        where clause: String,
        _ parameters: [PostgresValue],
        at position: Int64? = nil,
        withTotals: Bool = true
    ) async throws -> [BatchView] {
        let rows = try await pool.query(
            """
            SELECT b.id, b.vendor, b.account, b.number, b.status, b.closing::text, b.first_position, b.last_position,
                   b.opened_at, b.closed_at, b.requested, b.answer::text, b.generation
            FROM read_batches.batches b WHERE b.tenant = $1 \(clause)
            """,
            [.text(tenant)] + parameters
        )
        var batches: [BatchView] = []
        for row in rows { batches.append(try Self.view(row)) }
        if withTotals { try await addTotals(to: &batches, of: tenant, at: position) }
        return batches
    }

    /// Sets the totals of batches, either the current ones or those from all events up to a position.
    func addTotals(to batches: inout [BatchView], of tenant: String, at position: Int64?) async throws {
        let totals = try await totals(of: batches.map(\.id), tenant: tenant, at: position)
        for index in batches.indices { batches[index].totals = totals[batches[index].id] ?? [] }
    }

    private func totals(
        of batches: [UUID128],
        tenant: String,
        at position: Int64? = nil
    ) async throws -> [UUID128: [BatchTotal]] {
        let parts = try await parts(of: batches, tenant: tenant, at: position)
        let pairs = batches.flatMap { batch in ([batch] + (parts[batch] ?? [])).map { (batch, $0) } }
        let rows = try await pool.query(
            EmbeddedFiles.batchTotals_sql,
            [
                .text(tenant), .uuidArray(pairs.map(\.0)), position.map(PostgresValue.int64) ?? .null,
                .uuidArray(pairs.map(\.1)),
            ]
        )
        var totals: [UUID128: [BatchTotal]] = [:]
        for row in rows {
            let total = BatchTotal(
                type: try row.text(1),
                brand: try row.textOrNull(2),
                tender: try row.textOrNull(3),
                currency: try Self.currency(row.text(4)),
                count: try row.int64(5),
                amount: try Self.sum(row.text(6)),
                tips: try Self.sum(row.text(7)),
                voidedCount: try row.int64(8),
                voided: try Self.sum(row.text(9)),
                offlineCount: try row.int64(10),
                offline: try Self.sum(row.text(11))
            )
            totals[try row.uuid(0), default: []].append(total)
        }
        return totals
    }

    /// - Throws: `TotalsError.overflow`, because a truncated sum would be wrong.
    private static func sum(_ text: String) throws -> Int64 {
        guard let sum = Int64(text) else { throw TotalsError.overflow }
        return sum
    }

    private static func view(_ row: PostgresRow) throws -> BatchView {
        let vendor = Vendor(rawValue: try row.text(1))
        let status = BatchState.Status(rawValue: try row.text(4))
        guard let vendor, let status else { throw UnreadableRow() }
        return BatchView(
            id: try row.uuid(0),
            reference: BatchReference(
                vendor: vendor,
                account: try row.textOrNull(2),
                number: try row.textOrNull(3),
                generation: Int(try row.int64(12))
            ),
            status: status,
            closing: try row.isNull(5)
                ? nil : JSONValueDecoder().decode(BatchClosing.self, from: JSONValue(parsing: row.text(5).utf8)),
            firstPosition: try row.int64(6),
            lastPosition: try row.int64(7),
            openedAt: try row.timestamp(8),
            closedAt: try row.timestampOrNull(9),
            isRequested: try row.bool(10),
            answer: try row.isNull(11)
                ? nil : JSONValueDecoder().decode(Response.self, from: JSONValue(parsing: row.text(11).utf8)),
            totals: []
        )
    }

    static func currency(_ alpha: String) throws -> Currency {
        guard let currency = Currency(alpha: alpha) else { throw UnreadableRow() }
        return currency
    }
}

/// A row of a read model that this build cannot read: a newer build wrote it.
package struct UnreadableRow: Error, Hashable {
    package init() {}
}
