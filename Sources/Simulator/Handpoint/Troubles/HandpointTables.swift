/// The status ids of the document, lines 1365 to 1420, with the texts of its list of status strings.
enum HandpointTables {
    struct Result: Sendable {
        var code: Int64
        var status: String
        var message: String
        var financial = "FAILED"
        var meaning: CodeMeaning
    }

    /// How a sale can end.
    static let results = [
        Result(code: 2, status: "Invalid data", message: "Invalid data", meaning: .failed),
        Result(code: 3, status: "Processing error", message: "Processing error", meaning: .unclear),
        // Line 1370: the reader is busy with another command; what it has sent to the host may have succeeded.
        Result(code: 4, status: "Not allowed", message: "Command not allowed", meaning: .unclear),
        Result(code: 5, status: "Not initialized", message: "Device is not initialized", meaning: .failed),
        // Lines 1374 and 1375: the merchant must verify whether it went through.
        Result(code: 8, status: "Sending error", message: "Send error", financial: "UNDEFINED", meaning: .unknown),
        Result(
            code: 9,
            status: "Receiveing error",
            message: "Receiving error",
            financial: "UNDEFINED",
            meaning: .unknown
        ),
        Result(code: 11, status: "Transaction not allowed", message: "Transaction not allowed", meaning: .failed),
        Result(code: 12, status: "Unsupported currency", message: "Currency not supported", meaning: .failed),
        Result(code: 14, status: "Card reader error", message: "Card reader error", meaning: .failed),
        Result(code: 15, status: "Card reading failed", message: "Failed to read card data", meaning: .failed),
        Result(code: 16, status: "Invalid card", message: "INVALID CARD", meaning: .failed),
        Result(code: 17, status: "Input timeout", message: "Timeout waiting for user input", meaning: .cancelled),
        Result(
            code: 18,
            status: "User cancelled",
            message: "User cancelled the transaction",
            financial: "CANCELLED",
            meaning: .cancelled
        ),
        Result(code: 19, status: "Invalid signature", message: "TRANSACTION VOID", meaning: .cancelled),
        Result(code: 29, status: "Shared secret invalid", message: "Shared Secret invalid", meaning: .failed),
        Result(
            code: 37,
            status: "Merchant cancelled the transaction",
            message: "TRANSACTION VOID",
            financial: "CANCELLED",
            meaning: .cancelled
        ),
        Result(code: 38, status: "Request invalid", message: "Request invalid", meaning: .failed),
        Result(
            code: 39,
            status: "Card cancelled the transaction",
            message: "TRANSACTION VOID",
            financial: "DECLINED",
            meaning: .unclear
        ),
        Result(code: 40, status: "Blocked card", message: "CARD BLOCKED", meaning: .failed),
        // Lines 1408 to 1410: the operation may be repeated.
        Result(
            code: 41,
            status: "Request for authorisation timed out",
            message: "Request for authorisation timed out",
            meaning: .unclear
        ),
        Result(
            code: 42,
            status: "Request for payment timed out",
            message: "Request for payment timed out",
            meaning: .unclear
        ),
        Result(
            code: 43,
            status: "Response to authorisation request timed out",
            message: "Response to authorisation request timed out",
            meaning: .unclear
        ),
        // Line 1411: the merchant must verify whether it went through.
        Result(
            code: 44,
            status: "Response to payment request timed out",
            message: "Response to payment request timed out",
            meaning: .unknown
        ),
        Result(
            code: 49,
            status: "Operation cancelled, the battery is too low. Please charge.",
            message: "Operation cancelled, the battery is too low. Please charge.",
            financial: "CANCELLED",
            meaning: .cancelled
        ),
    ]

    /// Progress of a sale, in the order of the table.
    static let progress: [(code: Int64, status: String, message: String)] = [
        (30, "Authenticating POS", "Authenticating POS"), (20, "Waiting card", "Waiting for card"),
        (21, "Card inserted", "Card detected"), (22, "Application selection", "Waiting for application selection"),
        (23, "Application confirmation", "Waiting for application confirmation"),
        (24, "Amount validation", "Waiting for amount validation"), (25, "PIN input", "Waiting for PIN entry"),
        (26, "Manual card input", "Waiting for manual card data"),
        (27, "Waiting card removal", "Waiting for card removal"), (28, "Tip input", "Waiting for gratuity"),
        (31, "Waiting for signature", "Waiting for signature"),
        (45, "Please insert card in chip reader", "Please insert card in chip reader"),
        (46, "Remove the card from the reader", "Remove the card from the reader"),
        (50, "Waiting for account type selection", "Waiting for account type selection"),
        (36, "PIN entry completed", "PIN entry completed"), (32, "Connecting", "Connecting to host"),
        (33, "Sending", "Sending data to host"), (34, "Receiving", "Waiting for data from host"),
        (35, "Disconnecting", "Disconnecting from host"),
    ]

    /// Errors of an update or of the scanner, which are about no payment.
    static let besides: [(code: Int64, status: String, message: String)] = [
        (6, "Connect timeout", "Connection time out detected"), (7, "Connect error", "Connection error"),
        (13, "No host available", "No host configuration found"),
        (47, "This device does not have a scanner", "This device does not have a scanner"),
        (47, "Scanner is not supported", "This device does not have a scanner"),
    ]

    static let levels = ["eLogNone", "eLogInfo", "eLogFull", "eLogDebug"]
    static let verifications = ["SIGNATURE", "PIN", "PIN_SIGNATURE", "NOT_REQUIRED", "UNDEFINED", "FAILED"]
    static let entries = ["MSR", "ICC", "CNP", "UNDEFINED"]
    /// The number of months over which a sale is spread; nil for most sales.
    static let months: [Int64?] = [nil, nil, nil, 3, 12, nil]
}
