import Canonical
import Payments
import Testing
import Vendors

/// Every row of every table of the guide and of the gateway's code lists: a row that is missing in the adapter fails
/// here.
@Suite("BridgePay tables")
struct BridgePayTableTests {
    private func sale(
        response: [String: JSONValue] = [:],
        request: [String: JSONValue] = [:]
    ) throws -> Observation {
        try BridgePayDocuments.payment("msr-sale", response: response, request: request)
    }

    private func unknownValues(_ observation: Observation) -> [Anomaly] {
        observation.anomalies.filter { $0.kind == .unknownValue }
    }

    @Test("Tender types, by the guide's names and BridgeComm's letters")
    func tenders() throws {
        let rows: [(String, String)] = [
            ("TENDER_TYPE_CREDIT", "credit"), ("TENDER_TYPE_DEBIT", "debit"), ("TENDER_TYPE_GIFT", "gift"),
            ("TENDER_TYPE_LOYALTY", "loyalty"), ("TENDER_TYPE_EBT_CASH", "ebt-cash"),
            ("TENDER_TYPE_EBT_FOOD", "ebt-food"), ("TENDER_TYPE_BANK_ACCOUNT_CHECKING", "bank-account-checking"),
            ("TENDER_TYPE_BANK_ACCOUNT_SAVINGS", "bank-account-savings"), ("TENDER_TYPE_SIGNATURE", "signature"),
            ("R", "credit"), ("E", "debit"), ("V", "debit"), ("D", "debit"), ("I", "debit"),
            ("S", "bank-account-savings"), ("C", "bank-account-checking"), ("F", "ebt-food"), ("H", "ebt-cash"),
            ("G", "gift"), ("L", "fleet"), ("A", "cash"), ("K", "check"),
        ]
        for (name, tender) in rows {
            let observation = try sale(request: ["tenderType": .string(name)])
            guard case .saleRequested(let request)? = observation.events.first else {
                Issue.record("no sale")
                continue
            }
            #expect(request.tender == tender, "\(name)")
            #expect(unknownValues(observation).isEmpty, "\(name)")
        }
        let unknown = try sale(request: ["tenderType": "abcd"])
        #expect(unknownValues(unknown).map(\.explanation) == ["BPNPaymentRequest.tenderType is not documented: abcd"])
    }

    @Test("Transaction types, requested and answered")
    func transactionTypes() throws {
        let rows: [(type: String, message: String, events: [String])] = [
            ("SALE", "A01", ["SaleRequested", "AuthorizationApproved", "Captured"]),
            ("SALE_AUTH", "A01", ["AuthorizationRequested", "AuthorizationApproved"]),
            ("REFUND", "A02", ["Refunded"]),
            ("VOID", "A03", ["Voided"]),
            ("CAPTURE", "A01", ["Captured"]),
            ("TIP_ADJUST", "A12", ["TipAdjusted"]),
            ("CREDIT", "A02", ["CreditRequested", "CreditApproved"]),
            ("BALANCE_INQUIRY", "A01", ["BalanceInquired"]),
            ("FIND_TRANSACTION", "A01", ["OutcomeResolved"]),
            ("ACTIVATE", "A01", ["GiftCardActivated"]),
            ("REACTIVATE", "A01", ["GiftCardLoaded"]),
            ("DEACTIVATE", "A01", ["GiftCardDeactivated"]),
            ("ACCOUNT_VERIFICATION", "A01", ["VerificationRequested", "AccountVerified"]),
        ]
        for row in rows {
            let observation = try sale(
                response: ["gatewayMessage": .string(row.message), "requestType": .null],
                request: ["transactionType": .string("TRANSACTION_TYPE_" + row.type), "tipAmount": "1.00"]
            )
            #expect(observation.types.filter { $0 != "AnomalyRaised" } == row.events, "\(row.type)")
            #expect(unknownValues(observation).isEmpty, "\(row.type)")
        }
        // A token without an amount is a token; with an amount it is a sale.
        let token = try sale(
            response: ["requestType": "001", "responseTypeDescription": .null],
            request: ["transactionType": "TRANSACTION_TYPE_PCI_TOKEN", "amount": .null]
        )
        #expect(token.types == ["TokenIssued"])
        let paid = try sale(request: ["transactionType": "TRANSACTION_TYPE_PCI_TOKEN"])
        #expect(paid.types == ["SaleRequested", "AuthorizationApproved", "Captured"])
    }

    @Test("Industry, terminal and tax types are known, others are flagged")
    func otherTypes() throws {
        let industries = [
            "TRANSACTION_INDUSTRY_TYPE_RETAIL", "TRANSACTION_INDUSTRY_TYPE_RESTAURANT",
            "TRANSACTION_INDUSTRY_TYPE_ECOMMERCE", "TRANSACTION_INDUSTRY_TYPE_DIRECT_MARKETING",
            "TRANSACTION_INDUSTRY_TYPE_LODGING", "TRANSACTION_INDUSTRY_TYPE_HEALTHCARE", "RE", "RS", "EC", "DM", "LD",
            "PT", "POP", "PPD", "CCD", "TEL", "WEB", "C21",
        ]
        for name in industries { #expect(unknownValues(try sale(request: ["industryType": .string(name)])).isEmpty) }
        #expect(unknownValues(try sale(request: ["industryType": "TRANSACTION_INDUSTRY_TYPE_CASINO"])).count == 1)
        let terminals = [
            "TERMINAL_TYPE_INGENICO_BLUETOOTH", "TERMINAL_TYPE_INGENICO_IP", "TERMINAL_TYPE_MAGTEK_IDYNAMO",
            "TERMINAL_TYPE_IDTECH_SHUTTLE", "TERMINAL_TYPE_IDTECH_UNIPAYIII", "TERMINAL_TYPE_IDTECH_UNIPAY_BT",
            "TERMINAL_TYPE_BBPOS_CHIPPER2", "TERMINAL_TYPE_BBPOS_WISEPAD2",
        ]
        for name in terminals {
            let type = JSONValue.string(name)
            let local: JSONValue = ["terminalType": type]
            let remote: JSONValue = ["terminalType": type, "ipAddress": "10.0.0.7", "port": "12000"]
            // An IP terminal has an address, and no other has one.
            let isIP = name == "TERMINAL_TYPE_INGENICO_IP"
            let expected = isIP ? (local: 1, remote: 0) : (local: 0, remote: 2)
            #expect(try sale(request: ["terminalCommConfig": local]).anomalies.count == expected.local, "\(name)")
            #expect(try sale(request: ["terminalCommConfig": remote]).anomalies.count == expected.remote, "\(name)")
        }
        #expect(unknownValues(try sale(request: ["terminalCommConfig": ["terminalType": "ABACUS"]])).count == 1)
        for name in ["P", "N", "E"] {
            #expect(unknownValues(try sale(request: ["taxIndicator": .string(name)])).isEmpty)
        }
        #expect(unknownValues(try sale(request: ["taxIndicator": "Q"])).count == 1)
    }

    @Test("Request types identify the answer if there is no request")
    func requestTypes() throws {
        let rows: [(type: String, description: JSONValue, message: String, events: [String])] = [
            ("001", .null, "A01", ["TokenIssued"]),
            ("004", "sale", "A01", ["SaleRequested", "AuthorizationApproved", "Captured"]),
            ("004", "auth", "A01", ["AuthorizationRequested", "AuthorizationApproved"]),
            ("004", .null, "A01", ["AuthorizationApproved", "AnomalyRaised"]),
            ("004", .null, "A12", ["TipAdjusted"]),
            ("007", .null, "A01", ["CommandAnswered"]),
            ("011", .null, "A01", ["CommandAnswered"]),
            ("012", .null, "A02", ["Refunded"]),
            ("012", .null, "A03", ["Voided"]),
            ("014", "activate", "A01", ["GiftCardActivated"]),
            ("014", "reactivate", "A01", ["GiftCardLoaded"]),
            ("014", "deactivate", "A01", ["GiftCardDeactivated"]),
            ("014", "balance inquiry", "A01", ["BalanceInquired"]),
            ("015", .null, "A01", ["BalanceInquired"]),
            ("015", "account-verification", "A01", ["VerificationRequested", "AccountVerified"]),
            ("019", .null, "A01", ["Captured"]),
            ("020", .null, "A10", ["BatchCloseRequested"]),
            ("023", .null, "A01", ["OutcomeResolved"]),
        ]
        for row in rows {
            let observation = try BridgePayDocuments.answer(
                "tip-adjust",
                [
                    "requestType": .string(row.type), "responseTypeDescription": row.description,
                    "gatewayMessage": .string(row.message), "responseCode": "0",
                ]
            )
            #expect(observation.types == row.events, "\(row.type) \(row.message)")
        }
        let unknown = try BridgePayDocuments.answer(
            "tip-adjust",
            ["requestType": "099", "gatewayMessage": "A01", "responseTypeDescription": "carousel"]
        )
        guard case .unplaced(let anomalies) = unknown.subject else {
            Issue.record("placed")
            return
        }
        #expect(Set(anomalies.map(\.kind)) == [.unknownValue])
    }

    @Test("Message codes")
    func messageCodes() throws {
        let rows: [(String, String)] = [
            ("A01", "AuthorizationApproved"), ("A05", "PartiallyApproved"), ("A09", "OutcomeUnknown"),
            ("A11", "AuthorizationApproved"), ("A60", "AuthorizationApproved"), ("A61", "AuthorizationApproved"),
            ("A62", "AuthorizationApproved"),
            // Approvals of operations other than a sale contradict it.
            ("A02", "OutcomeUnknown"), ("A03", "OutcomeUnknown"), ("A06", "OutcomeUnknown"), ("A07", "OutcomeUnknown"),
            ("A08", "OutcomeUnknown"), ("A12", "OutcomeUnknown"),
            ("A04", "Failed"), ("A10", "OutcomeUnknown"),
            ("D01", "Declined"), ("D03", "Declined"), ("D04", "Declined"), ("D05", "Declined"), ("D08", "Declined"),
            ("D09", "Declined"), ("D10", "Declined"), ("D11", "Declined"), ("D16", "Declined"), ("D17", "Declined"),
            ("D24", "Declined"), ("D25", "Declined"), ("D26", "Declined"), ("D28", "Declined"), ("D30", "Declined"),
            ("D31", "Declined"), ("D32", "Declined"), ("D35", "Declined"), ("E02", "OutcomeUnknown"),
            ("E09", "OutcomeUnknown"), ("X01", "Cancelled"), ("X02", "OutcomeUnknown"), ("X04", "Declined"),
            ("C01", "OutcomeUnknown"), ("C02", "OutcomeUnknown"), ("C03", "OutcomeUnknown"),
            ("C04", "OutcomeUnknown"), ("C05", "OutcomeUnknown"), ("C06", "OutcomeUnknown"),
        ]
        for (code, type) in rows {
            let observation = try sale(
                response: ["gatewayMessage": .string("\(code) - text"), "gatewayResult": .null, "responseCode": .null]
            )
            #expect(observation.types[1] == type, "\(code)")
            #expect(unknownValues(observation).isEmpty, "\(code)")
        }
        // Unlisted codes are classified by their letter and flagged.
        let late = try sale(response: ["gatewayMessage": "D77 - text", "gatewayResult": .null, "responseCode": .null])
        #expect(late.types[1] == "Declined")
        #expect(unknownValues(late).count == 1)
    }

    @Test("Result codes")
    func resultCodes() throws {
        var rows: [(String, String)] = [
            ("00000", "AuthorizationApproved"), ("0", "AuthorizationApproved"), ("00001", "PartiallyApproved"),
            ("20002", "OutcomeUnknown"), ("20003", "OutcomeUnknown"), ("20004", "OutcomeUnknown"),
            ("30022", "OutcomeUnknown"), ("30049", "Cancelled"), ("80001", "OutcomeUnknown"),
            ("80003", "OutcomeUnknown"), ("80005", "OutcomeUnknown"), ("80006", "OutcomeUnknown"),
            ("80007", "OutcomeUnknown"), ("80008", "Failed"), ("800011", "Failed"), ("99999", "OutcomeUnknown"),
        ]
        let validation =
            [10001, 10002, 10003, 10004, 10005] + Array(10007...10014) + Array(10017...10042) + Array(10050...10055)
        rows += validation.map { (String($0), "Failed") }
        rows += [
            "30010", "30023", "30024", "30026", "30028", "30032", "30033", "30034", "30036", "30037", "30041", "30043",
            "30047", "30048", "30072",
        ].map { ($0, "Declined") }
        for (code, type) in rows {
            let observation = try sale(
                response: ["gatewayMessage": .null, "gatewayResult": .string(code), "responseCode": .null]
            )
            #expect(observation.types[1] == type, "\(code)")
            #expect(unknownValues(observation).isEmpty, "\(code)")
        }
        for (code, type) in [("10999", "Failed"), ("30999", "Declined"), ("45678", "OutcomeUnknown")] {
            let observation = try sale(
                response: ["gatewayMessage": .null, "gatewayResult": .string(code), "responseCode": .null]
            )
            #expect(observation.types[1] == type, "\(code)")
            #expect(unknownValues(observation).count == 1, "\(code)")
        }
    }

    @Test("Response codes of the SDK: 2 is an error, despite the guide's other table")
    func responseCodes() throws {
        for (code, type) in [
            ("0", "AuthorizationApproved"), ("1", "Cancelled"), ("2", "OutcomeUnknown"), ("30032", "Declined"),
        ] {
            let observation = try sale(
                response: ["gatewayMessage": .null, "gatewayResult": .null, "responseCode": .string(code)]
            )
            #expect(observation.types[1] == type, "\(code)")
            #expect(unknownValues(observation).isEmpty)
        }
        // A payment approved by the gateway and ended by the SDK is in doubt.
        for code in ["1", "2", "30032"] {
            let observation = try sale(response: ["responseCode": .string(code)])
            #expect(observation.types[1] == "OutcomeUnknown")
            #expect(observation.anomalies.map(\.kind) == [.conflictingOutcome])
        }
    }

    @Test("Address checks")
    func addressChecks() throws {
        let rows: [(String, String)] = [
            ("00", "not checked, may be retried"), ("40", "address not available"), ("43", "postal code matches"),
            ("44", "street differs, postal code differs"), ("45", "street differs, postal code differs"),
            ("46", "street differs, postal code matches"), ("47", "street differs, postal code matches"),
            ("4A", "street or postal code differs"), ("4D", "street matches, postal code differs"),
            ("4E", "street matches, postal code matches"), ("4F", "street matches, postal code matches"),
            ("53", "postal code matches, holder differs"),
            ("55", "street differs, postal code differs, holder differs"), ("5C", "street matches, holder differs"),
            ("5F", "street matches, postal code matches, holder differs"), ("70", "holder matches"),
            ("73", "postal code matches, holder matches"), ("7C", "street matches, holder matches"),
            ("7F", "street matches, postal code matches, holder matches"), ("80", "not supported by the issuer"),
        ]
        for (code, text) in rows {
            let observation = try sale(response: ["AVSResponse": .string(code)])
            #expect(observation.details == [Detail("AVSResponse", code), Detail("AVSResult", text)], "\(code)")
            #expect(observation.anomalies.isEmpty)
        }
        let unknown = try sale(response: ["AVSResponse": "6B"])
        #expect(unknown.details == [Detail("AVSResponse", "6B")])
        #expect(unknownValues(unknown).count == 1)
    }

    @Test("Card verification results: N is no match, although the guide's table prints a match")
    func codeChecks() throws {
        let rows = [
            ("M", "matches"), ("N", "differs"), ("P", "not-processed"), ("S", "should-be-present"),
            ("U", "not-supported"), ("X", "no-answer"),
        ]
        for (code, text) in rows {
            let observation = try sale(response: ["CVResult": .string(code)])
            #expect(observation.details == [Detail("CVResult", code), Detail("CVCheck", text)], "\(code)")
            // An approval of a card whose value differs is a risk.
            #expect(observation.anomalies.map(\.kind) == (code == "N" ? [.riskReported] : []))
        }
        #expect(unknownValues(try sale(response: ["CVResult": "Z"])).count == 1)
    }

    @Test("Errors of PayGuardian and of the network")
    func errors() throws {
        let own: [(String, String)] =
            [("2", "Failed"), ("6", "Cancelled")]
            + (1001...1012).map { ("E\($0)", "Failed") }
            + [
                ("E1013", "OutcomeUnknown"), ("E1014", "Failed"), ("E1015", "Failed"), ("E1016", "OutcomeUnknown"),
                ("E1017", "OutcomeUnknown"), ("E1018", "OutcomeUnknown"), ("E1019", "Cancelled"),
                ("E1020", "Cancelled"),
            ]
        for (code, type) in own {
            let observation = try BridgePayDocuments.error("com.bridgepaynetwork.PayGuardian", .string(code))
            #expect(observation.types == ["SaleRequested", type], "\(code)")
            #expect(observation.anomalies.isEmpty)
        }
        let others: [(String, String, String)] = [
            ("NSURLErrorDomain", "-1000", "Failed"), ("NSURLErrorDomain", "-1001", "OutcomeUnknown"),
            ("NSURLErrorDomain", "-1002", "Failed"), ("NSURLErrorDomain", "-1003", "Failed"),
            ("NSURLErrorDomain", "-1004", "Failed"), ("NSURLErrorDomain", "-1005", "OutcomeUnknown"),
            ("NSURLErrorDomain", "-1006", "Failed"), ("NSURLErrorDomain", "-1009", "Failed"),
            ("NSURLErrorDomain", "-1018", "Failed"), ("NSURLErrorDomain", "-1020", "Failed"),
            ("NSURLErrorDomain", "-999", "OutcomeUnknown"), ("kCFErrorDomainCFNetwork", "-1004", "Failed"),
            ("kCFErrorDomainCFNetwork", "303", "OutcomeUnknown"), ("NSPOSIXErrorDomain", "61", "Failed"),
            ("NSPOSIXErrorDomain", "51", "Failed"), ("NSPOSIXErrorDomain", "65", "Failed"),
            ("NSPOSIXErrorDomain", "54", "OutcomeUnknown"), ("NSPOSIXErrorDomain", "2", "OutcomeUnknown"),
        ]
        for (domain, code, type) in others {
            let observation = try BridgePayDocuments.error(domain, .string(code))
            #expect(observation.types == ["SaleRequested", type], "\(domain) \(code)")
        }
        let strange = try BridgePayDocuments.error("NSCocoaErrorDomain", "2")
        #expect(strange.types == ["SaleRequested", "OutcomeUnknown", "AnomalyRaised"])
        let unlisted = try BridgePayDocuments.error("com.bridgepaynetwork.PayGuardian", "E1099")
        #expect(unlisted.types == ["SaleRequested", "OutcomeUnknown", "AnomalyRaised"])
    }
}

@Suite("BridgePay test amounts")
struct BridgePayTestAmountTests {
    @Test("BridgePay's table: both ends of every range, and the gaps between ranges")
    func rows() throws {
        let rows: [(Int64, Int64, String?, String)] = [
            (1, 498, "D01", "30032"), (499, 499, nil, "20002"), (500, 6_999, "A01", "00000"),
            (7_000, 7_999, "D05", "30023"), (8_000, 8_999, "D10", "30037"), (9_000, 9_999, "D30", "30072"),
            (10_000, 10_999, "D04", "30034"), (11_000, 11_999, "D08", "30032"), (12_000, 12_999, "D03", "30033"),
            (13_000, 13_999, "E02", "30022"), (14_000, 14_999, "E09", "20003"), (15_000, 15_999, "A05", "00001"),
            (17_000, 18_199, "A01", "00000"), (18_200, 199_999, "D01", "30032"), (900_000, 999_999, "A01", "00000"),
        ]
        #expect(BridgePayTestAmount.all.count == rows.count)
        for (first, last, message, result) in rows {
            for cents in [first, last] {
                let row = BridgePayTestAmount.row(of: cents)
                #expect(row?.messageCode == message && row?.result == result, "\(cents)")
                #expect(row?.shortfall == (message == "A05" ? 1_000 : 0))
            }
        }
        for cents: Int64 in [0, 16_000, 16_999, 200_000, 899_999, 1_000_000] {
            #expect(BridgePayTestAmount.row(of: cents) == nil)
        }
        // The two pages disagree about one dollar.
        #expect(BridgePayTestAmount.row(of: 100)?.messageCode == "D01")
    }
}
