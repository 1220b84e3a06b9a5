import Canonical
import Payments
import Vendors

/// BridgePay's BridgeComm: SOAP 1.1 with an XML request in base64. Source: facts/vendor_codes, 1.
struct BridgeCommDialect: WireDialect {
    let account: BridgeCommAccount

    var vendor: Vendor { .bridgepay }

    func support(for operation: GatewayOperation) -> GatewaySupport {
        switch operation {
        case .followUp(.increment), .followUp(.refundVoid): .unsupported("Daybook does not send this follow-up.")
        case .followUp, .sale, .authorization, .find, .token, .settlement, .accountInquiry, .giftActivation, .giftLoad,
            .giftDeactivation, .merchantInformation, .passwordChange:
            .supported
        }
    }

    /// By the invoice number that is made of the reference. Voids, captures and tip adjustments have none.
    func findsByReference(_ operation: GatewayOperation) -> Bool {
        [.sale, .authorization, .refund].contains(operation)
    }

    func request(for call: GatewayCall, at now: Timestamp) throws(GatewayFailure) -> WireRequest {
        WireRequest(
            method: .post,
            path: "",
            headers: [
                .init("Content-Type", "text/xml; charset=utf-8"),
                .init("SOAPAction", "\"\(BridgeCommRequest.action)\""),
            ],
            body: try BridgeCommRequest(call: call, account: account).body(at: now)
        )
    }

    func answer(
        _ response: WireResponse,
        to call: GatewayCall,
        at now: Timestamp
    ) throws(GatewayFailure) -> GatewayAnswer {
        let reply = try BridgeCommReply(response.body)
        let type = BridgeCommRequest.type(of: call)
        try check(reply, type: type, call: call)
        var body: JSONObject = [:]
        if let (name, request) = asked(by: call) { body[name] = .object(request) }
        body["BridgeCommResponse"] = .object(reply.document(requestType: type))
        let document = GatewayDocument(
            vendor: vendor,
            kind: "BridgeCommResponse",
            body: .object(body),
            context: DocumentContext(occurredAt: now, namesPayment: true)
        )
        let read: BridgePayAnswer
        do throws(Refusal) {
            read = try BridgePayAnswer(document.scrubbed)
        } catch {
            throw GatewayFailure(.malformed, "The answer lacks the required members of an answer of BridgeComm.")
        }
        let isFound = call.operation == .find && read.resultNumber != 800011 && read.resultNumber != 80003
        return GatewayAnswer(
            verdict: Self.verdict(of: read, to: call.operation),
            response: read.response,
            codes: read.codes,
            references: read.references,
            approved: read.approved,
            document: document,
            found: isFound ? read.found : nil,
            isNotFound: call.operation == .find && read.resultNumber == 800011,
            issuedToken: call.operation == .token ? reply.text("token").flatMap(Secret.init) : nil
        )
    }

    /// Checks that the answer belongs to this call. Its TransactionID is the call's reference, or in some answers the
    /// invoice or an authorisation code; any other value belongs to another request.
    private func check(_ reply: BridgeCommReply, type: String, call: GatewayCall) throws(GatewayFailure) {
        let other = GatewayFailure(.otherAnswer, "The answer is to another request.")
        if let reported = reply.text("requestType"), Int(reported) != Int(type) { throw other }
        if call.operation == .find {
            // A found payment has the names it was made with.
            if let asked = call.original.gatewayTransaction, let reported = reply.text("gatewayTransactionID"),
                reported != asked
            {
                throw other
            }
            return
        }
        guard let id = reply.text("transactionID") else { return }
        let own = [
            call.reference, BridgeCommRequest.invoice(of: call), BridgeCommRequest.originalInvoice(of: call),
            call.original.reference,
            call.original.gatewayTransaction, call.original.authorizationCode,
        ]
        guard own.contains(id) else { throw other }
    }

    // MARK: Verdict

    private static func verdict(
        of answer: BridgePayAnswer,
        to operation: GatewayOperation
    ) -> GatewayAnswer.Verdict {
        if operation == .find { return found(answer) }
        // A duplicate of another payment; it is unknown whether that is the requested one.
        if answer.isDuplicate { return .ambiguous }
        let code = answer.response.code ?? ""
        switch answer.meaning {
        case .approved: return isReversalFailed(answer, operation) ? .unknown : .approved
        case .partiallyApproved: return .partiallyApproved
        case .declined, .cancelled: return .declined
        case .failed:
            // Refused because the payment is already voided.
            if operation == .void || operation == .reversal, answer.isAlreadyVoided { return .approved }
            return .refused(code: code)
        case .unknown: return .unknown
        }
    }

    /// A11: approved, but the authorisation could not be reversed.
    private static func isReversalFailed(_ answer: BridgePayAnswer, _ operation: GatewayOperation) -> Bool {
        [.void, .reversal, .refund].contains(operation) && answer.messageCode == "A11"
    }

    /// A find request is answered with the codes of the found payment.
    private static func found(_ answer: BridgePayAnswer) -> GatewayAnswer.Verdict {
        switch answer.resultNumber {
        case 800011?: return .notPosted
        case 80003?: return .ambiguous
        default: break
        }
        switch answer.messageCode {
        // Voided, partially voided, not settled or expired: the payment was made, but has changed.
        case "A03", "A06", "A07", "D26", "X04": return .ambiguous
        // Partially refunded or charged back: the payment was made.
        case "A08", "D24": return .approved
        default: break
        }
        switch answer.meaning {
        case .approved: return .approved
        case .partiallyApproved: return .partiallyApproved
        case .declined, .cancelled: return .declined
        case .failed: return .refused(code: answer.response.code ?? "")
        case .unknown: return answer.messageCode == "X02" ? .pending(untilAgeSeconds: nil) : .unknown
        }
    }

    // MARK: Request for the document

    /// The request in the form of PayGuardian's object, without credentials.
    private func asked(by call: GatewayCall) -> (String, JSONObject)? {
        var request: JSONObject = [:]
        request["merchantCode"] = .string(account.merchantCode)
        request["merchantAccountCode"] = .string(account.merchantAccountCode)
        switch call.operation {
        case .merchantInformation, .passwordChange, .settlement: return nil
        case .find:
            if let id = call.original.gatewayTransaction { request["gatewayTransID"] = .string(id) }
            if let invoice = BridgeCommRequest.originalInvoice(of: call) {
                request["invoiceNumber"] = .string(invoice)
            }
            return ("BPNFindRequest", request)
        case .token:
            request["transactionType"] = "TRANSACTION_TYPE_PCI_TOKEN"
            return ("BPNTokenRequest", request)
        default: break
        }
        request["transactionType"] = .string(Self.transactionTypes[call.operation] ?? "")
        if call.operation == .refund, call.original.gatewayTransaction == nil {
            request["transactionType"] = "TRANSACTION_TYPE_CREDIT"
        }
        request["tenderType"] = .string("TENDER_TYPE_" + call.tender.uppercased())
        request["industryType"] = .string(account.industry)
        request["invoiceNumber"] = .string(BridgeCommRequest.invoice(of: call))
        if let id = call.original.gatewayTransaction { request["pnRefNum"] = .string(id) }
        if let amount = call.amount { request["amount"] = .string(amount.decimalText) }
        if let tip = call.tip { request["tipAmount"] = .string(tip.decimalText) }
        return ("BPNPaymentRequest", request)
    }

    private static let transactionTypes: [GatewayOperation: String] = [
        .sale: "TRANSACTION_TYPE_SALE", .authorization: "TRANSACTION_TYPE_SALE_AUTH",
        .capture: "TRANSACTION_TYPE_CAPTURE", .tipAdjustment: "TRANSACTION_TYPE_TIP_ADJUST",
        .void: "TRANSACTION_TYPE_VOID", .reversal: "TRANSACTION_TYPE_VOID", .refund: "TRANSACTION_TYPE_REFUND",
        .accountInquiry: "TRANSACTION_TYPE_BALANCE_INQUIRY", .giftActivation: "TRANSACTION_TYPE_ACTIVATE",
        .giftLoad: "TRANSACTION_TYPE_REACTIVATE", .giftDeactivation: "TRANSACTION_TYPE_DEACTIVATE",
    ]
}
