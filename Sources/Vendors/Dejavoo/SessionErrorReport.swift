import Canonical
import Payments

/// `didReceiveRespV2Error` and the errors of V1's enumerations: iPOSgo could not execute the request.
///
/// An error alone names neither a payment nor the requested operation. It is a report of the reader, recorded on the
/// payment that the sender's reference identifies. If the app's `request` is sent along, the error is also the
/// payment's outcome.
enum SessionErrorReport {
    static func observation(
        _ value: JSONValue,
        in table: SessionErrorTable,
        _ kind: DejavooKind,
        context: DocumentContext
    ) throws -> Observation {
        let object: JSONObject
        switch value {
        case .object(let members): object = members
        case .string(let text):
            guard let embedded = DejavooBody.embedded(in: text) else {
                return report(text, in: table, kind, request: nil, context: context)
            }
            object = embedded
        // The text is optional (document 003, @4435).
        case .null: return report(nil, in: table, kind, request: nil, context: context)
        default: throw Refusal(.malformedDocument, "An error is a text, or an object with its err.", pointer: "")
        }
        let whole = Fields(object)
        let request = try whole.object("request").map { try self.request($0) }
        // A case of the SDK's enumerations, by name and raw value, alone or in the place of the text.
        let inner = ["err", "error"].lazy.compactMap { whole.value($0)?.object }.first
        let fields = inner.map { Fields($0) } ?? whole
        if let name = try fields.text("case") {
            let text = fields.value("rawvalue")?.string
            return report(name, saying: text, in: table, kind, request: request, context: context)
        }
        // The text of `somethingWentWrong` is empty; everywhere else an empty field counts as absent.
        let isBlank = object["err"]?.string?.isEmpty == true
        let text = try fields.text("err", "error", "rawvalue", "message", "code") ?? (isBlank ? "" : nil)
        let isNull = ["err", "error"].contains { whole.isNull($0) }
        guard text != nil || isNull || fields.omitting(["request"]).isEmpty else {
            throw Refusal(.missingField, "An error has its text as err.", pointer: fields.pointer(to: "err"))
        }
        return report(text, in: table, kind, request: request, context: context)
    }

    /// Requests of V1 have a `type`, those of V2 a `tranType`.
    static func request(_ fields: Fields) throws -> TransactionRequest {
        if fields.has("type"), !fields.has("trantype") { return try TransactionRequest(legacy: fields) }
        return try TransactionRequest(fields)
    }

    /// - Parameters:
    ///   - text: The name or text of the error; nil for an error without one.
    ///   - message: The text of an error that is given by its name.
    private static func report(
        _ text: String?,
        saying message: String? = nil,
        in table: SessionErrorTable,
        _ kind: DejavooKind,
        request: TransactionRequest?,
        context: DocumentContext
    ) -> Observation {
        let entry =
            text.flatMap { SessionErrorEntry.named($0, in: table) }
            ?? message.flatMap { SessionErrorEntry.named($0, in: table) }
        let printed = message ?? text
        let isPrintable = printed?.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } ?? false
        let shown = isPrintable ? printed.map { String($0.prefix(512)) } : nil
        let response = Response(code: entry.map { "\($0.table).\($0.code)" }, message: shown)
        let isError = entry.map { $0.meaning != nil } ?? true
        let report = DeviceReport(reader: .dejavoo(context.terminal), response: response, at: context.reportedTime)
        let reported = DeviceEvent(isError ? .readerErrorReported : .readerStateChanged, report)
        let isUnknown = entry == nil && text != nil
        return observation(
            reported,
            ending: isError ? entry?.meaning ?? .unknown : nil,
            request: request,
            isUnknown ? [.unknownValue(kind.rawValue)] : [],
            context: context
        )
    }

    /// A report of the reader, and what it shows about the payment that the sender names.
    ///
    /// - Parameters:
    ///   - meaning: How it ends an open payment; nil if it does not.
    ///   - request: The app's request, if it is sent along.
    static func observation(
        _ reported: DeviceEvent,
        ending meaning: CodeMeaning?,
        request: TransactionRequest?,
        _ found: [Anomaly] = [],
        context: DocumentContext
    ) -> Observation {
        let anomalies = (request?.anomalies ?? []) + found
        let keys = request?.original.map { DejavooTransaction.keys(byNumber: $0, terminal: context.terminal) }
        var subject = Observation.Subject.device(.dejavoo(context.terminal), [reported], anomalies)
        let asked = request?.asked(context)
        if context.namesPayment, let meaning, request == nil || asked != nil {
            let verdict = Verdict(
                evidence: .reader,
                response: reported.report.response,
                references: References(merchant: context.merchant, terminal: context.terminal),
                at: context.reportedTime,
                // Without its request the error may be one of a ticket or void.
                condition: asked == nil ? .whileOpen : nil
            )
            let outcome = DejavooTransaction.event(meaning, verdict)
            let facts = [asked, .device(reported), outcome].compactMap(\.self)
            subject = .transaction(facts + anomalies.map { .anomalyRaised($0) })
        }
        return Observation(
            subject: subject,
            keys: keys ?? [],
            identity: nil,
            occurredAt: nil,
            policy: DejavooTransaction.policy
        )
    }
}
