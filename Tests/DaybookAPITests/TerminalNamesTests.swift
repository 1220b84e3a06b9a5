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

    private static let sale: JSONValue = [
        "kind": "didReceiveV2Response", "terminal": .string(serial), "occurredAt": "2024-12-19T10:00:00Z",
        "body": [
            "RefId": "688041066395", "AuthCode": "DSC380", "PNRef": "400907500270", "ResultCode": "0",
            "Message": "APPROVED", "RespMsg": "APPROVAL DSC380", "PaymentType": "credit", "HostResponseCode": "00",
            "ExtData": [
                "Amount": "10.00", "BaseAmount": "10.00", "TotalAmt": "10.00", "BatchNum": "243", "RespCode": "00",
                "RRN": "400907500270", "HostTxnId": "123456789012345", "txnId": "00000433772392582420241219100000",
                "TxnType": "1", "txnLabel": "Sale", "DateTime": "20241219100000",
            ],
        ],
    ]

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
}
