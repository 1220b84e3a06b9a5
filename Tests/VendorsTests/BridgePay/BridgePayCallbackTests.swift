import Canonical
import Payments
import Redaction
import Testing
import Vendors

@Suite("BridgePay callbacks")
struct BridgePayCallbackTests {
    @Test("Transaction states, by name and number")
    func transactionStates() throws {
        let rows: [(Int, String, String)] = [
            (0, "NotStarted", "ReaderStateChanged"), (1, "WaitingForCard", "CardRequested"),
            (2, "ReadingCard", "CardPresented"), (3, "ChipCardWithUnreadChipSwiped", "ReaderErrorReported"),
            (4, "CardReadWithBrokenChip", "ReaderErrorReported"), (5, "CardReadWithError", "ReaderErrorReported"),
            (6, "WaitingForGateway", "AuthorizationSent"), (7, "RespondingToCard", "AuthorizationAnswered"),
            (8, "Voiding", "CommandSent"), (9, "Finished", "ReaderStateChanged"),
        ]
        for (number, name, event) in rows {
            for state: JSONValue in [
                .string("PayGuardianTransactionState" + name), .string(name), .string(String(number)),
            ] {
                let observation = try BridgePayDocuments.read(["state": state], as: "onStateChanged")
                #expect(observation.types == [event], "\(state)")
                #expect(observation.anomalies.map(\.kind) == (name == "Voiding" ? [.reversalDue] : []))
                #expect(observation.deviceReports.first?.report.response.code?.lowercased() == name.lowercased())
            }
        }
        let unknown = try BridgePayDocuments.read(["state": "Daydreaming"], as: "onStateChanged")
        #expect(unknown.types == ["ReaderStateChanged"])
        #expect(unknown.anomalies.map(\.kind) == [.unknownValue])
    }

    @Test("Reader states")
    func readerStates() throws {
        for (state, event) in [
            ("Connected", "ReaderConnected"), ("ScanComplete", "ReaderStateChanged"),
            ("Disconnected", "ReaderDisconnected"), ("PayGuardianReaderStateConnected", "ReaderConnected"),
        ] {
            let observation = try BridgePayDocuments.read(["readerState": .string(state)], as: "onReaderStateChanged")
            #expect(observation.types == [event])
            #expect(observation.anomalies.isEmpty)
        }
        let unknown = try BridgePayDocuments.read(["readerState": 7], as: "onReaderStateChanged")
        #expect(unknown.types == ["ReaderStateChanged"])
        #expect(unknown.anomalies.map(\.kind) == [.unknownValue])
    }

    @Test("A reader is known by its pairing UUID, and a scan finds readers by name")
    func readers() throws {
        let connected = try VendorFixture.named("bridgepay/reader-connected").observation()
        guard case .device(let reader, let events, _) = connected.subject else {
            Issue.record("no reader")
            return
        }
        #expect(reader == ReaderReference(vendor: .bridgepay, serial: "8E2F4C7A-93D1-4B60-A5C8-6F0B1E2D3C4A"))
        #expect(events.first?.report.identity?.model == "TERMINAL_TYPE_IDTECH_UNIPAY_BT")
        let scan = try VendorFixture.named("bridgepay/scan-complete").observation()
        #expect(
            scan.details == [
                Detail("deviceName", "IDTECH-VP3300-17013"), Detail("deviceName", "IDTECH-VP3300-20458"),
                Detail("found", "2"),
            ]
        )
        let many = JSONValue.array((0..<500).map { .string("reader \($0)") })
        let crowd = try BridgePayDocuments.read(
            ["readerState": "ScanComplete", "foundDeviceNames": many],
            as: "onReaderStateChanged"
        )
        #expect(crowd.deviceReports.count == 51)
    }

    @Test("A card's identifier shows no more than is allowed of a card number")
    func cardIdentifier() throws {
        let observation = try BridgePayDocuments.read(
            ["cardIdentifier": "5413330089020011"],
            as: "onCardDataAvailable"
        )
        #expect(observation.details == [Detail("cardIdentifier", "541333******0011")])
    }

    @Test("Commands of the app")
    func commands() throws {
        for kind in ["initAndScanForDevices", "initForRegistration", "connectWithFriendlyName", "resumeCardRead"] {
            #expect(try BridgePayDocuments.read([:], as: kind).types == ["CommandSent"])
        }
        #expect(try BridgePayDocuments.read([:], as: "cancel").types == ["CancelRequested"])
    }

    @Test("Chip messages, and those of the seven that are not described")
    func chipMessages() throws {
        let rows = [
            ("00", "CardRequested"), ("02", "CardPresented"), ("03", "AuthorizationSent"),
            ("04", "AuthorizationAnswered"), ("05", "CommandAnswered"),
        ]
        for (code, event) in rows {
            for body: JSONValue in [
                ["message": .string("33.\(code).")], ["identifier": "33.", "subcommand": .string("\(code).")],
            ] {
                let observation = try BridgePayDocuments.read(body, as: "EMVMessage")
                #expect(observation.types == [event], "\(code)")
                #expect(observation.anomalies.isEmpty)
            }
        }
        for code in ["01", "06"] {
            let observation = try BridgePayDocuments.read(["message": .string("33.\(code).")], as: "EMVMessage")
            #expect(observation.types == ["CommandAnswered"])
            #expect(observation.anomalies.map(\.kind) == [.unknownValue])
        }
        #expect(throws: Refusal.self) { try BridgePayDocuments.read(["message": "24.00."], as: "EMVMessage") }
    }

    @Test("An approval that the chip declines must be reversed")
    func refusedByChip() throws {
        let refused = try BridgePayDocuments.read(
            ["message": "33.05.", "tags": "8A:3030;9F27:00;95:8080008000"],
            as: "EMVMessage"
        )
        #expect(refused.anomalies.map(\.kind) == [.reversalDue])
        #expect(refused.details.contains(Detail("9F27", "00")))
        let taken = try BridgePayDocuments.read(["message": "33.05.", "tags": "8A:3030;9F27:40"], as: "EMVMessage")
        #expect(taken.anomalies.isEmpty)
        let denied = try BridgePayDocuments.read(["message": "33.05.", "tags": "8A:3035;9F27:00"], as: "EMVMessage")
        #expect(denied.anomalies.isEmpty)
    }

    @Test("Track data in a chip message is not kept")
    func trackEquivalent() throws {
        let body: JSONValue = [
            "message": "33.02.", "tags": "57:4761739001010119D22122011143804400000F;5A:4761739001010119",
        ]
        let schema = BridgePayAdapter().redactionSchema(for: "EMVMessage")
        let document = Scrubber(schema: schema).scrub(UnscrubbedDocument(body))
        #expect(!document.value.text.contains("4761739001010119"))
        #expect(!document.value.text.contains("22122011143804400000"))
        #expect(try BridgePayDocuments.read(body, as: "EMVMessage").types == ["CardPresented"])
    }

    @Test("A receipt alone is read as a receipt")
    func receipt() throws {
        let observation = try VendorFixture.named("bridgepay/msr-receipt-text").observation()
        #expect(observation.details.first == Detail("invoice", "8888"))
        #expect(observation.details.contains(Detail("maskedCardNumber", "5***********0608")))
        #expect(observation.details.contains(Detail("totalAmount", "5.5")))
    }
}
