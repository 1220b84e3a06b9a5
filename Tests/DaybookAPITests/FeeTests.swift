import Access
import Canonical
import Composition
import DaybookTestKit
import Tables
import Testing

/// The statement of fees over HTTP.
@Suite struct FeeTests {
    private func add(_ rows: String..., as caller: Caller) async throws {
        let head = "type,currency,gross,fee_interchange,net,day,processor_id,merchant,brand"
        let text = ([head] + rows).map { $0 + "\n" }.joined()
        let answer = try await caller.send("POST", "/v1/statements", ["Content-Type": "text/csv"], body: text)
        try #require(answer.status == 201, "\(answer.body)")
    }

    private func agree(on contracts: String, as caller: Caller, _ api: TestAPI) async throws -> Int64 {
        let body = #"{"rules":{"contracts":\#(contracts)},"reason":"as agreed"}"#
        let fields = ["Content-Type": "application/json"]
        let proposed = try await caller.send("PUT", "/v1/reconciliation-rules", fields, body: body)
        let approved = try await api.approve(proposed)
        #expect(approved.status == 201, "\(approved.body)")
        return try #require(approved.fields["daybook-position"].flatMap { Int64($0) })
    }

    @Test func feesAreComparedWithContracts() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            try await add(
                "sale,EUR,100.00,-0.21,99.79,2026-03-02,A,shop,visa",
                "sale,EUR,900.00,-1.91,898.09,2026-03-03,B,shop,visa",
                "fee,EUR,-2.50,,-2.50,2026-03-03,C,shop,",
                as: caller
            )
            let contract =
                #"{"processor":"daybook-csv","brand":"Visa","component":"interchange","currency":"EUR","begins":"2026-01-01","#
                + #""basisPointHundredths":2000,"fixed":1}"#
            let position = try await agree(on: "[\(contract)]", as: caller, api)
            try await api.ledger.catchUp()
            let found = try await caller.get("/v1/fees?min_position=\(position)").json
            let alone: JSONValue = [
                "merchant": "shop", "processor": "daybook-csv", "component": "other", "source": "lines",
                "amount": ["value": 250, "currency": "EUR"], "lines": 1, "comparison": "no-contract",
            ]
            #expect(
                found["items"] == [
                    alone,
                    [
                        "merchant": "shop", "processor": "daybook-csv", "brand": "visa", "component": "interchange",
                        "source": "payments", "amount": ["value": 212, "currency": "EUR"], "lines": 2,
                        "volume": ["value": 100_000, "currency": "EUR"], "basisPointHundredths": 2120,
                        "comparison": "differs",
                        "contract": ["begins": "2026-01-01", "basisPointHundredths": 2000, "fixed": 1],
                        "expected": ["value": 202, "currency": "EUR"],
                        "difference": ["value": 10, "currency": "EUR"],
                    ],
                ]
            )
            let names =
                "brand,amount_decimal,volume,basis_point_hundredths,comparison,contract_fixed,difference_decimal"
            let csv = try await caller.get("/v1/fees?columns=\(names)", ["Accept": "text/csv"]).body
            let rows = try CSVReader.rows(csv.utf8, .raw)
            #expect(rows.count == 3 && rows[2] == ["visa", "2.12", "100000", "2120", "differs", "1", "0.10"], "\(csv)")
            // The contract is newer than the fees.
            let past = try await caller.get("/v1/fees?as_of_position=\(position - 2)").json
            #expect(past["asOfPosition"]?.int64 == position - 2)
            #expect(past["items"]?.array?.compactMap { $0["comparison"] } == ["no-contract", "no-contract"])
            #expect(try await caller.get("/v1/fees?as_of_position=0").json["items"] == [])
            for (query, amounts) in [
                ("brand=visa", [212]), ("brand=Visa", []), ("processor=daybook-csv&component=other", [250]),
                ("from_day=2026-03-03", [250, 191]), ("to_day=2026-03-02&merchant=shop", [21]), ("currency=USD", []),
            ] as [(String, [Int64])] {
                let items = try await caller.get("/v1/fees?\(query)").json["items"]?.array ?? []
                #expect(items.compactMap { $0["amount"]?["value"]?.int64 } == amounts, "\(query)")
            }
            for query in ["part=other", "by=brand", "limit=1"] {
                #expect(try await caller.get("/v1/fees?\(query)").code == "unknown-parameter", "\(query)")
            }
            #expect(try await caller.get("/v1/fees?from_day=2026-02-30").code == "invalid-parameter")
            let stranger = try await api.caller([.read], tenant: "other")
            #expect(try await stranger.get("/v1/fees").json["items"] == [])
        }
    }

    /// The sum exceeds 64 bits, as it does in the trial balance.
    @Test func sumsThatDoNotFitAreRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            for number in 1...2 {
                try await add(
                    "fee,USD,-90000000000000000.00,,-90000000000000000.00,2026-03-02,F\(number),,",
                    as: caller
                )
            }
            try await api.ledger.catchUp()
            for path in ["/v1/fees", "/v1/trial-balance"] {
                let answer = try await caller.get(path)
                #expect(answer.status == 422 && answer.code == "balance-overflow", "\(answer.body)")
            }
            #expect(try await caller.get("/v1/fees?to_day=2026-03-01").json["items"] == [])
        }
    }
}
