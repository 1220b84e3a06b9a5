import Canonical
import Payments
import Redaction
import Testing
import Vendors

/// How payments end, and what reports beside them say.
@Suite("uCube ends")
struct UCubeEndTests {
    private func read(
        _ body: JSONValue,
        _ kind: String,
        namesPayment: Bool = true
    ) throws -> Observation {
        let adapter = YouTransactorAdapter()
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        return try adapter.interpret(document, kind: kind, context: DocumentContext(namesPayment: namesPayment))
    }

    private func fold(_ observations: [Observation]) -> TransactionState {
        var history: [TransactionEvent] = []
        for observation in observations {
            let facts: [TransactionEvent] =
                switch observation.subject {
                case .transaction(let events): events
                case .device(_, let events, let anomalies):
                    events.map { .device($0) } + anomalies.map { .anomalyRaised($0) }
                default: []
                }
            history += Lifecycle.decide(facts, after: history, policy: observation.policy)
        }
        return TransactionState(folding: history)
    }

    private static let asked: JSONObject = [
        "amount": 1250, "currency": ["label": "EUR", "code": 978, "exponent": 2], "transactionType": "purchase",
    ]

    private static func context(_ members: JSONObject = [:]) -> JSONObject {
        var context = asked
        for member in members { context[member.key] = member.value }
        return context
    }

    private func finish(_ members: JSONObject, success: JSONValue? = nil) throws -> Observation {
        var body: JSONObject = ["paymentContext": .object(Self.context(members))]
        if let success { body["success"] = success }
        return try read(.object(body), "pay.didFinish")
    }

    private func progress(_ state: JSONValue) throws -> Observation { try read(["state": state], "pay.didProgress") }

    @Test("A failure is final if the reported progress shows that nothing was sent, and in doubt otherwise")
    func progressDecides() throws {
        let failed = try finish(["paymentStatus": "errorDisconnect"])
        #expect(fold([failed]).status == .inDoubt)
        let begun = try progress("startTransaction")
        #expect(fold([begun, failed]).status == .failed)
        let sent = try progress("authorization")
        #expect(fold([begun, sent, failed]).status == .inDoubt)
        // The report that it was sent may arrive last.
        let late = fold([begun, failed, sent])
        #expect(late.status == .inDoubt && late.isInDoubt)
        // With tags for the host in the document the next step is to contact it.
        let tagged = try finish([
            "paymentStatus": "errorDisconnect", "authorizationPlainTagsValues": ["9F02": "000000001250"],
        ])
        #expect(fold([begun, tagged]).status == .inDoubt)
    }

    @Test("Tags that were asked for and not read show that nothing was sent, unless progress shows that it was")
    func missingTags() throws {
        let members: JSONObject = ["paymentStatus": .null, "authorizationPlainTags": [79, 80]]
        let failed = try finish(members, success: false)
        #expect(fold([failed]).status == .failed)
        #expect(fold([try progress("startTransaction"), failed]).status == .failed)
        let sent = try progress("authorization")
        #expect(fold([sent, failed]).status == .inDoubt && fold([sent, failed]).verdicts.reader?.said == .failed)
        #expect(fold([failed, sent]).status == .inDoubt)
        var repeated = members
        repeated["cardWaitTimeout"] = 31
        #expect(fold([failed, try finish(repeated, success: false), sent]).status == .inDoubt)
        // The host's answer decides.
        let answer = try read(["event": "success", "authorizationResponse": "8A023035"], "AuthorizationTask")
        #expect(fold([sent, answer, failed]).status == .declined)
    }

    @Test("The status is optional: success decides as far as it can")
    func withoutStatus() throws {
        let begun = try progress("startTransaction")
        let failed = try finish(["paymentStatus": .null], success: false)
        #expect(fold([begun, failed]).status == .failed)
        #expect(fold([failed]).status == .inDoubt)
        #expect(fold([begun, try progress("authorization"), failed]).status == .inDoubt)
        let done = try finish([:], success: true)
        let state = fold([begun, done])
        #expect(state.status == .inDoubt && state.captured == 0)
        #expect(throws: Refusal.self) { try finish([:]) }
    }

    @Test("A cancelled or failed task is no answer of the host, whatever it was filled with before")
    func defaultAnswer() throws {
        for event: JSONValue in ["cancelled", "failed"] {
            let body: JSONObject = [
                "event": event, "authorizationResponse": "8A023030", "paymentContext": .object(Self.asked),
            ]
            let ended = try read(.object(body), "AuthorizationTask")
            #expect(ended.types == ["ReaderStateChanged"])
        }
        let answered: JSONObject = [
            "event": "success", "authorizationResponse": "8A023030", "paymentContext": .object(Self.asked),
        ]
        #expect(try read(.object(answered), "AuthorizationTask").types.contains("AuthorizationApproved"))
        // A refusal was not filled in before.
        let refused: JSONValue = ["event": "failed", "authorizationResponse": "8A023035"]
        #expect(try read(refused, "AuthorizationTask").types.contains("Declined"))
    }

    @Test("signatureRequired is an output of contactless payments")
    func signature() throws {
        let chip: JSONObject = [
            "paymentStatus": "approved", "cardEntryMode": "ICC", "signatureRequired": false,
            "finalizationPlainTagsValues": ["9F34": "1E0300"],
        ]
        #expect(fold([try finish(chip)]).card?.requiresSignature == true)
        var tap = chip
        tap["cardEntryMode"] = "NFC"
        tap["nfcOutcome"] = "3036"
        #expect(fold([try finish(tap)]).card?.requiresSignature == false)
    }

    @Test("The app's settings are kept with the request, and with the presentation of the card")
    func settings() throws {
        let body = Self.context([
            "forceAuthorization": true, "forceOnlinePIN": false, "readers": ["ICC", "NFC"], "cardWaitTimeout": 30,
            "onlinePinBlockFormat": 0, "preferredLanguages": ["en", "fr"], "applicationVersion": 2, "forceDebug": false,
            "tvr": "0000008000", "cardEntryMode": "ICC", "paymentStatus": "approved",
        ])
        let expected: Set<Detail> = [
            Detail("forceAuthorization", "true"), Detail("forceOnlinePIN", "false"), Detail("readers", "ICC,NFC"),
            Detail("cardWaitTimeout", "30"), Detail("onlinePinBlockFormat", "0"),
            Detail("preferredLanguages", "en,fr"), Detail("applicationVersion", "2"), Detail("forceDebug", "false"),
            Detail("tvr", "0000008000"),
        ]
        for (kind, name) in [("UCubePaymentRequest", "CommandSent"), ("PaymentContext", "CardPresented")] {
            let events = try read(.object(body), kind).events
            let details = events.lazy.compactMap { event -> [Detail]? in
                guard case .device(let device) = event, device.type == name else { return nil }
                return device.report.details ?? []
            }.first
            #expect(Set(details ?? []) == expected, "\(kind)")
        }
    }

    @Test("Whether a cancellation was accepted is a state of the payment")
    func cancellation() throws {
        let refused = try read(["status": false, "state": "authorization"], "cancel")
        #expect(fold([refused]).cancellation == .tooLate)
        let accepted = try read(["status": true, "state": "startTransaction"], "cancel")
        #expect(fold([accepted]).cancellation == .requested)
        #expect(fold([accepted, try finish(["paymentStatus": "cancelled"])]).cancellation == .honoured)
    }

    @Test("A device that was not found is an error of the reader, and no malformed document")
    func notFound() throws {
        let observation = try read(["device": .null], "ConnectionManager.setDevice", namesPayment: false)
        #expect(observation.types == ["ReaderErrorReported"])
        #expect(try observation.text().contains("no device found"))
    }

    @Test("Log lines of any length, with line ends, and errors as objects are kept")
    func logs() throws {
        let long = "first line\nsecond line " + String(repeating: "x", count: 3_000)
        let line = try read(["message": .string(long)], "Loggable.debug", namesPayment: false)
        guard case .device(_, let events, _) = line.subject, let message = events.first?.report.response.message else {
            Issue.record("no log line")
            return
        }
        #expect(message.hasPrefix("first line second line xxx") && message.utf8.count <= 512)
        let error: JSONValue = ["domain": "NSURLErrorDomain", "code": -1009]
        let failed = try read(["message": "no network", "error": error], "Loggable.error", namesPayment: false)
        guard case .device(_, let reports, _) = failed.subject else { return }
        #expect(reports.first?.report.details?.contains { $0.value.contains("-1009") } == true)
        let connection = try read(["success": false, "error": error], "ConnectionManager.connect", namesPayment: false)
        #expect(connection.types == ["ReaderErrorReported"])
        let split = try read(["message": "4111\n1111\n1111\n1111"], "Loggable.debug", namesPayment: false)
        #expect(try !split.text().contains("4111 1111 1111 1111"))
    }

    @Test("Up to date is what the check covered")
    func upToDate() throws {
        let firmware: JSONValue = ["label": "SVPP Firmware", "type": 0, "currentVersion": "5.0.0.42"]
        let config: JSONValue = ["label": "ICC config", "currentVersion": "1.2.0.3"]
        let custom: JSONValue = ["label": "Firmware", "currentVersion": "6.0.0.24"]
        let both: [String] = ["svppFirmware", "stFirmware"]
        for (isFirmwareOnly, configs, expected) in [
            (nil, [], nil), (false, [], nil), (nil, [firmware, config], ["svppFirmware", "iccConfig"]),
            (false, [config], ["iccConfig"]), (true, [], both), (true, [firmware, config], both),
            (true, [custom, config], both + ["Firmware"]), (nil, [custom], ["Firmware"]),
        ] as [(Bool?, [JSONValue], [String]?)] {
            var body: JSONObject = ["success": true, "parameters": [[], .array(configs)]]
            if let isFirmwareOnly {
                body["request"] = ["forceUpdate": false, "checkOnlyFirmwareVersion": .bool(isFirmwareOnly)]
            }
            let checked = try read(.object(body), "mdmCheckUpdate.didFinish", namesPayment: false)
            guard case .device(_, let events, _) = checked.subject else {
                Issue.record("no report of a reader")
                continue
            }
            let details = expected?.map { Detail(Detail.componentUpToDate, $0) } ?? [.noUpdatesDue]
            #expect(events.last?.report.details == details)
        }
    }

    @Test("An installed binary has its version")
    func updates() throws {
        let update: JSONValue = [
            "success": true, "updates": [["config": ["label": "SVPP Firmware", "type": 0, "minVersion": "5.0.0.43"]]],
        ]
        let done = try read(update, "mdmUpdate.didFinish", namesPayment: false)
        guard case .device(_, let reports, _) = done.subject else { return }
        #expect(reports.map(\.name) == [.readerUpdated])
        #expect(reports.first?.report.identity?.versions == [Detail("SVPP Firmware", "5.0.0.43")])
    }

    @Test("An update installs what its call selected")
    func selectedUpdates() throws {
        let selected: JSONValue = [["label": "Firmware", "version": "6.0.0.24"], ["label": "ICC config"]]
        let update: JSONValue = ["success": true, "parameters": [], "request": ["updates": selected]]
        let done = try read(update, "mdmUpdate.didFinish", namesPayment: false)
        guard case .device(_, let reports, _) = done.subject else {
            Issue.record("no report of a reader")
            return
        }
        #expect(reports.map(\.name) == [.readerUpdated, .readerUpdated])
        let names = reports.map { $0.report.details?.first { $0.name == "update" }?.value }
        #expect(names == ["Firmware", "iccConfig"])
        #expect(reports.first?.report.identity?.versions == [Detail("Firmware", "6.0.0.24")])
    }
}
