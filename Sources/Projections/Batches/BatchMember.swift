import Canonical
import Payments
import Postgres

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
                .textArray(members.map(\.line.storable)),
                .uuidArray(members.map { StreamName.batchID($0.batch, of: $0.payment.tenant) }),
                .textArray(members.map(\.type.rawValue)),
                .textArray(members.map { $0.payment.state.currency?.alpha }),
                .int64Array(members.map(\.amount)),
                .int64Array(members.map(\.tip)),
                .int64Array(members.map(\.voided)),
                .textArray(members.map { $0.payment.state.card?.brand?.storable }),
                .textArray(members.map { ($0.payment.state.card?.funding ?? $0.payment.state.tender)?.storable }),
            ]
        )
    }
}
