import Canonical
import Payments
import Redaction

/// SPIn's `Settle` and `SummaryReport`: totals of a terminal's batch, one set for each of its applications (credit,
/// debit, gift). Source: SPIn REST API, SettleResponseContract (facts/vendor_codes, 3).
///
/// The answer names neither the terminal nor the batch. The sender supplies the terminal and may add `BatchNumber`.
/// Without the number the answer is a report of the terminal, because the closed batch is unknown.
enum SpinSettlement {
    /// The answer to `Settle`. The batch is closed if every application is. If only some are closed, the batch as a
    /// whole does not count as closed.
    static func closing(_ body: Fields, details: [Fields], context: DocumentContext) throws -> Observation {
        let (general, result) = try general(body)
        guard let tpn = try body.identifier("tpn") ?? body.object("request")?.identifier("tpn") ?? context.terminal
        else {
            throw Refusal(.missingField, "The document does not name the settled terminal.", pointer: "/Tpn")
        }
        var anomalies = result.anomalies(about: "ResultCode")
        let applications = try details.map { try application($0, &anomalies) }
        guard let number = try body.identifier("batchnumber", "batchno", "batchnum") else {
            // Without the number, all nightly settlements of a terminal would count as one batch.
            return try report(of: applications, general, tpn: tpn, anomalies, context)
        }
        let closing = BatchClosing(
            batch: BatchReference(
                vendor: .dejavoo,
                account: tpn,
                number: DejavooAdapter.batchNumber(number)
            ),
            response: Response(
                code: try general.text("statuscode", "resultcode"),
                message: try general.text("detailedmessage", "message")
            ),
            totals: try totals(of: applications),
            applications: applications.isEmpty ? nil : applications.map(\.totals),
            at: context.reportedTime
        )
        var meaning = result.meaning
        let refused = applications.filter { $0.isRefused }
        if meaning == .approved, !refused.isEmpty {
            meaning = refused.count == applications.count ? .failed : .unknown
            if meaning == .unknown {
                let names = refused.map(\.totals.application).joined(separator: ", ")
                anomalies.append(Anomaly(.batchMismatch, "closed for some applications and not for \(names)"))
            }
        }
        return Observation(
            subject: .batch(
                closing.batch,
                [BatchSettlement.event(meaning, closing)] + anomalies.map { .anomalyRaised($0) }
            ),
            keys: [],
            identity: nil,
            occurredAt: nil,
            policy: DejavooTransaction.policy
        )
    }

    /// A summary of an open batch does not close it.
    static func summary(_ body: Fields, details: [Fields], context: DocumentContext) throws -> Observation {
        let (general, result) = try general(body)
        var anomalies = result.anomalies(about: "ResultCode")
        let applications = try details.map { try application($0, &anomalies) }
        let tpn = try body.identifier("tpn") ?? context.terminal
        return try report(of: applications, general, tpn: tpn, anomalies, context)
    }

    /// The terminal's answer with all totals as printed.
    private static func report(
        of applications: [Application],
        _ general: Fields,
        tpn: String?,
        _ anomalies: [Anomaly],
        _ context: DocumentContext
    ) throws -> Observation {
        let report = DeviceReport(
            reader: .dejavoo(tpn),
            response: Response(
                code: try general.text("statuscode", "resultcode"),
                message: try general.text("detailedmessage", "message")
            ),
            details: applications.flatMap { application in
                application.figures.map {
                    .init("\(application.totals.application).\($0.field)", $0.raw)
                }
            },
            at: context.reportedTime
        )
        return Observation(
            subject: .device(.dejavoo(tpn), [DeviceEvent(.commandAnswered, report)], anomalies),
            keys: [],
            identity: nil,
            occurredAt: nil,
            policy: DejavooTransaction.policy
        )
    }

    private static func general(_ body: Fields) throws -> (Fields, DejavooAnswer) {
        guard let general = try body.object("generalresponse"), let code = try general.text("resultcode") else {
            throw Refusal(
                .missingField,
                "A SPIn answer has a GeneralResponse with a ResultCode.",
                pointer: body.pointer(to: "GeneralResponse")
            )
        }
        return (general, DejavooAnswer(result: code))
    }

    // MARK: Applications

    private struct Application {
        var totals: ApplicationTotals
        var figures: [Figure]
        var isRefused: Bool
    }

    private static let amountNames = [
        "SaleAmount", "ReturnAmount", "VoidAmount", "AuthAmount", "TicketAmount", "ReversalAmount",
        "CashAdvanceAmount", "TotalAmount",
    ]

    private static func application(_ fields: Fields, _ anomalies: inout [Anomaly]) throws -> Application {
        let name = try fields.text("application").map { String($0.prefix(64)) } ?? "?"
        let report = try fields.object("transactionsreports", "transactionsreport")
        var reader = FigureReader(currency: .usd)
        var figures: [Figure] = []
        var amounts: [ApplicationTotals.Total] = []
        let count = try report?.text("transactionscount")
        if let count { figures.append(Figure(field: "TransactionsCount", raw: count, exponent: nil)) }
        for amountName in amountNames {
            guard let report, let raw = try report.text(SensitiveNames.normalized(amountName)) else { continue }
            figures.append(Figure(field: amountName, raw: FigureReader.printable(raw), exponent: nil))
            // Totals are doubles and may be printed as `0.30000000000000004`; this does not refuse the report.
            if let amount = try? reader.decimal(report, SensitiveNames.normalized(amountName), as: amountName) {
                amounts.append(.init(name: amountName, amount: amount))
            } else {
                anomalies.append(Anomaly(.amountUnreadable, "\(amountName) of an application cannot be read"))
            }
        }
        if let count, Int(count).map({ $0 >= 0 }) != true { anomalies.append(.malformedField("TransactionsCount")) }
        let status = try fields.text("hoststatus")
        let answer = status.flatMap { DejavooAnswer(host: $0, message: try? fields.text("detailedmessage")) }
        let isRefused =
            switch answer?.isKnown == true ? answer?.meaning : nil {
            case .declined, .failed, .cancelled: true
            default: false
            }
        let totals = ApplicationTotals(
            application: name,
            response: Response(code: status, message: try fields.text("detailedmessage")),
            count: count.flatMap { Int($0) },
            amounts: amounts
        )
        return Application(totals: totals, figures: figures, isRefused: isRefused)
    }

    /// The sums over all applications. A total that one application does not report has no sum.
    private static func totals(of applications: [Application]) throws -> HostTotals? {
        guard !applications.isEmpty else { return nil }
        func sum(_ name: String) throws -> Money? {
            let parts = applications.map { $0.totals.amounts.first { $0.name == name }?.amount }
            guard !parts.contains(nil) else { return nil }
            return try Money.zero(.usd).adding(all: parts, at: "/SettleDetails")
        }
        let counts = applications.map(\.totals.count)
        let count = counts.contains(nil) ? nil : counts.reduce(0) { $0 &+ ($1 ?? 0) }
        return HostTotals(
            count: count,
            sales: try sum("SaleAmount"),
            refunds: try sum("ReturnAmount"),
            net: try sum("TotalAmount")
        )
    }
}
