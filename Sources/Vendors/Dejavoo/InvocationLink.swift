import Canonical
import Payments

/// The link that the SDK made to open iPOSgo, as `didReceiveV2Response(success:)` and `didReceiveResponse(success:)`
/// send it to the app: the request is on its way. Its query is internal to the SDK; the document keeps it.
struct InvocationLink {
    let scheme: String

    /// Nil if the value is not a link.
    init?(_ value: JSONValue, _ kind: DejavooKind) {
        guard [.didReceiveV2Response, .didReceiveResponse].contains(kind) else { return nil }
        let text = value.string ?? value["success"]?.string ?? value["sucess"]?.string
        guard let text, let end = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<end.lowerBound]
        let isScheme = scheme.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || [0x2B, 0x2D, 0x2E].contains(byte)
        }
        guard (1...64).contains(scheme.utf8.count), isScheme else { return nil }
        self.scheme = String(scheme)
    }

    func observation(context: DocumentContext) -> Observation {
        let report = DeviceReport(
            reader: .dejavoo(context.terminal),
            details: [.init("scheme", scheme)],
            at: context.reportedTime
        )
        return Observation(
            subject: .device(.dejavoo(context.terminal), [DeviceEvent(.commandSent, report)], []),
            keys: [],
            identity: nil,
            occurredAt: nil,
            policy: DejavooTransaction.policy
        )
    }
}

/// A callback without its value: the SDK's parameters are optional (document 003, @4435). The call brought no result,
/// so the outcome of the payment that the sender names is unknown, unless it has one.
enum EmptyCallback {
    /// The observation; nil if the callback has a value.
    ///
    /// - Throws: the refusals of the app's `request` beside it.
    static func observation(_ value: JSONValue, _ kind: DejavooKind, context: DocumentContext) throws -> Observation? {
        guard let parameters = parameters(kind) else { return nil }
        var request: TransactionRequest?
        if value != .null, value.string.map({ !$0.allSatisfy(\.isWhitespace) }) ?? true {
            let embedded = value.string.flatMap { DejavooBody.embedded(in: $0) }
            guard let object = value.object ?? embedded else { return nil }
            let fields = Fields(object)
            guard isWithoutValue(fields, parameters) else { return nil }
            let asked = try fields.object("request")
            // The request may also be a registration, which asks for no payment.
            if let asked, asked.has("trantype") || asked.has("type") { request = try SessionErrorReport.request(asked) }
        }
        let response = Response(code: kind.rawValue)
        let report = DeviceReport(
            reader: .dejavoo(context.terminal),
            response: response,
            details: [Detail(parameters[0], "nil")],
            at: context.reportedTime
        )
        return SessionErrorReport.observation(
            DeviceEvent(.readerErrorReported, report),
            ending: .unknown,
            request: request,
            context: context
        )
    }

    /// The callback's parameter, first as the SDK names it; the guide of V1 also prints it without a letter (@27753).
    private static func parameters(_ kind: DejavooKind) -> [String]? {
        switch kind {
        case .didReceiveV2Response, .didReceiveResponse: ["success", "sucess"]
        case .didReceiveTransactionResponse: ["res"]
        default: nil
        }
    }

    /// Whether an object has neither the parameter's value nor an answer in its place. An encoder leaves out a value
    /// that is nil.
    private static func isWithoutValue(_ fields: Fields, _ parameters: [String]) -> Bool {
        if fields.omitting(Set(parameters + ["request"])).isEmpty { return !parameters.contains { fields.has($0) } }
        return parameters.contains { fields.isNull($0) } && !answers.contains { fields.has($0) }
    }

    /// Members of which every answer to a transaction, settlement or registration has one.
    private static let answers = [
        "spinresponse", "extdata", "resultcode", "respcode", "hostresponsecode", "txnlabel", "txntype", "response",
        "baseamt", "transactiontitle", "statuscode", "transactiondata", "txnrefno",
    ]
}
