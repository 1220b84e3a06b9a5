import Canonical
import Payments
import Testing

@testable import Vendors

/// Updates of the reader, and results that are about the reader and not about a payment.
@Suite("Handpoint updates")
struct HandpointUpdateTests {
    private func answer(
        _ code: JSONValue,
        _ xml: JSONObject,
        command: String? = "financeInit",
        kind: String = "responseFinanceStatus"
    ) throws -> Observation {
        var body: JSONObject = ["statusCode": code, "xml": .object(xml)]
        if let command { body["request"] = ["command": .string(command)] }
        return try HandpointReading.observation(.object(body), kind: kind)
    }

    private func isOfReader(_ observation: Observation) -> Bool {
        if case .device = observation.subject { true } else { false }
    }

    @Test("An initialisation that failed with any status is neither an initialisation nor a payment")
    func failures() throws {
        for status in HandpointStatus.all where status.meaning != nil {
            let code = JSONValue.number(JSONNumber(Int64(status.id)))
            for word: JSONValue in ["FAILED", "CANCELLED", "UNDEFINED"] {
                for type: JSONValue in ["HOST_INIT", "UNDEFINED"] {
                    let failed = try answer(code, ["TransactionType": type, "FinancialStatus": word])
                    #expect(isOfReader(failed), "\(status.code) \(word)")
                    let names = [["ReaderUpdateFailed"], ["ReaderErrorReported"]]
                    #expect(names.contains(failed.types), "\(status.code) \(word)")
                }
            }
            let error = try answer(code, [:], kind: "responseError")
            #expect(isOfReader(error) && !error.types.contains("ReaderInitialized"), "\(status.code)")
        }
        // Without the request, by a status that only updates have.
        for code: JSONValue in [0x0006, 0x0007, 0x000D] {
            let failed = try answer(
                code,
                ["TransactionType": "UNDEFINED", "FinancialStatus": "FAILED"],
                command: nil
            )
            #expect(isOfReader(failed) && failed.types == ["ReaderUpdateFailed"])
        }
    }

    @Test("After a cancellation, or while the reader is busy, the update stays due")
    func notTried() throws {
        for code: JSONValue in [0x0004, 0x0012, 0x0025] {
            let failed = try answer(code, ["TransactionType": "UNDEFINED", "FinancialStatus": "FAILED"])
            #expect(failed.types == ["ReaderErrorReported"])
        }
    }

    @Test("A successful initialisation installs what is due, in the words of every version")
    func success() throws {
        let words: [(JSONValue, JSONValue, String?)] = [
            ("HOST_INIT", "PROCESSED", nil), ("UNDEFINED", "PROCESSED", nil), ("UNDEFINED", "UNDEFINED", "financeInit"),
            ("UNDEFINED", "PROCESSED", "financeInit"),
        ]
        for (type, status, command) in words {
            let done = try answer(
                1,
                ["TransactionType": type, "FinancialStatus": status, "ApplicationVersion": "1.3.4"],
                command: command
            )
            #expect(isOfReader(done) && done.types == ["ReaderInitialized", "ReaderUpdated"], "\(type) \(status)")
            guard case .device(_, let events, _) = done.subject else { continue }
            #expect(events.last?.report.identity?.versions == [Detail("ApplicationVersion", "1.3.4")])
        }
    }

    @Test("A result without type, name and amount belongs to the reader; with an amount it is a payment in doubt")
    func untyped() throws {
        let nothing: JSONObject = ["TransactionType": "UNDEFINED", "FinancialStatus": "UNDEFINED"]
        #expect(isOfReader(try answer(9, nothing, command: nil)))
        var asked = nothing
        asked["RequestedAmount"] = "1000"
        asked["Currency"] = "826"
        #expect(try answer(9, asked, command: nil).types.contains("OutcomeUnknown"))
        let named = try HandpointReading.observation(
            ["statusCode": 9, "xml": .object(nothing)],
            kind: "responseFinanceStatus",
            DocumentContext(namesPayment: true)
        )
        #expect(named.types.contains("OutcomeUnknown"))
    }

    @Test("The reader's own condition at the end of a payment reaches the reader's errors")
    func conditions() throws {
        let sale: JSONObject = ["TransactionType": "SALE", "FinancialStatus": "FAILED"]
        let names: [(JSONValue, String)] = [
            (0x0031, "ReaderErrorReported"), (0x001D, "ReaderErrorReported"), (0x0005, "ReaderUpdateFound"),
            (0x0006, "ReaderUpdateFailed"), (0x0029, "CommandAnswered"), (0x0012, "CommandAnswered"),
        ]
        for (code, name) in names {
            #expect(try answer(code, sale, command: nil).types.last == name, "\(code)")
        }
    }

    @Test("A sale that the reader was too busy to begin failed; other errors of a busy reader end nothing")
    func busy() throws {
        func error(_ command: String?) throws -> Observation {
            var body: JSONObject = ["statusCode": 4, "status": "Not allowed"]
            if let command { body["request"] = ["command": .string(command), "amount": 3500, "currency": "GBP"] }
            return try HandpointReading.observation(
                .object(body),
                kind: "responseError",
                DocumentContext(namesPayment: true)
            )
        }
        let sale = try error("saleWithAmount")
        #expect(sale.types == ["SaleRequested", "Failed", "ReaderErrorReported"])
        #expect(sale.verdict?.evidence == .reader)
        #expect(try error("saleVoidWithAmount").types == ["FollowUpRefused", "ReaderErrorReported"])
        #expect(try error(nil).types == ["ReaderErrorReported"])
        #expect(try error("enableScanner").types == ["ReaderErrorReported"])
    }

    @Test("The answer about the scanner repeats which command it answers")
    func scanner() throws {
        func details(_ kind: String) throws -> [Detail]? {
            let body: JSONValue = ["statusCode": 1, "status": "Success", "xml": ["StatusMessage": ""]]
            guard case .device(_, let events, _) = try HandpointReading.observation(body, kind: kind).subject else {
                return nil
            }
            return events.first?.report.details
        }
        #expect(try details("responseEnableScanner") == [Detail("command", "enableScanner")])
        #expect(try details("responseScannerDisabled") == [Detail("scanner", "disabled")])
    }
}
