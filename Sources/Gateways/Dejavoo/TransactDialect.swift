import Canonical
import Payments
import Vendors

/// Dejavoo's iPOS Transact: payments with a stored token, and follow-ups by retrieval reference number. Source: iPOS
/// Transact API (facts/vendor_codes, 3).
struct TransactDialect: WireDialect {
    /// The terminal profile number; the interface calls it the merchant's id.
    let tpn: String
    let authToken: Secret

    var vendor: Vendor { .dejavoo }

    /// The maximum length of a transaction's name in this interface.
    var longestReference: Int { 20 }

    private static let types: [GatewayOperation: Int64] = [
        .sale: 1, .void: 2, .refund: 3, .authorization: 5, .capture: 6, .find: 0,
    ]

    func support(for operation: GatewayOperation) -> GatewaySupport {
        if Self.types[operation] != nil { return .supported }
        return switch operation {
        case .followUp(.tipAdjustment):
            .unsupported("The members of a tip adjustment of iPOS Transact are not documented.")
        case .settlement: .unsupported("The batch is closed by the vendor.")
        default: .unsupported("iPOS Transact has no such transaction type.")
        }
    }

    /// Voids and captures have their own references, and are not found by them.
    func findsByReference(_ operation: GatewayOperation) -> Bool {
        [.sale, .authorization, .refund].contains(operation)
    }

    func request(for call: GatewayCall, at now: Timestamp) throws(GatewayFailure) -> WireRequest {
        if call.operation == .find { return try query(call) }
        guard call.reference.utf8.count <= longestReference else {
            throw GatewayFailure(.incomplete, "A reference has at most \(longestReference) characters here.")
        }
        var transaction: JSONObject = ["transactionType": .number(.init(Self.types[call.operation] ?? 0))]
        switch call.operation {
        case .sale, .authorization:
            transaction["amount"] = .string(try Self.cents(call.amount))
            guard let token = call.token else {
                throw GatewayFailure(.incomplete, "The card is named by a token; card numbers are never sent.")
            }
            transaction["cardToken"] = .string(token.exposed())
        case .followUp(.void):
            // A void reverses the whole amount.
            transaction["amount"] = "0"
            transaction["RRN"] = .string(try Self.number(call))
        default:
            transaction["amount"] = .string(try Self.cents(call.amount))
            transaction["RRN"] = .string(try Self.number(call))
        }
        // Otherwise fees and taxes of the terminal's profile would be added to the requested amount.
        transaction["applySteamSettingTipFeeTax"] = false
        let body: JSONObject = [
            "merchantAuthentication": [
                "merchantId": .string(tpn), "transactionReferenceId": .string(call.reference),
            ],
            "transactionRequest": .object(transaction),
            "preferences": ["eReceipt": false],
        ]
        return WireRequest(
            method: .post,
            path: "/iposTransact",
            headers: headers + [.init("Content-Type", "application/json")],
            body: JSONValue.object(body).canonicalBytes
        )
    }

    private var headers: [WireRequest.Header] {
        [.init("token", authToken.exposed()), .init("Accept", "application/json")]
    }

    /// The Transaction Status Check API, a separate interface (docs.ipospays.com/transaction-status-check/apidocs).
    /// `queryPaymentStatus` belongs to the hosted payment page.
    private func query(_ call: GatewayCall) throws(GatewayFailure) -> WireRequest {
        guard let reference = call.original.reference,
            (1...64).contains(reference.utf8.count),
            reference.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x2D })
        else {
            throw GatewayFailure(.incomplete, "The transactionReferenceId of the payment is required.")
        }
        let body: JSONObject = ["merchantId": .string(tpn), "transactionReferenceId": .string(reference)]
        return WireRequest(
            method: .post,
            path: "/iposTransactStatus",
            headers: headers + [.init("Content-Type", "application/json")],
            body: JSONValue.object(body).canonicalBytes,
            isQuery: true
        )
    }

    /// Follow-ups identify the payment by its retrieval reference number.
    private static func number(_ call: GatewayCall) throws(GatewayFailure) -> String {
        guard let number = call.original.retrievalReference else {
            throw GatewayFailure(.incomplete, "The retrieval reference number of the payment is needed.")
        }
        return try BridgeCommRequest.plain(number)
    }

    /// Cents in at most eight digits.
    private static func cents(_ money: Money?) throws(GatewayFailure) -> String {
        guard let money, money.currency == .usd else {
            throw GatewayFailure(.incomplete, "The amount is needed, in US dollars.")
        }
        guard money.value < 100_000_000 else {
            throw GatewayFailure(.incomplete, "An amount has at most eight digits here.")
        }
        return String(money.value)
    }

    func answer(
        _ response: WireResponse,
        to call: GatewayCall,
        at now: Timestamp
    ) throws(GatewayFailure) -> GatewayAnswer {
        var body = try JSONReply.object(response.body)
        let asked = call.operation == .find ? call.original.reference ?? "" : call.reference
        var request: JSONObject = ["transactionType": .number(.init(Self.types[call.operation] ?? 0))]
        request["transactionReferenceId"] = .string(asked)
        request.set("amount", call.amount.map { .string(String($0.value)) })
        request.set("RRN", call.original.retrievalReference.map(JSONValue.string))
        body["request"] = .object(request)
        let document = GatewayDocument(
            vendor: vendor,
            kind: "iposTransactResponse",
            body: .object(body),
            context: DocumentContext(terminal: tpn, occurredAt: now)
        )
        let read: TransactPayment
        do throws(Refusal) {
            read = try TransactPayment(document.scrubbed)
        } catch {
            throw GatewayFailure(.malformed, "The answer lacks the required members of an answer of iPOS Transact.")
        }
        if let reported = read.transactionReference, !reported.isEmpty, reported != asked {
            throw GatewayFailure(.otherAnswer, "The answer is about another transaction.")
        }
        return GatewayAnswer(
            verdict: Self.verdict(read),
            response: read.response,
            codes: read.codes,
            references: read.references,
            approved: read.meaning == .approved || read.meaning == .partiallyApproved ? read.approved : nil,
            document: document,
            found: call.operation == .find && !read.isNotFound ? read.finding : nil,
            isNotFound: read.isNotFound
        )
    }

    private static func verdict(_ answer: TransactPayment) -> GatewayAnswer.Verdict {
        if answer.isPending { return .pending(untilAgeSeconds: nil) }
        if answer.isDuplicate { return .ambiguous }
        switch answer.meaning {
        case .approved: return .approved
        case .partiallyApproved: return .partiallyApproved
        case .declined, .cancelled: return .declined
        case .failed: return .refused(code: answer.response.code ?? "")
        case .unknown: return .unknown
        }
    }
}
