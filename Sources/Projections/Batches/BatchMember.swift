import Canonical
import Payments
import Postgres

/// What of one payment is in a batch.
struct BatchMember {
    enum Kind: String {
        case sale, capture, refund, credit
    }

    /// Names the line within the payment.
    var line: String
    var batch: BatchReference
    var type: Kind
    var currency: Currency
    var amount: Int64
    var tip: Int64
    var voided: Int64
    var brand: String?
    var tender: String?

    /// Whether a row of the one would be the very row of the other.
    func hasSameRow(as other: BatchMember) -> Bool {
        line.hasSameUTF8(as: other.line) && batch == other.batch && type == other.type && currency == other.currency
            && amount == other.amount && tip == other.tip && voided == other.voided
            && brand.hasSameUTF8(as: other.brand) && tender.hasSameUTF8(as: other.tender)
    }

    /// What of a payment is in batches. What no document has put into a named batch is in the unnamed batch of
    /// its account, so that no money is missing from the totals.
    static func members(of state: TransactionState) -> [BatchMember] {
        if state.captures.isEmpty, state.refunds.isEmpty, state.credit == nil { return [] }
        guard let vendor = state.vendor, let currency = state.currency else { return [] }
        let unnamed = BatchReference(
            vendor: vendor,
            account: state.terminal ?? state.merchant ?? state.references.merchant,
            number: nil
        )
        func member(_ line: String, _ batch: BatchReference?, _ type: Kind, _ amount: Int64) -> BatchMember {
            BatchMember(
                line: line,
                batch: batch ?? unnamed,
                type: type,
                currency: currency,
                amount: amount,
                tip: 0,
                voided: 0,
                brand: state.card?.brand,
                tender: state.card?.funding ?? state.tender
            )
        }
        var members = state.countedCaptures.map { capture in
            let type = capture.id == Capture.saleID ? Kind.sale : .capture
            var one = member("capture:\(capture.id)", capture.settledIn ?? capture.batch, type, capture.amount)
            // Each tender of a payment is what its own account is.
            if let account = state.tenders.first(where: { $0.captureID.hasSameUTF8(as: capture.id) })?.account {
                one.brand = account.brand
                one.tender = account.kind ?? state.tender
            }
            one.tip = capture.tip
            one.voided = capture.voided
            return one
        }
        members += state.refunds.map { refund in
            var one = member("refund:\(refund.id)", refund.settledIn ?? refund.batch, .refund, refund.amount)
            one.voided = refund.isUndone ? refund.amount : 0
            return one
        }
        if let credit = state.countedCredit {
            var one = member("credit", credit.settledIn ?? credit.batch, .credit, credit.amount)
            one.voided = credit.voided
            members.append(one)
        }
        return members
    }
}

/// What changes in the table `members`.
struct BatchMemberChanges {
    private struct Line {
        var tenant: String
        var payment: UUID128
        var member: BatchMember
    }

    private var written: [Line] = []
    private var removed: [(tenant: String, payment: UUID128, line: String)] = []

    /// Puts what a payment has in batches now in the place of what it had before.
    mutating func add(_ payment: PaymentRun, before: [BatchMember], after: [BatchMember]) {
        for member in after where !before.contains(where: member.hasSameRow) {
            written.append(Line(tenant: payment.tenant, payment: payment.id, member: member))
        }
        for member in before where !after.contains(where: { $0.line.hasSameUTF8(as: member.line) }) {
            removed.append((payment.tenant, payment.id, member.line.storableKey))
        }
    }

    func write(in transaction: borrowing PostgresTransaction) async throws {
        if !removed.isEmpty {
            _ = try await transaction.execute(
                """
                DELETE FROM members m USING unnest($1::text[], $2::uuid[], $3::text[]) AS r (tenant, transaction, line)
                WHERE m.tenant = r.tenant AND m.transaction = r.transaction AND m.line = r.line
                """,
                [
                    .textArray(removed.map(\.tenant)), .uuidArray(removed.map(\.payment)),
                    .textArray(removed.map(\.line)),
                ]
            )
        }
        guard !written.isEmpty else { return }
        _ = try await transaction.execute(
            """
            INSERT INTO members (tenant, transaction, line, batch, type, currency, amount, tip, voided, brand, tender)
            SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::int8[],
                $8::int8[], $9::int8[], $10::text[], $11::text[])
            ON CONFLICT (tenant, transaction, line) DO UPDATE SET
                batch = excluded.batch, type = excluded.type, currency = excluded.currency, amount = excluded.amount,
                tip = excluded.tip, voided = excluded.voided, brand = excluded.brand, tender = excluded.tender
            """,
            [
                .textArray(written.map(\.tenant)),
                .uuidArray(written.map(\.payment)),
                .textArray(written.map(\.member.line.storableKey)),
                .uuidArray(written.map { StreamName.batchID($0.member.batch, of: $0.tenant) }),
                .textArray(written.map(\.member.type.rawValue)),
                .textArray(written.map(\.member.currency.alpha)),
                .int64Array(written.map(\.member.amount)),
                .int64Array(written.map(\.member.tip)),
                .int64Array(written.map(\.member.voided)),
                .textArray(written.map { $0.member.brand?.storable }),
                .textArray(written.map { $0.member.tender?.storable }),
            ]
        )
    }
}
