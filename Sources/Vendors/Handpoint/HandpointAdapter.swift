import Canonical
package import Payments
package import Redaction

/// Reads the reports of Handpoint's Heft SDK to an app, and the app's calls to the SDK.
///
/// Sources: Handpoint Heft SDK for iOS 2.6.0; callbacks and fields of later versions as in the SDK's headers. Kinds are
/// the names of callbacks, methods and objects. The body has a method's parameters by name, or is the only parameter
/// itself.
package struct HandpointAdapter: VendorAdapter {
    package init() {}

    package var vendor: Vendor { .handpoint }

    package var kinds: [String] {
        Self.results + Self.statuses + Self.reports + Self.discovery + HeftCommand.names + [CloudStatus.kind]
    }

    /// Callbacks and objects with the outcome of an operation.
    static let results = ["responseFinanceStatus", "FinanceResponseInfo", "responseRecoveredTransactionStatus"]
    static let statuses = ["responseStatus", "responseError", "ResponseInfo"]
    static let reports = [
        "requestSignature", "cancelSignature", "responseScannerEvent", "ScannerEventResponseInfo",
        "responseEnableScanner", "EnableScannerResponseInfo", "responseScannerDisabled", "ScannerDisabledResponseInfo",
        "responseLogInfo", "LogInfo",
    ]
    static let discovery = [
        "didConnect", "HeftClient", "mpedInfo", "isTransactionResultPending", "didDiscoverFinished",
        "didFindAccessoryDevice", "didLostAccessoryDevice", "HeftRemoteDevice", "HeftManager", "getSDKVersion",
        "getSDKBuildNumber",
    ]

    package func redactionSchema(for kind: String) -> RedactionSchema {
        SensitiveNames.normalized(kind) == "requestsignature" ? Self.receiptSchema : Self.redactionSchema
    }

    package func interpret(
        _ document: ScrubbedDocument,
        kind: String,
        context: DocumentContext
    ) throws(Refusal) -> Observation {
        try Refusal.only { try read(document.value, kind: kind, context: context) }
    }

    private func read(_ value: JSONValue, kind: String, context: DocumentContext) throws -> Observation {
        switch kind {
        case "responseFinanceStatus", "FinanceResponseInfo":
            return try FinanceFacts(FinanceResponse(try object(value), context: context)).observation()
        case "responseRecoveredTransactionStatus":
            let body = try object(value)
            if body.isEmpty { return FinanceFacts.nothingPending(context) }
            return try FinanceFacts(FinanceResponse(body, context: context, isRecovered: true)).observation()
        case CloudStatus.kind: return try CloudStatus(try object(value)).observation(context)
        case "responseStatus", "ResponseInfo": return try StatusReport(try object(value), context).status()
        case "responseError": return try StatusReport(try object(value), context).error()
        default: break
        }
        if Self.reports.contains(kind) { return try ReaderReport(value, kind: kind, context: context).observation() }
        if Self.discovery.contains(kind) {
            return try DeviceDiscovery(value, kind: kind, context: context).observation()
        }
        if HeftCommand.names.contains(kind) {
            return try HeftCommand(value, kind: kind, context: context).observation()
        }
        throw Refusal(.unknownKind, "Known kinds: \(kinds.joined(separator: ", ")).")
    }

    /// The response, or the object under its parameter's name.
    private func object(_ value: JSONValue) throws -> Fields {
        guard case .object(let object) = value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        let fields = Fields(object)
        return try fields.object("info") ?? fields
    }

    /// The reader captures a sale with its approval. A tip that the cardholder adds at the reader was not requested. A
    /// payment can only be voided on its own day (document 002, lines 158, 253).
    static let policy = LifecyclePolicy(capturesOnce: true, addsTipAfterRequest: true, voidsOnSameDay: true)

    /// A key of a payment: the EFT reference that the gateway assigns.
    static func key(_ transaction: String) -> ReferenceKey {
        ReferenceKey(vendor: .handpoint, scheme: .gatewayTransaction, value: transaction)
    }

    /// An EFT reference in lower case; nil for a reference of zeros, which means none.
    static func reference(_ text: String?) -> String? {
        guard let text, text.utf8.contains(where: { $0 != 0x30 && $0 != 0x2D }) else { return nil }
        return text.lowercased()
    }
}
