import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Testing
import Vendors

/// The documents of one payment in any order, one by one or in one request: always one payment, and the same state.
struct OrderTests {
    @Test(arguments: DocumentedPayment.all)
    func everyOrderIsOnePaymentInOneState(payment: DocumentedPayment) async throws {
        try await withIntake { intake, log in
            let orders = payment.documents.permutations
            #expect(orders.count > 1)
            for (index, order) in orders.enumerated() {
                for asOne in [false, true] {
                    // A separate tenant for each, so that the orders are independent.
                    var tenant = intake
                    tenant.sender.tenant = "order-\(index)-\(asOne)"
                    let answers = try await tenant.submit(order, vendor: payment.vendor, asOne: asOne)
                    let reported = "\(order.map(\.kind)), as one: \(asOne)"
                    #expect(Set(answers.map(\.stream)).count == 1, "\(reported)")
                    let stream = try #require(answers.first?.stream)
                    let events = try await log.reader.stream(stream, of: tenant.sender.tenant)
                    let state = TransactionState(folding: try events.map(TransactionEvent.init))
                    #expect(Summary(state) == payment.outcome, "\(reported)")
                }
            }
        }
    }

    /// A void of one sale does not concern another one under the same reference of the app, whichever arrives first.
    @Test func aVoidOfAnotherSaleDoesNotJoinThem() async throws {
        try await withIntake { intake, log in
            let documents = DocumentedPayment.dejavooVoid.documents
            let other = Spin(rrn: "447803003781", txn: "B2", total: "5.00", tpn: DocumentedPayment.terminal)
            var streams: [String] = []
            for document in [documents[0], documents[2]] {
                streams.append(try await intake.submit([document], vendor: "dejavoo", asOne: false)[0].stream)
            }
            let answer = try await intake.submit(other, transaction: DocumentedPayment.reference)
            #expect(Set(streams).count == 1)
            #expect(answer.stream != streams[0])
            #expect(answer.anomalies.map(\.kind) == [.keysDisagree])
            #expect(try await log.payment(answer.stream).captured == 500)
            let own = try await intake.submit([documents[1]], vendor: "dejavoo", asOne: false)[0]
            #expect(own.stream == streams[0])
            #expect(try await log.payment(own.stream).status == .voided)
        }
    }

    /// An answer that is sent again with other content finds its payment, even if a follow-up came before both.
    @Test func aRepeatedAnswerAfterItsTicketIsOnePayment() async throws {
        try await withIntake { intake, log in
            let documents = DocumentedPayment.dejavooTicket.documents
            let first = try await intake.submit([documents[3], documents[1]], vendor: "dejavoo", asOne: false)
            var again = documents[1]
            var body = try #require(again.body.object)
            body["networkMode"] = "WIFI"
            again.body = .object(body)
            let last = try await intake.submit([again], vendor: "dejavoo", asOne: false)
            #expect(Set((first + last).map(\.stream)).count == 1)
            #expect(try await log.payment(first[0].stream).captured == 6496)
        }
    }
}

/// The parts of a payment's state that must not depend on the order of its documents.
struct Summary: Hashable {
    var status: TransactionStatus
    var captured: Int64
    var tips: Int64 = 0
    var requested: Int64?
    var approved: Int64?
    var references: References
    var anomalies: [Anomaly.Kind] = []

    init(
        _ status: TransactionStatus,
        captured: Int64,
        tips: Int64 = 0,
        requested: Int64?,
        approved: Int64?,
        references: References
    ) {
        self.status = status
        self.captured = captured
        self.tips = tips
        self.requested = requested
        self.approved = approved
        self.references = references
    }

    init(_ state: TransactionState) {
        self.init(
            state.status,
            captured: state.captured,
            tips: state.tips,
            requested: state.authorization.requested,
            approved: state.authorization.approved,
            references: state.references
        )
        anomalies = state.anomalies.map(\.kind)
    }
}

/// The documents of one payment in the order of events, and the resulting state.
struct DocumentedPayment: Sendable, CustomTestStringConvertible {
    struct Document: Sendable {
        var kind: String
        var body: JSONValue
    }

    static let reference = "order-7"
    static let terminal = "478030100001"

    var name: String
    var vendor: String
    var documents: [Document]
    var outcome: Summary

    var testDescription: String { name }

    static var all: [Self] {
        [dejavooTicket, dejavooUnnamedTicket, dejavooVoid, dejavooLegacyVoid, bridgePay, handpoint, paydiant, uCube]
    }
}

extension DocumentedPayment {
    private static func spin(_ label: String, rrn: String, txn: String, code: String, tip: String? = nil) -> JSONObject
    {
        var details: JSONObject = [
            "Amount": "56.00", "BatchNum": "183", "BaseAmount": "56.00", "RespCode": "00", "RRN": .string(rrn),
            "HostTxnId": .string("000\(rrn)"), "txnId": .string(txn), "TotalAmt": tip == nil ? "56.00" : "64.96",
            "txnLabel": .string(label), "DateTime": "20250305191359", "Tpn": .string(terminal),
        ]
        if let tip { details["Tip"] = .string(tip) }
        return [
            "RefId": .string("7\(rrn)"), "AuthCode": .string(code), "PNRef": .string(rrn), "ResultCode": "0",
            "Message": "APPROVED", "TransNum": .string("2\(rrn.suffix(2))"), "ExtData": .object(details),
            "HostResponseCode": "00",
        ]
    }

    private static func dejavoo(
        _ name: String,
        asked type: String,
        answered label: String,
        then followUps: [Document],
        _ status: TransactionStatus,
        captured: Int64,
        tips: Int64 = 0
    ) -> Self {
        let request: JSONValue = ["tranType": .string(type), "amount": "56.00", "currencyCode": ".USD"]
        let answer = spin(label, rrn: "447803003780", txn: "A1", code: "QEV523")
        let body: JSONValue = ["request": request, "Spin_Response": .object(answer)]
        return Self(
            name: name,
            vendor: "dejavoo",
            documents: [Document(kind: "TxnData", body: request), Document(kind: "Spin_Response", body: body)]
                + followUps,
            outcome: Summary(
                status,
                captured: captured,
                tips: tips,
                requested: 5600,
                approved: 5600,
                references: References(
                    gatewayTransaction: "7447803003780",
                    authorizationCode: "QEV523",
                    retrievalReference: "447803003780",
                    hostTransaction: "000447803003780",
                    vendorTransaction: "A1",
                    invoice: "280",
                    terminal: terminal
                )
            )
        )
    }

    /// A pre-authorisation and its ticket, each with request and answer.
    static var dejavooTicket: Self {
        let request: JSONValue = [
            "tranType": ".TICKET", "amount": "56.00", "tipAmount": "8.96", "currencyCode": ".USD",
            "rrn": "447803003780",
        ]
        let answer = spin("Ticket", rrn: "847803003780", txn: "T1", code: "TIC111", tip: "8.96")
        return dejavoo(
            "Dejavoo, ticket",
            asked: ".PRE_AUTH",
            answered: "Pre Auth",
            then: [
                Document(kind: "TicketTxnData", body: request),
                Document(kind: "Spin_Response", body: ["request": request, "Spin_Response": .object(answer)]),
            ],
            .captured,
            captured: 6496,
            tips: 896
        )
    }

    /// The same when only the app's reference leads to the original.
    static var dejavooUnnamedTicket: Self {
        let answer = spin("Ticket", rrn: "847803003780", txn: "T1", code: "TIC111", tip: "8.96")
        return dejavoo(
            "Dejavoo, ticket without the original's number",
            asked: ".PRE_AUTH",
            answered: "Pre Auth",
            then: [Document(kind: "Spin_Response", body: ["Spin_Response": .object(answer)])],
            .captured,
            captured: 6496,
            tips: 896
        )
    }

    static var dejavooVoid: Self {
        let request: JSONValue = ["tranType": ".VOID", "rrn": "447803003780"]
        let answer = spin("Void", rrn: "947803003781", txn: "V1", code: "VOI111")
        return dejavoo(
            "Dejavoo, void",
            asked: ".SALE",
            answered: "Sale",
            then: [Document(kind: "Spin_Response", body: ["request": request, "Spin_Response": .object(answer)])],
            .voided,
            captured: 0
        )
    }

    /// Version 1 of deep linking.
    static var dejavooLegacyVoid: Self {
        func body(_ type: String, _ amount: String, rrn: String, id: String) -> JSONValue {
            [
                "request": ["type": .string(type), "amount": .string(amount)],
                "BaseAmt": ["Amt": "56.00", "Label": "Amount"],
                "TxDetail": ["DateNTime": "20250305191359", "Tpn": .string(terminal)],
                "Response": [
                    "AppCode": .string("C\(id)"), "BatchNo": "183", "DTxId": .string(id), "RespCode": "00",
                    "RespMsg": "APPROVAL", "Rrn": .string(rrn), "TxRefNo": .string("7\(rrn)"),
                ],
            ]
        }
        return Self(
            name: "Dejavoo, void in version 1",
            vendor: "dejavoo",
            documents: [
                Document(
                    kind: "makeARequestBasedOnTransactionTypes",
                    body: ["type": "SALE", "amount": "56.00"]
                ),
                Document(
                    kind: "didReceiveResponse",
                    body: body("SALE", "56.00", rrn: "447803003780", id: "A1")
                ),
                Document(
                    kind: "didReceiveResponse",
                    body: body("VOID", "447803003780", rrn: "947803003781", id: "V1")
                ),
            ],
            outcome: Summary(
                .voided,
                captured: 0,
                requested: 5600,
                approved: 5600,
                references: References(
                    gatewayTransaction: "7447803003780",
                    authorizationCode: "CA1",
                    retrievalReference: "447803003780",
                    vendorTransaction: "A1",
                    terminal: terminal
                )
            )
        )
    }

    static var bridgePay: Self {
        func request(_ type: String, _ amount: String, tip: String? = nil, of original: String? = nil) -> JSONValue {
            [
                "invoiceNumber": "33333", "pnRefNum": original.map { .string($0) } ?? .null,
                "amount": .string(amount), "tipAmount": tip.map { .string($0) } ?? .null,
                "tenderType": "TENDER_TYPE_CREDIT", "transactionType": .string("TRANSACTION_TYPE_\(type)"),
                "merchantCode": "320000", "merchantAccountCode": "320001", "industryType": "RETAIL",
            ]
        }
        func response(_ type: String, _ amount: String) -> JSONValue {
            [
                "transactionID": "33333", "requestType": .string(type), "gatewayTransactionID": "214972201",
                "gatewayMessage": "A01 - Approved", "gatewayResult": "00000", "authorizedAmount": .string(amount),
                "originalAmount": .string(amount), "ISOCurrencyCode": "USD",
            ]
        }
        let (sale, capture) = (request("SALE_AUTH", "7.50"), request("CAPTURE", "9.50", tip: "2.00", of: "214972201"))
        return Self(
            name: "BridgePay, capture",
            vendor: "bridgepay",
            documents: [
                Document(kind: "BPNPaymentRequest", body: sale),
                Document(
                    kind: "BPNPayment",
                    body: ["BPNPaymentRequest": sale, "BridgeCommResponse": response("004", "$7.50")]
                ),
                Document(
                    kind: "BPNPayment",
                    body: ["BPNPaymentRequest": capture, "BridgeCommResponse": response("019", "$0.00")]
                ),
            ],
            outcome: Summary(
                .captured,
                captured: 950,
                tips: 200,
                requested: 750,
                approved: 750,
                references: References(gatewayTransaction: "214972201", invoice: "33333", gatewayAccount: "320001")
            )
        )
    }

    static var handpoint: Self {
        let sale = "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e"
        func ended(_ type: String, _ id: String, of original: String? = nil) -> JSONValue {
            var xml: JSONObject = [
                "TransactionType": .string(type), "FinancialStatus": "AUTHORISED", "TotalAmount": "703",
                "Currency": "978", "EFTTransactionID": .string(id),
            ]
            if let original { xml["OriginalEFTTransactionID"] = .string(original) }
            return ["statusCode": 1, "status": "AUTHORISED", "xml": .object(xml)]
        }
        return Self(
            name: "Handpoint, void",
            vendor: "handpoint",
            documents: [
                Document(kind: "saleWithAmount", body: ["amount": 703, "currency": "EUR", "cardholder": true]),
                Document(kind: "responseFinanceStatus", body: ended("SALE", sale)),
                Document(
                    kind: "responseFinanceStatus",
                    body: ended("VOID_SALE", "0c1f2a58-3f2e-4b70-8f5d-53b6a1d2c9aa", of: sale)
                ),
            ],
            outcome: Summary(
                .voided,
                captured: 0,
                requested: 703,
                approved: 703,
                references: References(gatewayTransaction: sale)
            )
        )
    }

    static var paydiant: Self {
        func tender(_ amount: String, left: String, _ status: String) -> JSONValue {
            [
                "request": ["checkoutToken": "PDT-1", "amount": .string(amount)],
                "paymentTransaction": [
                    "paydiantTransactionRefId": "TX-1", "amount": .string(amount), "balanceDue": .string(left),
                ],
                "paymentStatusType": .string("kPDPaymentStatusType\(status)"),
            ]
        }
        let described: JSONValue = [
            "request": ["checkoutToken": "PDT-1", "flowRule": "DISCOVERY"],
            "response": ["amountDue": "103.00", "transactionType": "kPDTransactionTypePurchase"],
        ]
        return Self(
            name: "Paydiant, two tenders",
            vendor: "paydiant",
            documents: [
                Document(kind: "retrieveTransactionMetaData", body: described),
                Document(
                    kind: "SplitTenderPaymentCompletionBlock",
                    body: tender("60.00", left: "43.00", "PartiallyCompleted")
                ),
                Document(kind: "SplitTenderPaymentCompletionBlock", body: tender("43.00", left: "0.00", "Completed")),
            ],
            outcome: Summary(
                .captured,
                captured: 10_300,
                requested: 10_300,
                approved: 10_300,
                references: References(vendorTransaction: "TX-1")
            )
        )
    }

    static var uCube: Self {
        let currency: JSONValue = ["label": "EUR", "code": 978, "exponent": 2]
        let finished: JSONValue = [
            "success": true,
            "paymentContext": [
                "amount": 1250, "currency": currency, "transactionType": "purchase",
                "uCubeInfo": "C3083331343230303737", "paymentStatus": "approved", "authorizationPlainTags": [79],
                "authorizationResponse": "8A023030",
                "finalizationPlainTagsValues": ["9A": "260302", "9F36": "0021", "9F37": "9A8B7C6D"],
            ],
        ]
        let request: JSONValue = ["amount": 1250, "currency": currency, "transactionType": "purchase"]
        return Self(
            name: "uCube, host and terminal",
            vendor: "youtransactor",
            documents: [
                Document(kind: "UCubePaymentRequest", body: request),
                Document(kind: "AuthorizationTask", body: ["authorizationResponse": "8A023030"]),
                Document(kind: "pay.didFinish", body: finished),
            ],
            outcome: Summary(
                .captured,
                captured: 1250,
                requested: 1250,
                approved: 1250,
                references: References(vendorTransaction: "26030200219A8B7C6D")
            )
        )
    }
}

extension TestIntake {
    /// Submits documents under the app's reference, one after the other or in one request.
    fileprivate func submit(
        _ documents: [DocumentedPayment.Document],
        vendor: String,
        asOne: Bool
    ) async throws -> [IntakeAnswer] {
        guard asOne else {
            var answers: [IntakeAnswer] = []
            for document in documents {
                let reference = DocumentedPayment.reference
                answers.append(try await submit(vendor, document.kind, document.body, transaction: reference))
            }
            return answers
        }
        let records = documents.map { document -> [UInt8]? in
            let record: JSONValue = [
                "kind": .string(document.kind), "body": document.body,
                "transaction": .string(DocumentedPayment.reference),
            ]
            return record.canonicalBytes
        }
        return try await intake.submit(records, limit: 1 << 20, vendor: vendor, sender: sender).map { try $0.get() }
    }
}

extension Array {
    /// Every order of the elements, the given one first.
    var permutations: [[Element]] {
        guard count > 1 else { return [self] }
        return indices.flatMap { index in
            var rest = self
            let first = rest.remove(at: index)
            return rest.permutations.map { [first] + $0 }
        }
    }
}
