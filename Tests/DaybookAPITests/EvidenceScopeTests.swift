import Access
import Canonical
import EventLog
import Payments
import Testing

/// What a key may report through `POST /v1/events`, by its scope. The lists were written from the rule, without the code.
@Suite struct EvidenceScopeTests {
    private static let payment = "transaction/0198c1c2-6a00-7000-8000-000000000001"

    /// What a till knows.
    private static let tillTypes = [
        "SaleRequested", "AuthorizationRequested", "CreditRequested", "VerificationRequested", "AnomalyRaised",
        "CommandSent", "CommandAnswered", "CardRequested", "CardPresented", "CardRemoved", "ApplicationSelected",
        "PINRequested", "PINEntered", "SignatureRequested", "SignatureAccepted", "SignatureDeclined",
        "SignatureTimedOut", "AuthorizationSent", "AuthorizationAnswered", "CancelRequested", "ReceiptPrinted",
        "CheckoutTokenIssued", "CheckoutTokenReleased", "CheckoutTokenScanned", "CheckoutTokenBlocked",
        "CheckoutTokenInUse", "CheckoutTokenExpired", "CheckoutDescribed", "CheckoutUpdated", "CheckoutCompleted",
        "CheckoutCancelled", "CheckoutFailed", "OfferApplied", "TokenIssued", "TokenRetrieved", "BalanceInquired",
        "GiftCardActivated", "GiftCardDeactivated", "GiftCardLoaded",
    ]

    /// What a till knows from its reader, and a gateway or settlement knows better.
    private static let rankedTypes = [
        "AuthorizationApproved", "PartiallyApproved", "CreditApproved", "AccountVerified", "Declined", "Cancelled",
        "Failed", "OutcomeUnknown", "AuthorizationIncremented", "Captured", "TenderApplied", "TenderRefused",
        "CashDispensed", "CaptureReversed", "TipAdjusted", "Voided", "Reversed", "Expired", "FollowUpRefused",
    ]

    /// What no till knows.
    private static let evidenceTypes = [
        "OutcomeResolved", "Refunded", "RefundVoided", "Settled", "SettlementRejected", "Funded", "ChargedBack",
        "ChargebackReversed", "AnomalyCleared",
    ]

    /// What only the ledger records.
    private static let ledgerTypes = [
        "DocumentReceived", "ReceiptIssued", "KeysLinked", "BatchAssigned", "GatewayCallSent", "GatewayCallAnswered",
        "GatewayCallTimedOut", "GatewayCallFailed", "CardTokenKept", "DisputeLost", "KeyIssued", "StatementImported",
        "ReconciliationRulesChanged", "ExceptionResolved", "ReplayApproved", "ReplayItemAttempted", "PeriodClosed",
    ]

    private static let insufficient = "insufficient-scope"
    private static let needsEvidence = "needs-evidence-scope"

    private static func report(
        _ type: String,
        _ evidence: String? = nil,
        on stream: String = payment,
        by caller: Caller
    ) async throws -> Answer {
        let data: JSONValue = evidence.map { ["evidence": .string($0)] } ?? [:]
        let record: JSONValue = [
            "stream": .string(stream),
            "events": [
                ["type": .string(type), "schema": 1, "occurredAt": "2026-01-02T08:00:00Z", "data": data]
            ],
        ]
        return try await caller.send(
            "POST",
            "/v1/events",
            ["Content-Type": "application/json"],
            body: record.text
        )
    }

    @Test func aTillReportsNoEvidenceOfOthers() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.events])
            for type in Self.evidenceTypes {
                for evidence in [nil, "reader", "gateway", "settlement"] {
                    let answer = try await Self.report(type, evidence, by: till)
                    #expect(answer.status == 422 && answer.code == Self.needsEvidence, "\(type): \(answer.body)")
                }
            }
            for type in Self.rankedTypes {
                for evidence in ["relayed", "gateway", "settlement", "testimony", "Reader", ""] {
                    let answer = try await Self.report(type, evidence, by: till)
                    #expect(answer.status == 422 && answer.code == Self.needsEvidence, "\(type): \(answer.body)")
                }
                #expect(try await Self.report(type, "reader", by: till).code != Self.needsEvidence, "\(type)")
            }
            for type in Self.ledgerTypes {
                #expect(try await Self.report(type, "gateway", by: till).status == 422, "\(type)")
                #expect(try await Self.report(type, by: till).status == 422, "\(type)")
            }
            #expect(try await Self.report("Settled", "settlement", on: "till/17", by: till).code == "reserved-type")
            // Settlement records a closed batch as settled on each of its payments.
            let batch = "batch/0198c1c2-6a00-7000-8000-000000000001"
            for type in ["BatchClosed", "BatchCloseFailed", "BatchOutOfBalance"] {
                #expect(try await Self.report(type, on: batch, by: till).code == Self.needsEvidence, "\(type)")
            }
            #expect(try await api.events().isEmpty)
            for type in Self.tillTypes {
                let code = try await Self.report(type, by: till).code
                #expect(code != Self.needsEvidence && code != Self.insufficient, "\(type)")
            }
            #expect(try await Self.report("DrawerOpened", on: "till/17", by: till).status == 201)
        }
    }

    /// A till reports what it sees in its own reports. It raises nothing that the ledger acts on or finds itself.
    @Test func aTillRaisesAnomaliesOfItsReportsOnly() async throws {
        let own: Set<String> = [
            "chip-amount-mismatch", "amount-unreadable", "amount-scale-assumed", "operation-assumed",
            "follow-up-in-doubt", "unknown-kind", "unknown-value", "limit-exceeded", "malformed-field",
            "duplicate-suspected",
        ]
        try await TestAPI.serve { api in
            let till = try await api.caller([.events])
            let gateway = try await api.caller([.evidence])
            let streams = [
                "transaction/0198c1c2-6a00-7000-8000-0000000000", "batch/0198c1c2-6a00-7000-8000-0000000000",
                "reader/handpoint/", "checkout/",
            ]
            for (number, kind) in Anomaly.Kind.allCases.map(\.rawValue).enumerated() {
                let raised = Reported.event("AnomalyRaised", ["kind": .string(kind), "explanation": "seen"])
                for stream in streams.map({ "\($0)\(10 + number)" }) {
                    let answer = try await Reported.append([raised], on: stream, by: till)
                    if own.contains(kind) {
                        #expect(answer.status == 201, "\(kind): \(answer.body)")
                    } else {
                        #expect(answer.status == 422 && answer.code == Self.needsEvidence, "\(kind): \(answer.body)")
                        #expect(try answer.json["pointer"] == "/events/0/data/kind")
                    }
                    #expect(try await Reported.append([raised], on: stream, by: gateway).status == 201, "\(kind)")
                }
            }
            #expect(own.isSubset(of: Anomaly.Kind.allCases.map(\.rawValue)))
        }
    }

    @Test func evidenceIsReportedWithItsOwnScope() async throws {
        try await TestAPI.serve { api in
            for scopes in [[.evidence], [.events, .evidence]] as [Set<Scope>] {
                let gateway = try await api.caller(scopes)
                for type in Self.evidenceTypes + Self.rankedTypes + Self.tillTypes {
                    let code = try await Self.report(type, "settlement", by: gateway).code
                    #expect(code != Self.needsEvidence && code != Self.insufficient, "\(type)")
                }
                for type in ["GatewayCallSent", "CardTokenKept", "ReplayApproved", "KeyIssued"] {
                    #expect(try await Self.report(type, by: gateway).status == 422, "\(type)")
                }
                // A link would hide the batch from lists.
                let batch = "batch/0198c1c2-6a00-7000-8000-000000000001"
                #expect(try await Self.report("BatchLinked", on: batch, by: gateway).status == 422)
            }
        }
    }

    @Test(arguments: [.documents, .read, .reconcile, .replayPlan, .replayApprove, .audit, .admin] as [Scope])
    func otherScopesReportNoEvents(scope: Scope) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([scope])
            for type in Self.evidenceTypes + Self.rankedTypes + Self.tillTypes.prefix(4) {
                #expect(try await Self.report(type, "reader", by: caller).code == Self.insufficient, "\(type)")
            }
            #expect(try await Self.report("DrawerOpened", on: "till/17", by: caller).code == Self.insufficient)
            #expect(try await api.events().isEmpty)
        }
    }

    /// One evidence among many records of a stream, and one among the events of a record.
    @Test func recordsWithEvidenceAreRefusedOneByOne() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.events])
            let opened: JSONValue = [
                "type": "DrawerOpened", "schema": 1, "occurredAt": "2026-01-02T08:00:00Z", "data": [:],
            ]
            let cleared: JSONValue = [
                "type": "AnomalyCleared", "schema": 1, "occurredAt": "2026-01-02T08:00:00Z",
                "data": ["code": "amount-mismatch"],
            ]
            let requested: JSONValue = [
                "type": "SaleRequested", "schema": 1, "occurredAt": "2026-01-02T08:00:00Z",
                "data": ["amounts": ["total": ["value": 750, "currency": "USD"]], "references": [:]],
            ]
            let records: [JSONValue] = [
                ["stream": "till/17", "events": [opened]],
                ["stream": .string(Self.payment), "events": [requested, cleared]],
                ["stream": "till/17", "events": [opened]],
            ]
            let answer = try await till.send(
                "POST",
                "/v1/events",
                ["Content-Type": "application/x-ndjson"],
                body: records.map(\.text).joined(separator: "\n")
            )
            #expect(answer.status == 200)
            let lines = try answer.lines.map { try JSONValue(parsing: $0) }
            #expect(lines.map { $0["status"]?.int64 } == [201, 422, 201], "\(answer.body)")
            #expect(lines.count == 3 && answer.body.contains("\"\(Self.needsEvidence)\""), "\(answer.body)")
            #expect(try await api.events().map(\.type) == ["DrawerOpened", "DrawerOpened"])
        }
    }

    @Test func aTillSendsNoDocuments() async throws {
        try await TestAPI.serve { api in
            let sale = try Sample.named("MSR sale")
            let till = try await api.caller([.events, .evidence])
            #expect(try await till.post(sale.vendor, sale.record).code == Self.insufficient)
            #expect(try await api.events().isEmpty)
            let device = try await api.caller([.documents])
            #expect(try await device.post(sale.vendor, sale.record).status == 201)
        }
    }
}
