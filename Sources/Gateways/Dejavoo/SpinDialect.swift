import Canonical
import Payments
import Vendors

/// Dejavoo's SPIn REST interface: a terminal, reached through a proxy. Source: SPIn REST, payment methods
/// (facts/vendor_codes, 3).
struct SpinDialect: WireDialect {
    /// The terminal profile number.
    let tpn: String
    let authKey: Secret

    var vendor: Vendor { .dejavoo }

    /// Sale and Return carry no token: the terminal prompts for a card.
    var takesPresentedCards: Bool { true }

    private static let methods: [GatewayOperation: String] = [
        .sale: "Sale", .authorization: "Auth", .capture: "Capture", .void: "Void", .refund: "Return",
        .tipAdjustment: "TipAdjust", .find: "Status",
    ]

    func support(for operation: GatewayOperation) -> GatewaySupport {
        if Self.methods[operation] != nil { return .supported }
        return switch operation {
        case .settlement: .unsupported("The terminal settles automatically, or on a command at the till.")
        case .followUp(.reversal): .unsupported("SPIn reverses payments by a void.")
        default: .unsupported("SPIn has no such method.")
        }
    }

    func request(for call: GatewayCall, at now: Timestamp) throws(GatewayFailure) -> WireRequest {
        let method = Self.methods[call.operation] ?? ""
        var body: JSONObject = [:]
        switch call.operation {
        case .sale, .authorization:
            body["Amount"] = try Self.dollars(call.amount)
            if call.operation == .sale { body.set("TipAmount", try call.tip.map(Self.dollars)) }
            body["InvoiceNumber"] = .string(try BridgeCommRequest.plain(call.sentInvoice))
        // An unlinked refund of any amount.
        case .followUp(.refund):
            body["Amount"] = try Self.dollars(call.amount)
            body["InvoiceNumber"] = .string(try BridgeCommRequest.plain(call.sentInvoice))
        case .followUp(.capture): body["Amount"] = try Self.dollars(call.amount)
        case .followUp(.void): body["Amount"] = try Self.dollars(call.original.amount ?? call.amount)
        case .followUp(.tipAdjustment):
            body["Amount"] = try Self.dollars(call.amount)
            body["TipAmount"] = try Self.dollars(call.tip)
            guard let lastFour = call.original.lastFour, lastFour.utf8.count == 4 else {
                throw GatewayFailure(.incomplete, "A tip adjustment names the last four digits of the card.")
            }
            body["CardLast4"] = .string(lastFour)
        default: break
        }
        body["PaymentType"] = .string(try Self.paymentType(call.tender))
        body["ReferenceId"] = .string(try Self.reference(call))
        body["PrintReceipt"] = "No"
        body["GetReceipt"] = "No"
        body["CaptureSignature"] = false
        body["GetExtendedData"] = false
        body["Tpn"] = .string(tpn)
        body["Authkey"] = .string(authKey.exposed())
        return WireRequest(
            method: .post,
            path: "/v2/Payment/\(method)",
            headers: [.init("Content-Type", "application/json"), .init("Accept", "application/json")],
            body: JSONValue.object(body).canonicalBytes
        )
    }

    /// A new payment has its own reference; a follow-up has the payment's.
    private static func reference(_ call: GatewayCall) throws(GatewayFailure) -> String {
        switch call.operation {
        case .sale, .authorization, .followUp(.refund): return call.reference
        default:
            guard let reference = call.original.reference else {
                throw GatewayFailure(.incomplete, "The ReferenceId of the payment is required.")
            }
            return try BridgeCommRequest.plain(reference)
        }
    }

    private static func paymentType(_ tender: String) throws(GatewayFailure) -> String {
        switch tender {
        case "credit": return "Credit"
        case "debit": return "Debit"
        case "ebt": return "EBT_Food"
        case "gift": return "Gift"
        default: throw GatewayFailure(.incomplete, "The terminal has no payment type for this tender.")
        }
    }

    private static func dollars(_ money: Money?) throws(GatewayFailure) -> JSONValue {
        guard let money else { throw GatewayFailure(.incomplete, "The amount is needed.") }
        guard money.currency == .usd else { throw GatewayFailure(.incomplete, "The terminals count in US dollars.") }
        return money.jsonFigure
    }

    func answer(
        _ response: WireResponse,
        to call: GatewayCall,
        at now: Timestamp
    ) throws(GatewayFailure) -> GatewayAnswer {
        var body = try JSONReply.object(response.body)
        var request: JSONObject = ["Method": .string(Self.methods[call.operation] ?? "")]
        request["ReferenceId"] = .string(try Self.reference(call))
        request.set("Amount", call.amount?.jsonFigure)
        request.set("TipAmount", call.tip?.jsonFigure)
        request.set("rrn", call.original.retrievalReference.map(JSONValue.string))
        if call.operation == .find { request["BatchOpen"] = .bool(call.original.isBatchOpen) }
        body["request"] = .object(request)
        let document = GatewayDocument(
            vendor: vendor,
            kind: "BasePaymentResponseContract",
            body: .object(body),
            context: DocumentContext(terminal: tpn, occurredAt: now)
        )
        let read: SpinPayment
        do throws(Refusal) {
            read = try SpinPayment(document.scrubbed)
        } catch {
            throw GatewayFailure(.malformed, "The answer lacks the required members of an answer of SPIn.")
        }
        if let reported = read.referenceID, !reported.isEmpty, reported != request["ReferenceId"]?.string {
            throw GatewayFailure(.otherAnswer, "The answer is about another reference.")
        }
        return GatewayAnswer(
            verdict: Self.verdict(read, to: call),
            response: read.response,
            codes: read.codes,
            references: read.references,
            approved: read.meaning == .approved || read.meaning == .partiallyApproved ? read.approved : nil,
            document: document,
            found: call.operation == .find && read.meaning != nil ? read.finding : nil,
            isNotFound: call.operation == .find && read.isNotFound
        )
    }

    private static func verdict(_ answer: SpinPayment, to call: GatewayCall) -> GatewayAnswer.Verdict {
        let code = answer.response.code ?? ""
        let isQuery = call.operation == .find
        if answer.isDuplicate { return .ambiguous }
        if answer.isBusy { return isQuery ? .pending(untilAgeSeconds: nil) : .refused(code: code) }
        if answer.isNotFound {
            guard isQuery else { return .refused(code: code) }
            // Not in the open batch: this proves something only about payments of that batch.
            return call.original.isBatchOpen ? .notPosted : .unknown
        }
        switch answer.meaning {
        // The payment was made and reversed later.
        case .approved?, .partiallyApproved?:
            if isQuery, answer.isVoided { return .ambiguous }
            return answer.meaning == .approved ? .approved : .partiallyApproved
        case .declined?, .cancelled?: return .declined
        case .failed?: return .refused(code: code)
        case .unknown?, nil: return .unknown
        }
    }
}
