import Canonical
import Payments
import Redaction
import Testing

@testable import Vendors

/// Every row of every table of the vendor's guides: a row that is missing in the adapter fails.
@Suite("Dejavoo tables")
struct DejavooTableTests {
    private func read(
        _ kind: String,
        _ body: JSONValue,
        terminal: String? = "794525543578"
    ) throws -> Observation {
        let adapter = DejavooAdapter()
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        return try adapter.interpret(
            document,
            kind: kind,
            context: DocumentContext(terminal: terminal, namesPayment: true)
        )
    }

    // MARK: Errors

    private static let paymentSession: [(String, String, String?)] = [
        ("notAllowed", "Account not allowed.", "Failed"),
        ("backgroundRequestNotAllowed", "Background request not allowed.", "Failed"),
        ("unsupported", "Unsupported hardware or a problem with the device", "Failed"),
        ("osVersionNotSupported", "Please update your app to the latest iOS version.", "Failed"),
        ("modelNotSupported", "Current device doesn't support NFC.", "Failed"),
        ("networkError", "Please check your network settings and try again.", "Failed"),
        ("networkAuthenticationError", "An authentication error occurred during the server connection.", "Failed"),
        ("serviceConnectionError", "Internal service is unavailable.", "Failed"),
        ("notReady", "Please try the session again to resolve the issue.", "Failed"),
        ("emptyReaderToken", "The token is empty, making it invalid.", "Failed"),
        ("prepareExpired", "Please reinitiate the session to try again", "Failed"),
        ("tokenExpired", "Token Expired.", "Failed"),
        ("readerMemoryFull", "The card reader is busy.", "Failed"),
        ("accountNotLinked", "Accept the Terms and Conditions using a valid Apple ID.", "Failed"),
        ("accountAlreadyLinked", "Terms and Conditions have already been accepted.", nil),
        (
            "accountLinkingFailed", "The system couldn't link or relink the merchant using the provided Apple ID.",
            "Failed"
        ),
        (
            "accountLinkingRequiresiCloudSignIn",
            "Please accept the Terms and Conditions on your device while signed into iCloud", "Failed"
        ),
        ("accountLinkingCancelled", "The linking or relinking operation has been canceled.", "Cancelled"),
        ("merchantBlocked", "The merchant is blocked", "Failed"),
        ("invalidMerchant", "The merchant is invalid or unknown", "Failed"),
        ("somethingWentWrong", "", "OutcomeUnknown"),
    ]

    private static let cardReaderSession: [(String, String, String)] = [
        ("cardReadFailed", "The reader was unable to read a card", "Failed"),
        ("invalidAmount", "Amount must be positive and contain less than 10 digits.", "Failed"),
        ("invalidCurrencyCode", "Currency code in the request must follow the ISO 4217 standard.", "Failed"),
        ("nfcDisabled", "The user needs to enable their NFC", "Failed"),
        ("noReaderSession", "No reader session is available or the session isn't ready.", "Failed"),
        ("passcodeDisabled", "Passcode disabled. Please set a security passcode on your device.", "Failed"),
        ("paymentCardDeclined", "The payment card declined the transaction.", "Declined"),
        ("paymentReadFailed", "An internal failure prevented the read operation.", "Failed"),
        (
            "pinCancelled", "The current PIN capture was canceled, thereby canceling any ongoing read operation.",
            "Cancelled"
        ),
        ("pinNotAllowed", "The time window for capturing a PIN after a card read has expired.", "Failed"),
        ("pinEntryFailed", "An error occurred when capturing the PIN.", "Failed"),
        ("pinEntryTimeout", "The ongoing PIN capture was not completed within the given time.", "Failed"),
        ("pinTokenInvalid", "An error that indicates an invalid PIN token.", "Failed"),
        (
            "readFromBackgroundError", "Read operations aren't allowed when an app is running in the background.",
            "Failed"
        ),
        ("readNotAllowed", "This error usually occurs when there's an entitlement issue.", "Failed"),
        ("readNotAllowedDuringCall", "Read operations aren't allowed during a phone call.", "Failed"),
        (
            "readerServiceConnectionError", "The session wasn't able to connect the system UI or other services",
            "Failed"
        ),
        ("readerServiceError", "Reader service internal state issue occurred.", "Failed"),
        (
            "readerSessionAuthenticationError", "An authentication error occurred while refreshing reader session",
            "Failed"
        ),
        ("readerSessionBusy", "The reader is busy with another session.", "Failed"),
        (
            "readerSessionExpired", "The reader session expired and couldn't refresh due to other state changes.",
            "Failed"
        ),
        ("readerSessionNetworkError", "Network error occurred that prevented a reader session refresh.", "Failed"),
        ("readerTokenExpired", "The configuration token for the reader session expired.", "Failed"),
        ("vasReadFail", "Error occurred when reading a loyalty pass.", "OutcomeUnknown"),
        ("invalidReaderToken", "Invalid reader token", "Failed"),
        ("prepareFailed", "Prepare session failed", "Failed"),
    ]

    private static let custom: [(String, String, String?)] = [
        ("entitlementIssue", "Please check the tap on phone entitlement configuration.", "Failed"),
        ("environmentIssue", "The token key environment is not acceptable.", "Failed"),
        ("deviceSupportTapOnPay", "Device Supports Tap to Pay", nil),
        ("deviceUnSupportTapOnPay", "Your current device does not support NFC.", "Failed"),
        ("readerSessionCleanUp", "Reader session cleaned up", nil),
    ]

    private static let errors: [(table: String, name: String, text: String, outcome: String?)] =
        paymentSession.map { ("PaymentSessionError", $0.0, $0.1, $0.2) }
        + cardReaderSession.map { ("CardReaderSessionError", $0.0, $0.1, $0.2) }
        + custom.map { ("CustomErrorMessage", $0.0, $0.1, $0.2) }

    @Test("Every error, by its text and by its name, over V2's callback and under its own enumeration")
    func errorTables() throws {
        #expect(Self.paymentSession.count == 21 && Self.cardReaderSession.count == 26 && Self.custom.count == 5)
        #expect(SessionErrorEntry.all.map(\.code) == Self.errors.map(\.name))
        #expect(SessionErrorEntry.all.map(\.message) == Self.errors.map(\.text))
        #expect(SessionErrorEntry.all.map(\.table) == Self.errors.map(\.table))
        for row in Self.errors {
            let state = row.outcome == nil ? "ReaderStateChanged" : "ReaderErrorReported"
            for kind in ["didReceiveRespV2Error", row.table] {
                for body: JSONValue in [.string(row.text), ["err": .string(row.text)], ["err": .string(row.name)]] {
                    let observation = try read(kind, body)
                    // An error without its request ends the named payment if that is still open.
                    #expect(observation.types == [state] + [row.outcome].compactMap(\.self), "\(row)")
                    #expect(observation.anomalies.isEmpty, "\(row)")
                    let response = try #require(observation.reportedByReader.first).report.response
                    #expect(response.code == "\(row.table).\(row.name)", "\(kind): \(row)")
                }
                let request: JSONValue = ["tranType": ".SALE", "amount": "10.00", "currencyCode": ".USD"]
                let observation = try read(kind, ["err": .string(row.text), "request": request])
                let expected = row.outcome.map { ["SaleRequested", state, $0] } ?? [state]
                #expect(observation.types == expected, "\(row)")
            }
            // The other tables do not contain it.
            for other in ["PaymentSessionError", "CardReaderSessionError", "CustomErrorMessage"]
            where other != row.table && !row.text.isEmpty {
                #expect(try read(other, .string(row.text)).anomalies.map(\.kind) == [.unknownValue])
            }
        }
    }

    @Test("No two errors share a text or a name")
    func errorNames() {
        var entries: [String: SessionErrorEntry] = [:]
        for entry in SessionErrorEntry.all {
            for name in [entry.message, entry.code].map({ SensitiveNames.normalized($0) }) {
                #expect(entries[name] == nil || entries[name] == entry, "\(name)")
                entries[name] = entry
            }
        }
    }

    @Test("An unknown error is still a report, and with a request an outcome in doubt")
    func unknownErrors() throws {
        let report = try read("didReceiveRespV2Error", ["err": "The moon is full."])
        #expect(report.types == ["ReaderErrorReported", "OutcomeUnknown", "AnomalyRaised"])
        #expect(report.verdict?.condition == .whileOpen && report.anomalies.map(\.kind) == [.unknownValue])
        let request: JSONValue = ["type": "REFUND", "amount": "10.00"]
        let outcome = try read("didReceiveRespV2Error", ["err": "The moon is full.", "request": request])
        #expect(
            outcome.types == ["CreditRequested", "ReaderErrorReported", "OutcomeUnknown", "AnomalyRaised"]
        )
        let void = try read(
            "didReceiveRespV2Error",
            ["err": "Token Expired.", "request": ["type": "VOID", "rrn": "1"]]
        )
        #expect(void.types == ["ReaderErrorReported"] && void.keys.map(\.value) == ["794525543578/1", "1"])
    }

    // MARK: Transaction types

    @Test("Every type of every interface, each in its own table")
    func types() throws {
        let names: [(String, String)] = [
            ("SALE", "SaleRequested"), ("REFUND", "CreditRequested"), ("PRE_AUTH", "AuthorizationRequested"),
            ("TICKET", "CommandSent"), ("VOID", "CommandSent"),
        ]
        #expect(TransType.allCases.map(\.rawValue) == names.map(\.0))
        for (name, type) in names {
            for text in [name, ".\(name)", "DeepLinking.TransType.\(name)", name.lowercased()] {
                let body: JSONValue = ["tranType": .string(text), "amount": "10.00", "rrn": "123445667788"]
                #expect(try read("TxnData", body).types.first == type, "\(text)")
            }
        }
        let legacy: [(String, String)] = [
            ("sale", "SaleRequested"), ("refund", "CreditRequested"), ("preauth", "AuthorizationRequested"),
            ("void", "CommandSent"), ("ticket", "CommandSent"), ("batch", "CommandSent"),
            ("settlements", "CommandSent"),
        ]
        #expect(LegacyType.allCases.map(\.rawValue) == legacy.map(\.0))
        for (name, type) in legacy {
            for text in [name, name.uppercased()] {
                let argument: JSONValue = name == "void" || name == "ticket" ? "1234567890" : "10.00"
                let body: JSONValue = ["type": .string(text), "Amount": argument]
                #expect(try read("makeARequestBasedOnTransactionTypes", body).types.first == type, "\(text)")
            }
        }
        #expect(LegacyType(printed: "PRE-AUTH") == .preauth)
        #expect(SpinResponseType.allCases.map(\.rawValue) == [1, 2])
        #expect(SpinResponseType.allCases.map(\.operation) == [.sale, .refund])
        #expect(SpinResponseLabel.allCases.map(\.rawValue) == ["sale", "refund", "preauth", "ticket", "void"])
        #expect(SettlementType.allCases.map(\.rawValue) == [7])
        #expect(
            TransactType.allCases.map { "\($0.rawValue) \($0)" } == [
                "1 sale", "2 void", "3 refund", "5 preAuth", "6 ticket", "7 tipAdjust",
            ]
        )
        #expect(
            SpinMethod.allCases.map(\.rawValue) == [
                "Sale", "Return", "TipAdjust", "Auth", "Capture", "Void", "Settle", "Status", "StatusList",
                "OfflineStatus", "SummaryReport", "DailyReport", "Abort",
            ]
        )
    }

    @Test("A number is read with its own interface's table only")
    func numberSpaces() throws {
        let fixture = try VendorFixture.named("dejavoo/v2-sale")
        func sale(_ type: String) throws -> Observation {
            var body = DocumentPlaces(path: ["Spin_Response", "ExtData", "txnLabel"]).removing(from: fixture.body)
            let place = DocumentPlaces(path: ["Spin_Response", "ExtData", "TxnType"])
            body = place.replacing(in: body, with: .string(type))
            return try fixture.observation(of: body)
        }
        #expect(try sale("1").types == ["SaleRequested", "AuthorizationApproved", "Captured", "CommandAnswered"])
        // A void in iPOS Transact.
        #expect(try sale("2").types == ["CreditRequested", "CreditApproved", "CommandAnswered"])
        for type in ["3", "5", "6", "7", "0", "99"] {
            let observation = try sale(type)
            #expect(observation.types == ["OutcomeUnknown", "CommandAnswered", "AnomalyRaised"])
            #expect(observation.anomalies.map(\.kind) == [.unknownValue])
            #expect(observation.keys.count == 3)
        }
        let settlement = try VendorFixture.named("dejavoo/v2-batch-settlement")
        let place = DocumentPlaces(path: ["transaction_type"])
        let odd = try settlement.observation(of: place.replacing(in: settlement.body, with: 1))
        #expect(odd.types == ["BatchClosed", "AnomalyRaised"])
        #expect(odd.anomalies.map(\.kind) == [.unknownValue])
    }

    // MARK: Codes

    /// ISO 8583 field 39 as the processor uses it.
    private static let hostCodes: [(codes: String, outcome: String)] = [
        ("00 08 11 85 Y1 Y3 0 000 0000", "AuthorizationApproved"), ("10 32 87", "PartiallyApproved"),
        ("17 1012", "Cancelled"),
        (
            """
            01 02 03 04 05 07 12 13 14 15 19 30 33 34 35 36 38 39 40 41 43 46 51 52 53 54 55 57 58 59 61 62 63 64 65 70 \
            75 78 81 82 84 86 88 93 1A N3 N4 N7 R0 R1 R3 Q1 P5 P6 Z1 Z3 R02 R03 R04 R05 R06 R07 R08 R09 R10 R11 R12
            """, "Declined"
        ), ("1002 1003 1007 1008 1009 1010 1013", "Failed"),
        ("06 09 21 25 26 28 68 76 77 79 80 91 92 94 95 96 1001 1004 1005 1006 1011", "OutcomeUnknown"),
    ]

    @Test("Every code of the processor, of the risk rules and of SPIn", arguments: hostCodes.indices)
    func codes(index: Int) throws {
        let fixture = try VendorFixture.named("dejavoo/v2-sale")
        for code in Self.hostCodes[index].codes.split(separator: " ").map(String.init) {
            var body = fixture.body
            for path in [["HostResponseCode"], ["ExtData", "RespCode"]] {
                body = DocumentPlaces(path: ["Spin_Response"] + path).replacing(in: body, with: .string(code))
            }
            for name in ["HostResponseMessage", "RespMsg", "Message"] {
                body = DocumentPlaces(path: ["Spin_Response", name]).removing(from: body)
            }
            if !Self.hostCodes[index].outcome.hasSuffix("pproved") {
                body = DocumentPlaces(path: ["Spin_Response", "ResultCode"]).replacing(in: body, with: "1")
            }
            let observation = try fixture.observation(of: body)
            #expect(observation.types.dropFirst().first == Self.hostCodes[index].outcome, "\(code)")
            let isDuplicate = ["26", "94", "1011"].contains(code)
            #expect(observation.anomalies.map(\.kind) == (isDuplicate ? [.duplicateSuspected] : []), "\(code)")
        }
    }

    @Test("All codes of the tables are tested here, and none occurs twice there")
    func codeCoverage() {
        let reported = Set(Self.hostCodes.flatMap { $0.codes.split(separator: " ").map(String.init) })
        let known = (DejavooHostCodes.processor + DejavooHostCodes.riskRules).map(\.code)
        #expect(Set(known).count == known.count)
        let spin = SpinStatus.allCases.map { $0.rawValue == 0 ? "0000" : String($0.rawValue) }
        #expect(Set(known + spin + ["0", "000"]) == reported)
        #expect(SpinResult.allCases.map(\.rawValue) == [0, 1, 2])
        #expect(SpinResult.allCases.map(\.meaning) == [.approved, .failed, .unknown])
        #expect(TransactResult.allCases.map(\.rawValue) == [200, 400])
        #expect(TransactResult.allCases.map(\.meaning) == [.approved, .declined])
    }

    @Test(
        "Reused codes are classified by their text",
        arguments: [
            ("05", "NO EXISTING HOST", "Failed"), ("05", "FEES N/A PROFILE", "Failed"),
            ("05", "STMT/TXN INPRGRS", "Failed"), ("05", "NO ORIGINAL TXN", "Failed"),
            ("05", "INCAUTH N/A AMEX", "Failed"), ("05", "DECLINE", "Declined"), ("05", "", "Declined"),
            ("14", "INVALID YEAR", "Failed"), ("14", "invalid month", "Failed"), ("14", "CARD NO. ERROR", "Declined"),
            ("35", "GATEWAY KEY ERR", "Failed"), ("35", "HOLD-CALL", "Declined"),
            ("91", "HOST NO RESPONSE", "OutcomeUnknown"), ("28", "NO REPLY", "OutcomeUnknown"),
            ("R02", "R02 RISK FLAGGED", "Declined"), ("R12", "R12: INVALID CVV", "Declined"),
            ("05", "HOST NO RESPONSE", "OutcomeUnknown"), ("51", "REQUEST TIMED OUT", "OutcomeUnknown"),
            // Approved, with an error text.
            ("00", "NO REPLY", "OutcomeUnknown"), ("00", "NO EXISTING HOST", "OutcomeUnknown"),
        ]
    )
    func reusedCodes(code: String, message: String, outcome: String) throws {
        let rows = DejavooHostCodes.withMessage.map { "\($0.code) \($0.message ?? "")" }
        #expect(rows.count == 10 && Set(rows).count == 10)
        let answer = try #require(DejavooAnswer(host: code, message: message))
        let verdict = Verdict(evidence: .gateway, response: Response())
        #expect(DejavooTransaction.event(answer.meaning, verdict).type == outcome)
        #expect(answer.isKnown)
    }

    @Test("Codes in no table are in doubt, or declined by a later risk rule, and are flagged as unknown")
    func unknownCodes() throws {
        for (code, meaning) in [("ZZ", CodeMeaning.unknown), ("9999", .unknown), ("R13", .declined), ("200", .unknown)]
        {
            let answer = try #require(DejavooAnswer(host: code, message: nil))
            #expect(answer.meaning == meaning && !answer.isKnown, "\(code)")
            #expect(answer.anomalies(about: "RespCode").map(\.kind) == [.unknownValue])
        }
        #expect(DejavooAnswer(host: "", message: nil) == nil)
        #expect(DejavooAnswer(result: "7").meaning == .unknown && !DejavooAnswer(result: "7").isKnown)
    }

    @Test("Answers to a reversal have a meaning for a void")
    func reversalCodes() throws {
        for (code, meaning) in [("79", CodeMeaning.approved), ("80", .approved), ("21", .failed)] {
            #expect(DejavooAnswer(host: code, message: nil, operation: .void)?.meaning == meaning)
            #expect(DejavooAnswer(host: code, message: nil, operation: .sale)?.meaning == .unknown)
        }
    }
}
