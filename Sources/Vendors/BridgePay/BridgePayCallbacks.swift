import Canonical
import Payments
import Redaction

/// PayGuardian's callbacks and the app's commands while a transaction runs: states of transaction and reader, the
/// card's identifier, commands. None of them moves money.
struct BridgePayCallbacks {
    private let fields: Fields
    private let at: ReportedTime?

    init(_ fields: Fields, at time: ReportedTime?) {
        self.fields = fields
        at = time
    }

    /// The calls of the app to `PayGuardianTransaction`.
    static let commands = [
        "initAndScanForDevices", "initForRegistration", "connectWithFriendlyName", "resumeCardRead", "cancel",
    ]

    func observation(of kind: String) throws -> Observation {
        let subject =
            switch kind {
            case "onStateChanged": try transactionState()
            case "onReaderStateChanged": try readerState()
            case "onCardDataAvailable": try cardData()
            case "EMVMessage": try chipMessage()
            case "BPNReceipt": try receipt()
            default: try command(kind)
            }
        return Observation(
            subject: subject,
            keys: [],
            identity: nil,
            occurredAt: at,
            policy: BridgePayAdapter.policy
        )
    }

    // MARK: Reader

    /// The reader's pairing UUID, which the app stores, or else its friendly name.
    private var reader: ReaderReference? {
        get throws {
            try fields.identifier("connecteddeviceidentifier", "bledeviceuuid", "deviceidentifier", "friendlyname")
                .map { ReaderReference(vendor: .bridgepay, serial: $0) }
        }
    }

    private func report(
        _ name: DeviceEventName,
        code: String? = nil,
        message: String? = nil,
        details: [Detail] = []
    ) throws -> DeviceEvent {
        let model = try fields.text("terminaltype").map { String($0.prefix(64)) }
        return DeviceEvent(
            name,
            DeviceReport(
                reader: try reader,
                response: Response(code: code, message: message),
                identity: model.map { ReaderIdentity(model: $0) },
                details: details.isEmpty ? nil : details,
                at: at
            )
        )
    }

    // MARK: States

    private func required(_ names: String...) throws -> String {
        for name in names {
            if let text = try fields.text(name) { return String(text.prefix(64)) }
        }
        throw Refusal(.missingField, "The callback must have its value.", pointer: fields.pointer(to: names[0]))
    }

    private func transactionState() throws -> Observation.Subject {
        let text = try required("state", "transactionstate", "payguardiantransactionstate")
        guard let state = BridgePayTransactionState(text) else {
            let event = try report(.readerStateChanged, code: text)
            return .device(try reader, [event], [.unlisted("PayGuardianTransactionState", text)])
        }
        // The SDK voids a payment that the host approved and the chip declined. The answer to that void is a separate
        // document.
        let anomalies =
            state == .voiding
            ? [Anomaly(.reversalDue, "PayGuardian is voiding what the gateway may have approved")] : []
        return .device(try reader, [try report(state.event, code: "\(state)")], anomalies)
    }

    private func readerState() throws -> Observation.Subject {
        let text = try required("readerstate", "state", "payguardianreaderstate")
        let names = try foundDevices()
        var events = try names.map { try report(.readerDiscovered, details: [Detail("deviceName", $0)]) }
        guard let state = BridgePayReaderState(text) else {
            events.append(try report(.readerStateChanged, code: text))
            return .device(try reader, events, [.unlisted("PayGuardianReaderState", text)])
        }
        let found = state == .scanComplete ? [Detail("found", String(names.count))] : []
        events.append(try report(state.event, code: state.rawValue, details: found))
        return .device(try reader, events, [])
    }

    /// `getFoundDeviceNames`: a list of names. The first fifty are reported.
    private func foundDevices() throws -> [String] {
        try fields.texts("founddevicenames", "getfounddevicenames", "devices", limit: 50)
    }

    /// The first digits of the card, used to look up its issuer.
    private func cardData() throws -> Observation.Subject {
        let identifier = try required("cardidentifier")
        return .device(
            try reader,
            [try report(.cardPresented, details: [Detail("cardIdentifier", identifier)])],
            []
        )
    }

    private func command(_ kind: String) throws -> Observation.Subject {
        var details: [Detail] = []
        for (name, field) in [("friendlyName", "friendlyname"), ("terminalType", "terminaltype")] {
            if let text = try fields.text(field) { details.append(Detail(name, String(text.prefix(64)))) }
        }
        let name: DeviceEventName = kind == "cancel" ? .cancelRequested : .commandSent
        return .device(try reader, [try report(name, code: kind, details: details)], [])
    }

    // MARK: Chip

    /// A message `33.` to or from the reader: the text `33.03.` followed by tags, or an object with named parts.
    private func chipMessage() throws -> Observation.Subject {
        let (code, data) = try chipParts()
        let tags = data.map { BridgePayTagData($0) }
        var details: [Detail] = []
        for tag in Self.reportedTags {
            if let value = tags?.values[tag] { details.append(Detail(tag, String(value.prefix(64)))) }
        }
        guard let message = BridgePayChipMessage(rawValue: code) else {
            let event = try report(.commandAnswered, code: "33.\(code)", details: details)
            return .device(try reader, [event], [.unlisted("EMV message", code)])
        }
        var anomalies: [Anomaly] = []
        if message == .confirmation, tags?.cryptogram == .declined, tags?.authorizationResponse == "00" {
            anomalies.append(Anomaly(.reversalDue, "the host approved and the chip declined"))
        }
        let event = try report(message.event, code: "33.\(code)", message: "\(message)", details: details)
        return .device(try reader, [event], anomalies)
    }

    /// The tags of a chip message that are reported: results and identifiers, never account data.
    private static let reportedTags = ["4F", "84", "50", "8A", "95", "9B", "9F10", "9F26", "9F27", "9F34"]

    private func chipParts() throws -> (code: String, data: String?) {
        let data = try fields.text("tags", "tagdata", "data")
        if let text = try fields.text("subcommand", "subcommandidentifier") {
            return (String(text.prefix { $0 != "." }.prefix(8)), data)
        }
        let message = try required("message")
        let parts = message.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "33" else {
            throw Refusal(.malformedDocument, "A message begins with `33.`.", pointer: fields.pointer(to: "message"))
        }
        return (String(parts[1].prefix(8)), data ?? parts.dropFirst(2).joined(separator: "."))
    }

    // MARK: Receipt

    /// A receipt alone: the printed fields, without a gateway answer.
    private func receipt() throws -> Observation.Subject {
        guard try fields.text("invoice") ?? fields.text("totalamount") != nil else {
            throw Refusal(
                .missingField,
                "A BPNReceipt must have its invoice or its totalAmount.",
                pointer: fields.pointer(to: "invoice")
            )
        }
        var details: [Detail] = []
        for name in Self.receiptFields {
            guard let text = try fields.text(SensitiveNames.normalized(name)) else { continue }
            details.append(Detail(name, String(text.prefix { $0 != ":" }.prefix(100))))
        }
        var event = try report(.receiptPrinted, details: details)
        event.report.receipt = try printed()
        return .device(nil, [event], BridgePayResponse.receiptLimits(fields))
    }

    private func printed() throws -> PrintedReceipt {
        var reader = FigureReader(currency: .usd)
        return PrintedReceipt(
            // An unreadable total is only a detail of the receipt.
            total: try? reader.decimal(fields, "totalamount", as: "BPNReceipt.totalAmount"),
            authorizationCode: try fields.identifier("authorizationcode"),
            card: try BridgePayResponse.card(onReceipt: fields)
        )
    }

    private static let receiptFields = [
        "invoice", "seq", "authorizationCode", "totalAmount", "maskedCardNumber", "cardFirstFour", "cardType",
        "entryMethod", "appLabel", "chipCardAID", "networkMerchantId", "networkTerminalId", "requiresSignature",
        "pinEntered",
    ]
}
