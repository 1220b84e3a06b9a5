import Canonical
package import Payments
package import Redaction

/// Reads the documents of Paydiant's transaction module in a wallet: its callback blocks, or a call by its name with
/// its arguments under `request` and the answer beside them.
///
/// Source: Paydiant SDK for iOS, transaction module; codes as in `PaydiantFault` and `PaydiantPaymentCode`.
package struct PaydiantAdapter: VendorAdapter {
    package init() {}

    package var vendor: Vendor { .paydiant }

    package var kinds: [String] {
        let callbacks = PaydiantMethod.allCases.flatMap { [$0.rawValue, $0.completion, $0.failure].compactMap(\.self) }
        return callbacks + ["PDPaydiantError"]
    }

    /// A tender's amount includes the tip.
    static let policy = LifecyclePolicy()

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
        let body = Fields(object)
        if kind == "PDPaydiantError" { return try self.error(body, kind: kind, context: context) }
        guard let (method, callback) = PaydiantMethod.byKind[kind] else {
            throw Refusal(.unknownKind, "Known kinds: \(kinds.joined(separator: ", ")).")
        }
        let request = try Self.request(in: body)
        let result: PaydiantDocument.Result =
            switch callback {
            case .failure: .failed(try Self.error(in: body) ?? PaydiantError(body))
            case .completion: .completed
            case .call: try Self.result(in: body, of: method)
            }
        let response = try Self.response(in: body)
        // Without a `request` the arguments are in the document itself: always for a call, and for a block if it was
        // called with an object as well.
        let isArgued = request == nil && (callback == .call || response != nil || PaydiantFields.hasObject(body))
        let document = try PaydiantDocument(
            kind: kind,
            method: method,
            result: result,
            // The arguments may also be in the document itself, but never in the objects of an answer.
            asked: request.map(Self.asked) ?? PaydiantFields(scopes: [body]),
            reported: PaydiantFields(answer: response, in: body, isArgued: isArgued),
            context: context
        )
        return try document.observation()
    }

    /// An error alone. Its domain names the call; without a domain it is only an answer of the SDK on the device.
    private func error(_ body: Fields, kind: String, context: DocumentContext) throws -> Observation {
        let error = try Self.error(in: body) ?? PaydiantError(body)
        let method = error.domain.flatMap(PaydiantMethod.init(errorDomain:))
        var document = try PaydiantDocument(
            kind: kind,
            method: method ?? .updateTransaction,
            result: .failed(error),
            asked: try Self.request(in: body).map(Self.asked) ?? PaydiantFields(scopes: []),
            reported: PaydiantFields([body]),
            context: context
        )
        if let domain = error.domain, method == nil { document.note(unknown: domain, in: "domain") }
        return try document.observation()
    }

    private static func request(in body: Fields) throws -> Fields? {
        if let request = try body.object("request", "arguments") { return request }
        for name in requestNames {
            if let request = try body.object(name) { return request }
        }
        return nil
    }

    /// The calls' arguments, as the SDK names them and their classes.
    private static let requestNames = [
        "retrievetransactionmetadatarequest", "pdretrievetransactionmetadatarequest", "updatetransactionrequest",
        "pdupdatetransactionrequest", "pdretrievetransactioninformationrequest",
        "pdsplittenderpaymenttransactionrequest",
    ]

    /// A request may have the object of the call's argument inside, under its name.
    private static func asked(_ request: Fields) -> PaydiantFields {
        let inner = requestNames.compactMap { try? request.object($0) }
        return PaydiantFields(inner + [request])
    }

    private static func response(in body: Fields) throws -> Fields? {
        try body.object(
            "response",
            "pdretrivetransactionmetadataresponse",
            "pdupdatetransactionresponse",
            "pdretrievetransactioninformationresponse",
            "splittenderpaymentresponse",
            "pdsplittenderpaymenttransactionresponse"
        )
    }

    private static func error(in body: Fields) throws -> PaydiantError? {
        try body.object("transactionerror", "cashaccesserror", "pdpaydianterror", "error").map { try PaydiantError($0) }
    }

    /// The result of a document that is named by its call.
    private static func result(in body: Fields, of method: PaydiantMethod) throws -> PaydiantDocument.Result {
        if let error = try error(in: body) { return .failed(error) }
        let answers = [
            "response", "transactioninformation", "paymenttransaction", "cashaccesstransaction", "paymentstatustype",
            "completed",
        ]
        if answers.contains(where: body.has) || response(isIn: body) { return .completed }
        let isObtained = method == .obtainCheckoutTokenFor && body.has("checkouttoken")
        return isObtained || method == .generateAccessCode ? .completed : .requested
    }

    private static func response(isIn body: Fields) -> Bool { ((try? response(in: body)) ?? nil) != nil }
}
