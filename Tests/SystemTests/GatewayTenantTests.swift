import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import Testing

/// Two tenants of one server, and the gateways of one of them.
@Suite("Gateways of two tenants") struct GatewayTenantTests {
    /// The tenant that owns no gateway names a payment of the other one's account in every way it can.
    static let forgeries = ["gateway id", "reference of a terminal", "reversal", "refund"]

    @Test("Another tenant's payment is neither queried nor reversed nor refunded", arguments: forgeries)
    func forged(_ kind: String) async throws {
        try await Shop.with { shop in
            let charged = try await shop.sell()
            let before = try await shop.books()
            let id = try await shop.forge(kind, charged)
            let answer = try await shop.send("POST", "/v1/doubts/\(id)/query", as: shop.stranger)
            let result: JSONValue = kind == "refund" ? "nothing-in-doubt" : "no-gateway"
            #expect(answer.status == 200 && answer.json["result"] == result, "\(answer.json)")
            if kind == "refund" {
                let plan = try await shop.planRefund(of: id)
                #expect(
                    plan.first?["disposition"] == "needs-person" && plan.first?["rule"] == "gateway.none",
                    "\(plan)"
                )
            } else {
                let doubt = try await shop.send("GET", "/v1/doubts/\(id)", as: shop.stranger).json
                #expect(doubt["attention"]?["rule"] == "gateway.none" && doubt["gateways"] == [], "\(doubt)")
                #expect(doubt["attention"]?["isNeeded"] == true)
            }
            #expect(try await shop.calls(as: shop.stranger).isEmpty)
            #expect(try await shop.books() == before)
        }
    }

    @Test("A payment of an unknown or missing account is at no gateway", arguments: ["320002", nil])
    func account(_ account: String?) async throws {
        try await Shop.with { shop in
            let charged = try await shop.sell()
            let id = try await shop.report(charged, account: account, as: shop.owner)
            let answer = try await shop.send("POST", "/v1/doubts/\(id)/query", as: shop.owner)
            #expect(answer.json["result"] == "no-gateway", "\(answer.json)")
            let doubt = try await shop.send("GET", "/v1/doubts/\(id)", as: shop.owner).json
            let rule: JSONValue = account == nil ? "account.unknown" : "gateway.none"
            #expect(doubt["attention"]?["rule"] == rule && doubt["gateways"] == [], "\(doubt)")
            #expect(try await shop.calls(as: shop.owner).isEmpty)
        }
    }

    @Test("The owner's payment is queried at its gateway")
    func own() async throws {
        try await Shop.with { shop in
            let charged = try await shop.sell()
            let id = try await shop.report(charged, account: "320001", as: shop.owner)
            let answer = try await shop.send("POST", "/v1/doubts/\(id)/query", as: shop.owner)
            #expect(answer.json["result"] != "no-gateway", "\(answer.json)")
            #expect(try await shop.calls(as: shop.owner).first?["data"]?["account"] == "320001")
        }
    }

    @Test("A gateway without a tenant, or without an account, is not started", arguments: ["TENANT", "ACCOUNTS"])
    func open(_ missing: String) async throws {
        try await Daybook.withDatabase { plain, _ in
            var daybook = plain
            for (key, value) in [
                "S": "hp", "_HP_KIND": "handpoint", "_HP_URL": "http://127.0.0.1:9", "_HP_API_KEY": "k-1",
                "_HP_TENANT": "acme", "_HP_ACCOUNTS": "1640013848",
            ] where !key.hasSuffix(missing) {
                daybook.environment["DAYBOOK_GATEWAY\(key)"] = value
            }
            let result = try await daybook.run("serve", "--listen", "127.0.0.1:0")
            #expect(result.exitCode == 1, "\(result)")
            #expect(result.standardError.contains("daybook.gateway.hp.\(missing.lowercased())"), "\(result)")
        }
    }
}

/// A server with the gateways of the tenant `acme`, and a tenant without gateways.
private struct Shop {
    static let reference = "3e665342-a95b-49c1-b6fe-b3f102305a76"
    static let reader = "1640013848"

    let server: RunningServer
    let ports: [String: Int]
    let owner: String
    let stranger: String

    static func with(_ body: (Shop) async throws -> Void) async throws {
        try await Daybook.withDatabase { plain, _ in
            let gateway = try await plain.start([
                "simulate", "gateway", "--json", "--bridgepay", "0", "--handpoint", "0", "--take-duplicates",
            ])
            let line = try await gateway.line(startingWith: "{\"listening\"")
            let listening = try #require(try JSONValue(parsing: Array(line.utf8))["listening"]?.object)
            let ports = Dictionary(
                uniqueKeysWithValues: listening.members.map { member in
                    (member.key, member.value.string.flatMap { URL(string: $0)?.port } ?? 0)
                }
            )
            var daybook = plain
            for (key, value) in settings(ports) { daybook.environment["DAYBOOK_GATEWAY\(key)"] = value }
            daybook.environment["DAYBOOK_REPLAY_RULES"] = "wait.retry=0;wait.retry-later=0;window.duplicate=0"
            let scopes = "documents,events,evidence,read,reconcile,replay:plan"
            let owner = try await daybook.key(scopes: scopes, holder: "ann")
            let stranger = try await daybook.key(tenant: "other", scopes: scopes, holder: "eve")
            let server = try await daybook.serve()
            try await body(Shop(server: server, ports: ports, owner: owner, stranger: stranger))
            #expect(try await server.stop() == 0)
            gateway.send(15)
            _ = try await gateway.waitForExit()
        }
    }

    private static func settings(_ ports: [String: Int]) -> [String: String] {
        [
            "S": "web,terminals",
            "_WEB_KIND": "bridgecomm", "_WEB_MODE": "test", "_TERMINALS_MODE": "test", "_WEB_TENANT": "acme",
            "_WEB_REVERSALS": "on", "_WEB_USER": "u",
            "_WEB_PASSWORD": "p", "_WEB_MERCHANT_CODE": "320000", "_WEB_MERCHANT_ACCOUNT": "320001",
            "_WEB_URL": "http://127.0.0.1:\(ports["bridgepay"] ?? 0)/PaymentService/RequestHandler.svc",
            "_TERMINALS_KIND": "handpoint", "_TERMINALS_TENANT": "acme", "_TERMINALS_API_KEY": "k",
            "_TERMINALS_ACCOUNTS": reader, "_TERMINALS_URL": "http://127.0.0.1:\(ports["handpoint"] ?? 0)",
        ]
    }

    // MARK: The gateway

    /// Charges a card at both gateways.
    ///
    /// - Returns: BridgePay's id of the payment.
    func sell() async throws -> String {
        let message = """
            <requestHeader><ClientIdentifier>SOAP</ClientIdentifier><TransactionID>1</TransactionID>\
            <RequestType>004</RequestType><User>u</User><Password>p</Password><requestMessage>\
            <MerchantCode>320000</MerchantCode><MerchantAccountCode>320001</MerchantAccountCode>\
            <TransactionType>sale</TransactionType><AcctType>R</AcctType><Token>11110000000000001111</Token>\
            <Amount>1250</Amount><InvoiceNum>7</InvoiceNum></requestMessage></requestHeader>
            """
        let envelope = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" \
            xmlns:r="http://bridgepaynetsecuretx.com/requesthandler"><s:Body><r:ProcessRequest><r:requestMsg>\
            \(Data(message.utf8).base64EncodedString())</r:requestMsg></r:ProcessRequest></s:Body></s:Envelope>
            """
        let action = "http://bridgepaynetsecuretx.com/requesthandler/IRequestHandler/ProcessRequest"
        _ = try await gateway(
            "bridgepay",
            "POST",
            "/PaymentService/RequestHandler.svc",
            [("Content-Type", "text/xml"), ("SOAPAction", action)],
            envelope
        )
        let order = #"{"transactionReference":"\#(Self.reference)","amount":1500,"currency":"EUR"}"#
        _ = try await gateway("handpoint", "POST", "/standin/payments", [], order)
        let books = try JSONValue(parsing: try await gateway("bridgepay", "GET", "/standin/books").utf8)
        return try #require(books["id"]?.string)
    }

    func books() async throws -> [String] {
        [
            try await gateway("bridgepay", "GET", "/standin/books"),
            try await gateway("handpoint", "GET", "/standin/books"),
        ]
    }

    private func gateway(
        _ name: String,
        _ method: String,
        _ target: String,
        _ fields: [(String, String)] = [],
        _ body: String = ""
    ) async throws -> String {
        let request = HTTPRequest(method: method, target: target, fields: fields, body: Array(body.utf8))
        return try await APIClient(port: ports[name] ?? 0, key: nil).send(request).text
            .trimmingCharacters(in: .newlines)
    }

    // MARK: The tenants

    struct Answer {
        let status: Int
        let json: JSONValue
    }

    func send(_ method: String, _ target: String, _ body: JSONValue? = nil, as key: String) async throws -> Answer {
        let answer = try await server.client(key).send(
            HTTPRequest(
                method: method,
                target: target,
                fields: body == nil ? [] : [("Content-Type", "application/json")],
                body: body?.canonicalBytes ?? []
            )
        )
        return Answer(status: answer.status, json: try JSONValue(parsing: Array(answer.text.utf8)))
    }

    /// Reports a payment of BridgePay with an unknown outcome.
    ///
    /// - Returns: Its id in the ledger.
    func report(_ gatewayID: String, account: String?, as key: String) async throws -> String {
        var request: JSONObject = [
            "invoiceNumber": "7", "amount": "12.50", "tenderType": "TENDER_TYPE_CREDIT",
            "transactionType": "TRANSACTION_TYPE_SALE",
        ]
        if let account { request["merchantAccountCode"] = .string(account) }
        let answer: JSONValue = [
            "transactionID": "7", "requestType": "004", "responseCode": "20002",
            "gatewayTransactionID": .string(gatewayID),
            "gatewayMessage": "E02 - Processor Error", "gatewayResult": "20002", "ISOCurrencyCode": "USD",
            "originalAmount": "$12.50",
        ]
        return try await take(
            "bridgepay",
            ["kind": "BPNPayment", "body": ["BPNPaymentRequest": .object(request), "BridgeCommResponse": answer]],
            as: key
        )
    }

    private func take(_ vendor: String, _ record: JSONValue, as key: String) async throws -> String {
        let answer = try await send("POST", "/v1/intake/\(vendor)", record, as: key)
        #expect(answer.status == 201, "\(answer.json)")
        let id = try #require(answer.json["transaction"]?.string)
        // Waits for the read model.
        #expect(try await send("GET", "/v1/transactions/\(id)", as: key).status == 200)
        return id
    }

    private func append(_ id: String, _ events: [(String, JSONValue)]) async throws {
        let list = events.map { type, data -> JSONValue in
            ["schema": 1, "occurredAt": "2026-01-02T08:00:00Z", "type": .string(type), "data": data]
        }
        let answer = try await send(
            "POST",
            "/v1/events",
            ["stream": .string("transaction/\(id)"), "events": .array(list)],
            as: stranger
        )
        #expect(answer.status == 201, "\(answer.json)")
    }

    /// Reports, as the tenant without gateways, a payment of the other tenant.
    func forge(_ kind: String, _ gatewayID: String) async throws -> String {
        if kind == "reference of a terminal" {
            let body: JSONValue = ["finStatus": "UNDEFINED", "asked": ["ageSeconds": 1]]
            let record: JSONValue = [
                "kind": "TransactionStatus", "transaction": .string(Self.reference), "device": .string(Self.reader),
                "body": body,
            ]
            return try await take("handpoint", record, as: stranger)
        }
        let id = try await report(gatewayID, account: "320001", as: stranger)
        let amounts: JSONValue = ["total": ["value": 1250, "currency": "USD"]]
        let references: JSONValue = ["gatewayTransaction": .string(gatewayID)]
        let evidence: JSONObject = [
            "evidence": "gateway", "response": [:], "references": references, "amounts": amounts,
        ]
        var capture = evidence
        capture["id"] = "sale"
        switch kind {
        case "reversal":
            try await append(
                id,
                [("AnomalyRaised", ["kind": "reversal-due", "explanation": "the chip declined", "related": []])]
            )
        case "refund":
            try await append(
                id,
                [
                    ("AuthorizationApproved", .object(evidence)), ("Captured", .object(capture)),
                    (
                        "Settled",
                        [
                            "id": "s-1", "amount": ["value": 1250, "currency": "USD"], "evidence": "settlement",
                            "response": [:],
                        ]
                    ),
                    (
                        "FollowUpRefused",
                        [
                            "followUp": "refund", "outcome": "failed", "isWhole": true, "evidence": "gateway",
                            "response": ["code": "30043"],
                        ]
                    ),
                ]
            )
        default: break
        }
        return id
    }

    /// The items of a plan to refund a payment.
    func planRefund(of id: String) async throws -> [JSONValue] {
        let plan = try await send(
            "POST",
            "/v1/replays",
            ["transactions": [.string(id)], "operation": "refund", "reason": "returned"],
            as: stranger
        )
        #expect(plan.status == 201, "\(plan.json)")
        let name = try #require(plan.json["id"]?.string)
        return try await send("GET", "/v1/replays/\(name)/items", as: stranger).json["items"]?.array ?? []
    }

    /// The recorded calls to gateways in the tenant's log.
    func calls(as key: String) async throws -> [JSONValue] {
        let events = try await send("GET", "/v1/events?type=GatewayCallSent", as: key)
        #expect(events.status == 200, "\(events.json)")
        return events.json["events"]?.array ?? events.json["items"]?.array ?? []
    }
}
