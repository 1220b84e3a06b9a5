import Canonical
import Payments

/// `responseStatus` and `responseError`: the progress of an operation, and its errors.
struct StatusReport {
    private var response: FinanceResponse
    private let context: DocumentContext

    init(_ body: Fields, _ context: DocumentContext) throws {
        response = try FinanceResponse(body, context: context)
        self.context = context
        guard response.status.isThere else {
            throw Refusal(
                .missingField,
                "A status report has a statusCode or a status.",
                pointer: body.pointer(to: "statusCode")
            )
        }
    }

    func status() throws -> Observation { try observation(else: .readerStateChanged) }

    /// An error ends its payment: one that the sender names, or that the document is clearly about. Other errors, and
    /// those that never end a payment, belong to the reader.
    func error() throws -> Observation {
        // An error of an update is the reader's, even if a payment is named.
        if response.type == .hostInit { return try FinanceFacts(response, isError: true).observation() }
        // The type may be that of the operation that `request` asks for.
        let isFinancial = response.type?.isFinancial == true || response.request != nil
        // A busy reader ends no payment, but never begins the one that is asked for (document 002, line 1370).
        let isNeverBegun = response.status.status?.id == 0x0004 && response.type?.isFinancial == true
        guard response.status.status?.concernsPayment != false || isNeverBegun else {
            return try observation(else: .readerErrorReported)
        }
        let tellsPayment = context.namesPayment || isFinancial || Self.isOfPayment(response.status)
        guard tellsPayment, response.status.status == nil || response.status.meaning != nil else {
            return try observation(else: .readerErrorReported)
        }
        let facts = try FinanceFacts(response, isError: true)
        // The outcome of an unidentified payment cannot be recorded on a payment; the error then belongs to the reader.
        guard try context.namesPayment || facts.namesPayment else {
            return try observation(else: .readerErrorReported)
        }
        return try facts.observation()
    }

    /// True for errors that only occur while a payment is in progress.
    private static func isOfPayment(_ status: HeftStatus) -> Bool {
        status.exception == .financeTimeout || (status.status.map { (0x0029...0x002C).contains($0.id) } ?? false)
    }

    /// True while the reader exchanges data with the host for a payment (0021, 0022). For an update it uses the same
    /// connection.
    private var isSending: Bool {
        context.namesPayment && (response.status.status.map { (0x0021...0x0022).contains($0.id) } ?? false)
    }

    private func observation(else unknown: DeviceEvent.Name) throws -> Observation {
        var response = response
        let name = isSending ? .authorizationSent : response.status.status?.event ?? unknown
        var details = try response.details.details([
            ("cancelallowed", "CancelAllowed"), ("transactiontype", "TransactionType"),
            ("errormessage", "ErrorMessage"), ("code", "code"),
        ])
        // The text that accompanies the reader's own message.
        if let text = try response.body.text("status"), text != response.status.response.message {
            details.append(Detail("status", text))
        }
        let report = try response.details.report(
            response.status.response,
            details,
            at: response.at ?? context.reportedTime
        )
        return FinanceFacts.observation(
            [DeviceEvent(name, report)],
            report.reader,
            response.details.anomalies,
            context
        )
    }
}
