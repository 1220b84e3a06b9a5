import Canonical
import Payments
import Redaction
import Testing
import Vendors

/// Every row of every table of the uCube SDK's guide, read through complete documents.
@Suite("YouTransactor tables")
struct YouTransactorTableTests {
    private func read(_ kind: String, _ body: JSONValue, context: DocumentContext = .init()) throws -> Observation {
        let adapter = YouTransactorAdapter()
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        return try adapter.interpret(document, kind: kind, context: context)
    }

    private func payment(_ members: [(String, JSONValue)]) throws -> Observation {
        var object: JSONObject = ["amount": 1_000, "currency": ["label": "EUR", "code": 978, "exponent": 2]]
        object["transactionType"] = "purchase"
        for (name, value) in members { object[name] = value }
        return try read("PaymentContext", .object(object))
    }

    /// Status, verdict without a host, verdict during an authorisation, verdicts after the host's 00.
    @Test(
        "Payment statuses",
        arguments: [
            ("approved", "AuthorizationApproved", "AuthorizationApproved", ""),
            ("declined", "Declined", "OutcomeUnknown", "Declined"),
            ("cancelled", "Cancelled", "OutcomeUnknown", "Cancelled"),
            ("cardWaitFailed", "Failed", "OutcomeUnknown", "Failed"),
            ("unsupportedCard", "Failed", "OutcomeUnknown", "Failed"),
            ("nfcOutcomeTryOtherInterface", "Failed", "OutcomeUnknown", "Failed"),
            ("nfcOutcomeEndApplication", "Failed", "OutcomeUnknown", "Failed"),
            ("nfcOutcomeFailed", "Failed", "OutcomeUnknown", "Failed"),
            ("error", "OutcomeUnknown", "OutcomeUnknown", "Failed"),
            ("errorDisconnect", "OutcomeUnknown", "OutcomeUnknown", "Failed"),
            ("errorShuttingDown", "OutcomeUnknown", "OutcomeUnknown", "Failed"),
            ("errorWrongActivatedReader", "Failed", "OutcomeUnknown", "Failed"),
            ("errorMissingRequiredCryptogram", "Failed", "OutcomeUnknown", "Failed"),
            ("errorWrongCryptogramValue", "Failed", "OutcomeUnknown", "Failed"),
            ("errorWrongNfcOutcome", "Failed", "OutcomeUnknown", "Failed"),
            ("somethingNew", "OutcomeUnknown", "OutcomeUnknown", "OutcomeUnknown"),
        ]
    )
    func statuses(status: String, alone: String, asked: String, approved: String) throws {
        func verdicts(_ members: [(String, JSONValue)]) throws -> [String] {
            try payment([("paymentStatus", .string(status))] + members).types
                .filter { !["SaleRequested", "AnomalyRaised", "AuthorizationAnswered"].contains($0) }
        }
        let captured = status == "approved" ? ["Captured"] : []
        #expect(try verdicts([]) == [alone] + captured)
        // The tags for the host were read, and the host's answer is missing.
        let tags: (String, JSONValue) = ("authorizationPlainTagsValues", ["9F27": "80", "9C": "00"])
        #expect(try verdicts([tags]) == [asked] + captured)
        let host: (String, JSONValue) = ("authorizationResponse", "8A023030")
        let both = try payment([("paymentStatus", .string(status)), tags, host])
        let last = approved.isEmpty ? [] : [approved]
        #expect(try verdicts([tags, host]) == ["AuthorizationApproved"] + last + captured)
        let isDue = !["approved", "somethingNew"].contains(status)
        #expect(both.anomalies.contains { $0.kind == .reversalDue } == isDue)
        #expect(both.anomalies.contains { $0.kind == .unknownValue } == (status == "somethingNew"))
        // The names of the SDK for Android.
        let shouted = status.reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
        #expect(
            try payment([("paymentStatus", .string(shouted))]).types
                == payment([("paymentStatus", .string(status))]).types
        )
    }

    @Test("Errors before the tags were read are certain if the app requested tags")
    func errorsBeforeTags() throws {
        for status in ["error", "errorDisconnect", "errorShuttingDown"] {
            let observation = try payment([
                ("paymentStatus", .string(status)), ("authorizationPlainTags", [79, 149]),
            ])
            #expect(observation.types == ["SaleRequested", "Failed"])
        }
    }

    /// Code, the host's verdict, the verdicts if the terminal approves and if it declines.
    @Test(
        "Answers of the host",
        arguments: [
            ("00", "AuthorizationApproved Captured", "AuthorizationApproved Declined"),
            ("08", "AuthorizationApproved Captured", "AuthorizationApproved Declined"),
            ("11", "AuthorizationApproved Captured", "AuthorizationApproved Declined"),
            ("85", "AuthorizationApproved Captured", "AuthorizationApproved Declined"),
            ("05", "Declined AuthorizationApproved", "Declined Declined"),
            ("51", "Declined AuthorizationApproved", "Declined Declined"),
            ("91", "Declined AuthorizationApproved", "Declined Declined"),
            ("1A", "Declined AuthorizationApproved", "Declined Declined"),
            ("70", "Declined AuthorizationApproved", "Declined Declined"),
            ("98", "AuthorizationApproved Captured", "OutcomeUnknown Declined"),
            ("09", "AuthorizationApproved Captured", "OutcomeUnknown Declined"),
            ("28", "AuthorizationApproved Captured", "OutcomeUnknown Declined"),
            ("68", "AuthorizationApproved Captured", "OutcomeUnknown Declined"),
            ("10", "OutcomeUnknown OutcomeUnknown", "OutcomeUnknown Declined"),
            ("32", "OutcomeUnknown OutcomeUnknown", "OutcomeUnknown Declined"),
            ("Y1", "AuthorizationApproved Captured", "Declined"), ("Y3", "AuthorizationApproved Captured", "Declined"),
            ("Z1", "AuthorizationApproved Captured", "Declined"), ("Z3", "AuthorizationApproved Captured", "Declined"),
        ]
    )
    func hostAnswers(code: String, approved: String, declined: String) throws {
        let hex = code.utf8.map { String($0, radix: 16) }.joined()
        for (status, expected) in [("approved", approved), ("declined", declined)] {
            // With tag and length, or the two characters alone.
            for response in ["8A02\(hex)", hex] {
                let observation = try payment([
                    ("paymentStatus", .string(status)), ("authorizationResponse", .string(response)),
                ])
                let verdicts = observation.types.filter {
                    !["SaleRequested", "AnomalyRaised", "AuthorizationAnswered"].contains($0)
                }
                #expect(verdicts.joined(separator: " ") == expected, "\(status)")
                #expect(observation.types.contains("AuthorizationAnswered"))
            }
        }
    }

    @Test("An unreadable answer of the host leaves a doubt")
    func unreadableAnswer() throws {
        let observation = try payment([("paymentStatus", "declined"), ("authorizationResponse", "8A0230")])
        #expect(observation.types == ["SaleRequested", "OutcomeUnknown", "Declined", "AnomalyRaised"])
        #expect(observation.anomalies.map(\.kind) == [.malformedField])
    }

    @Test(
        "Transaction types",
        arguments: [
            ("purchase", "00", "SaleRequested AuthorizationApproved Captured", ""),
            ("withdrawal", "01", "SaleRequested AuthorizationApproved Captured", "withdrawal"),
            ("purchaseCashback", "09", "SaleRequested AuthorizationApproved Captured", ""),
            ("manualCash", "12", "SaleRequested AuthorizationApproved Captured", "manualCash"),
            ("refund", "20", "CreditRequested CreditApproved", ""),
            ("inquiry", "31", "VerificationRequested AccountVerified BalanceInquired", ""),
        ]
    )
    func types(type: String, code: String, expected: String, tender: String) throws {
        let observation = try payment([("transactionType", .string(type)), ("paymentStatus", "approved")])
        #expect(observation.types.joined(separator: " ") == expected)
        switch observation.events.first {
        case .saleRequested(let request), .creditRequested(let request), .verificationRequested(let request):
            #expect(request.tender ?? "" == tender)
        default: Issue.record("no request")
        }
        // The chip's type is used if the SDK's is missing, and a disagreement is flagged.
        let byChip = try payment([
            ("transactionType", .null), ("paymentStatus", "approved"),
            ("authorizationPlainTagsValues", ["9C": .string(code)]),
        ])
        #expect(byChip.types.joined(separator: " ") == expected)
        let other = try payment([
            ("transactionType", .string(type)), ("paymentStatus", "approved"),
            ("authorizationPlainTagsValues", ["9C": code == "00" ? "20" : "00"]),
        ])
        #expect(other.anomalies.contains { $0.kind == .chipAmountMismatch })
    }

    @Test("An unknown type, and a missing one")
    func noType() throws {
        let unknown = try payment([("transactionType", "donation"), ("paymentStatus", "approved")])
        #expect(unknown.types == ["OutcomeUnknown", "AnomalyRaised"])
        #expect(unknown.anomalies.map(\.kind) == [.unknownValue])
        let none = try payment([("transactionType", .null), ("paymentStatus", "approved")])
        #expect(none.types == ["SaleRequested", "AuthorizationApproved", "Captured", "AnomalyRaised"])
        #expect(none.anomalies.map(\.kind) == [.operationAssumed])
    }

    /// State, event, whether the payment can still be cancelled.
    private static let states = """
        startCancelAll ReaderStateChanged yes
        startExitSecureSession ReaderStateChanged yes
        getInfo ReaderStateChanged yes
        enterSecureSession ReaderStateChanged yes
        ksnAvailable ReaderStateChanged yes
        startTransaction CardRequested yes
        cardReadEnd CardPresented no
        authorization AuthorizationSent no
        getFinalizationSecuredTags ReaderStateChanged no
        getFinalizationPlainTags ReaderStateChanged no
        getCCL2Log ReaderStateChanged no
        getF4L2Log ReaderStateChanged no
        getF5L2Log ReaderStateChanged no
        endExitSecureSession ReaderStateChanged no
        smcBuildCandidateList ReaderStateChanged yes
        smcSelectApplication ReaderStateChanged yes
        smcUserSelectApplication ReaderStateChanged yes
        smcInitTransaction ReaderStateChanged yes
        smcRiskManagement ReaderStateChanged no
        smcProcessTransaction ReaderStateChanged no
        smcGetAuthorizationSecuredTags ReaderStateChanged no
        smcGetAuthorizationPlainTags ReaderStateChanged no
        smcFinalizeTransaction ReaderStateChanged no
        smcRemoveCard ReaderStateChanged no
        nfcGetAuthorizationSecuredTags ReaderStateChanged no
        nfcGetAuthorizationPlainTags ReaderStateChanged no
        nfcSimplifiedOnlinePin PINRequested no
        nfcCompleteTransaction ReaderStateChanged no
        waitingCard CardRequested yes
        ONLINE_PIN PINRequested no
        OFFLINE_PIN PINRequested no
        START_ICC CardRequested yes
        START_NFC CardRequested yes
        """

    @Test("Service, SMC and NFC states, and the time in which a payment can be cancelled")
    func serviceStates() throws {
        let rows = Self.states.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.count == 33)
        for row in rows {
            let progress = try read("pay.didProgress", ["state": .string(row[0])])
            #expect(progress.types == [row[1]], "\(row[0])")
            #expect(progress.anomalies.isEmpty)
            guard case .device(_, let events, _) = progress.subject else { continue }
            #expect(events.first?.report.response.code == row[0])
            #expect(events.first?.report.details == [Detail("cancelPossible", row[2] == "yes" ? "true" : "false")])
            let cancelled = try read("cancel", ["status": true, "state": .string(row[0])])
            #expect(cancelled.types == ["CancelRequested"])
            #expect(cancelled.anomalies.isEmpty == (row[2] == "yes"), "\(row[0])")
            #expect(try read("cancel", ["status": false, "state": .string(row[0])]).anomalies.isEmpty)
        }
        let unknown = try read("pay.didProgress", ["state": "daydreaming"])
        #expect(unknown.types == ["ReaderStateChanged"])
        #expect(unknown.anomalies.map(\.kind) == [.unknownValue])
    }

    /// The second byte of the contactless outcome and its status.
    @Test(
        "Contactless outcomes",
        arguments: [
            ("36", "approved"), ("37", "declined"), ("38", "nfcOutcomeFailed"), ("3A", "cancelled"),
            ("31", "nfcOutcomeTryOtherInterface"), ("3F", "nfcOutcomeEndApplication"), ("3E", "approved"),
        ]
    )
    func contactlessOutcomes(outcome: String, status: String) throws {
        for need in ["30", "31", "32", "34"] {
            let observation = try payment([
                ("paymentStatus", .string(status)), ("cardEntryMode", "NFC"), ("nfcOutcome", .string(need + outcome)),
            ])
            #expect(observation.anomalies.isEmpty, "\(need)\(outcome)")
            #expect(observation.types.contains("SignatureRequested") == (need == "31"))
        }
        let contradiction = try payment([
            ("paymentStatus", outcome == "36" ? "declined" : "approved"), ("nfcOutcome", .string("30" + outcome)),
        ])
        #expect(contradiction.anomalies.map(\.kind) == (outcome == "3E" ? [] : [.conflictingOutcome]))
        let unknown = try payment([("paymentStatus", .string(status)), ("nfcOutcome", "3999")])
        #expect(unknown.anomalies.map(\.kind) == [.unknownValue])
    }

    @Test(
        "Card entry modes",
        arguments: [
            ("ICC", "ICC"), ("NFC", "NFC"), ("nfc", "NFC"), ("MS", "MS"), ("17", "ICC"), ("21", "NFC"), ("33", "NFC"),
        ]
    )
    func entryModes(written: String, shown: String) throws {
        let observation = try payment([("paymentStatus", "approved"), ("cardEntryMode", .string(written))])
        #expect(observation.approvedCard?.entryMethod == shown)
    }

    /// Class, number, and the event of a success beside the answer.
    private static let commands = """
        GetInfoCommand 5001
        SetInfoFieldCommand 5003
        WaitCardCommand 5020 CardPresented
        WaitCardRemovalCommand 5021 CardRemoved
        DisplayChoiceCommand 5042
        DisplayMessageCommand 5040
        PowerOffCommand 5060 ReaderDisconnected
        CancelCommand 202 CancelRequested
        EnterSecureSessionCommand 5101
        ExitSecureSessionCommand 5102
        InstallForLoadCommand 5160
        InstallForLoadKeyCommand 5130
        LoadCommand 5161
        SimplifiedOnlinePINCommand 5171 PINEntered
        BankParametersDownloads 5501
        GetEMVParametersCommand 5503
        BuildCandidateListCommand 5510
        StartNFCTransactionCommand 5530
        CompleteNFCTransactionCommand 5531
        GetPlainTagCommand 5026
        GetSecuredTagCommand 5025
        InitTransactionCommand 5511
        TransactionFinalizationCommand 5513
        TransactionProcessCommand 5512
        """

    @Test("RPC commands")
    func commands() throws {
        let rows = Self.commands.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.count == 24)
        for row in rows {
            let success = try read(row[0], ["event": "success", "status": 0])
            #expect(success.types == ["CommandAnswered"] + row.dropFirst(2), "\(row[0])")
            guard case .device(_, let events, _) = success.subject else { continue }
            #expect(events.first?.report.response == Response(code: row[0], message: "success"))
            #expect(events.first?.report.details == [Detail("command", row[1]), Detail("status", "0 success")])
            #expect(try read(row[0], ["event": "failed"]).types == ["CommandAnswered", "ReaderErrorReported"])
            for event in ["cancelled", "progress"] {
                #expect(try read(row[0], ["event": .string(event)]).types == ["CommandAnswered"])
            }
            #expect(try read(row[0], ["event": "exploded"]).anomalies.map(\.kind) == [.unknownValue])
        }
    }

    @Test(
        "Return codes of commands",
        arguments: [
            (0, "success"), (-2, "timeout"), (-28, "actionCancelled"), (-32, "cancelled"), (-35, "noCard"),
            (-114, "aborted"), (-287, "badTerminalState"), (-300, "emvNotSupported"), (-301, "emvNotAccepted"),
            (-4138, "notReady"),
        ]
    )
    func returnCodes(code: Int64, name: String) throws {
        let observation = try read("WaitCardCommand", ["event": "failed", "status": .number(JSONNumber(code))])
        guard case .device(_, let events, let anomalies) = observation.subject else { return }
        #expect(events.last?.report.response.code == "\(code) \(name)")
        #expect(anomalies.isEmpty)
        let unknown = try read("WaitCardCommand", ["event": "failed", "status": -999])
        #expect(unknown.anomalies.map(\.kind) == [.unknownValue])
    }

    @Test("Methods of the API and of the connection manager")
    func methods() throws {
        let names = """
            setConnexionManager setConnectionManager setupLogger pay setLocale geLocale getLocale getSupportedLocaleList \
            sendData close mdmSetup mdmRegister mdmUnregister isMdmManagerReady mdmCheckUpdate mdmUpdate mdmSendLogs \
            startScan stopScan setDevice getDevice isConnected connect disconnect send
            """.split(separator: " ")
        #expect(names.count == 25)
        for name in names {
            let observation = try read("UCubeAPI", ["method": .string(String(name))])
            #expect(observation.types == ["CommandSent"] && observation.anomalies.isEmpty, "\(name)")
        }
        #expect(try read("UCubeAPI", ["method": "getVersionName", "result": "0.5.30"]).types == ["ReaderIdentified"])
        #expect(try read("UCubeAPI", ["method": "levitate"]).anomalies.map(\.kind) == [.unknownValue])
    }

    @Test(
        "Management calls, done and failed",
        arguments: [
            ("mdmSetup", "ReaderInitialized", "ReaderErrorReported"),
            ("mdmRegister.didFinish", "ReaderInitialized", "ReaderErrorReported"),
            ("mdmUnregister", "ReaderStateChanged", "ReaderErrorReported"),
            ("isMdmManagerReady", "ReaderStateChanged", "ReaderStateChanged"),
            ("isMDMManagerReady", "ReaderStateChanged", "ReaderStateChanged"),
            ("mdmCheckUpdate.didFinish", "ReaderStateChanged", "ReaderErrorReported"),
            ("mdmUpdate.didFinish", "ReaderUpdated", "ReaderUpdateFailed"),
            ("mdmSendLogs.didFinish", "ReaderLogReported", "ReaderErrorReported"),
            ("setLocale.didFinish", "CommandAnswered", "CommandAnswered ReaderErrorReported"),
            ("geLocale.didFinish", "CommandAnswered", "CommandAnswered ReaderErrorReported"),
            ("getLocale.didFinish", "CommandAnswered", "CommandAnswered ReaderErrorReported"),
            ("getSupportedLocaleList.didFinish", "CommandAnswered", "CommandAnswered ReaderErrorReported"),
            ("sendData.didFinish", "CommandAnswered", "CommandAnswered ReaderErrorReported"),
            ("ConnectionManager.connect", "ReaderConnected", "ReaderErrorReported"),
            ("ConnectionManager.disconnect", "ReaderDisconnected", "ReaderDisconnected"),
            ("ConnectionManager.send", "CommandAnswered", "ReaderErrorReported"),
            ("ConnectionManager.isConnected", "ReaderStateChanged", "ReaderErrorReported"),
        ]
    )
    func calls(kind: String, done: String, failed: String) throws {
        #expect(try read(kind, ["success": true]).types.joined(separator: " ") == done)
        #expect(try read(kind, ["success": false]).types.joined(separator: " ") == failed)
        #expect(throws: Refusal.self) { try read(kind, ["success": "perhaps"]) }
    }

    @Test("Progress of all other calls is kept unchanged")
    func otherProgress() throws {
        for call in [
            "setLocale", "geLocale", "getLocale", "getSupportedLocaleList", "sendData", "mdmRegister",
            "mdmCheckUpdate", "mdmUpdate", "mdmSendLogs",
        ] {
            #expect(try read("\(call).didProgress", ["state": "WHATEVER"]).types == ["ReaderStateChanged"])
        }
    }

    /// The tags of the terminal's own data; the value is 01.
    @Test("Info tags")
    func infoTags() throws {
        let tags = """
            C1 C4 C6 CB CC CD D1 D2 D3 D4 D5 D6 D7 D8 D9 DA DB E8 E9 EA EB EC ED F0 F1
            """.split(separator: " ")
        for tag in tags {
            let observation = try read("GetInfoCommand", ["event": "success", "responseData": .string("\(tag)0101")])
            #expect(observation.types == ["CommandAnswered", "ReaderIdentified"], "\(tag)")
            guard case .device(_, let events, _) = observation.subject, let report = events.last?.report else {
                continue
            }
            let details = (report.details ?? []) + (report.identity?.versions ?? [])
            #expect(details.map(\.value) == ["01"])
            #expect(details.first?.name != String(tag), "\(tag) has no name")
        }
        let unknown = try read("GetInfoCommand", ["event": "success", "responseData": "9F770101"])
        #expect(unknown.types == ["CommandAnswered", "ReaderIdentified"])
        let broken = try read("GetInfoCommand", ["event": "success", "responseData": "C30901"])
        #expect(broken.anomalies.map(\.kind) == [.malformedField])
    }
}
