import Canonical
import Payments
import Redaction

/// The app's request to iPOSgo: deep linking V2's `PayloadParameter`, `TicketPayloadParameter` and
/// `VoidPayloadParameter`, and V1's `makeARequestBasedOnTransactionTypes`.
///
/// Such a document has no id of the new payment; the sender's own reference identifies it. A ticket and a void name the
/// original's retrieval reference number.
struct TransactionRequest {
    /// Nil if the type is in none of the vendor's tables.
    var operation: DejavooOperation?
    var isSettlement = false
    /// The minimum requested amounts: the terminal's profile adds taxes and fees, the cardholder adds a tip.
    var amounts: Amounts?
    var original: String?
    /// The batch to settle, if the app names it.
    var batch: String?
    /// All fields of the document, under the vendor's names.
    var details: [Detail]
    var anomalies: [Anomaly]

    // MARK: Reading

    /// Deep linking V2.
    ///
    /// - Parameter presumed: The structure's own transaction type, used if it names none.
    init(_ fields: Fields, presuming presumed: TransType? = nil) throws {
        var details = RequestDetails()
        var anomalies: [Anomaly] = []
        let written = try details.text(fields, "tranType")
        let type = written.flatMap { TransType(printed: $0) }
        if written != nil, type == nil { anomalies.append(.unknownValue("tranType")) }
        operation = written == nil ? presumed?.operation : type?.operation
        original = try details.identifier(fields, "rrn")
        let currency = try Currency.named(in: [fields], default: .usd)
        _ = try details.text(fields, "currencyCode")
        var reader = FigureReader(currency: currency)
        let amount = try details.amount(fields, "amount", &reader, &anomalies)
        let tip = try details.amount(fields, "tipAmount", &reader, &anomalies)
        let fee = try details.amount(fields, "feeAmount", &reader, &anomalies)
        for flag in ["showTipScreen", "showBreakUpScreen", "showApprovalScreen"] {
            guard try details.text(fields, flag) != nil, try fields.flag(SensitiveNames.normalized(flag)) == nil else {
                continue
            }
            anomalies.append(.malformedField(flag))
        }
        amounts = try amount.map { amount in
            Amounts(
                total: try amount.adding(all: [tip, fee], at: fields.pointer(to: "amount")),
                base: amount,
                tip: tip,
                fee: fee,
                figures: reader.recorded
            )
        }
        self.anomalies = anomalies + Self.scaleAnomalies(reader)
        self.details = details.list
        try check(fields, typeField: "tranType")
    }

    /// Deep linking V1: the second argument is an amount for some types, the original's reference number for others,
    /// and empty for a settlement.
    init(legacy fields: Fields) throws {
        var details = RequestDetails()
        var anomalies: [Anomaly] = []
        let written = try details.text(fields, "type")
        let type = written.flatMap { LegacyType(printed: $0) }
        if written != nil, type == nil { anomalies.append(.unknownValue("type")) }
        operation = type?.operation
        isSettlement = type != nil && type?.operation == nil
        var reader = FigureReader(currency: .usd)
        if operation?.isFollowUp == true {
            original = try details.identifier(fields, "rrn") ?? details.identifier(fields, "amount")
            // A value with a decimal point is an amount, not a reference number.
            if original?.contains(".") == true { original = nil }
        } else if operation != nil {
            let amount = try details.amount(fields, "amount", &reader, &anomalies)
            amounts = amount.map { Amounts(total: $0, base: $0, figures: reader.recorded) }
        } else {
            _ = try details.text(fields, "amount")
        }
        self.anomalies = anomalies + Self.scaleAnomalies(reader)
        self.details = details.list
        try check(fields, typeField: "type")
    }

    /// `startBatchSettlement` has no parameters; an app that knows the batch number may send it.
    init(settlement fields: Fields) throws {
        isSettlement = true
        batch = try fields.identifier("batchno", "batchnum")
        details = batch.map { [.init("batch_no", $0)] } ?? []
        anomalies = []
    }

    private func check(_ fields: Fields, typeField: String) throws {
        if details.isEmpty {
            throw Refusal(.missingField, "A request names its \(typeField).", pointer: fields.pointer(to: typeField))
        }
        guard let operation else {
            guard isSettlement || !anomalies.isEmpty else {
                throw Refusal(
                    .missingField,
                    "A request names its \(typeField).",
                    pointer: fields.pointer(to: typeField)
                )
            }
            return
        }
        if operation.isFollowUp, original == nil {
            throw Refusal(
                .missingField,
                "A ticket or void names the rrn of the original.",
                pointer: fields.pointer(to: "rrn")
            )
        }
        if !operation.isFollowUp, amounts == nil {
            throw Refusal(.missingMoney, "The request has no amount.", pointer: fields.pointer(to: "amount"))
        }
    }

    private static func scaleAnomalies(_ reader: FigureReader) -> [Anomaly] {
        DejavooFigures.scaleAssumed(reader).map { [$0] } ?? []
    }

    // MARK: Facts

    /// - Parameter context: Supplies the terminal; no request names it.
    func observation(context: DocumentContext) -> Observation {
        let followUp: FollowUp? =
            switch operation {
            case .void: .void
            case .capture: .capture
            case .sale, .refund, .authorization, nil: nil
            }
        let asked = followUp.map { [Detail(AskedFollowUps.detail, $0.rawValue)] } ?? []
        let sent = DeviceEvent(
            .commandSent,
            DeviceReport(reader: .dejavoo(context.terminal), details: details + asked, at: context.reportedTime)
        )
        return Observation(
            subject: subject(sent, context),
            keys: original.map { DejavooTransaction.keys(byNumber: $0, terminal: context.terminal) } ?? [],
            identity: nil,
            occurredAt: nil,
            policy: DejavooTransaction.policy
        )
    }

    private func subject(_ sent: DeviceEvent, _ context: DocumentContext) -> Observation.Subject {
        if isSettlement, let batch, let terminal = context.terminal {
            let number = DejavooAdapter.batchNumber(batch)
            let reference = BatchReference(vendor: .dejavoo, account: terminal, number: number)
            let closing = BatchClosing(batch: reference, response: Response(), at: context.reportedTime)
            return .batch(reference, [.batchCloseRequested(closing)])
        }
        // An unidentified payment could never be matched to an answer and would stay requested forever.
        guard context.namesPayment, let request = asked(context) else {
            return .device(.dejavoo(context.terminal), [sent], anomalies)
        }
        return .transaction([request, .device(sent)] + anomalies.map { .anomalyRaised($0) })
    }

    /// The requested payment; nil for a follow-up on an earlier one.
    func asked(_ context: DocumentContext) -> TransactionEvent? {
        let references = References(merchant: context.merchant, terminal: context.terminal)
        let request = PaymentRequest(amounts: amounts, references: references, at: context.reportedTime)
        return switch operation {
        case .sale: .saleRequested(request)
        case .refund: .creditRequested(request)
        case .authorization: .authorizationRequested(request)
        case .capture, .void, nil: nil
        }
    }
}

/// Collects the request's fields, under the vendor's names and as written.
private struct RequestDetails {
    private(set) var list: [Detail] = []

    mutating func text(_ fields: Fields, _ name: String) throws -> String? {
        guard let text = try fields.text(SensitiveNames.normalized(name)) else { return nil }
        list.append(.init(name, String(text.prefix(64))))
        return text
    }

    mutating func identifier(_ fields: Fields, _ name: String) throws -> String? {
        guard let text = try fields.identifier(SensitiveNames.normalized(name)) else { return nil }
        list.append(.init(name, text))
        return text
    }

    /// The guide's limits: an amount is positive and has fewer than ten digits.
    mutating func amount(
        _ fields: Fields,
        _ name: String,
        _ reader: inout FigureReader,
        _ anomalies: inout [Anomaly]
    ) throws -> Money? {
        guard let amount = try reader.decimal(fields, SensitiveNames.normalized(name), as: name) else { return nil }
        let written = reader.figures.last?.raw ?? ""
        list.append(.init(name, FigureReader.printable(written)))
        let isTooLong = written.utf8.count { (0x30...0x39).contains($0) } >= 10
        if isTooLong || name == "amount" && amount.isZero {
            anomalies.append(Anomaly(.limitExceeded, "\(name) is to be positive and to have less than 10 digits"))
        }
        return amount
    }
}

/// Rules for the figures of both versions.
enum DejavooFigures {
    /// A tax or fee apart, if it is there and not zero.
    static func part(_ kind: AmountPart.Kind, _ amount: Money?, _ label: String?) -> AmountPart? {
        guard let amount, !amount.isZero else { return nil }
        return AmountPart(kind, label: label.map { String($0.prefix(64)) }, amount: amount)
    }

    /// The guides print `1` and `100` where their tables have decimals. Figures are in major units; without a decimal
    /// point this is an assumption, recorded as an anomaly.
    static func scaleAssumed(_ reader: FigureReader) -> Anomaly? {
        let bare = reader.figures.filter { !$0.raw.contains(".") }
        guard !bare.isEmpty, reader.currency.exponent != 0 else { return nil }
        let list = bare.map { "\($0.field) \($0.raw)" }.joined(separator: ", ")
        return Anomaly(.amountScaleAssumed, "read as major units: \(list)")
    }
}

extension Currency {
    /// The first currency in the fields' `currencyCode` or `currency`; also accepts `.USD`, as Swift prints it.
    ///
    /// - Throws: `unknownCurrency`.
    static func named(in places: [Fields?], default standard: Currency) throws -> Currency {
        for case let fields? in places {
            for name in ["currencycode", "currency"] {
                guard let text = try fields.text(name) else { continue }
                guard let currency = Currency(named: String(text.split(separator: ".").last ?? "")) else {
                    throw Refusal(
                        .unknownCurrency,
                        "An ISO 4217 currency code is expected.",
                        pointer: fields.pointer(to: name)
                    )
                }
                return currency
            }
        }
        return standard
    }
}

extension ReaderReference {
    /// The phone is the reader, identified by its terminal's number.
    static func dejavoo(_ tpn: String?) -> ReaderReference? {
        tpn.map { ReaderReference(vendor: .dejavoo, serial: $0) }
    }
}
