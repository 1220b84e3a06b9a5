import Canonical
import Payments

/// The reader's other reports, beside the outcome of operations: signatures, the scanner, logs.
struct ReaderReport {
    private let value: JSONValue
    private let kind: String
    private let context: DocumentContext

    init(_ value: JSONValue, kind: String, context: DocumentContext) {
        self.value = value
        self.kind = kind
        self.context = context
    }

    func observation() throws -> Observation {
        switch kind {
        case "requestSignature": return try signatureRequest()
        case "cancelSignature": return try signatureTimeout()
        case "responseScannerEvent", "ScannerEventResponseInfo": return try scan()
        case "responseLogInfo", "LogInfo": return try log()
        default: return try scannerEnd()
        }
    }

    private func fields() throws -> Fields {
        guard case .object(let object) = value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        let fields = Fields(object)
        return try fields.object("info") ?? fields
    }

    // MARK: Signatures

    /// The receipt to be signed, as the only parameter or by its name.
    private func signatureRequest() throws -> Observation {
        let receipt: String?
        var reader: ReaderReference?
        if case .string(let html) = value {
            receipt = html
        } else {
            let fields = try fields()
            receipt = try fields.passage("receipt")
            reader = try HandpointDetails(fields).reader
        }
        guard let receipt, !receipt.isEmpty else {
            throw Refusal(.missingField, "A signature request must have its receipt.", pointer: "/receipt")
        }
        let report = DeviceReport(
            reader: reader,
            response: Response(code: kind),
            details: [Detail("receipt", ReceiptText.of(receipt))],
            at: context.reportedTime
        )
        return FinanceFacts.observation([DeviceEvent(.signatureRequested, report)], reader, [], context)
    }

    /// The signature was neither accepted nor declined in time. The reader reports the consequence for the payment
    /// separately.
    private func signatureTimeout() throws -> Observation {
        let reader = try HandpointDetails(try fields()).reader
        let seconds = Detail("timeoutSeconds", String(HandpointLimits.signatureTimeoutSeconds))
        let report = DeviceReport(
            reader: reader,
            response: Response(code: kind),
            details: [seconds],
            at: context.reportedTime
        )
        return FinanceFacts.observation([DeviceEvent(.signatureTimedOut, report)], reader, [], context)
    }

    // MARK: Scanner

    private func scan() throws -> Observation {
        let fields = try fields()
        guard let code = try fields.text("scancode") ?? HandpointDetails(fields).text("code") else {
            throw Refusal(.missingField, "A scan has its scanCode.", pointer: fields.pointer(to: "scanCode"))
        }
        return try observation(fields, [Detail("scanCode", code)]) { status in
            status.map { $0.event == .readerErrorReported } == true ? .readerErrorReported : .barcodeScanned
        }
    }

    private func scannerEnd() throws -> Observation {
        // The document describes `responseEnableScanner` as the end of scanning; its name is that of the command
        // (document 002, lines 342-343, 1129-1130).
        let isEnabling = kind == "responseEnableScanner" || kind == "EnableScannerResponseInfo"
        return try observation(
            try fields(),
            isEnabling ? [Detail("command", "enableScanner")] : [Detail("scanner", "disabled")]
        ) { status in
            status?.event == .readerErrorReported ? .readerErrorReported : .readerStateChanged
        }
    }

    // MARK: Logs

    /// The log itself stays in the document.
    private func log() throws -> Observation {
        let fields = try fields()
        var details: [Detail] = []
        if let log = try fields.passage("log") {
            let lines = log.split(whereSeparator: \.isNewline).count
            details = [Detail("bytes", String(log.utf8.count)), Detail("lines", String(lines))]
        }
        return try observation(fields, details) { status in
            details.isEmpty ? status?.event ?? .commandAnswered : .readerLogReported
        }
    }

    /// A report with the status of its response.
    private func observation(
        _ fields: Fields,
        _ details: [Detail],
        _ name: (HandpointStatus?) -> DeviceEvent.Name
    ) throws -> Observation {
        var reported = try HandpointDetails(fields)
        let status = try HeftStatus(reported)
        guard
            status.isThere || reported.xml != nil
                || details.contains(where: { !["scanner", "command"].contains($0.name) })
        else {
            throw Refusal(
                .missingField,
                "A response must have a statusCode, a status or the request that it answers.",
                pointer: fields.pointer(to: "statusCode")
            )
        }
        for anomaly in status.anomalies { reported.note(anomaly) }
        let report = try reported.report(status.response, details, at: context.reportedTime)
        return FinanceFacts.observation(
            [DeviceEvent(name(status.status), report)],
            report.reader,
            reported.anomalies,
            context
        )
    }
}
