/// The document kinds: the SDK's callbacks, methods, protocols and structures, and the guide's structures for requests.
enum DejavooKind: String, CaseIterable {
    // Answers of V2.
    case spinResponse = "Spin_Response"
    case didReceiveV2Response
    case didReceiveTransactionResponse = "didReceive_TransactionResponse"
    case transactionData
    case batchSettlement = "BatchSettlement"
    case settlements
    case didReceiveRespV2Error
    // Requests of V2.
    case register = "Register"
    case registerData = "RegisterData"
    case downloadParameter
    case payloadParameter = "PayloadParameter"
    case txnData = "TxnData"
    case startTransaction
    case ticketPayloadParameter = "TicketPayloadParameter"
    case ticketTxnData = "TicketTxnData"
    case startTicket
    case voidPayloadParameter = "VoidPayloadParameter"
    case voidTxnData = "VoidTxnData"
    case startVoid
    case startBatchSettlement
    // V1.
    case didReceiveResponse
    case makeARequestBasedOnTPN
    case makeARequestBasedOnTransactionTypes
    case paymentSessionError = "PaymentSessionError"
    case cardReaderSessionError = "CardReaderSessionError"
    case customErrorMessage = "CustomErrorMessage"
    // Documents of the SPIn API.
    case settleResponse = "SettleResponseContract"
    case summaryReport = "SummaryReport"
    case paymentResponse = "BasePaymentResponseContract"
    // iPOS Transact.
    case transactResponse = "iposTransactResponse"

    /// The table that contains an error of this kind; nil for kinds that are not errors.
    var errorTable: SessionErrorTable? {
        switch self {
        case .didReceiveRespV2Error: .any
        case .paymentSessionError: .paymentSession
        case .cardReaderSessionError: .cardReaderSession
        case .customErrorMessage: .custom
        default: nil
        }
    }
}
