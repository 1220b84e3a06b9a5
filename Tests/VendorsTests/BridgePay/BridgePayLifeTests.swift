import Canonical
import Payments
import Redaction
import Testing
import Vendors

/// Complete lives of payments, as BridgePay reports them.
@Suite("BridgePay lives")
struct BridgePayLifeTests {
    private struct Life {
        var history: [TransactionEvent] = []
        var state: TransactionState { TransactionState(folding: history) }

        mutating func observe(_ observation: Observation) {
            history += Lifecycle.decide(observation.events, after: history, policy: observation.policy)
        }
    }

    private static func time(_ second: Int64) -> Timestamp {
        Timestamp(microsecondsSince1970: 1_476_973_000_000_000 + second * 1_000_000)
    }

    private func capture(
        at second: Int64? = nil,
        response: [String: JSONValue] = [:],
        request: [String: JSONValue] = [:]
    ) throws -> Observation {
        try BridgePayDocuments.payment(
            "capture-with-tip",
            response: response,
            request: request,
            at: second.map(Self.time)
        )
    }

    private func void(_ message: String, result: String = "00000", at second: Int64 = 9) throws -> Observation {
        try capture(
            at: second,
            response: [
                "requestType": "012", "gatewayMessage": .string(message), "gatewayResult": .string(result),
                "responseCode": .null,
            ],
            request: ["transactionType": "TRANSACTION_TYPE_VOID", "amount": "9.50", "tipAmount": .null]
        )
    }

    private func authorization() throws -> Life {
        var life = Life()
        life.observe(try VendorFixture.named("bridgepay/sale-auth").observation())
        return life
    }

    @Test("A capture reported twice counts once; a second capture counts separately")
    func captures() throws {
        var life = try authorization()
        life.observe(try capture(at: 1))
        life.observe(try capture(at: 1))
        #expect(life.state.captured == 950)
        #expect(life.state.captures.count == 1)
        #expect(life.state.anomalies.isEmpty)
        life.observe(try capture(at: 60))
        #expect(life.state.captures.count == 2)
        #expect(life.state.anomalies.contains { $0.kind == .repeatedCapture })
    }

    @Test("Two partial voids of the same amount count twice, and the second is flagged")
    func voids() throws {
        var life = try authorization()
        life.observe(try capture(at: 1))
        let part: [String: JSONValue] = ["requestType": "012", "gatewayMessage": "A07", "authorizedAmount": "$2.00"]
        let asked: [String: JSONValue] = [
            "transactionType": "TRANSACTION_TYPE_VOID", "amount": "2.00", "tipAmount": .null,
        ]
        life.observe(try capture(at: 5, response: part, request: asked))
        life.observe(try capture(at: 5, response: part, request: asked))
        #expect(life.state.captured == 750)
        life.observe(try capture(at: 8, response: part, request: asked))
        #expect(life.state.captured == 550)
        #expect(life.state.closing.voids.count == 2)
    }

    @Test("A capture in doubt is resolved by the capture, in either order")
    func captureInDoubt() throws {
        let doubt = try capture(at: 1, response: ["gatewayMessage": .null, "gatewayResult": "20003"])
        var life = try authorization()
        life.observe(doubt)
        #expect(life.state.isInDoubt)
        #expect(life.state.status == .authorized)
        // A second, refused attempt proves nothing about the first.
        life.observe(try capture(at: 2, response: ["gatewayMessage": "D16 - Expired", "gatewayResult": "30032"]))
        #expect(life.state.isInDoubt)
        life.observe(try capture(at: 3))
        #expect(!life.state.isInDoubt)
        #expect(life.state.status == .captured)
        #expect(life.history.last?.type == "AnomalyCleared")

        var late = try authorization()
        late.observe(try capture(at: 3))
        late.observe(doubt)
        #expect(!late.state.isInDoubt)
    }

    @Test("A void in doubt is resolved by the void or an already-voided refusal, and by nothing less")
    func voidInDoubt() throws {
        for answer in ["A03", "already voided", "found"] {
            var life = try authorization()
            life.observe(try capture(at: 1))
            life.observe(try void("E09 - Network error", result: "30022"))
            #expect(life.state.isInDoubt)
            switch answer {
            case "A03": life.observe(try void("A03 - Void Posted", at: 20))
            case "found":
                life.observe(
                    try capture(
                        at: 20,
                        response: ["requestType": "023", "gatewayMessage": "A03 - Void Posted"],
                        request: ["transactionType": "TRANSACTION_TYPE_FIND_TRANSACTION"]
                    )
                )
            default: life.observe(try void("", result: "10042", at: 20))
            }
            #expect(!life.state.isInDoubt, "\(answer)")
            #expect(life.state.status == .voided, "\(answer)")
        }
    }

    @Test("A refused follow-up is recorded with its request, and changes nothing")
    func refused() throws {
        var life = try authorization()
        let before = life.state
        life.observe(
            try capture(
                response: ["gatewayMessage": "D17 - Try again", "gatewayResult": "30043", "responseCode": .null],
                request: ["amount": "9.50"]
            )
        )
        let refusals = life.history.compactMap { event -> FollowUpRefusal? in
            if case .followUpRefused(let refusal) = event { refusal } else { nil }
        }
        let refusal = try #require(refusals.first)
        #expect(refusals.count == 1 && refusal.followUp == .capture)
        #expect(refusal.amount == Money(950, .usd) && !refusal.isWhole && refusal.tip == nil)
        #expect(life.state.captured == before.captured && life.state.status == before.status && !life.state.isInDoubt)
    }

    @Test("A refund in doubt is not resolved by another refund")
    func refundInDoubt() throws {
        func refund(_ message: String, _ result: String, _ id: String, at second: Int64) throws -> Observation {
            try BridgePayDocuments.payment(
                "msr-sale",
                response: [
                    "requestType": "012", "gatewayMessage": .string(message), "gatewayResult": .string(result),
                    "responseCode": .null, "authorizedAmount": "$1.00", "gatewayTransactionID": .string(id),
                    "ISOTransactionDate": .null,
                ],
                request: ["transactionType": "TRANSACTION_TYPE_REFUND", "pnRefNum": "214973401", "amount": "1.00"],
                at: Self.time(second)
            )
        }
        var life = Life()
        life.observe(try VendorFixture.named("bridgepay/msr-sale").observation())
        life.observe(try refund("E02 - Network", "30022", "301", at: 50))
        #expect(life.state.isInDoubt)
        life.observe(try refund("A02 - Credit Posted", "00000", "302", at: 90))
        #expect(life.state.refunded == 100)
        #expect(life.state.isInDoubt)
    }

    @Test("A credit of an earlier payment without an answer is a refund in doubt, and its settlement ends the doubt")
    func creditInDoubt() throws {
        var body = try VendorFixture.named("bridgepay/cancelled-sale").body
        let members: [(path: [String], value: JSONValue)] = [
            (["domain"], "NSURLErrorDomain"), (["code"], -1001),
            (["BPNPaymentRequest", "transactionType"], "TRANSACTION_TYPE_CREDIT"),
            (["BPNPaymentRequest", "pnRefNum"], "214973401"), (["BPNPaymentRequest", "amount"], "1.00"),
        ]
        for (path, value) in members { body = DocumentPlaces(path: path).replacing(in: body, with: value) }
        var life = Life()
        life.observe(try VendorFixture.named("bridgepay/msr-sale").observation())
        life.observe(try BridgePayDocuments.read(body, as: "NSError", at: Self.time(2_000)))
        #expect(life.state.isInDoubt)
        let refund = Return(id: "settled", amount: Money(100, .usd), evidence: .settlement)
        life.history += Lifecycle.decide([.refunded(refund)], after: life.history, policy: LifecyclePolicy())
        #expect(life.state.refunded == 100)
        #expect(!life.state.isInDoubt)
    }

    @Test("A void that left the authorisation in place, or could not reverse it, is recorded as such")
    func reversalFailed() throws {
        var life = try authorization()
        life.observe(try void("A06 - Void Posted"))
        #expect(life.state.status == .voided)
        var open = try authorization()
        open.observe(try void("A11 - Approval"))
        #expect(open.state.status == .authorized)
        #expect(open.state.isInDoubt)
    }

    @Test("A void by PayGuardian is due until it is done")
    func voiding() throws {
        var life = try authorization()
        let state = try BridgePayDocuments.read(["state": "Voiding"], as: "onStateChanged")
        let facts = state.deviceReports.map { TransactionEvent.device($0) } + state.anomalies.map { .anomalyRaised($0) }
        life.history += Lifecycle.decide(facts, after: life.history, policy: state.policy)
        #expect(life.state.anomalies.map(\.kind) == [.reversalDue])
        life.observe(try void("A03 - Void Posted"))
        #expect(life.state.anomalies.isEmpty)
        #expect(life.state.status == .voided)
    }

    @Test("An authorisation grows by the requested amount")
    func increment() throws {
        var life = try authorization()
        let observation = try capture(
            at: 4,
            response: ["requestType": "004", "gatewayMessage": "A09 - Incremental"],
            request: ["transactionType": "INCREMENT", "amount": "2.50", "tipAmount": .null]
        )
        life.observe(observation)
        #expect(observation.types == ["AuthorizationIncremented"])
        #expect(life.state.authorized == 1000)
    }

    @Test("A partial approval leaves a balance, and is flagged if it was not allowed")
    func partialApproval() throws {
        let partial: [String: JSONValue] = [
            "authorizedAmount": "$3.50", "remainingAmount": "$2.00", "gatewayMessage": "A05 - Partially Approved",
        ]
        let allowed = try BridgePayDocuments.payment("msr-sale", response: partial, request: ["partialApproval": "YES"])
        #expect(allowed.types == ["SaleRequested", "PartiallyApproved", "Captured"])
        #expect(
            allowed.amounts?.figures?.contains(
                Figure(field: "BridgeCommResponse.remainingAmount", raw: "$2.00", exponent: 2)
            ) == true
        )
        let forbidden = try BridgePayDocuments.payment(
            "msr-sale",
            response: partial,
            request: ["partialApproval": "NO"]
        )
        #expect(forbidden.anomalies.map(\.kind) == [.conflictingOutcome])
        let wrong = try BridgePayDocuments.payment(
            "msr-sale",
            response: partial.merging(["remainingAmount": "$1.00"]) { $1 }
        )
        #expect(wrong.anomalies.map(\.kind) == [.amountsDoNotAddUp])
    }

    @Test("A duplicate is declined and suspected, forced or not")
    func duplicates() throws {
        for forced in [false, true] {
            let observation = try BridgePayDocuments.payment(
                "msr-sale",
                response: ["gatewayMessage": "D09 - Duplicate", "gatewayResult": "30036", "responseCode": .null],
                request: ["forceOnDuplicate": .bool(forced)]
            )
            #expect(observation.types == ["SaleRequested", "Declined", "AnomalyRaised"])
            #expect(observation.anomalies.map(\.kind) == [.duplicateSuspected])
            #expect(observation.anomalies[0].explanation.contains("forceOnDuplicate") == forced)
        }
    }

    @Test("A find that matches more than one transaction needs review")
    func ambiguous() throws {
        let observation = try BridgePayDocuments.payment(
            "msr-sale",
            response: ["gatewayResult": "80003", "gatewayMessage": .null, "responseCode": .null],
            request: ["transactionType": "TRANSACTION_TYPE_FIND_TRANSACTION", "pnRefNum": "214973401"]
        )
        #expect(observation.types == ["OutcomeUnknown", "AnomalyRaised"])
        #expect(observation.anomalies.map(\.kind) == [.duplicateSuspected])
    }

    @Test("A find reports later changes to a payment")
    func found() throws {
        for (message, type) in [
            ("A03", "Voided"), ("A06", "Voided"), ("D24", "ChargedBack"),
            ("D26", "SettlementRejected"), ("X04", "Expired"),
        ] {
            let observation = try BridgePayDocuments.payment(
                "msr-sale",
                response: ["gatewayResult": .null, "gatewayMessage": .string(message), "responseCode": .null],
                request: ["transactionType": "TRANSACTION_TYPE_FIND_TRANSACTION", "pnRefNum": "214973401"]
            )
            #expect(observation.types == [type], "\(message)")
        }
    }

    private func find(
        _ message: String,
        amount: String = "$5.50",
        id: JSONValue = "214973401",
        original: JSONValue = "214973401",
        at second: Int64 = 90
    ) throws -> Observation {
        try BridgePayDocuments.payment(
            "msr-sale",
            response: [
                "requestType": "023", "gatewayMessage": .string(message), "gatewayResult": .null, "responseCode": .null,
                "authorizedAmount": .string(amount), "originalAmount": .string(amount), "gatewayTransactionID": id,
            ],
            request: ["transactionType": "TRANSACTION_TYPE_FIND_TRANSACTION", "amount": .null, "pnRefNum": original],
            receipt: ["totalAmount": .string(amount)],
            at: Self.time(second)
        )
    }

    @Test("A found partial void may already be recorded: it is in doubt until one is")
    func foundPartialVoid() throws {
        var life = Life()
        life.observe(try VendorFixture.named("bridgepay/msr-sale").observation())
        life.observe(try find("A07 - Partial Void", amount: "$1.00"))
        #expect(life.state.captured == 550 && life.state.anomalies == [.followUpInDoubt(.partialVoid)])
    }

    private func credit(_ message: String, _ result: String) throws -> Observation {
        try BridgePayDocuments.payment(
            "msr-sale",
            response: [
                "gatewayMessage": .string(message), "gatewayResult": .string(result), "responseCode": .null,
                "responseTypeDescription": "credit",
            ],
            request: ["transactionType": "TRANSACTION_TYPE_CREDIT", "pnRefNum": .null]
        )
    }

    @Test("A credit in doubt that is found is credited, in either order", arguments: [true, false])
    func creditFound(isInOrder: Bool) throws {
        let steps = [try credit("E02 - Network", "30022"), try find("A02 - Credit Posted")]
        var life = Life()
        for step in isInOrder ? steps : steps.reversed() { life.observe(step) }
        #expect(life.state.status == .credited && life.state.credited == 550)
        #expect(life.state.authorized == 0 && life.state.captured == 0 && !life.state.isInDoubt)
        // Reported separately as well, it counts once.
        life.observe(try credit("A02 - Credit Posted", "00000"))
        #expect(life.state.credited == 550 && life.state.anomalies.isEmpty)
    }

    @Test("A credit found as approved without its code is still a credit")
    func creditApprovedByFind() throws {
        var life = Life()
        life.observe(try credit("E02 - Network", "30022"))
        life.observe(try find("A01 - Approved"))
        #expect(life.state.status == .credited && life.state.credited == 550)
    }

    @Test("A found refund is a credit if it is unknown; beside its sale it is a doubt, unless it is recorded")
    func refundFound() throws {
        var alone = Life()
        alone.observe(try find("A02 - Credit Posted", amount: "$1.00", id: "301", original: "301"))
        #expect(alone.state.status == .credited && alone.state.credited == 100)
        var life = Life()
        life.observe(try VendorFixture.named("bridgepay/msr-sale").observation())
        life.observe(try find("A02 - Credit Posted", amount: "$1.00", id: "301", original: "301"))
        #expect(life.state.status == .captured && life.state.captured == 550 && life.state.credited == 0)
        #expect(life.state.isInDoubt)
        let refund = try BridgePayDocuments.payment(
            "msr-sale",
            response: [
                "requestType": "012", "gatewayMessage": "A02 - Credit Posted", "responseCode": .null,
                "authorizedAmount": "$1.00", "gatewayTransactionID": "301",
            ],
            request: ["transactionType": "TRANSACTION_TYPE_REFUND", "pnRefNum": "214973401", "amount": "1.00"],
            receipt: ["totalAmount": "1.0"]
        )
        life.observe(refund)
        #expect(life.state.refunded == 100 && life.state.anomalies.isEmpty)
        life.observe(try find("A02 - Credit Posted", amount: "$1.00", id: "301", original: "301", at: 200))
        #expect(life.state.refunded == 100 && life.state.anomalies.isEmpty)
    }

    @Test("A credit's answer without its request is a credit")
    func creditAlone() throws {
        let answer = try BridgePayDocuments.answer(
            "msr-sale",
            ["gatewayMessage": "A02 - Credit Posted", "responseTypeDescription": .null]
        )
        #expect(answer.types.first == "CreditApproved")
    }

    @Test("A retry without an answer, after a decline or an approval, leaves a doubt; a find resolves it")
    func retryInDoubt() throws {
        let fixture = try VendorFixture.named("bridgepay/cancelled-sale")
        func error(at second: Int64) throws -> Observation {
            let body = DocumentPlaces(path: ["code"]).replacing(in: fixture.body, with: -1001)
            return try BridgePayDocuments.read(
                DocumentPlaces(path: ["domain"]).replacing(in: body, with: "NSURLErrorDomain"),
                as: "NSError",
                at: Self.time(second)
            )
        }
        let declined = try BridgePayDocuments.payment(
            "msr-sale",
            response: ["gatewayMessage": "D01 - Denied", "gatewayResult": "30032", "responseCode": .null]
        )
        let approved = try VendorFixture.named("bridgepay/msr-sale").observation()
        for (first, status) in [(declined, TransactionStatus.declined), (approved, .captured)] {
            var life = Life()
            life.observe(first)
            life.observe(try error(at: 2_000))
            #expect(life.state.status == status && life.state.anomalies.contains(.followUpInDoubt(.paymentAttempt)))
            // The known outcome proves nothing about the other attempt.
            life.observe(try find(status == .declined ? "D01 - Denied" : "A01 - Approved"))
            #expect(life.state.isInDoubt)
            life.observe(try find("A01 - Approved", id: "999", original: .null, at: 2_120))
            #expect(!life.state.isInDoubt && life.state.captured == 550)
            // The sender's clock and the gateway's local time are only comparable a day apart.
            var early = Life()
            early.observe(first)
            early.observe(try error(at: -86_400))
            #expect(!early.state.isInDoubt)
        }
    }

    @Test("A query without an answer is not an attempt to pay")
    func silentFind() throws {
        var life = Life()
        life.observe(try VendorFixture.named("bridgepay/msr-sale").observation())
        life.observe(try find("E02 - Network"))
        #expect(!life.state.isInDoubt)
    }

    @Test("A settlement is requested, and never assumed to be done")
    func settlement() throws {
        func answer(_ message: String, _ result: String) throws -> Observation {
            try BridgePayDocuments.answer(
                "tip-adjust",
                [
                    "requestType": "020", "gatewayMessage": .string(message), "gatewayResult": .string(result),
                    "responseCode": .null, "merchantAccountCode": "320001", "responseTypeDescription": .null,
                ]
            )
        }
        let accepted = try answer("A10 - Request Accepted", "00000")
        guard case .batch(let batch, _) = accepted.subject else {
            Issue.record("no batch")
            return
        }
        #expect(batch == BatchReference(vendor: .bridgepay, account: "320001", number: nil))
        #expect(accepted.types == ["BatchCloseRequested"])
        #expect(try answer("D26 - Settlement Failed", "30028").types == ["BatchCloseFailed"])
        #expect(try answer("E09", "20003").types == ["BatchCloseRequested"])
    }

    @Test("Gift cards, balances and tokens")
    func values() throws {
        func answer(_ type: String, _ response: [String: JSONValue]) throws -> Observation {
            try BridgePayDocuments.payment(
                "msr-sale",
                response: response.merging(["responseCode": .null]) { $1 },
                request: ["transactionType": .string("TRANSACTION_TYPE_" + type), "tenderType": "TENDER_TYPE_GIFT"]
            )
        }
        func amount(_ observation: Observation) -> Money? {
            guard case .value(let event)? = observation.events.first else { return nil }
            return event.report.amount
        }
        #expect(amount(try answer("ACTIVATE", [:])) == Money(550, .usd))
        #expect(amount(try answer("REACTIVATE", ["authorizedAmount": "$0.00"])) == Money(550, .usd))
        #expect(amount(try answer("BALANCE_INQUIRY", ["remainingAmount": "$17.20"])) == Money(1720, .usd))
        #expect(amount(try answer("BALANCE_INQUIRY", ["authorizedAmount": "$0.00"])) == Money(0, .usd))
        #expect(
            try answer("ACTIVATE", ["gatewayMessage": "E09", "gatewayResult": "30022"]).types == ["OutcomeUnknown"]
        )
        #expect(try answer("REACTIVATE", ["gatewayMessage": "D01", "gatewayResult": "30032"]).types == ["Declined"])
        #expect(
            try answer("BALANCE_INQUIRY", ["gatewayMessage": "D05", "gatewayResult": "30023"]).types
                == ["CommandAnswered"]
        )
        let token = try BridgePayDocuments.answer(
            "msr-sale",
            ["requestType": "001", "responseTypeDescription": .null, "gatewayMessage": .null]
        )
        guard case .value(let issued)? = token.events.first else {
            Issue.record("no token")
            return
        }
        #expect(issued.report.card?.tokenDigest == PaymentTokenDigest.text(of: "11110000000068530608"))
        #expect(issued.report.amount == nil)
    }

    @Test("Tags of the receipt complete the answer, and disagreements are flagged")
    func tags() throws {
        let observation = try BridgePayDocuments.payment(
            "msr-sale",
            response: [
                "receiptTagData":
                    "4F:A0000000031010;95:8080008000;9F10:06010A03A00000;9B:6800;91:;8A:3030;50:56495341;9F02:000000000550;9F03:000000000000;5F2A:0840"
            ]
        )
        guard case .authorizationApproved(let approval) = observation.events[1], let card = approval.card else {
            Issue.record("no card")
            return
        }
        #expect(card.applicationIdentifier == "A0000000031010")
        #expect(card.applicationLabel == "VISA")
        #expect(card.terminalVerificationResults == "8080008000")
        #expect(card.chipAmounts == ChipAmounts(authorized: 550, other: 0, currencyNumeric: 840))
        #expect(observation.details == [Detail("8A", "00")])
        var life = Life()
        life.observe(observation)
        #expect(life.state.anomalies.isEmpty)
        let wrong = try BridgePayDocuments.payment("sale-auth", response: ["terminalVerificationResults": "0000000000"])
        #expect(wrong.anomalies.map(\.kind) == [.malformedField])
        let broken = try BridgePayDocuments.payment("sale-auth", response: ["receiptTagData": "4F=A0;nonsense"])
        #expect(broken.anomalies.map(\.kind) == [.malformedField])
    }

    @Test(
        "The issuer's reason is recorded if the tags have one",
        arguments: [("3531", "51"), ("3030", nil), ("5A33", nil), ("35", nil), ("", nil)]
    )
    func issuersReason(_ tag: String, _ code: String?) throws {
        let observation = try BridgePayDocuments.payment(
            "msr-sale",
            response: [
                "gatewayMessage": "D03 - Denied", "gatewayResult": "30032", "responseCode": "30032",
                "receiptTagData": .string("95:8080008000;8A:\(tag)"),
            ]
        )
        let declines = observation.events.compactMap { event -> Verdict? in
            if case .declined(let verdict) = event { verdict } else { nil }
        }
        #expect(declines.map(\.response.issuer?.code) == [code])
    }
}
