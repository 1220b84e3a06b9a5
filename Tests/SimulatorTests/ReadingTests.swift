import Canonical
import Payments
import Redaction
import Testing
import Vendors

@testable import Simulator

/// The adapters know everything that is sent.
@Suite struct ReadingTests {
    @Test func everyDocumentIsReadAndHasNothingUnknown() throws {
        let played = try Played(transactions: 400, faults: FaultProfile(all: 50_000))
        for delivery in played.deliveries {
            let document = delivery.document
            let adapter = try document.adapter()
            #expect(adapter.kinds.contains(document.kind), "\(document.vendor) \(document.kind)")
            let anomalies = try document.observation().anomalies.filter { Self.strange.contains($0.kind) }
            #expect(anomalies.isEmpty, "\(document.record): \(anomalies)")
        }
    }

    /// Anomalies that never occur with an SDK that follows its documentation.
    private static let strange: Set<Anomaly.Kind> = [
        .unknownValue, .malformedField, .amountScaleAssumed, .limitExceeded,
    ]

    /// The kinds that a trading day has for each SDK.
    private static let kinds: [Vendor: Set<String>] = [
        .bridgepay: [
            "BPNPayment", "BPNPaymentRequest", "BPNReceipt", "BridgeCommResponse", "NSError", "cancel",
            "connectWithFriendlyName", "initAndScanForDevices", "initForRegistration",
            "onCardDataAvailable", "onReaderStateChanged", "onStateChanged", "resumeCardRead", "runOnCompletion",
        ],
        .dejavoo: [
            "BatchSettlement", "CustomErrorMessage", "RegisterData", "Spin_Response", "SummaryReport",
            "TicketTxnData",
            "TxnData", "VoidTxnData", "didReceiveRespV2Error", "didReceiveResponse",
            "didReceiveV2Response",
            "didReceive_TransactionResponse", "makeARequestBasedOnTPN",
            "makeARequestBasedOnTransactionTypes",
            "startBatchSettlement",
        ],
        .handpoint: [
            "acceptSignature", "cancel", "cancelSignature", "clientForDevice", "didConnect",
            "didDiscoverFinished",
            "didFindAccessoryDevice", "didLostAccessoryDevice", "disableScanner", "enableScanner",
            "financeInit",
            "getSDKVersion", "isTransactionResultPending", "logGetInfo", "logReset", "logSetLevel",
            "refundVoidWithAmount", "refundWithAmount", "requestSignature", "responseEnableScanner",
            "responseError",
            "responseFinanceStatus", "responseLogInfo", "responseRecoveredTransactionStatus",
            "responseScannerDisabled", "responseScannerEvent", "responseStatus",
            "retrievePendingTransaction",
            "saleVoidWithAmount", "saleWithAmount", "startDiscovery",
        ],
        .paydiant: [
            "CancelTransactionCompletionBlock", "CancelTransactionFailureBlock",
            "ObtainCheckoutTokenCompletionBlock",
            "ReleaseCheckoutTokenCompletionBlock", "RetrieveTransactionInformationCompletionBlock",
            "RetriveTransactionMetaDataCompletionBlock", "RetriveTransactionMetaDataFailureBlock",
            "SplitTenderPaymentCompletionBlock", "SubmitCashAccessAmountCompletionBlock",
            "UpdateTransactionCompletionBlock", "UpdateTransactionFailureBlock", "generateAccessCode",
            "obtainCheckoutTokenFor",
        ],
        .youtransactor: [
            "AuthorizationTask", "ConnectionManager.connect", "ConnectionManager.disconnect",
            "EMVApplicationSelectionTask", "GetInfoCommand", "Loggable.error", "RiskManagementTask",
            "UCubeAPI",
            "UCubePaymentRequest", "cancel", "isMdmManagerReady", "mdmCheckUpdate.didFinish",
            "mdmRegister.didFinish", "mdmRegister.didProgress", "mdmSendLogs.didFinish",
            "mdmUpdate.didFinish",
            "pay.didFinish", "pay.didProgress", "scanDidDiscoverDevice", "setLocale.didFinish",
        ],
    ]

    @Test(arguments: VirtualSDKs.vendors)
    func kindsAreSent(vendor: Vendor) throws {
        let played = try Played(
            terminals: 40,
            transactions: 1_500,
            days: 4,
            faults: FaultProfile(all: 50_000),
            vendors: [vendor]
        )
        let sent = Set(played.deliveries.map(\.document.kind))
        #expect(sent == Self.kinds[vendor], "\(sent.symmetricDifference(Self.kinds[vendor] ?? []))")
    }

    /// After an update the reader reports the new firmware.
    @Test func updatesRaiseTheFirmware() throws {
        let played = try Played(transactions: 400, days: 20, faults: .none, vendors: [.youtransactor])
        let updates = played.deliveries.filter {
            $0.document.kind == "mdmUpdate.didFinish" && $0.document.body["success"] == true
        }
        #expect(!updates.isEmpty)
        for update in updates {
            let later = played.deliveries.first {
                $0.at > update.at && $0.document.terminal == update.document.terminal
                    && $0.document.kind == "GetInfoCommand"
            }
            guard let later else { continue }
            #expect(later.document.body["responseData"]?.string?.contains("D1040500002A") == false)
        }
    }

    @Test func everyStateOfATransactionIsReported() throws {
        let played = try Played(transactions: 600, faults: FaultProfile(all: 50_000), vendors: [.bridgepay])
        let states = played.deliveries.filter { $0.document.kind == "onStateChanged" }
            .compactMap { $0.document.body["state"]?.string }
        #expect(Set(states) == Set(BridgePayReader.State.allCases.map { "PayGuardianTransactionState\($0.rawValue)" }))
        let readers = played.deliveries.compactMap { $0.document.body["readerState"]?.string }
        #expect(Set(readers) == ["Connected", "Disconnected", "ScanComplete"])
    }
}

/// Printed texts contain the same facts as the objects.
@Suite struct PrintedTextTests {
    /// Every answer and error of BridgePay, printed.
    @Test func printedAnswersOfBridgePayAreReadAsTheirObjects() throws {
        let played = try Played(transactions: 400, faults: FaultProfile(all: 50_000), vendors: [.bridgepay])
        var texts = 0
        for document in played.deliveries.map(\.document) {
            guard let printed = document.printedByBridgePay else { continue }
            texts += 1
            #expect(try document.observation(of: printed) == document.observation(), "\(printed)")
        }
        #expect(texts > 150)
    }

    /// Every answer of version 1, printed, with and without its request.
    @Test func printedAnswersOfVersion1AreReadAsTheirObjects() throws {
        let played = try Played(
            transactions: 400,
            faults: FaultProfile(all: 50_000),
            vendors: [.dejavoo]
        )
        var texts = 0
        for document in played.deliveries.map(\.document) where document.kind == "didReceiveResponse" {
            guard var object = document.body.object, object["Response"] != nil else { continue }
            texts += 1
            let exchange = DejavooPrintedText.exchange(object, at: document.occurredAt)
            #expect(try document.observation(of: .string(exchange)) == document.observation(), "\(exchange)")
            object["request"] = nil
            let answer = DejavooPrintedText.answer(object, at: document.occurredAt)
            let alone = try document.observation(of: .string(answer))
            #expect(try alone == document.observation(of: .object(object)), "\(answer)")
        }
        #expect(texts > 50)
    }

    /// The forms are those of the guides.
    @Test func textsLookAsTheGuidesPrintThem() throws {
        let played = try Played(transactions: 1_200)
        let texts = played.deliveries.map(\.document).flatMap { document in
            [
                document.body, document.body["BPNPayment"], document.body["payment"], document.body["NSError"],
            ]
            .compactMap { $0?.string }.map { (document.vendor, $0) }
        }
        let printed = texts.filter { $0.0 == .bridgepay }.map(\.1)
        #expect(printed.contains { $0.hasPrefix("BPNPayment.BridgeCommResponse:\ntransactionID: ") })
        #expect(printed.contains { $0.contains("\n\nBPNPayment.BPNReceipt:\nmaskedCardNumber: ") })
        #expect(printed.contains { $0.hasPrefix("BPNPayment.BPNReceipt:\n") && $0.hasSuffix("\npinEntered: NO") })
        #expect(printed.contains { $0.contains("\nexpirationDate: (null)\n") && $0.contains("\nmaskedPAN:\n") })
        let error =
            "Error Domain= com.bridgepaynetwork.PayGuardian\nCode= 6 \"Card failed to read\"\n"
            + "UserInfo= {NSLocalizedDescription=Card failed to read}"
        #expect(printed.contains(error))
        let answers = texts.filter { $0.0 == .dejavoo }.map(\.1)
        #expect(answers.contains { $0.hasPrefix("{\n  {\n    [\n      \"Card\": {\n        AID = A0000000") })
        #expect(answers.contains { $0.hasSuffix("\n    ]\n    \"Date\" : \"03.03.2025\"\n  }\n}") })
        #expect(answers.contains { $0.contains("\n        RespMsg = \"APPROVAL ") })
        #expect(answers.contains { $0.hasPrefix("[\"request\": [\"type\": \"VOID\", \"amount\": \"") })
    }

    /// Some apps of a vendor send objects, others texts, and none sends both.
    @Test func anAppUsesOneForm() throws {
        let played = try Played(transactions: 1_200)
        var forms: [String: Set<Bool>] = [:]
        for document in played.deliveries.map(\.document) {
            switch (document.vendor, document.kind) {
            case (.bridgepay, "BPNPayment"):
                let answer = document.body["BPNPayment"] ?? document.body["BridgeCommResponse"] ?? document.body
                forms["bridgepay \(document.merchant)", default: []].insert(answer.string != nil)
            case (.dejavoo, "didReceiveResponse") where document.body["success"] == nil:
                forms["dejavoo \(document.terminal)", default: []].insert(document.body.string != nil)
            default: break
            }
        }
        for vendor in ["bridgepay", "dejavoo"] {
            let own = forms.filter { $0.key.hasPrefix(vendor) }.map(\.value)
            #expect(Set(own) == [[true], [false]], "\(vendor)")
        }
    }
}

extension SDKDocument {
    func adapter() throws -> any VendorAdapter {
        try #require(VendorAdapters.all.first { $0.vendor == vendor })
    }

    /// The observation that the ledger makes of it.
    func observation(of other: JSONValue? = nil) throws -> Observation {
        let adapter = try adapter()
        let scrubbed = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(other ?? body))
        let context = DocumentContext(
            merchant: merchant,
            terminal: terminal,
            device: device,
            occurredAt: occurredAt,
            namesPayment: reference != nil
        )
        return try adapter.interpret(scrubbed, kind: kind, context: context)
    }

    /// The same document with its objects printed; nil if it has none, or has them printed already.
    fileprivate var printedByBridgePay: JSONValue? {
        func printed(_ payment: JSONObject) -> JSONValue? {
            guard let response = payment["BridgeCommResponse"]?.object else { return nil }
            return .string(BridgePayPrintedText.payment(response, payment["BPNReceipt"]?.object))
        }
        guard let object = body.object else { return nil }
        switch kind {
        case "BPNPayment":
            if let find = object["BPNFindRequest"] {
                return printed(object).map { ["BPNFindRequest": find, "BridgeCommResponse": $0] }
            }
            guard let request = object["BPNPaymentRequest"], let text = printed(object) else { return nil }
            return ["BPNPayment": text, "BPNPaymentRequest": request]
        case "runOnCompletion":
            guard let payment = object["payment"]?.object, let request = payment["BPNPaymentRequest"],
                let text = printed(payment)
            else { return nil }
            return ["payment": text, "error": .null, "request": request]
        case "NSError":
            guard let domain = object["domain"]?.string, let code = object["code"],
                let request = object["BPNPaymentRequest"],
                let text = object["userInfo"]?["NSLocalizedDescription"]?.string
            else { return nil }
            let error = BridgePayPrintedText.error(domain: domain, code: code.string ?? code.text, text)
            return ["NSError": .string(error), "BPNPaymentRequest": request]
        default: return nil
        }
    }
}

extension Observation {
    var anomalies: [Anomaly] {
        switch subject {
        case .transaction(let events):
            events.compactMap { if case .anomalyRaised(let anomaly) = $0 { anomaly } else { nil } }
        case .batch(_, let events):
            events.compactMap { if case .anomalyRaised(let anomaly) = $0 { anomaly } else { nil } }
        case .device(_, _, let anomalies), .checkout(_, _, let anomalies), .unplaced(let anomalies): anomalies
        }
    }
}
