import Canonical
package import Payments
package import Redaction

/// Reads the documents of YouTransactor's uCube (also sold as YT-Touch and JPS): payments with the data of chip and
/// host, their progress, commands, updates, the connection and the log.
///
/// Sources: JPS mPOS SDK for iOS, integration guide; the SDK's sample application for numbers of tags, commands and
/// statuses. The SDK stores nothing and gives payments no id, so a payment is identified by the app's own reference or
/// by the chip's data.
package struct YouTransactorAdapter: VendorAdapter {
    package init() {}

    package var vendor: Vendor { .youtransactor }

    package var kinds: [String] { Self.kinds }

    static let kinds: [String] =
        ["UCubePaymentRequest", "PaymentContext", "pay.didProgress", "pay.didFinish", "cancel"]
        + ["AuthorizationTask", "RiskManagementTask", "ApplicationSelectionTask", "EMVApplicationSelectionTask"]
        + UCubeCommand.allCases.map(\.rawValue) + ["UCubeAPI"] + services.sorted() + managements.keys.sorted()
        + connections.keys.sorted() + ["Loggable.debug", "Loggable.error"]

    /// Callbacks of services that are not payments. `geLocale` is the SDK's own spelling.
    private static let services: Set<String> = [
        "setLocale.didProgress", "setLocale.didFinish", "geLocale.didProgress", "geLocale.didFinish",
        "getLocale.didProgress", "getLocale.didFinish", "getSupportedLocaleList.didProgress",
        "getSupportedLocaleList.didFinish", "sendData.didProgress", "sendData.didFinish", "mdmRegister.didProgress",
        "mdmCheckUpdate.didProgress", "mdmUpdate.didProgress", "mdmSendLogs.didProgress",
    ]

    private static let managements: [String: UCubeMethod] = [
        "mdmSetup": .mdmSetup, "mdmRegister.didFinish": .mdmRegister, "mdmUnregister": .mdmUnregister,
        "isMdmManagerReady": .isMdmManagerReady, "isMDMManagerReady": .isMdmManagerReady,
        "mdmCheckUpdate.didFinish": .mdmCheckUpdate, "mdmUpdate.didFinish": .mdmUpdate,
        "mdmSendLogs.didFinish": .mdmSendLogs,
    ]

    private static let connections: [String: DeviceEventName] = [
        "scanDidDiscoverDevice": .readerDiscovered, "ConnectionManager.setDevice": .readerStateChanged,
        "ConnectionManager.getDevice": .readerStateChanged, "ConnectionManager.isConnected": .readerStateChanged,
        "ConnectionManager.connect": .readerConnected, "ConnectionManager.disconnect": .readerDisconnected,
        "ConnectionManager.send": .commandAnswered,
    ]

    package func redactionSchema(for kind: String) -> RedactionSchema { Self.redaction(for: kind) }

    package func interpret(
        _ document: ScrubbedDocument,
        kind: String,
        context: DocumentContext
    ) throws(Refusal) -> Observation {
        try Refusal.only { try read(document, kind: kind, context: context) }
    }

    private func read(_ document: ScrubbedDocument, kind: String, context: DocumentContext) throws -> Observation {
        guard case .object(let object) = document.value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        let body = UCubeDocument(object)
        let reports = UCubeReports(document: body, kind: kind, at: context.reportedTime)
        if let command = UCubeCommand(rawValue: kind) { return try reports.command(command) }
        if let method = Self.managements[kind] { return try reports.management(method) }
        if let name = Self.connections[kind] { return try reports.connection(name) }
        if Self.services.contains(kind) {
            return try kind.hasSuffix("didProgress") ? reports.serviceProgress() : reports.service()
        }
        switch kind {
        case "UCubePaymentRequest", "PaymentContext", "pay.didFinish", "AuthorizationTask":
            return try payment(body, kind: kind, context: context)
        case "pay.didProgress": return try reports.progress(try inner(body, context))
        case "cancel": return try reports.cancel(try inner(body, context))
        case "RiskManagementTask": return try reports.riskManagement()
        case "ApplicationSelectionTask", "EMVApplicationSelectionTask": return try reports.applicationSelection()
        case "UCubeAPI": return try reports.method()
        case "Loggable.debug": return try reports.log(isError: false)
        case "Loggable.error": return try reports.log(isError: true)
        default: throw Refusal(.unknownKind, "Known kinds: \(kinds.joined(separator: ", ")).")
        }
    }

    /// The context inside another document.
    private func inner(_ body: UCubeDocument, _ context: DocumentContext) throws -> UCubeContext? {
        try body.part("paymentcontext", "context").map { try UCubeContext($0, context: context) }
    }

    private func payment(_ body: UCubeDocument, kind: String, context: DocumentContext) throws -> Observation {
        if kind == "AuthorizationTask" { return try authorization(body, context) }
        let reported = try body.part("paymentcontext", "ucubepaymentrequest", "paymentrequest") ?? body
        let succeeded = kind == "pay.didFinish" ? try body.fields.flag("success") : nil
        let read = try UCubeContext(reported, succeeded: succeeded, context: context)
        let isRequest = kind == "UCubePaymentRequest"
        guard isRequest || read.statusText != nil || succeeded != nil else {
            throw Refusal(
                .missingField,
                "A payment that ended has a paymentStatus, or success beside it.",
                pointer: reported.fields.pointer(to: "paymentStatus")
            )
        }
        guard !isRequest || reported.fields.has("amount") || reported.fields.has("transactiontype") else {
            throw Refusal(.missingField, "A request has an amount.", pointer: reported.fields.pointer(to: "amount"))
        }
        let payment = try UCubePayment(read, kind: kind)
        // An unidentified payment could never be matched to an answer and would stay requested forever.
        guard !isRequest || context.namesPayment || !payment.keys.isEmpty else {
            return try UCubeReports(document: reported, kind: kind, at: context.reportedTime).sent(read)
        }
        return try payment.observation()
    }

    /// The host's answer, which the app passes to the terminal. It is the host's answer about the payment if the
    /// document has the context with an amount, or without an amount if the payment is known. Otherwise it is a command
    /// to the reader.
    private func authorization(_ body: UCubeDocument, _ context: DocumentContext) throws -> Observation {
        guard body.fields.has("authorizationresponse") else {
            let reports = UCubeReports(document: body, kind: "AuthorizationTask", at: context.reportedTime)
            if let ended = try reports.taskWithoutResult() { return ended }
            throw Refusal(
                .missingField,
                "An authorization has an authorizationResponse.",
                pointer: body.fields.pointer(to: "authorizationResponse")
            )
        }
        let answer = try UCubeContext(body, context: context)
        let read = try body.part("paymentcontext", "context").map {
            try UCubeContext($0, answeredBy: answer, context: context)
        }
        let payment = try UCubePayment(read ?? answer, kind: "AuthorizationTask")
        // A task has a default answer, an approval, before the host is asked (document 004, lines 321-341).
        if answer.host == .approved || answer.host == .partiallyApproved {
            let reports = UCubeReports(document: body, kind: "AuthorizationTask", at: context.reportedTime)
            if let ended = try reports.taskWithoutResult(keys: payment.keys) { return ended }
        }
        if let read, read.amounts.amounts != nil { return try payment.observation() }
        if context.namesPayment || !payment.keys.isEmpty { return try payment.hostObservation() }
        let anomalies = answer.anomalies.filter { $0.kind == .malformedField }
        return UCubeReports(document: body, kind: "AuthorizationTask", at: context.reportedTime)
            .observation(try answer.deviceEvents(), anomalies)
    }
}
