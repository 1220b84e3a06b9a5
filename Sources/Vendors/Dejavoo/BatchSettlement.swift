import Canonical
import Payments

/// Deep linking V2: the answer to `startBatchSettlement`.
enum BatchSettlement {
    static func observation(_ fields: Fields, context: DocumentContext) throws -> Observation {
        guard let tpn = try fields.identifier("tpn") ?? context.terminal else {
            throw Refusal(.missingField, "A settlement names its Tpn.", pointer: fields.pointer(to: "Tpn"))
        }
        guard let number = try fields.identifier("batchno", "batchnum") else {
            throw Refusal(.missingField, "A settlement names its batch_no.", pointer: fields.pointer(to: "batch_no"))
        }
        guard let code = try fields.text("statuscode") else {
            throw Refusal(.missingField, "A settlement has a statusCode.", pointer: fields.pointer(to: "statusCode"))
        }
        let time = try fields.text("timestamp")
        let at = time.flatMap { Timestamp(compact: $0) }
        let status = try fields.text("status")
        let id = try fields.identifier("transactionid")
        let batch = BatchReference(vendor: .dejavoo, account: tpn, number: DejavooAdapter.batchNumber(number))
        let closing = BatchClosing(
            batch: batch,
            settlement: id,
            response: Response(code: code, message: status),
            at: at
        )
        return Observation(
            subject: .batch(batch, [event(code, status, closing)]),
            keys: [],
            identity: id.map { DocumentIdentity(account: tpn, transaction: $0, kind: "BatchSettlement", time: time) },
            occurredAt: at,
            policy: DejavooTransaction.policy
        )
    }

    /// A close nobody answered for is only a request.
    private static func event(_ code: String, _ status: String?, _ closing: BatchClosing) -> BatchEvent {
        switch DejavooCodes.meaning(ofHost: code, message: status) {
        case .approved: .batchClosed(closing)
        case .unknown, .partiallyApproved, nil: .batchCloseRequested(closing)
        case .declined, .failed, .cancelled: .batchCloseFailed(closing)
        }
    }
}
