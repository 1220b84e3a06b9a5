import Canonical
import Payments
import Testing
import Vendors

/// The guide's rules about properties: required, exclusive, and with a maximum. A breach is flagged, and the document
/// is recorded.
@Suite("BridgePay rules")
struct BridgePayRuleTests {
    private typealias Documents = BridgePayDocuments

    /// The flagged rules, without the name of the request.
    private static func broken(
        _ members: [String: JSONValue],
        of fixture: String = "msr-sale-request"
    ) throws -> [String] {
        let observation = try Documents.request(fixture, members)
        #expect(observation.anomalies.allSatisfy { $0.kind == .malformedField }, "\(observation.anomalies)")
        return observation.anomalies.map { $0.explanation.replacing("BPNPaymentRequest.", with: "") }
    }

    /// A request of each type that has everything.
    private static let complete: [(type: String, members: [String: JSONValue])] = [
        ("SALE", [:]), ("SALE_AUTH", [:]), ("CREDIT", [:]), ("ACCOUNT_VERIFICATION", ["amount": "0.00"]),
        ("CAPTURE", ["pnRefNum": "1"]), ("TIP_ADJUST", ["pnRefNum": "1", "tipAmount": "0.00", "amount": .null]),
        ("VOID", ["pnRefNum": "1", "amount": .null]), ("REFUND", ["pnRefNum": "1", "amount": .null]),
        ("FIND_TRANSACTION", ["pnRefNum": "1", "amount": .null]), ("ACTIVATE", [:]), ("REACTIVATE", [:]),
        ("DEACTIVATE", ["amount": .null]), ("BALANCE_INQUIRY", ["amount": .null]), ("PCI_TOKEN", ["amount": .null]),
    ]

    @Test("Every type of request needs its properties, and no others")
    func required() throws {
        let ofAll = ["invoiceNumber", "tenderType", "merchantCode", "merchantAccountCode", "industryType"]
        let payments = ["SALE", "SALE_AUTH", "CREDIT", "ACCOUNT_VERIFICATION", "CAPTURE", "ACTIVATE", "REACTIVATE"]
        for (type, members) in Self.complete {
            let whole = members.merging(["transactionType": .string("TRANSACTION_TYPE_\(type)")]) { $1 }
            #expect(try Self.broken(whole) == [], "\(type)")
            var needed = ofAll
            if payments.contains(type) { needed.append("amount") }
            if ["CAPTURE", "TIP_ADJUST", "VOID", "REFUND"].contains(type) { needed.append("pnRefNum") }
            if type == "TIP_ADJUST" { needed.append("tipAmount") }
            for name in needed {
                let found = try Self.broken(whole.merging([name: .null]) { $1 })
                #expect(found == ["\(name) is required and not there"], "\(type)")
            }
        }
        let find: [String: JSONValue] = ["transactionType": "TRANSACTION_TYPE_FIND_TRANSACTION"]
        #expect(try Self.broken(find) == ["BPNPaymentRequest names no transaction to find"])
        #expect(try Self.broken(find.merging(["transactionCode": "T1"]) { $1 }) == [])
    }

    @Test("Requests for a token, finds, and the older constructor")
    func otherRequests() throws {
        func broken(_ fixture: String, _ members: [String: JSONValue]) throws -> [String] {
            try Documents.request(fixture, members).anomalies.map(\.explanation)
        }
        for (fixture, kind) in [
            ("token-request", "BPNTokenRequest"), ("token-sale-by-id-request", "BPNTokenRequest"),
            ("find-request", "BPNFindRequest"),
        ] {
            #expect(try broken(fixture, [:]) == [])
            for name in ["merchantCode", "merchantAccountCode"] {
                #expect(try broken(fixture, [name: .null]) == ["\(kind).\(name) is required and not there"])
            }
        }
        #expect(
            try broken("token-sale-by-id-request", ["industryType": .null])
                == ["BPNTokenRequest.industryType is required and not there"]
        )
        let nameless: [String: JSONValue] = ["invoiceNumber": .null, "gatewayTransID": .null, "purchaseToken": .null]
        #expect(try broken("find-request", nameless) == ["BPNFindRequest names no transaction to find"])
        // It has a device type in place of terminal and line of business.
        #expect(try broken("emv-sale-request", [:]) == [])
        #expect(try broken("cancelled-sale-request", [:]) == [])
    }

    @Test("Properties that exclude each other, or belong to some operations only")
    func exclusive() throws {
        let token: JSONValue = "11110000000068530608"
        let check: [String: JSONValue] = [
            "tenderType": "TENDER_TYPE_BANK_ACCOUNT_CHECKING", "bankAccountNumber": "12345678901234567",
            "routingNumber": "123456789",
        ]
        let onCredit = check.merging(["tenderType": "TENDER_TYPE_CREDIT"]) { $1 }
        let half = check.merging(["routingNumber": .null]) { $1 }
        let delay: [String: JSONValue] = ["settlementDelay": "3", "transactionType": "TRANSACTION_TYPE_SALE_AUTH"]
        let rows: [([String: JSONValue], [String])] = [
            (["token": token, "terminalType": .null], []),
            (["token": token], ["token is there with a terminalType"]),
            (
                ["token": token, "terminalType": .null, "walletPaymentMethodId": "w"],
                ["BPNPaymentRequest names token and walletPaymentMethodId; one is allowed"]
            ),
            (
                ["token": token, "terminalType": .null, "paymentAccountNumber": "4111111111111111"],
                ["BPNPaymentRequest names paymentAccountNumber and token; one is allowed"]
            ),
            (check, []),
            (onCredit, ["bankAccountNumber is for checks, and tenderType is credit"]),
            (half, ["bankAccountNumber is there without the other number of a bank account"]),
            (
                ["transactionType": "TRANSACTION_TYPE_CREDIT", "pnRefNum": "214973401"],
                ["pnRefNum names an original, which a credit does not have"]
            ),
            (["cashBackAmount": "200"], []),
            (
                ["cashBackAmount": "200", "transactionType": "TRANSACTION_TYPE_SALE_AUTH"],
                ["cashBackAmount is not for requests of type authorization"]
            ),
            (["cashBackAmount": "0", "transactionType": "TRANSACTION_TYPE_SALE_AUTH"], []),
            (delay, []), (["settlementDelay": "3"], ["settlementDelay is not for requests of type sale"]),
            (["terminalCommConfig": ["terminalType": "TERMINAL_TYPE_INGENICO_IP", "ipAddress": "10.0.0.7"]], []),
            (
                ["terminalCommConfig": ["terminalType": "TERMINAL_TYPE_BBPOS_WISEPAD2", "ipAddress": "10.0.0.7"]],
                ["terminalCommConfig.ipAddress is for IP terminals"]
            ),
        ]
        for (members, found) in rows { #expect(try Self.broken(members) == found, "\(members)") }
    }

    @Test("A tax has its amount, rate and indicator")
    func taxes() throws {
        let tax: [String: JSONValue] = ["taxAmount": "125", "taxRate": "550", "taxIndicator": "P"]
        #expect(try Self.broken(tax) == [])
        for name in tax.keys {
            #expect(try Self.broken(tax.merging([name: .null]) { $1 }) == ["\(name): required with a tax, not there"])
        }
        let both = "taxIndicator and taxRate: required with a tax, not there"
        #expect(try Self.broken(["taxAmount": "125"]) == [both])
        #expect(try Self.broken(["taxIndicator": "E"]) == [])
        #expect(try Self.broken(["taxAmount": "0"]) == [])
    }

    private static func text(_ count: Int, after start: String = "") -> JSONValue {
        .string(start + String(repeating: "x", count: count))
    }

    @Test("Every maximum of an answer that the guide's samples keep")
    func limitsOfAnswers() throws {
        let rows: [(field: String, kept: JSONValue, broken: JSONValue)] = [
            ("requestType", "004", "0000000000000004"), ("responseCode", "00000", "0000000"),
            ("authorizationCode", Self.text(50), Self.text(51)), ("authorizedAmount", "$5.50", "$9999999999.99"),
            ("originalAmount", "$5.50", "$9999999999.99"), ("remainingAmount", "$0.00", "$9999999999.99"),
            ("gatewayTransactionID", "214973401234", "2149734012345"),
            ("gatewayMessage", Self.text(44, after: "A01 - "), Self.text(45, after: "A01 - ")),
            ("internalMessage", Self.text(50), Self.text(51)), ("AVSMessage", Self.text(10), Self.text(11)),
            ("CVMessage", Self.text(10), Self.text(11)), ("transactionDate", "2016-10-20", "2016-10-20 14"),
            ("AVSResponse", "4D", Self.text(11)), ("CVResult", "M", Self.text(11)), ("ISOCountryCode", "840", "8400"),
            ("merchantCode", "320000", "32000A"), ("merchantAccountCode", "320001", "32-0001"),
            ("merchantName", Self.text(50), Self.text(51)), ("walletResponseCode", "00", "000"),
            ("walletResponseMessage", Self.text(100), Self.text(101)),
        ]
        func limits(_ field: String, _ value: JSONValue) throws -> [String] {
            try Documents.payment("msr-sale", response: [field: value]).anomalies
                .filter { $0.kind == .limitExceeded }.map(\.explanation)
        }
        for row in rows {
            #expect(try limits(row.field, row.kept) == [], "\(row.field)")
            let found = try limits(row.field, row.broken)
            #expect(found.count == 1 && found[0].hasPrefix("BridgeCommResponse.\(row.field): "), "\(row): \(found)")
            #expect(!found.contains { $0.contains("xxxx") || $0.contains("9999") })
        }
        // Only the digest is left of a wallet's id.
        #expect(try limits("walletId", "0f6d1c2e") == [])
    }

    @Test("Every limit of a receipt that the guide's samples keep")
    func limitsOfReceipts() throws {
        let rows: [(field: String, kept: JSONValue, broken: JSONValue)] = [
            ("maskedCardNumber", "5***********0608:", "4****9269:"),
            ("maskedCardNumber", ":", "4********************9269"),
            ("invoice", Self.text(24), Self.text(25)), ("authorizationCode", "290144", "2901"),
            ("entryMethod", "Swipe_Read", Self.text(51)), ("totalAmount", "5.5", "9999999999.99"),
            ("appLabel", Self.text(50), Self.text(51)), ("cardFirstFour", "5413", "54131"),
        ]
        for row in rows {
            func limits(_ value: JSONValue) throws -> [String] {
                try Documents.payment("msr-sale", receipt: [row.field: value]).anomalies
                    .filter { $0.kind == .limitExceeded }.map(\.explanation)
            }
            #expect(try limits(row.kept) == [], "\(row.field)")
            let found = try limits(row.broken)
            #expect(found.count == 1 && found[0].hasPrefix("BPNReceipt.\(row.field): "), "\(row): \(found)")
        }
    }
}
