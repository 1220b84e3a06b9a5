package import Payments

/// A status of the card reader, as in `statusCode` and `StatusMessage`.
///
/// Sources: Handpoint Heft SDK for iOS 2.6.0, process details (ids, names, messages) and status strings; from 0033: the
/// SDK's command ids.
package struct HandpointStatus: Sendable, Hashable {
    package let id: Int
    package let name: String
    /// `StatusMessage` of the XML. `#` stands for a number.
    package let messages: [String]
    /// The texts of `status`, and the SDK's own texts for it.
    package let texts: [String]
    /// The meaning for a payment that ends with this status; nil if it does not end one.
    let meaning: CodeMeaning?
    package let event: DeviceEvent.Name
    /// False for statuses that never end a payment: the reader is busy, has no log, has no scanner.
    package let concernsPayment: Bool

    private init(
        _ id: Int,
        _ name: String,
        _ messages: [String],
        also texts: [String] = [],
        _ meaning: CodeMeaning?,
        _ event: DeviceEvent.Name,
        concernsPayment: Bool = true
    ) {
        self.id = id
        self.name = name
        self.messages = messages
        self.texts = texts
        self.meaning = meaning
        self.event = event
        self.concernsPayment = concernsPayment
    }

    /// Four hexadecimal digits, as the vendor's tables print ids.
    package var code: String { Self.code(id) }

    static func code(_ id: Int) -> String {
        guard (0...0xFFFF).contains(id) else { return String(id) }
        let digits = String(id, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// All statuses, by id.
    ///
    /// In doubt are 0008, 0009 and 002C, for which the vendor requires verification of the outcome before another
    /// attempt, and 002B: the request was sent and its answer is missing. 0029 and 002A are requests that never
    /// arrived, which the vendor allows to be retried.
    package static let all: [HandpointStatus] = results + reports + later

    private static let results: [HandpointStatus] = [
        .init(
            0x0001,
            "EFT_SUCCESS",
            ["", "AUTH CODE #", "REFUND ACCEPTED", "REVERSAL ACCEPTED"],
            also: ["Success"],
            nil,
            .commandAnswered
        ),
        .init(0x0002, "EFT_INVALID_DATA", ["Invalid data"], .failed, .readerErrorReported),
        .init(0x0003, "EFT_PROCESSING_ERROR", ["Processing error"], .failed, .readerErrorReported),
        .init(
            0x0004,
            "EFT_COMMAND_NOT_ALLOWED",
            ["Command not allowed"],
            also: ["Not allowed"],
            .failed,
            .readerErrorReported,
            concernsPayment: false
        ),
        // A software update must be applied first.
        .init(
            0x0005,
            "EFT_NOT_INITIALISED",
            ["Device is not initialized"],
            also: ["Not initialized"],
            .failed,
            .readerUpdateFound
        ),
        // 0006, 0007 and 000D occur during an update.
        .init(
            0x0006,
            "EFT_CONNECT_TIMEOUT",
            ["Connection time out detected"],
            also: ["Connect timeout", "Connection timeout detected"],
            .failed,
            .readerUpdateFailed
        ),
        .init(0x0007, "EFT_CONNECT_ERROR", ["Connection error"], also: ["Connect error"], .failed, .readerUpdateFailed),
        .init(0x0008, "EFT_SENDING_ERROR", ["Send error"], also: ["Sending error"], .unknown, .readerErrorReported),
        .init(
            0x0009,
            "EFT_RECEIVING_ERROR",
            ["Receiving error"],
            also: ["Receiveing error"],
            .unknown,
            .readerErrorReported
        ),
        .init(
            0x000A,
            "EFT_NO_DATA_AVAILABLE",
            ["No data available"],
            .failed,
            .commandAnswered,
            concernsPayment: false
        ),
        .init(0x000B, "EFT_TRANS_NOT_ALLOWED", ["Transaction not allowed"], .failed, .readerErrorReported),
        .init(
            0x000C,
            "EFT_UNSUPPORTED_CURRENCY",
            ["Currency not supported"],
            also: ["Unsupported currency"],
            .failed,
            .readerErrorReported
        ),
        .init(
            0x000D,
            "EFT_NO_HOST_AVAILABLE",
            ["No host configuration found"],
            also: ["No host available"],
            .failed,
            .readerUpdateFailed
        ),
        .init(0x000E, "EFT_CARD_READER_ERROR", ["Card reader error"], .failed, .readerErrorReported),
        .init(
            0x000F,
            "EFT_CARD_READING_FAILED",
            ["Failed to read card data"],
            also: ["Card reading failed"],
            .failed,
            .readerErrorReported
        ),
        .init(0x0010, "EFT_INVALID_CARD", ["INVALID CARD"], .failed, .readerErrorReported),
        .init(
            0x0011,
            "EFT_INPUT_TIMEOUT",
            ["Timeout waiting for user input"],
            also: ["Input timeout"],
            .failed,
            .readerErrorReported
        ),
        .init(
            0x0012,
            "EFT_USER_CANCELLED",
            ["TRANSACTION VOID", "User cancelled the transaction"],
            also: ["User cancelled"],
            .cancelled,
            .cancelRequested
        ),
        .init(0x001D, "EFT_SHARED_SECRET_INVALID", ["Shared Secret invalid"], .failed, .readerErrorReported),
        .init(0x001E, "EFT_SHARED_SECRET_AUTH", ["Authenticating POS"], nil, .readerStateChanged),
    ]

    private static let reports: [HandpointStatus] = [
        .init(
            0x0013,
            "EFT_INVALID_SIGNATURE",
            ["TRANSACTION VOID"],
            also: ["Invalid signature"],
            .cancelled,
            .signatureDeclined
        ),
        .init(0x0014, "EFT_WAITING_CARD", ["Waiting for card"], also: ["Waiting card"], nil, .cardRequested),
        .init(0x0015, "EFT_CARD_INSERTED", ["Card detected"], also: ["Card inserted"], nil, .cardPresented),
        .init(
            0x0016,
            "EFT_APPLICATION_SELECTION",
            ["Waiting for application selection"],
            also: ["Application selection"],
            nil,
            .readerStateChanged
        ),
        .init(
            0x0017,
            "EFT_APPLICATION_CONFIRMATION",
            ["Waiting for application confirmation"],
            also: ["Application confirmation"],
            nil,
            .readerStateChanged
        ),
        .init(
            0x0018,
            "EFT_AMOUNT_VALIDATION",
            ["Waiting for amount validation"],
            also: ["Amount validation"],
            nil,
            .readerStateChanged
        ),
        .init(0x0019, "EFT_PIN_INPUT", ["Waiting for PIN entry"], also: ["PIN input"], nil, .pinRequested),
        .init(
            0x001A,
            "EFT_MANUAL_CARD_INPUT",
            ["Waiting for manual card data"],
            also: ["Manual card input"],
            nil,
            .readerStateChanged
        ),
        .init(
            0x001B,
            "EFT_WAITING_CARD_REMOVAL",
            ["Waiting for card removal"],
            also: ["Waiting card removal"],
            nil,
            .readerStateChanged
        ),
        .init(0x001C, "EFT_TIP_INPUT", ["Waiting for gratuity"], also: ["Tip input"], nil, .readerStateChanged),
        // The signature request itself is `requestSignature`.
        .init(0x001F, "EFT_WAITING_SIGNATURE", ["Waiting for signature"], nil, .readerStateChanged),
        // Payments and updates use the same connection. `StatusReport` decides which of them a status is about.
        .init(
            0x0020,
            "EFT_WAITING_HOST_CONNECT",
            ["Connecting to host"],
            also: ["Connecting"],
            nil,
            .readerStateChanged
        ),
        .init(0x0021, "EFT_WAITING_HOST_SEND", ["Sending data to host"], also: ["Sending"], nil, .readerStateChanged),
        .init(
            0x0022,
            "EFT_WAITING_HOST_RECEIVE",
            ["Waiting for data from host"],
            also: ["Receiving"],
            nil,
            .readerStateChanged
        ),
        .init(
            0x0023,
            "EFT_WAITING_HOST_DISCONNECT",
            ["Disconnecting from host"],
            also: ["Disconnecting"],
            nil,
            .readerStateChanged
        ),
        .init(0x0024, "EFT_PIN_INPUT_COMPLETED", ["PIN entry completed"], nil, .pinEntered),
        .init(
            0x0025,
            "EFT_POS_CANCELLED",
            ["TRANSACTION VOID"],
            also: ["Merchant cancelled the transaction"],
            .cancelled,
            .cancelRequested
        ),
        .init(0x0026, "EFT_REQUEST_INVALID", ["Request invalid"], .failed, .readerErrorReported),
        .init(
            0x0027,
            "EFT_CARD_CANCELLED",
            ["TRANSACTION VOID"],
            also: ["Card cancelled the transaction"],
            .cancelled,
            .readerErrorReported
        ),
        .init(0x0028, "EFT_CARD_BLOCKED", ["CARD BLOCKED"], also: ["Blocked card"], .declined, .readerErrorReported),
        .init(
            0x0029,
            "EFT_REQUEST_AUTH_TIMEOUT",
            ["Request for authorisation timed out"],
            .failed,
            .readerErrorReported
        ),
        .init(0x002A, "EFT_REQUEST_PAYMENT_TIMEOUT", ["Request for payment timed out"], .failed, .readerErrorReported),
        .init(
            0x002B,
            "EFT_RESPONSE_AUTH_TIMEOUT",
            ["Response to authorisation request timed out"],
            .unknown,
            .readerErrorReported
        ),
        .init(
            0x002C,
            "EFT_RESPONSE_PAYMENT_TIMEOUT",
            ["Response to payment request timed out"],
            .unknown,
            .readerErrorReported
        ),
        .init(0x002D, "EFT_ICC_CARD_SWIPED", ["Please insert card in chip reader"], nil, .cardRequested),
        .init(0x002E, "EFT_REMOVE_CARD", ["Remove the card from the reader"], nil, .readerStateChanged),
        .init(
            0x002F,
            "EFT_SCANNER_IS_NOT_SUPPORTED",
            ["This device does not have a scanner"],
            also: ["Scanner is not supported"],
            .failed,
            .readerErrorReported,
            concernsPayment: false
        ),
        .init(0x0030, "EFT_SCANNER_EVENT", [""], also: ["Scanner event"], nil, .barcodeScanned, concernsPayment: false),
        .init(
            0x0031,
            "EFT_BATTERY_TOO_LOW",
            ["Operation cancelled, the battery is too low. Please charge."],
            .failed,
            .readerErrorReported
        ),
        .init(
            0x0032,
            "EFT_ACCOUNT_TYPE_SELECTION",
            ["Waiting for account type selection"],
            nil,
            .readerStateChanged
        ),
    ]

    /// Ids that later versions of the SDK added; they have no message.
    private static let later: [HandpointStatus] = [
        .init(
            0x0033,
            "EFT_BT_IS_NOT_SUPPORTED",
            [],
            also: ["Bluetooth is not supported on this device"],
            .failed,
            .readerErrorReported
        ),
        .init(0x0034, "EFT_PAYMENT_CODE_SELECTION", [], nil, .readerStateChanged),
        .init(0x0035, "EFT_PARTIAL_APPROVAL", [], nil, .readerStateChanged),
        .init(0x0036, "EFT_AMOUNT_DUE_VALIDATION", [], nil, .readerStateChanged),
        .init(0x0037, "EFT_INVALID_URL", [], .failed, .readerErrorReported),
        .init(0x0038, "EFT_WAITING_CUSTOMER_RECEIPT", [], nil, .readerStateChanged),
        .init(0x0039, "EFT_PRINTING_MERCHANT_RECEIPT", [], nil, .receiptPrinted),
        .init(0x003A, "EFT_PRINTING_CUSTOMER_RECEIPT", [], nil, .receiptPrinted),
        .init(0x0040, "EFT_WAITING_HOST_MSG_TO_HOST", [], nil, .readerStateChanged),
        .init(0x0041, "EFT_WAITING_HOST_MSG_RESP", [], nil, .readerStateChanged),
        .init(0x9999, "EFT_INITIALISATION_COMPLETE", [], nil, .readerInitialized),
    ]
}
