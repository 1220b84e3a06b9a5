import Canonical
package import Payments

/// Reads what Dejavoo's iPOSgo hands back over deep linking, versions 1 and 2.
///
/// Source: iOS deep linking integration guide, V1 and V2; code tables as in `DejavooCodes`.
package struct DejavooAdapter: VendorAdapter {
    package init() {}

    package var vendor: Vendor { .dejavoo }

    package var kinds: [String] {
        [
            "Spin_Response", "didReceiveV2Response", "BatchSettlement", "settlements", "startBatchSettlement",
            "didReceiveResponse",
        ]
    }

    package func redactionSchema(for kind: String) -> RedactionSchema { Self.redactionSchema }

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
        let body = Fields(object)
        switch kind {
        case "Spin_Response", "didReceiveV2Response":
            // Both answers come back over the same callback.
            if body.has("transactiontitle") { return try BatchSettlement.observation(body, context: context) }
            let response = try body.object("spinresponse") ?? body
            let request = try body.object("request")
            return try SpinResponse.transaction(response, request: request, context: context).observation()
        case "BatchSettlement", "settlements", "startBatchSettlement":
            return try BatchSettlement.observation(body, context: context)
        case "didReceiveResponse":
            return try LegacyResponse.transaction(body, context: context).observation()
        default:
            throw Refusal(.unknownKind, "Known are: \(kinds.joined(separator: ", ")).")
        }
    }

    /// One spelling for a batch number, which is a JSON number in a settlement and a text in a sale.
    static func batchNumber(_ text: String) -> String {
        let significant = text.drop { $0 == "0" }
        return CardNumber.digits(text) == nil ? text : significant.isEmpty ? "0" : String(significant)
    }
}
