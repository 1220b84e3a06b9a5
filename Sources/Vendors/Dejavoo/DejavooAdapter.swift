import Canonical
package import Payments
package import Redaction

/// Reads the requests and answers of Dejavoo's iPOSgo over deep linking, versions 1 and 2, and SPIn's batch reports.
///
/// Source: iOS deep linking integration guide, V1 and V2; code tables as in `DejavooHostCodes`.
package struct DejavooAdapter: VendorAdapter {
    package init() {}

    package var vendor: Vendor { .dejavoo }

    package var kinds: [String] { DejavooKind.allCases.map(\.rawValue) }

    package func redactionSchema(for kind: String) -> RedactionSchema { Self.redactionSchema }

    package func interpret(
        _ document: ScrubbedDocument,
        kind: String,
        context: DocumentContext
    ) throws(Refusal) -> Observation {
        guard let known = DejavooKind(rawValue: kind) else {
            throw Refusal(.unknownKind, "Known kinds: \(kinds.joined(separator: ", ")).")
        }
        do {
            return try Refusal.only { try read(document.value, known, context) }
        } catch {
            // JSON pointers do not reach into a printed text.
            guard document.value.string != nil else { throw error }
            throw Refusal(error.code, error.detail, pointer: "")
        }
    }

    private func read(_ value: JSONValue, _ kind: DejavooKind, _ context: DocumentContext) throws -> Observation {
        if let table = kind.errorTable {
            return try SessionErrorReport.observation(value, in: table, kind, context: context)
        }
        if let link = InvocationLink(value, kind) { return link.observation(context: context) }
        if let empty = try EmptyCallback.observation(value, kind, context: context) { return empty }
        let fields = try DejavooBody.fields(of: value)
        switch kind {
        case .spinResponse, .didReceiveV2Response, .didReceiveTransactionResponse, .transactionData:
            return try answer(fields, kind, context)
        case .batchSettlement, .settlements: return try BatchSettlement.observation(fields, context: context)
        case .startBatchSettlement:
            // The answer may be sent under the method's name instead of the request.
            if fields.has("statuscode") { return try BatchSettlement.observation(fields, context: context) }
            guard context.terminal != nil else {
                throw Refusal(.missingField, "The document does not name the terminal to settle.", pointer: "/terminal")
            }
            return try TransactionRequest(settlement: fields).observation(context: context)
        case .didReceiveResponse: return try legacyAnswer(fields, context)
        case .register, .registerData, .downloadParameter, .makeARequestBasedOnTPN:
            return try TerminalRegistration.request(fields, context: context)
        case .makeARequestBasedOnTransactionTypes:
            return try TransactionRequest(legacy: fields).observation(context: context)
        case .payloadParameter, .txnData, .startTransaction:
            return try request(fields, presuming: nil, context)
        case .ticketPayloadParameter, .ticketTxnData, .startTicket:
            return try request(fields, presuming: .ticket, context)
        case .voidPayloadParameter, .voidTxnData, .startVoid:
            return try request(fields, presuming: .void, context)
        case .settleResponse: return try SpinSettlement.closing(fields, details: reports(in: value), context: context)
        case .summaryReport: return try SpinSettlement.summary(fields, details: reports(in: value), context: context)
        case .paymentResponse: return try SpinPayment(fields, context).observation()
        case .transactResponse: return try TransactPayment(fields, context).observation()
        case .didReceiveRespV2Error, .paymentSessionError, .cardReaderSessionError, .customErrorMessage:
            throw Refusal(.unknownKind, "An error is read by its table.")
        }
    }

    /// V2's three kinds of answers use the same callbacks.
    private func answer(_ fields: Fields, _ kind: DejavooKind, _ context: DocumentContext) throws -> Observation {
        if fields.has("transactiontitle") { return try BatchSettlement.observation(fields, context: context) }
        if try kind == .transactionData || TerminalRegistration.isAnswer(fields) {
            return try TerminalRegistration.answer(fields, context: context)
        }
        let response = try fields.object("spinresponse") ?? fields
        let request = try fields.object("request")
        return try SpinResponse.transaction(response, request: request, context: context).observation()
    }

    private func legacyAnswer(_ fields: Fields, _ context: DocumentContext) throws -> Observation {
        if fields.has("transactiontitle") { return try BatchSettlement.observation(fields, context: context) }
        let type = try LegacyResponse.type(fields).flatMap { LegacyType(printed: $0) }
        if type == .batch || type == .settlements { return try BatchSettlement.legacy(fields, context: context) }
        return try LegacyResponse.transaction(fields, context: context).observation()
    }

    private func request(
        _ fields: Fields,
        presuming type: TransType?,
        _ context: DocumentContext
    ) throws -> Observation {
        let payload = try fields.object("param", "params", "payload") ?? fields
        return try TransactionRequest(payload, presuming: type).observation(context: context)
    }

    /// The list of applications in SPIn's reports.
    private func reports(in value: JSONValue) throws -> [Fields] {
        guard case .object(let object) = value,
            let (name, list) = object.members.first(where: {
                SensitiveNames.normalized($0.key) == "settledetails" && $0.value != .null
            }).map({ ($0.key, $0.value) })
        else { return [] }
        guard let elements = list.array, elements.count <= Self.mostApplications else {
            throw Refusal(.malformedDocument, "A list of applications is expected here.", pointer: "/\(name)")
        }
        return try elements.enumerated().map { index, element in
            guard case .object(let object) = element else {
                throw Refusal(.malformedDocument, "An object is expected here.", pointer: "/\(name)/\(index)")
            }
            return Fields(object, at: "/\(name)/\(index)")
        }
    }

    private static let mostApplications = 64

    /// The normalised batch number: it is a JSON number in a settlement and a text in a sale.
    static func batchNumber(_ text: String) -> String {
        let significant = text.drop { $0 == "0" }
        return CardNumber.digits(text) == nil ? text : significant.isEmpty ? "0" : String(significant)
    }
}
