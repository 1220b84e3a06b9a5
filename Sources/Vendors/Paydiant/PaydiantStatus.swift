import Payments

/// The status texts of an answer: `paymentStatusType`, `transactionStatus` and `paymentStatus`.
struct PaydiantStatus {
    /// Whether the transaction is complete.
    var payment: PaydiantPaymentStatusType?
    /// `paymentStatusType` as it is printed.
    var text: String?
    var transaction: PaydiantTransactionStatus?
    /// `transactionStatus` as it is printed.
    var transactionText: String?
    /// The `paymentStatus` of a forced deposit, as it is printed.
    var deposit: String?
    /// The first of them that is not in the vendor's tables. Its meaning is not known, so the payment's outcome is
    /// unknown unless a code decides.
    var undecided: String?
}

extension PaydiantDocument {
    /// Reads the status and notes values outside the tables.
    mutating func status() throws -> PaydiantStatus {
        var status = PaydiantStatus()
        if let text = try reported.text("paymentstatustype") {
            status.text = text
            status.payment = PaydiantEnum(text, prefix: "kPDPaymentStatusType").value
            if status.payment == nil { notice(text, "paymentStatusType", in: &status) }
        }
        if let text = try reported.text("transactionstatus") {
            status.transactionText = text
            status.transaction = PaydiantEnum(text, prefix: "kPDTransactionStatus").value
            if status.transaction == nil { notice(text, "transactionStatus", in: &status) }
        }
        if let text = try reported.text("paymentstatus") {
            switch PaydiantEnum<PaydiantPaymentStatus>(text).value {
            case .forcedDepositSuccess, .forcedDepositSuccessSpelled: status.deposit = text
            case nil: notice(text, "paymentStatus", in: &status)
            }
        }
        return status
    }

    private mutating func notice(_ text: String, _ field: String, in status: inout PaydiantStatus) {
        status.undecided = status.undecided ?? text
        note(unknown: text, in: field)
    }
}
