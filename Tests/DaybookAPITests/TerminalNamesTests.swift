import Access
import Canonical
import DaybookTestKit
import Payments
import Testing

/// A Dejavoo terminal that its app names by the serial number, and its batches by the TPN.
@Suite struct TerminalNamesTests {
    private static let tpn = "794524937054"
    private static let serial = "P8-223-00417-A"

    private static let registration: JSONValue = [
        "kind": "RegisterData", "terminal": .string(serial), "occurredAt": "2024-12-19T08:00:00Z",
        "body": ["tpn": .string(tpn), "merchantCode": "12345678912"],
    ]

    private static let sale = answer("Sale", "400907500270", "00000433772392582420241219100000", "1")

    private static func answer(_ label: String, _ number: String, _ id: String, _ type: String) -> JSONValue {
        [
            "kind": "didReceiveV2Response", "terminal": .string(serial), "occurredAt": "2024-12-19T10:00:00Z",
            "body": [
                "RefId": .string("R\(id)"), "AuthCode": "DSC380", "PNRef": .string(number), "ResultCode": "0",
                "Message": "APPROVED", "RespMsg": "APPROVAL DSC380", "PaymentType": "credit", "HostResponseCode": "00",
                "ExtData": [
                    "Amount": "10.00", "BaseAmount": "10.00", "TotalAmt": "10.00", "BatchNum": "243", "RespCode": "00",
                    "RRN": .string(number), "HostTxnId": .string("H\(id)"), "txnId": .string(id),
                    "TxnType": .string(type), "txnLabel": .string(label), "DateTime": "20241219100000",
                ],
            ],
        ]
    }

    private static let settlement: JSONValue = [
        "kind": "BatchSettlement", "occurredAt": "2024-12-19T11:46:20Z",
        "body": [
            "transaction_title": "settlements", "Tpn": .string(tpn), "transaction_type": 7, "batch_no": 243,
            "timeStamp": "20241219114620", "transaction_id": "84566476174593705420241219114620",
            "status": "BATCH SETTLED", "statusCode": "00",
        ],
    ]

    @Test("The closing of the TPN's batch settles the terminal's sales, in any order of the documents")
    func anyOrder() async throws {
        let documents = [Self.registration, Self.sale, Self.settlement]
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        try await TestAPI.serve { api in
            for (round, order) in orders.enumerated() {
                let caller = try await api.caller([.documents, .read], tenant: "acme-\(round)")
                for index in order { _ = try await caller.take("dejavoo", documents[index]) }
                let status = try await eventually {
                    try await caller.get("/v1/transactions").json["items"]?[0]?["status"]
                } is: {
                    $0 == "settled"
                }
                #expect(status == "settled", "\(order)")
                let batches = try await caller.get("/v1/batches?number=243").json["items"]?.array ?? []
                let own = batches.filter { $0["account"]?.string == Self.tpn }
                #expect(own.count == 1 && own.first?["status"] == "closed")
                #expect(own.first?["net"]?[0]?["value"] == 1000, "\(order)")
            }
        }
    }

    @Test("A sale that was voided before the closing is in the TPN's batch, which is the only one with the number")
    func voided() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .read], tenant: "acme")
            let documents = [
                Self.registration, Self.sale,
                Self.answer("Sale", "400907500271", "00000433772392582420241219100001", "1"),
                Self.answer("Void", "400907500271", "00000433772392582420241219100002", "3"), Self.settlement,
            ]
            for document in documents { _ = try await caller.take("dejavoo", document) }
            let items = try await eventually {
                try await caller.get("/v1/batches?number=243").json["items"]?.array ?? []
            } is: {
                $0.count == 1 && $0[0]["net"]?[0]?["value"] == 1000
            }
            #expect(items.map { $0["account"]?.string } == [Self.tpn] && items[0]["status"] == "closed")
            let id = try #require(items[0]["id"]?.string)
            let members = try await caller.get("/v1/batches/\(id)/members").json["items"]?.array ?? []
            #expect(members.count == 2)
            #expect(members.compactMap { $0["voided"]?["value"]?.int64 }.reduce(0, +) == 1000)
            let totals = try await caller.get("/v1/batches/\(id)/totals").json["items"]?.array ?? []
            #expect(totals.first?["voided"]?["value"] == 1000 && totals.first?["captured"]?["value"] == 1000)
        }
    }
}
