import Canonical
import EMV
import Payments
import Redaction

/// `PaymentContext`: the request, the payment's progress, and the data of chip and host.
struct UCubeContext {
    let document: UCubeDocument
    /// Nil if the document has no status, or an unknown one.
    let status: UCubeStatus?
    /// The status as written.
    let statusText: String?
    /// `success` of the end of a payment; nil if this is not the end.
    let succeeded: Bool?
    let type: UCubeTransactionType?
    let amounts: UCubeAmounts
    /// `final` has the tags of the card's last answer; `chip` adds the tags read before the host was contacted.
    let final: ChipData
    let chip: ChipData
    /// True if the tags for the host were read; contacting the host is the next step.
    private let hasAuthorizationTags: Bool
    let hostCode: UCubeHostAnswer.ResponseCode?
    /// The host's answer; nil if the document has none.
    let host: UCubeHostAnswer?
    let mode: UCubeEntryMode?
    let outcome: (need: UCubeOutcomeNeed?, outcome: UCubeOutcome?)
    let info: UCubeInfo?
    let at: ReportedTime?
    private(set) var anomalies: [Anomaly] = []

    /// - Parameters:
    ///   - answer: Contains the host's answer, if the context itself does not have it yet.
    ///   - succeeded: `success` of the document around it.
    init(
        _ document: UCubeDocument,
        answeredBy answer: UCubeContext? = nil,
        succeeded: Bool? = nil,
        context: DocumentContext
    ) throws {
        let fields = document.fields
        var found: [Anomaly] = []
        self.document = document
        statusText = try fields.text("paymentstatus", "status")
        self.succeeded = succeeded
        // The status is optional (document 004, line 206). Without it a failure can be any error.
        status = statusText.map { UCubeStatus(named: $0) } ?? (succeeded == false ? .error : nil)
        if let statusText, status == nil { found.append(UCubeAnomaly.unknownValue("paymentStatus", statusText)) }
        final = try document.tags("finalizationplaintagsvalues") ?? ChipData([TLVObject]())
        let first = try document.tags("authorizationplaintagsvalues") ?? ChipData([TLVObject]())
        chip = final.filled(from: first)
        hasAuthorizationTags = !first.isEmpty
        type = try Self.type(fields, chip, &found)
        amounts = try UCubeAmounts(document, type: type, chip: chip)
        let reported = try Self.host(document, chip, &found)
        (hostCode, host) = answer.map { ($0.hostCode, $0.host) } ?? reported
        mode = try Self.mode(fields, chip, &found)
        outcome = try Self.outcome(document, status, &found)
        info = try UCubeInfo.read(document, "ucubeinfo", "deviceinfo")
        at = try Self.time(fields, chip, &found) ?? context.reportedTime
        anomalies = found + amounts.anomalies + (info?.anomalies ?? [])
    }

    // MARK: Reading

    /// The SDK's type, or else the chip's.
    private static func type(_ fields: Fields, _ chip: ChipData, _ anomalies: inout [Anomaly]) throws
        -> UCubeTransactionType?
    {
        let reported = chip[0x9C].flatMap { BinaryCodedDecimal.number($0) }.flatMap { UCubeTransactionType(code: $0) }
        guard let text = try fields.text("transactiontype") else {
            if let reported { return reported }
            anomalies.append(Anomaly(.operationAssumed, "the document names no type; it was read as a purchase"))
            return .purchase
        }
        if let type = UCubeTransactionType(named: text) { return type }
        anomalies.append(UCubeAnomaly.unknownValue("transactionType", text))
        return reported
    }

    /// Tag 8A, from `authorizationResponse` or the chip's data.
    private static func host(_ document: UCubeDocument, _ chip: ChipData, _ anomalies: inout [Anomaly]) throws
        -> (UCubeHostAnswer.ResponseCode?, UCubeHostAnswer?)
    {
        guard document.fields.has("authorizationresponse") else {
            let code = chip.responseCode.map {
                UCubeHostAnswer.ResponseCode(text: $0.code, isTerminals: $0.isTerminals)
            }
            return (code, code.map(UCubeHostAnswer.init))
        }
        let bytes = try document.data("authorizationresponse") ?? []
        let objects = (try? TLVReader(quirks: .numberedBeyond9F7F).read(bytes).objects) ?? []
        // The two characters without tag and length are accepted too.
        let value = objects.value(of: 0x8A) ?? (bytes.count == 2 ? bytes : [])
        guard let read = AuthorizationResponseCode(value) else {
            anomalies.append(UCubeAnomaly.malformed("authorizationResponse", "TLV with tag 8A"))
            return (nil, .unknown)
        }
        let code = UCubeHostAnswer.ResponseCode(text: read.code, isTerminals: read.isTerminals)
        return (code, UCubeHostAnswer(code))
    }

    private static func mode(_ fields: Fields, _ chip: ChipData, _ anomalies: inout [Anomaly]) throws
        -> UCubeEntryMode?
    {
        guard let text = try fields.text("cardentrymode") else {
            return chip[0xDF70]?.first.flatMap { UCubeEntryMode(rawValue: $0) }
        }
        let mode = UCubeEntryMode(named: text)
        if mode == nil { anomalies.append(UCubeAnomaly.unknownValue("cardEntryMode", text)) }
        return mode
    }

    private static func outcome(_ document: UCubeDocument, _ status: UCubeStatus?, _ anomalies: inout [Anomaly]) throws
        -> (UCubeOutcomeNeed?, UCubeOutcome?)
    {
        guard let bytes = try document.data("nfcoutcome") else { return (nil, nil) }
        guard bytes.count >= 2 else {
            anomalies.append(UCubeAnomaly.malformed("nfcOutcome", "two bytes or more"))
            return (nil, nil)
        }
        let need = UCubeOutcomeNeed(rawValue: bytes[0])
        let outcome = UCubeOutcome(rawValue: bytes[1])
        if need == nil || outcome == nil {
            anomalies.append(UCubeAnomaly.unknownValue("nfcOutcome", Hexadecimal.text(bytes.prefix(2))))
        }
        if let outcome, let status, outcome.contradicts(status) {
            anomalies.append(
                Anomaly(.conflictingOutcome, "the contactless outcome is \(outcome), the status \(status.rawValue)")
            )
        }
        return (need, outcome)
    }

    /// `transactionDate`, or else the chip's date and time, which are local time by EMV's definition of 9A and 9F21.
    private static func time(
        _ fields: Fields,
        _ chip: ChipData,
        _ anomalies: inout [Anomaly]
    ) throws -> ReportedTime? {
        if let text = try fields.text("transactiondate") {
            if let at = ReportedTime(printed: text) { return at }
            anomalies.append(UCubeAnomaly.malformed("transactionDate", "a date and time"))
        }
        guard let date = chip.hex(0x9A), let time = chip.hex(0x9F21), CardNumber.digits(date + time) != nil else {
            return nil
        }
        return ReportedTime(compact: "20\(date)\(time)")
    }

    // MARK: Conclusions

    /// The terminal's result. The chip's last cryptogram takes precedence over the SDK's status: a final AAC is a
    /// decline.
    var terminal: CodeMeaning? {
        guard status == .approved, isDeclinedByChip else { return status?.meaning }
        return .declined
    }

    var isDeclinedByChip: Bool { final.cryptogramInformation?.cryptogram == .declined }

    /// How far the payment progressed.
    enum Reach {
        case beforeAuthorization, authorization
        case unclear
    }

    var reach: Reach {
        if host != nil || document.fields.has("authorizationsecuredtagsvalues") || hasAuthorizationTags {
            return .authorization
        }
        if status?.endsBeforeAuthorization == true { return .beforeAuthorization }
        // The tags for the host are read before it is contacted.
        let asksForTags =
            document.list("authorizationplaintags")?.isEmpty == false
            || document.list("authorizationsecuredtags")?.isEmpty == false
        return asksForTags || status?.happensAnytime != true ? .beforeAuthorization : .unclear
    }

    var references: References {
        get throws {
            References(
                authorizationCode: chip.text(0x89).flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 },
                vendorTransaction: chipKey,
                merchant: chip.text(0x9F16).map { $0.trimmingSpaces },
                terminal: chip.text(0x9F1C).map { $0.trimmingSpaces }
            )
        }
    }

    /// A key for the payment from the chip's data, if there is enough of it: date, counter and unpredictable number. It
    /// does not include the terminal's serial number: one document of a payment has it in `uCubeInfo`, the next in
    /// 9F1E, another not at all.
    var chipKey: String? {
        guard let date = chip.hex(0x9A), let counter = chip.hex(0x9F36), let random = chip.hex(0x9F37),
            random.utf8.count == 8
        else { return nil }
        return "\(date)\(counter)\(random)"
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
