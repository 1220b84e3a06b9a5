import Canonical
import Payments

/// A call of the app to the reader or the SDK: a method of `HeftClient` or `HeftManager` with its parameters by name.
struct HeftCommand {
    static let names = financial + ["acceptSignature", "cancel"] + others

    private static let financial = [
        "saleWithAmount", "saleVoidWithAmount", "refundWithAmount", "refundVoidWithAmount", "tipAdjustment",
    ]
    private static let others = [
        "enableScanner", "enableScannerWithMultiScan", "disableScanner", "financeInit", "logSetLevel", "logReset",
        "logGetInfo", "retrievePendingTransaction", "sharedManager", "clientForDevice", "startDiscovery",
        "resetDevices",
    ]

    private let fields: Fields
    private let kind: String
    private let context: DocumentContext
    private var anomalies: [Anomaly] = []

    /// - Parameter value: An object, empty for a method without parameters; or the flag or level alone.
    init(_ value: JSONValue, kind: String, context: DocumentContext) throws {
        switch value {
        case .object(let object): fields = Fields(object)
        case .bool where kind == "acceptSignature": fields = Fields(["flag": value])
        case .string where kind == "logSetLevel": fields = Fields(["level": value])
        default: throw Refusal(.malformedDocument, "An object with the method's parameters is expected.", pointer: "")
        }
        self.kind = kind
        self.context = context
    }

    func observation() throws -> Observation {
        var command = self
        switch kind {
        case "saleWithAmount": return try command.request { .saleRequested($0) }
        case "refundWithAmount": return try command.refund()
        case "saleVoidWithAmount", "refundVoidWithAmount": return try command.void()
        case "tipAdjustment": return try command.tipAdjustment()
        case "acceptSignature": return try command.signature()
        case "cancel": return command.report(.cancelRequested, [])
        default: return try command.plainCommand()
        }
    }

    private func report(_ name: DeviceEvent.Name, reader: ReaderReference? = nil, _ details: [Detail]) -> Observation {
        FinanceFacts.observation([event(name, reader, details)], reader, anomalies, context)
    }

    private func event(_ name: DeviceEvent.Name, _ reader: ReaderReference?, _ details: [Detail]) -> DeviceEvent {
        let report = DeviceReport(
            reader: reader,
            response: Response(code: kind),
            details: details.isEmpty ? nil : details,
            at: context.reportedTime
        )
        return DeviceEvent(name, report)
    }

    private func details(_ names: [(field: String, label: String)]) throws -> [Detail] {
        var details: [Detail] = []
        for (field, label) in names {
            if let text = try fields.text(field) { details.append(Detail(label, text)) }
        }
        return details
    }

    // MARK: Payments

    private mutating func request(_ requested: (PaymentRequest) -> TransactionEvent) throws -> Observation {
        guard let named = try fields.text("currency") else {
            throw Refusal(.missingMoney, "An amount has its currency.", pointer: fields.pointer(to: "currency"))
        }
        let currency = try HandpointAdapter.currency(named, at: fields.pointer(to: "currency"))
        var reader = FigureReader(currency: currency)
        guard let amount = try reader.minorUnits(fields, "amount", as: "\(kind).amount") else {
            throw Refusal(.missingMoney, "\(kind) has an amount.", pointer: fields.pointer(to: "amount"))
        }
        let reference = try customerReference()
        let request = PaymentRequest(
            amounts: Amounts(total: amount, figures: reader.recorded),
            references: References(invoice: reference, merchant: context.merchant, terminal: context.terminal),
            terms: try PaymentTerms(handpoint: fields),
            at: context.reportedTime
        )
        guard context.namesPayment else {
            // The payment could never be matched to an answer and would stay requested forever.
            let asked = try details([("amount", "amount"), ("currency", "currency"), ("reference", "reference")])
            return report(.commandSent, asked + (try parameters()))
        }
        let sent = event(.commandSent, nil, try parameters())
        return Observation(
            subject: .transaction([requested(request), .device(sent)] + anomalies.map { .anomalyRaised($0) }),
            keys: [],
            identity: nil,
            occurredAt: context.reportedTime,
            policy: HandpointAdapter.policy
        )
    }

    /// Later versions refund a named payment; a refund without a name is a separate payment.
    private mutating func refund() throws -> Observation {
        try fields.has("transaction") ? void() : request { .creditRequested($0) }
    }

    /// A void or refund of an earlier payment, which it names.
    private mutating func void() throws -> Observation {
        guard let transaction = HandpointAdapter.reference(try fields.identifier("transaction")) else {
            throw Refusal(
                .missingField,
                "\(kind) names the transaction it is about.",
                pointer: fields.pointer(to: "transaction")
            )
        }
        if let amount = try fields.text("amount"), Int64(amount).map({ $0 < 0 }) ?? true {
            anomalies.append(Anomaly(.malformedField, "amount: a count of minor units is expected"))
        }
        _ = try customerReference()
        let details = try details([
            ("amount", AskedFollowUps.statedAmount), ("currency", AskedFollowUps.statedCurrency),
            ("transaction", "transaction"),
        ])
        let followUp: FollowUp =
            switch kind {
            case "saleVoidWithAmount": .void
            case "refundVoidWithAmount": .refundVoid
            default: .refund
            }
        var observation = report(.commandSent, details + (try parameters()) + [Self.asking(followUp)])
        observation.keys = [HandpointAdapter.key(transaction)]
        return observation
    }

    /// A call of later versions and of the REST API: its amount is the only decimal figure, `5.25`. The tip's currency
    /// is that of the payment, so the tip is read with the answer.
    private mutating func tipAdjustment() throws -> Observation {
        let named = try fields.identifier("transaction", "originaltransactionid")
        guard let transaction = HandpointAdapter.reference(named) else {
            throw Refusal(
                .missingField,
                "\(kind) names the transaction it is about.",
                pointer: fields.pointer(to: "transaction")
            )
        }
        let currency = try fields.text("currency").flatMap { Currency(named: $0) } ?? .usd
        var reader = FigureReader(currency: currency)
        guard try reader.decimal(fields, "tipamount", as: "tipAmount") != nil else {
            throw Refusal(.missingMoney, "\(kind) has a tipAmount.", pointer: fields.pointer(to: "tipAmount"))
        }
        let details = try details([("tipamount", "tipAmount"), ("currency", "currency")])
        let asked = [Detail("transaction", transaction), Self.asking(.tipAdjustment)]
        var observation = report(.commandSent, details + asked)
        observation.keys = [HandpointAdapter.key(transaction)]
        return observation
    }

    /// Until it is answered, the follow-up may have been made.
    private static func asking(_ followUp: FollowUp) -> Detail { Detail(AskedFollowUps.detail, followUp.rawValue) }

    /// Parameters that are facts about the request, not about the payment.
    private mutating func parameters() throws -> [Detail] {
        var details: [Detail] = []
        if let present = try fields.flag("present") ?? fields.flag("cardholder") {
            details.append(Detail(AskedFollowUps.statedPresence, String(present)))
        }
        if let months = try fields.text("months", "divideby", "budgetnumber") {
            if Int(months).map(HandpointLimits.budgetMonths.contains) != true {
                anomalies.append(Anomaly(.unknownValue, "months: not a number of months a sale can be divided by"))
            }
            details.append(Detail("months", months))
        }
        return details
    }

    private mutating func customerReference() throws -> String? {
        let reference = try fields.text("reference", "customerreference")
        if let reference, reference.count > HandpointLimits.referenceLength {
            anomalies.append(
                Anomaly(.limitExceeded, "reference: longer than \(HandpointLimits.referenceLength) characters")
            )
        }
        return reference
    }

    private func signature() throws -> Observation {
        guard let isAccepted = try fields.flag("flag") else {
            throw Refusal(.missingField, "acceptSignature has its flag.", pointer: fields.pointer(to: "flag"))
        }
        return report(isAccepted ? .signatureAccepted : .signatureDeclined, [])
    }

    // MARK: The rest

    private mutating func plainCommand() throws -> Observation {
        var details = try details([
            ("multiscan", "multiScan"), ("buttonmode", "buttonMode"), ("timeoutseconds", "timeoutSeconds"),
            ("fdiscoveralldevices", "fDiscoverAllDevices"), ("level", "level"),
        ])
        if kind == "logSetLevel" { try checkLevel() }
        if let seconds = try fields.text("timeoutseconds"),
            Int(seconds).map(HandpointLimits.scannerTimeoutSeconds.contains) != true
        {
            anomalies.append(Anomaly(.limitExceeded, "timeoutSeconds: 0 to 65535 are possible"))
        }
        var reader: ReaderReference?
        if kind == "clientForDevice", let device = try fields.object("device") {
            let reported = try DeviceDiscovery.device(device)
            reader = reported.reader
            details += reported.details
        }
        return report(.commandSent, reader: reader, details)
    }

    private mutating func checkLevel() throws {
        guard let level = try fields.text("level") else {
            throw Refusal(.missingField, "logSetLevel has its level.", pointer: fields.pointer(to: "level"))
        }
        // The same number means different levels in different versions of the SDK.
        if Int(level) == nil, HandpointLogLevel(rawValue: level) == nil {
            anomalies.append(Anomaly(.unknownValue, "level: not a level of the SDK's log"))
        }
    }
}

extension PaymentTerms {
    /// The terms of a request for a payment or a void; nil if it has none.
    ///
    /// A sale can be spread over some numbers of months only (document 002, sale with reference and divided by months);
    /// any other number is no term.
    init?(handpoint request: Fields) throws {
        let months = try request.text("months", "divideby").flatMap { Int($0) }
        let isPresent = try request.flag("present") ?? request.flag("cardholder")
        let known = months.flatMap { HandpointLimits.budgetMonths.contains($0) ? $0 : nil }
        guard known != nil || isPresent != nil else { return nil }
        self.init(isCardholderPresent: isPresent, budgetMonths: known)
    }
}
