import Canonical
import Payments
import Redaction
import Testing

@testable import Vendors

/// Every row of the vendor's status tables: a missing one fails here.
@Suite("Handpoint statuses")
struct HandpointStatusTests {
    /// Id, name, messages, and the meaning for a payment that ends with it.
    private static let rows: [(String, String, [String], CodeMeaning?)] = [
        ("0001", "EFT_SUCCESS", ["", "AUTH CODE 005354", "REFUND ACCEPTED", "REVERSAL ACCEPTED"], nil),
        ("0002", "EFT_INVALID_DATA", ["Invalid data"], .failed),
        ("0003", "EFT_PROCESSING_ERROR", ["Processing error"], .failed),
        ("0004", "EFT_COMMAND_NOT_ALLOWED", ["Command not allowed"], .failed),
        ("0005", "EFT_NOT_INITIALISED", ["Device is not initialized"], .failed),
        ("0006", "EFT_CONNECT_TIMEOUT", ["Connection time out detected"], .failed),
        ("0007", "EFT_CONNECT_ERROR", ["Connection error"], .failed),
        ("0008", "EFT_SENDING_ERROR", ["Send error"], .unknown),
        ("0009", "EFT_RECEIVING_ERROR", ["Receiving error"], .unknown),
        ("000A", "EFT_NO_DATA_AVAILABLE", ["No data available"], .failed),
        ("000B", "EFT_TRANS_NOT_ALLOWED", ["Transaction not allowed"], .failed),
        ("000C", "EFT_UNSUPPORTED_CURRENCY", ["Currency not supported"], .failed),
        ("000D", "EFT_NO_HOST_AVAILABLE", ["No host configuration found"], .failed),
        ("000E", "EFT_CARD_READER_ERROR", ["Card reader error"], .failed),
        ("000F", "EFT_CARD_READING_FAILED", ["Failed to read card data"], .failed),
        ("0010", "EFT_INVALID_CARD", ["INVALID CARD"], .failed),
        ("0011", "EFT_INPUT_TIMEOUT", ["Timeout waiting for user input"], .failed),
        ("0012", "EFT_USER_CANCELLED", ["TRANSACTION VOID", "User cancelled the transaction"], .cancelled),
        ("001D", "EFT_SHARED_SECRET_INVALID", ["Shared Secret invalid"], .failed),
        ("001E", "EFT_SHARED_SECRET_AUTH", ["Authenticating POS"], nil),
        ("0013", "EFT_INVALID_SIGNATURE", ["TRANSACTION VOID"], .cancelled),
        ("0014", "EFT_WAITING_CARD", ["Waiting for card"], nil),
        ("0015", "EFT_CARD_INSERTED", ["Card detected"], nil),
        ("0016", "EFT_APPLICATION_SELECTION", ["Waiting for application selection"], nil),
        ("0017", "EFT_APPLICATION_CONFIRMATION", ["Waiting for application confirmation"], nil),
        ("0018", "EFT_AMOUNT_VALIDATION", ["Waiting for amount validation"], nil),
        ("0019", "EFT_PIN_INPUT", ["Waiting for PIN entry"], nil),
        ("001A", "EFT_MANUAL_CARD_INPUT", ["Waiting for manual card data"], nil),
        ("001B", "EFT_WAITING_CARD_REMOVAL", ["Waiting for card removal"], nil),
        ("001C", "EFT_TIP_INPUT", ["Waiting for gratuity"], nil),
        ("001F", "EFT_WAITING_SIGNATURE", ["Waiting for signature"], nil),
        ("0020", "EFT_WAITING_HOST_CONNECT", ["Connecting to host"], nil),
        ("0021", "EFT_WAITING_HOST_SEND", ["Sending data to host"], nil),
        ("0022", "EFT_WAITING_HOST_RECEIVE", ["Waiting for data from host"], nil),
        ("0023", "EFT_WAITING_HOST_DISCONNECT", ["Disconnecting from host"], nil),
        ("0024", "EFT_PIN_INPUT_COMPLETED", ["PIN entry completed"], nil),
        ("0025", "EFT_POS_CANCELLED", ["TRANSACTION VOID"], .cancelled),
        ("0026", "EFT_REQUEST_INVALID", ["Request invalid"], .failed),
        ("0027", "EFT_CARD_CANCELLED", ["TRANSACTION VOID"], .cancelled),
        ("0028", "EFT_CARD_BLOCKED", ["CARD BLOCKED"], .declined),
        ("0029", "EFT_REQUEST_AUTH_TIMEOUT", ["Request for authorisation timed out"], .failed),
        ("002A", "EFT_REQUEST_PAYMENT_TIMEOUT", ["Request for payment timed out"], .failed),
        ("002B", "EFT_RESPONSE_AUTH_TIMEOUT", ["Response to authorisation request timed out"], .unknown),
        ("002C", "EFT_RESPONSE_PAYMENT_TIMEOUT", ["Response to payment request timed out"], .unknown),
        ("002D", "EFT_ICC_CARD_SWIPED", ["Please insert card in chip reader"], nil),
        ("002E", "EFT_REMOVE_CARD", ["Remove the card from the reader"], nil),
        ("002F", "EFT_SCANNER_IS_NOT_SUPPORTED", ["This device does not have a scanner"], .failed),
        ("0030", "EFT_SCANNER_EVENT", [""], nil),
        ("0031", "EFT_BATTERY_TOO_LOW", ["Operation cancelled, the battery is too low. Please charge."], .failed),
        ("0032", "EFT_ACCOUNT_TYPE_SELECTION", ["Waiting for account type selection"], nil),
    ]

    /// The status strings with their ids.
    private static let strings: [(String, String)] = [
        ("Success", "0001"), ("Invalid data", "0002"), ("Processing error", "0003"), ("Not allowed", "0004"),
        ("Not initialized", "0005"), ("Connect timeout", "0006"), ("Connect error", "0007"), ("Sending error", "0008"),
        ("Receiveing error", "0009"), ("No data available", "000A"), ("Transaction not allowed", "000B"),
        ("Unsupported currency", "000C"), ("No host available", "000D"), ("Card reader error", "000E"),
        ("Card reading failed", "000F"), ("Invalid card", "0010"), ("Input timeout", "0011"),
        ("User cancelled", "0012"), ("Invalid signature", "0013"), ("Waiting card", "0014"), ("Card inserted", "0015"),
        ("Application selection", "0016"), ("Application confirmation", "0017"), ("Amount validation", "0018"),
        ("PIN input", "0019"), ("Manual card input", "001A"), ("Waiting card removal", "001B"), ("Tip input", "001C"),
        ("Shared secret invalid", "001D"), ("Connecting", "0020"), ("Sending", "0021"), ("Receiving", "0022"),
        ("Disconnecting", "0023"), ("PIN entry completed", "0024"), ("Merchant cancelled the transaction", "0025"),
        ("Request invalid", "0026"), ("Card cancelled the transaction", "0027"), ("Blocked card", "0028"),
        ("Request for authorisation timed out", "0029"), ("Request for payment timed out", "002A"),
        ("Response to authorisation request timed out", "002B"), ("Response to payment request timed out", "002C"),
        ("Please insert card in chip reader", "002D"), ("Remove the card from the reader", "002E"),
        ("This device does not have a scanner", "002F"), ("Scanner is not supported", "002F"),
        ("Scanner event", "0030"),
    ]

    @Test("Every id with its name, messages and meaning")
    func ids() throws {
        #expect(Self.rows.count == 0x32)
        for (code, name, messages, meaning) in Self.rows {
            let id = try #require(Int(code, radix: 16))
            let status = try #require(HandpointStatus.of(id), "\(code)")
            #expect(status.code == code && status.name == name && status.meaning == meaning, "\(code)")
            for message in messages where !message.isEmpty {
                #expect(HandpointStatus.saying(message).contains(status), "\(message)")
            }
            #expect(status.messages.contains("") == messages.contains(""))
        }
        #expect(Set(HandpointStatus.all.map(\.id)).count == HandpointStatus.all.count)
        #expect(HandpointStatus.all.count == Self.rows.count + 11)
    }

    @Test("Every status string")
    func texts() throws {
        for (text, code) in Self.strings { #expect(HandpointStatus.saying(text).map(\.code) == [code], "\(text)") }
        #expect(HandpointStatus.saying("transaction void").map(\.code) == ["0012", "0013", "0025", "0027"])
        #expect(HandpointStatus.saying("AUTH CODE").isEmpty && HandpointStatus.saying("").isEmpty)
    }

    private func finance(_ members: [String: JSONValue], xml: [String: JSONValue]) throws -> Observation {
        var dictionary: JSONObject = ["TransactionType": "SALE", "RequestedAmount": "1000", "Currency": "0826"]
        for (name, value) in xml { dictionary[name] = value }
        var body: JSONObject = ["xml": .object(dictionary)]
        for (name, value) in members { body[name] = value }
        return try HandpointReading.observation(.object(body), kind: "responseFinanceStatus")
    }

    @Test("Every id at the end of a sale, and during it")
    func endings() throws {
        for (code, _, _, meaning) in Self.rows {
            let id = try #require(Int64(code, radix: 16))
            let ended = try finance(["statusCode": .number(JSONNumber(id))], xml: ["FinancialStatus": "FAILED"])
            let expected: String =
                switch meaning {
                case .declined: "Declined"
                case .cancelled: "Cancelled"
                case .unknown: "OutcomeUnknown"
                default: "Failed"
                }
            let report = HandpointStatus.of(Int(id))?.readerEvent?.rawValue ?? "CommandAnswered"
            #expect(ended.types == ["SaleRequested", expected, report], "\(code)")
            #expect(ended.verdict?.response.code == code)
            // The same id as the vendor prints it.
            let hexadecimal = try HandpointReading.observation(["statusCode": .string(code)], kind: "responseStatus")
            let reported = try HandpointReading.observation(
                ["statusCode": .number(JSONNumber(id))],
                kind: "responseStatus"
            )
            #expect(reported.subject == hexadecimal.subject)
            #expect(reported.types == [HandpointStatus.of(Int(id))?.event.rawValue ?? ""])
            #expect(reported.anomalies.isEmpty)
        }
    }

    @Test("An unknown id is recorded as unknown")
    func unknown() throws {
        for code: JSONValue in [0x42, "0042", 70_000, -1] {
            let reported = try HandpointReading.observation(["statusCode": code], kind: "responseStatus")
            #expect(reported.types == ["ReaderStateChanged"])
            #expect(reported.anomalies.map(\.kind) == [.unknownValue])
        }
        let garbled = try HandpointReading.observation(
            ["statusCode": "forty", "status": "Waiting card"],
            kind: "responseStatus"
        )
        #expect(garbled.types == ["CardRequested"] && garbled.anomalies.map(\.kind) == [.malformedField])
    }

    @Test("The SDK's texts without a status", arguments: HandpointException.allCases)
    func exceptions(exception: HandpointException) throws {
        let text = exception == .communication ? "Communication error <Unknown command>" : exception.rawValue
        let isCertain = exception == .connectionImpossible
        let named = try HandpointReading.observation(
            ["status": .string(text)],
            kind: "responseError",
            DocumentContext(namesPayment: true)
        )
        #expect(named.types == [isCertain ? "Failed" : "OutcomeUnknown", "ReaderErrorReported"])
        let loose = try HandpointReading.observation(["status": .string(text)], kind: "responseError")
        #expect(loose.types == ["ReaderErrorReported"])
    }

    @Test("Requests and errors without a named payment belong to the reader; an EFT reference names one")
    func unnamed() throws {
        let asked: JSONValue = ["amount": 1000, "currency": "GBP", "reference": "R1"]
        for (kind, body): (String, JSONValue) in [
            ("responseError", ["statusCode": 0x2B]), ("responseError", ["statusCode": 0x2C]),
            ("saleWithAmount", asked), ("refundWithAmount", asked),
        ] {
            let reported = try HandpointReading.observation(body, kind: kind)
            guard case .device(_, let events, []) = reported.subject else {
                Issue.record("\(kind) is about a payment")
                continue
            }
            if kind != "responseError" {
                #expect(events.first?.report.details?.map(\.value) == ["1000", "GBP", "R1"])
            }
        }
        let named = try HandpointReading.observation(
            ["statusCode": 0x2C, "xml": ["EFTTransactionID": "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e"]],
            kind: "responseError"
        )
        #expect(named.types.contains("OutcomeUnknown") && named.keys.count == 1)
    }

    @Test("Statuses that end no payment belong to the reader, even if a payment is named")
    func notOfPayments() throws {
        for code: JSONValue in [0x0004, 0x000A, 0x002F, 0x0014] {
            let reported = try HandpointReading.observation(
                ["statusCode": code],
                kind: "responseError",
                DocumentContext(namesPayment: true)
            )
            guard case .device = reported.subject else {
                Issue.record("a payment ended")
                continue
            }
        }
    }
}

/// Reads a document as intake does.
enum HandpointReading {
    static func observation(
        _ body: JSONValue,
        kind: String,
        _ context: DocumentContext = .init()
    ) throws -> Observation {
        let adapter = HandpointAdapter()
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        return try adapter.interpret(document, kind: kind, context: context)
    }
}
