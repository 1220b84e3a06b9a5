import Canonical
package import Payments

/// Reads what Handpoint's Heft SDK reports to an app, and what the app asks of it.
///
/// Sources: Handpoint Heft SDK for iOS 2.6.0; callbacks and fields of later versions as the SDK's headers have them.
/// Kinds are the names of callbacks, methods and objects; the body has the parameters of a method by their names, or is
/// the one parameter itself.
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

    package func serial(ofDevice device: String) -> String { HandpointDetails.serial(device) ?? device }

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
        throw Refusal(.unknownKind, "Known are: \(kinds.joined(separator: ", ")).")
    }

    /// The response, or what stands under its parameter's name.
    private func object(_ value: JSONValue) throws -> Fields {
        guard case .object(let object) = value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        let fields = Fields(object)
        return try fields.object("info") ?? fields
    }

    /// A sale is captured with its approval, by the reader; what the cardholder adds as a tip there, nobody asked for.
    static let policy = LifecyclePolicy(capturesOnce: true, addsTipAfterRequest: true)

    /// A name by which payments are found: the EFT reference the gateway gives them.
    static func key(_ transaction: String) -> ReferenceKey {
        ReferenceKey(vendor: .handpoint, scheme: .gatewayTransaction, value: transaction)
    }

    /// An EFT reference in one spelling; nil for the one of zeros, which stands for none.
    static func reference(_ text: String?) -> String? {
        guard let text, text.utf8.contains(where: { $0 != 0x30 && $0 != 0x2D }) else { return nil }
        return text.lowercased()
    }
}
