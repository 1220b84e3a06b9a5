import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Payments
import Testing

/// One shop under several names, over a socket, checked against the OpenAPI document.
@Suite struct MerchantNamesTests {
    private static let account = "320001"
    private static let processor = "518564010126944"

    /// A sale of 5.50 that names only these.
    private struct Sale {
        var number: Int
        var time: String
        var merchant: String?
        var processor: String?
        var account: String?
        var terminal: String?

        var invoice: String { "shop-\(number)" }

        func record() throws -> JSONValue {
            func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }
            let id = "90000\(number)"
            return try Sample.named("MSR sale")
                .with("merchant", as: text(merchant)).with("terminal", as: text(terminal))
                .with("body", "BPNPaymentRequest", "merchantCode", as: nil)
                .with("body", "BPNPaymentRequest", "merchantAccountCode", as: text(account))
                .with("body", "BPNPaymentRequest", "invoiceNumber", as: .string(invoice))
                .with("body", "BridgeCommResponse", "gatewayTransactionID", as: .string(id))
                .with("body", "BridgeCommResponse", "transactionID", as: .string(invoice))
                .with("body", "BridgeCommResponse", "authorizationCode", as: .string("29014\(number)"))
                .with("body", "BridgeCommResponse", "originalReferenceNumber", as: .string("MCC775474102\(number)"))
                .with("body", "BridgeCommResponse", "networkReferenceNumber", as: .string("MCC775474102\(number)"))
                .with("body", "BridgeCommResponse", "networkMerchantID", as: text(processor))
                .with("body", "BridgeCommResponse", "networkTerminalID", as: nil)
                .with("body", "BridgeCommResponse", "ISOTransactionDate", as: .string("2016-10-20 \(time)"))
                .with("body", "BPNReceipt", as: nil).record
        }
    }

    private static func closing(at time: String, of tenant: String) -> JSONValue {
        let batch = BatchReference(vendor: .bridgepay, account: account, number: nil)
        return [
            "stream": .string(StreamName.batch(batch, of: tenant)),
            "events": [
                [
                    "schema": 1, "occurredAt": "2016-10-20T19:00:00Z", "type": "BatchClosed",
                    "data": [
                        "batch": ["vendor": "bridgepay", "account": .string(account)], "response": [:],
                        "at": .string(time),
                    ],
                ]
            ],
        ]
    }

    private func describe(_ name: String, zone: String, as caller: Caller) async throws {
        let fields = ["Content-Type": "application/json"]
        let body = #"{"zone":"\#(zone)","reason":"as agreed"}"#
        let answer = try await caller.send("PUT", "/v1/merchants/\(name)", fields, body: body)
        #expect(answer.status == 201, "\(answer.body)")
    }

    private func close(_ record: JSONValue, as caller: Caller) async throws {
        let answer = try await caller.send(
            "POST",
            "/v1/events",
            ["Content-Type": "application/json"],
            body: record.text
        )
        #expect(answer.status == 201, "\(answer.body)")
    }

    private static func net(_ totals: JSONValue) -> [String: Int64] {
        Dictionary(
            uniqueKeysWithValues: (totals["items"]?.array ?? []).map {
                ($0["merchant"]?.string ?? "-", $0["net"]?["value"]?.int64 ?? 0)
            }
        )
    }

    /// A closing locks the day in the journal for every name of the merchant.
    @Test func aDayIsClosedForAllNames() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            let sales = [
                Sale(number: 1, time: "14:00:00", merchant: "shop-7", processor: Self.processor, account: Self.account),
                Sale(number: 2, time: "15:00:00", account: Self.account),
            ]
            _ = try await caller.take("bridgepay", try sales[0].record())
            let fields = ["Content-Type": "application/json"]
            let body = #"{"merchant":"\#(Self.account)","day":"2016-10-20","reason":"done"}"#
            let closed = try await caller.send("POST", "/v1/periods", fields, body: body)
            #expect(closed.status == 201, "\(closed.body)")
            let event = try #require(try await api.events().last { $0.type == "PeriodClosed" })
            let closing = try JSONValue(parsing: event.data.utf8)
            #expect(closing["merchant"] == "shop-7", "\(closing)")
            #expect(closing["otherNames"] == [.string(Self.account), .string(Self.processor)], "\(closing)")
            _ = try await caller.take("bridgepay", try sales[1].record())
            let head = try await api.ledger.reader.head()
            let list = "/v1/journal?account=sales&merchant=\(Self.account)&min_position=\(head)"
            let items = try await caller.get(list).json["items"]?.array ?? []
            #expect(items.map { $0["merchant"]?.string } == ["shop-7", Self.account], "\(items)")
            #expect(items.map { $0["adjusts"]?.string } == [nil, "2016-10-20"], "\(items)")
            #expect(items.first?["day"] == "2016-10-20" && items.last?["day"] != "2016-10-20", "\(items)")
            // The trial balance of the closed day lacks the second sale; that by adjusted day has it.
            let balance = "/v1/trial-balance?account=sales&min_position=\(head)"
            let before = try await caller.get("\(balance)&to_day=2016-10-20").json["items"]?[0]
            let posted = try #require(items.first?["amount"]?["value"]?.int64)
            #expect(before?["credit"]?["value"]?.int64 == -posted, "\(String(describing: before))")
            let adjusted = try await caller.get("\(balance)&by=adjusts").json["items"]?.array ?? []
            #expect(adjusted.map { $0["adjusts"]?.string } == ["2016-10-20", nil], "\(adjusted)")
            let header = try await caller.get("\(list)&columns=day,adjusts", ["Accept": "text/csv"])
            #expect(header.body.hasPrefix("day,adjusts"), "\(header.body)")
        }
    }

    /// The documents of a day, in any order: the same totals, zone and settled payments.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func theOrderOfDocumentsDecidesNothing(seed: UInt64) async throws {
        let sales = [
            Sale(number: 1, time: "14:00:00", merchant: "shop-7", processor: Self.processor, account: Self.account),
            Sale(number: 2, time: "14:10:00", processor: Self.processor),
            Sale(number: 3, time: "14:20:00", terminal: "till-9"),
            Sale(number: 4, time: "15:30:00", account: Self.account, terminal: "till-9"),
        ]
        try await TestAPI.serve { api in
            var random = SeededGenerator(seed: seed)
            for round in 0..<3 {
                let tenant = "acme-\(round)"
                let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile], tenant: tenant)
                for step in Array(0...5).shuffled(using: &random) {
                    switch step {
                    case 4: try await close(Self.closing(at: "2016-10-20T15:00:00", of: tenant), as: caller)
                    case 5: try await describe(Self.account, zone: "America/New_York", as: caller)
                    default: _ = try await caller.take("bridgepay", try sales[step].record())
                    }
                }
                for sale in sales {
                    let status = try await eventually {
                        try await caller.get("/v1/transactions?invoice=\(sale.invoice)").json["items"]?[0]?["status"]
                    } is: {
                        $0 == (sale.number == 4 ? "captured" : "settled")
                    }
                    #expect(status == (sale.number == 4 ? "captured" : "settled"), "\(sale.number) of \(seed).\(round)")
                }
                let head = try await api.events().count
                let totals = try await caller.get("/v1/totals?by=merchant&min_position=\(head)").json
                #expect(Self.net(totals) == ["shop-7": 2200])
                for name in ["shop-7", Self.processor, Self.account] {
                    let own = try await caller.get("/v1/totals?by=day&merchant=\(name)").json
                    #expect(own["zone"] == "America/New_York" && own["items"]?[0]?["net"]?["value"] == 2200)
                    let found = try await caller.get("/v1/transactions?merchant=\(name)").json
                    #expect(found["items"]?.array?.count == 4)
                }
                let batches = try await caller.get("/v1/batches?terminal=\(Self.account)").json["items"]?.array ?? []
                #expect(batches.first?["status"] == "closed" && batches.first?["net"]?[0]?["value"] == 2200)
            }
        }
    }

    /// A terminal that was moved: its sales of another shop are in no batch of the account that it belongs to now.
    @Test func aClosingTakesNoSaleOfAnotherShop() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            let sales = [
                Sale(number: 1, time: "14:00:00", merchant: "shop-7", account: Self.account, terminal: "till-9"),
                Sale(number: 2, time: "14:10:00", merchant: "shop-8", terminal: "till-9"),
                Sale(number: 3, time: "14:20:00", terminal: "till-9"),
                Sale(number: 4, time: "14:30:00", merchant: "shop-7", terminal: "till-9"),
            ]
            for sale in sales { _ = try await caller.take("bridgepay", try sale.record()) }
            try await close(Self.closing(at: "2016-10-20T15:00:00", of: "acme"), as: caller)
            func status(_ sale: Sale) async throws -> JSONValue? {
                try await caller.get("/v1/transactions?invoice=\(sale.invoice)").json["items"]?[0]?["status"]
            }
            for sale in [sales[0], sales[2], sales[3]] {
                let found = try await eventually {
                    try await status(sale)
                } is: {
                    $0 == "settled"
                }
                #expect(found == "settled", "\(sale.number)")
            }
            let other = try await status(sales[1])
            #expect(other == "captured")
        }
    }

    /// A payment that names the merchant by another name, or is only at its terminal, is explained with the merchant's.
    @Test func reportsAndExceptionsHoldEveryNameOfTheMerchant() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .read, .reconcile])
            let sales = [
                Sale(number: 1, time: "14:00:00", merchant: "shop-7", processor: Self.processor, terminal: "till-9"),
                Sale(number: 2, time: "14:10:00", processor: Self.processor),
                Sale(number: 3, time: "14:20:00", terminal: "till-9"),
                Sale(number: 4, time: "14:30:00", merchant: "shop-8", terminal: "till-8"),
            ]
            for sale in sales { _ = try await caller.take("bridgepay", try sale.record()) }
            // The processor has reported everything until a later day.
            let file = """
                type,currency,gross,fee,net,processor_id,day,merchant
                sale,USD,1.00,,1.00,g-8,2016-11-20,shop-9

                """
            let imported = try await caller.send("POST", "/v1/statements", ["Content-Type": "text/csv"], body: file)
            #expect(imported.status == 201, "\(imported.body)")
            let run = try await caller.send("POST", "/v1/reconciliations", ["Idempotency-Key": "run-1"])
            #expect(run.status == 201, "\(run.body)")
            for (name, count) in [("shop-7", 3), (Self.processor, 3), ("shop-8", 1)] {
                let query = "merchant=\(name)&class=missing-at-processor"
                let found = try await caller.get("/v1/exceptions?\(query)").json["items"]?.array ?? []
                #expect(found.count == count, "\(name): \(found)")
                let head = try await api.events().count
                let past = try await caller.get("/v1/exceptions?\(query)&as_of_position=\(head)").json
                #expect(past["items"]?.array?.count == count, "\(name)")
                for days in ["", "&from=2016-10-20&to=2016-10-20"] {
                    let report = try await caller.get("/v1/reconciliation-report?merchant=\(name)\(days)").json
                    let movements = (report["ledger"]?.array ?? []).compactMap { $0["count"]?.int64 }
                    #expect(movements.reduce(0, +) == Int64(count), "\(name)\(days)")
                    let open = (report["exceptions"]?.array ?? []).compactMap { $0["open"]?.int64 }
                    #expect(open.reduce(0, +) == Int64(count), "\(name)\(days)")
                }
            }
        }
    }

    @Test func aNameOfTwoShopsStaysItself() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            func take(_ sale: Sale) async throws { _ = try await caller.take("bridgepay", try sale.record()) }
            try await take(Sale(number: 1, time: "14:00:00", processor: Self.processor))
            try await take(
                Sale(number: 2, time: "14:01:00", merchant: "shop-7", processor: Self.processor, account: Self.account)
            )
            try await describe("shop-7", zone: "America/New_York", as: caller)
            let one = try await api.events().count
            let linked = try await caller.get("/v1/totals?by=merchant&min_position=\(one)").json
            #expect(Self.net(linked) == ["shop-7": 1100])
            let described = try await caller.get("/v1/merchants/\(Self.processor)").json
            #expect(described["merchant"] == "shop-7" && described["zone"] == "America/New_York")
            func names() async throws -> [String] {
                let item = try await caller.get("/v1/merchants").json["items"]?[0]
                return (item?["names"]?.array ?? []).map { name in
                    "\(name["role"]?.string ?? "") \(name["name"]?.string ?? "")"
                        + (name["ambiguous"] == true ? " ambiguous" : "")
                }
            }
            #expect(try await names() == ["sender shop-7", "processor \(Self.processor)", "account \(Self.account)"])

            try await take(
                Sale(number: 3, time: "14:02:00", merchant: "shop-8", processor: Self.processor, account: "320002")
            )
            try await take(Sale(number: 4, time: "14:03:00", account: "320002"))
            let two = try await api.events().count
            let split = try await caller.get("/v1/totals?by=merchant&min_position=\(two)").json
            #expect(Self.net(split) == ["shop-7": 550, "shop-8": 1100, Self.processor: 550])
            #expect(
                try await names()
                    == ["sender shop-7", "processor \(Self.processor) ambiguous", "account \(Self.account)"]
            )
            #expect(try await caller.get("/v1/merchants/\(Self.processor)").status == 404)
            // Answers about the past use the names that were linked then.
            let before = try await caller.get("/v1/totals?by=merchant&as_of_position=\(one)").json
            #expect(Self.net(before) == ["shop-7": 1100])
            let then = "/v1/totals?by=day&merchant=\(Self.processor)"
            #expect(try await caller.get("\(then)&as_of_position=\(one)").json["zone"] == "America/New_York")
            #expect(try await caller.get(then).json["zone"] == "+00:00")
        }
    }
}
