import Canonical
import EventLog
import Payments
import Postgres

/// One row of the table `batches`.
struct BatchRow {
    var tenant: String
    var id: UUID128
    var reference: BatchReference
    /// Nil when only a payment named the batch, which says nothing about its status.
    var state: BatchState?
    var firstPosition: Int64
    var lastPosition: Int64
    var openedAt: Timestamp
    var closedAt: Timestamp?

    /// A batch named by a payment.
    init(_ reference: BatchReference, tenant: String, payment: FoldedPayments.Payment) {
        self.tenant = tenant
        self.reference = reference
        id = StreamName.batchID(reference, of: tenant)
        firstPosition = payment.firstPosition
        lastPosition = payment.lastPosition
        openedAt = payment.occurredAt
    }

    /// A batch by its own events; nil before one of them has named it.
    init?(_ state: BatchState, event: RecordedEvent, earlier: BatchRow?) {
        guard let reference = state.reference else { return nil }
        tenant = event.tenant
        self.reference = reference
        id = StreamName.batchID(reference, of: event.tenant)
        self.state = state
        firstPosition = earlier?.firstPosition ?? event.position
        lastPosition = event.position
        openedAt = earlier?.openedAt ?? event.occurredAt
        closedAt = state.closing.map { $0.at ?? event.occurredAt }
    }

    static func upsert(_ rows: [BatchRow], in transaction: borrowing PostgresTransaction) async throws {
        let encoder = JSONValueEncoder()
        for row in rows {
            _ = try await transaction.execute(
                """
                INSERT INTO batches AS b (tenant, id, vendor, account, number, status, closing, first_position,
                    last_position, opened_at, closed_at)
                VALUES ($1, $2, $3, $4, $5, coalesce($6, 'open'), $7::json, $8, $9, $10, $11)
                ON CONFLICT (tenant, id) DO UPDATE SET
                    status = coalesce($6, b.status), closing = coalesce(excluded.closing, b.closing),
                    last_position = greatest(b.last_position, excluded.last_position),
                    closed_at = coalesce(b.closed_at, excluded.closed_at)
                """,
                [
                    .text(row.tenant), .uuid(row.id), .text(row.reference.vendor.rawValue),
                    row.reference.account.map(PostgresValue.text) ?? .null,
                    row.reference.number.map(PostgresValue.text) ?? .null,
                    (row.state?.status.rawValue).map(PostgresValue.text) ?? .null,
                    try row.state?.closing.map { .text(try encoder.encode($0).text) } ?? .null,
                    .int64(row.firstPosition), .int64(row.lastPosition), .timestamptz(row.openedAt),
                    row.closedAt.map(PostgresValue.timestamptz) ?? .null,
                ]
            )
        }
    }
}

/// One row of the table `members`.
struct BatchMember {
    enum Kind: String {
        case sale, capture, refund, credit
    }

    var payment: FoldedPayments.Payment
    /// Names the line within the payment.
    var line: String
    var batch: BatchReference
    var type: Kind
    var amount: Int64
    var tip: Int64
    var voided: Int64

    /// What of a payment is in batches. What no document has put into a named batch is in the unnamed batch of
    /// its account, so that no money is missing from the totals.
    static func members(of payment: FoldedPayments.Payment) -> [BatchMember] {
        let state = payment.state
        guard let vendor = state.vendor, state.currency != nil else { return [] }
        let unnamed = BatchReference(
            vendor: vendor,
            account: state.terminal ?? state.merchant ?? state.references.merchant,
            number: nil
        )
        var members = state.countedCaptures.map { capture in
            BatchMember(
                payment: payment,
                line: "capture:\(capture.id)",
                batch: capture.settledIn ?? capture.batch ?? unnamed,
                type: capture.id == Capture.saleID ? .sale : .capture,
                amount: capture.amount,
                tip: capture.tip,
                voided: capture.voided
            )
        }
        members += state.refunds.map { refund in
            BatchMember(
                payment: payment,
                line: "refund:\(refund.id)",
                batch: refund.settledIn ?? refund.batch ?? unnamed,
                type: .refund,
                amount: refund.amount,
                tip: 0,
                voided: refund.isUndone ? refund.amount : 0
            )
        }
        if let credit = state.countedCredit {
            members.append(
                BatchMember(
                    payment: payment,
                    line: "credit",
                    batch: credit.settledIn ?? credit.batch ?? unnamed,
                    type: .credit,
                    amount: credit.amount,
                    tip: 0,
                    voided: credit.voided
                )
            )
        }
        return members
    }

    /// Puts `members` in the place of what the payments had in batches before.
    static func replace(
        _ members: [BatchMember],
        of payments: [FoldedPayments.Payment],
        in transaction: borrowing PostgresTransaction
    ) async throws {
        _ = try await transaction.execute(
            """
            DELETE FROM members m USING unnest($1::text[], $2::uuid[]) AS p (tenant, transaction)
            WHERE m.tenant = p.tenant AND m.transaction = p.transaction
            """,
            [.textArray(payments.map(\.tenant)), .uuidArray(payments.map(\.id))]
        )
        _ = try await transaction.execute(
            """
            INSERT INTO members (tenant, transaction, line, batch, type, currency, amount, tip, voided, brand, tender)
            SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::int8[],
                $8::int8[], $9::int8[], $10::text[], $11::text[])
            """,
            [
                .textArray(members.map(\.payment.tenant)),
                .uuidArray(members.map(\.payment.id)),
                .textArray(members.map(\.line)),
                .uuidArray(members.map { StreamName.batchID($0.batch, of: $0.payment.tenant) }),
                .textArray(members.map(\.type.rawValue)),
                .textArray(members.map { $0.payment.state.currency?.alpha }),
                .int64Array(members.map(\.amount)),
                .int64Array(members.map(\.tip)),
                .int64Array(members.map(\.voided)),
                .textArray(members.map { $0.payment.state.card?.brand }),
                .textArray(members.map { $0.payment.state.card?.funding ?? $0.payment.state.tender }),
            ]
        )
    }
}
