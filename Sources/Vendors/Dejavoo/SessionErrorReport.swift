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
        default: throw Refusal(.malformedDocument, "An error is a text, or an object with its err.", pointer: "")
        }
        let fields = Fields(object)
        // The text of `somethingWentWrong` is empty; everywhere else an empty field counts as absent.
        let isBlank = object["err"]?.string?.isEmpty == true
        guard let text = try fields.text("err", "error", "message", "code") ?? (isBlank ? "" : nil) else {
            throw Refusal(.missingField, "An error has its text as err.", pointer: fields.pointer(to: "err"))
        }
        let request = try fields.object("request").map { try self.request($0) }
        return report(text, in: table, kind, request: request, context: context)
    }

    /// Requests of V1 have a `type`, those of V2 a `tranType`.
    static func request(_ fields: Fields) throws -> TransactionRequest {
        if fields.has("type"), !fields.has("trantype") { return try TransactionRequest(legacy: fields) }
        return try TransactionRequest(fields)
    }

    private static func report(
        _ text: String,
        in table: SessionErrorTable,
        _ kind: DejavooKind,
        request: TransactionRequest?,
        context: DocumentContext
    ) -> Observation {
        let entry = SessionErrorEntry.named(text, in: table)
        let printable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        let message = printable ? String(text.prefix(512)) : nil
        let response = Response(code: entry.map { "\($0.table).\($0.code)" }, message: message)
        let isError = entry.map { $0.meaning != nil } ?? true
        let report = DeviceReport(reader: .dejavoo(context.terminal), response: response, at: context.reportedTime)
        let reported = DeviceEvent(isError ? .readerErrorReported : .readerStateChanged, report)
        let anomalies = (request?.anomalies ?? []) + (entry == nil ? [.unknownValue(kind.rawValue)] : [])
        let keys = request?.original.map { DejavooTransaction.keys(byNumber: $0, terminal: context.terminal) }
        var subject = Observation.Subject.device(.dejavoo(context.terminal), [reported], anomalies)
        if context.namesPayment, let request, let asked = request.asked(context), isError {
            let verdict = Verdict(
                evidence: .reader,
                response: response,
                references: References(merchant: context.merchant, terminal: context.terminal),
                at: context.reportedTime
            )
            let outcome = DejavooTransaction.event(entry?.meaning ?? .unknown, verdict)
            subject = .transaction([asked, .device(reported), outcome] + anomalies.map { .anomalyRaised($0) })
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
