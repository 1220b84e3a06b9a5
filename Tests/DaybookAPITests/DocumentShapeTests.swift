import Canonical
import DaybookAPI
import Operations
import Payments
import Testing

/// The types of the API's documents, against the schemas of `docs/openapi.yaml`, which is written by hand.
@Suite struct DocumentShapeTests {
    let judge: JSONSchema

    init() throws { judge = JSONSchema(document: try Contract.published.get().document) }

    /// One row for each component that has a type.
    private static let types: [(String, any (Decodable & Sendable).Type)] = [
        ("Acknowledged", AcknowledgedJSON.self),
        ("Acknowledgement", AnomalyJSON.Acknowledgement.self),
        ("Anomaly", Anomaly.self),
        ("AppendAnswer", EventAnswerJSON.self),
        ("AppendLine", AppendLineJSON.self),
        ("Attention", DayJSON.Attention.self),
        ("Batch", BatchJSON.self),
        ("BatchAgreement", AgreementJSON.self),
        ("BatchDiscrepancy", DiscrepancyJSON.self),
        ("BatchMember", BatchMemberJSON.self),
        ("BatchReference", BatchReference.self),
        ("BatchTotal", BatchTotalJSON.self),
        ("Breakdown", BreakdownJSON.self),
        ("CaptureView", TransactionJSON.Capture.self),
        ("AppliedOffer", NamedAmount.self),
        ("Card", CardPresentation.self),
        ("CardCheck", CardCheck.self),
        ("CardValueView", TransactionJSON.CardValue.self),
        ("Circumstances", Circumstances.self),
        ("HealthCare", HealthCare.self),
        ("Payable", PayableJSON.self),
        ("Payables", PayablesJSON.self),
        ("PrintedReceipt", PrintedReceipt.self),
        ("RefusedTender", RefusedTender.self),
        ("Change", ChangeJSON.self),
        ("Chart", ChartJSON.self),
        ("ChartPlace", ChartJSON.Place.self),
        ("ChangePage", ChangePageJSON.self),
        ("Checkout", CheckoutJSON.self),
        ("Consistency", ConsistencyJSON.self),
        ("Day", DayJSON.self),
        ("Detail", Detail.self),
        ("Dispute", DisputeJSON.self),
        ("DisputeBundleLine", DisputeBundleLineJSON.self),
        ("DisputedPayment", DisputedPaymentJSON.self),
        ("Duplicate", DuplicateJSON.self),
        ("DuplicatePayment", DuplicateJSON.Payment.self),
        ("Event", EventJSON.self),
        ("EventEnvelope", EventJSON.self),
        ("EventProof", EventProofJSON.self),
        ("Facet", TransactionJSON.Facet.self),
        ("Finding", FindingJSON.self),
        ("FollowUpInDoubt", FollowUpInDoubt.self),
        ("Found", FoundJSON.self),
        ("HostTotals", HostTotals.self),
        ("IntakeAnswer", IntakeAnswerJSON.self),
        ("IntakeLine", IntakeLineJSON.self),
        ("IssuerAnswer", IssuerAnswer.self),
        ("JournalExport", JournalExportJSON.self),
        ("JournalLeg", PostedLegJSON.self),
        ("Account", AccountJSON.self),
        ("AccountBalance", AccountBalanceJSON.self),
        ("AccountEntry", AccountEntryJSON.self),
        ("AccountStatement", AccountStatementJSON.self),
        ("Accounts", AccountsJSON.self),
        ("TrialBalance", TrialBalanceJSON.self),
        ("AgreedFee", FeeChargeJSON.Contract.self),
        ("FeeCharge", FeeChargeJSON.self),
        ("Fees", FeesJSON.self),
        ("Receivable", ReceivableJSON.self),
        ("Receivables", ReceivablesJSON.self),
        ("ExpectedDeposit", ExpectedDepositJSON.self),
        ("CashForecast", CashForecastJSON.self),
        ("KeptCardToken", KeptCardTokenJSON.self),
        ("Log", LogJSON.self),
        ("LogProof", LogProofJSON.self),
        ("Merchant", MerchantJSON.self),
        ("MerchantName", MerchantNameJSON.self),
        ("Money", Money.self),
        ("NotReady", NotReadyJSON.self),
        ("Problem", ProblemJSON.self),
        ("ProblemMembers", ProblemJSON.self),
        ("Progress", ProgressJSON.self),
        ("ProjectionPage", ProgressPageJSON.self),
        ("QueuedAnomaly", AnomalyJSON.self),
        ("Reader", ReaderJSON.self),
        ("BundleLine", BundleLineJSON.self),
        ("ReaderRates", ReaderRatesJSON.self),
        ("ReaderReceipt", ReaderReceiptJSON.self),
        ("ReaderReceipts", ReaderReceiptsJSON.self),
        ("ReaderRatesList", ReaderRatesListJSON.self),
        ("ReaderReference", ReaderReference.self),
        ("Ready", ReadyJSON.self),
        ("Receipt", ReceiptJSON.self),
        ("Proposal", ProposalJSON.self),
        ("Proposals", ProposalsJSON.self),
        ("ReceiptPrinted", PrintedReceiptJSON.self),
        ("Redaction", RedactionNote.self),
        ("References", References.self),
        ("Refusal", ProblemJSON.self),
        ("Response", Response.self),
        ("ReturnView", TransactionJSON.Return.self),
        ("Signing", SigningJSON.self),
        ("TenderAccount", TenderAccount.self),
        ("TenderView", TransactionJSON.Tender.self),
        ("Totals", TotalsJSON.self),
        ("TotalsRow", TotalsRowJSON.self),
        ("Transaction", TransactionJSON.self),
        ("TransactionAmounts", TransactionJSON.Amounts.self),
    ]

    private static let allTypes = types + reconciliationTypes + pageTypes
    /// Components that describe a request, too: it may leave out what an answer always has.
    private static let requests: Set = [
        "DepositRule", "ExpectedFee", "FeeContract", "MatchingRule", "MatchingRules", "PostingRule",
        "ProcessorCalendar", "ReconciliationRules",
    ]

    /// Components of objects without a row, each with the reason.
    private static let untyped: [String: String] = {
        let requests = [
            "Acknowledge", "ActOnException", "ActOnPeriod", "ApproveException", "AssignException", "DecideProposal",
            "ChangeOfRules", "CloseDispute", "ClosePeriod", "DescribeDispute", "RepresentDispute",
            "AccountNaming", "DefineChart", "EndDoubt", "ExportJournal",
            "EventRecord", "IntakeRecord", "KeepCardToken", "MerchantDescription", "PlanReplay", "ReceiptPrint",
            "ReplayStep", "ReportedEvent", "ResolveException", "WithdrawStatement",
        ]
        let events = ["ExceptionEventData", "PeriodEventData", "ReconciliationEventData", "StatementEventData"]
        let read = requests.map {
            ($0, "a request, which is read member by member, so that a refusal names the member")
        }
        let described = events.map { ($0, "the schema describes the data of several events in words") }
        let other = [("StatementWithRemarks", "`StatementJSON`, in which the remarks are optional")]
        return Dictionary(uniqueKeysWithValues: read + described + other)
    }()

    @Test(arguments: allTypes.map(\.0)) func componentsHaveTheShapeOfTheirType(_ name: String) throws {
        let type = try #require(Self.allTypes.first { $0.0 == name }?.1)
        let differences = try judge.differences(from: ShapeProbe.shape(of: type), inComponent: name)
        let leftOut = Self.requests.contains(name) ? ": optional in the schema only" : "-"
        #expect(differences.filter { !$0.hasSuffix(leftOut) } == [])
    }

    @Test func everyObjectHasATypeOrAReason() {
        let typed = Self.allTypes.map(\.0) + EventShapeTests.payloads.map(\.0)
        #expect(judge.objectsWithout(typed, except: Set(Self.untyped.keys)) == [])
    }
}

/// Breaches that the comparison has to find.
@Suite struct ShapeDifferenceTests {
    enum Status: String, Codable, CaseIterable {
        case open, closed
    }

    struct Part: Codable {
        var id: UUID128
        var note: String?
    }

    struct Thing: Codable {
        var id: UUID128
        var at: Timestamp?
        var count: Int64
        var flag: Bool
        var status: Status
        var parts: [Part]
        var names: [String: String]?
    }

    private static let schema = """
        {"type": "object", "required": ["id", "count", "flag", "status", "parts"], "additionalProperties": false,
         "properties": {
            "id": {"type": "string"}, "at": {"$ref": "#/time"}, "count": {"type": "integer"},
            "flag": {"type": "boolean"}, "status": {"type": "string", "enum": ["open", "closed"]},
            "parts": {"type": "array", "items": {"type": "object", "required": ["id"], "additionalProperties": false,
                "properties": {"id": {"type": "string"}, "note": {"type": "string"}}}},
            "names": {"type": "object", "additionalProperties": {"type": "string"}}}}
        """

    private func differences(_ change: (String, String)? = nil) throws -> [String] {
        if let change { #expect(Self.schema.contains(change.0), "\(change.0)") }
        let text = change.map { Self.schema.replacing($0.0, with: $0.1, maxReplacements: 1) } ?? Self.schema
        let judge = JSONSchema(document: ["time": ["type": "string"]])
        let shape = try ShapeProbe.shape(of: Thing.self)
        return judge.differences(from: shape, in: try JSONValue(parsing: text), at: "")
    }

    @Test func theSameShapeHasNoDifference() throws { #expect(try differences() == []) }

    @Test(arguments: [
        (##", "at": {"$ref": "#/time"}"##, "", ["/at: not in the schema"]),
        (#""count": {"#, #""number": {"#, ["/number: not in the code", "/count: not in the schema"]),
        (#""flag": {"#, #""other": {"type": "string"}, "flag": {"#, ["/other: not in the code"]),
        (#""required": ["id", "#, #""required": ["#, ["/id: optional in the schema only"]),
        (#""required": ["#, #""required": ["at", "#, ["/at: required in the schema only"]),
        (#"{"type": "integer"}"#, #"{"type": "string"}"#, ["/count: the schema has string, the code integer"]),
        (#""closed"]"#, #""shut"]"#, ["/status: closed is not in the schema", "/status: shut is not in the code"]),
        (#", "note": {"type": "string"}"#, "", ["/parts[]/note: not in the schema"]),
        (#""additionalProperties": false,"#, "", [": the schema allows other members"]),
        (
            #""object", "additionalProperties": {"type": "string"}"#,
            #""object", "additionalProperties": {"type": "boolean"}"#,
            ["/names{}: the schema has boolean, the code string"]
        ),
    ]) func aBreachIsFound(_ old: String, _ new: String, _ expected: [String]) throws {
        #expect(try differences((old, new)) == expected)
    }

    @Test func aMemberOfOneChoiceIsOptional() throws {
        let schema = try JSONValue(
            parsing: #"""
                {"oneOf": [
                    {"type": "object", "required": ["id", "note"], "additionalProperties": false,
                     "properties": {"id": {"type": "string"}, "note": {"type": "string"}}},
                    {"type": "object", "required": ["id"], "additionalProperties": false,
                     "properties": {"id": {"type": "string"}}}]}
                """#
        )
        let shape = try ShapeProbe.shape(of: Part.self)
        #expect(JSONSchema(document: [:]).differences(from: shape, in: schema, at: "") == [])
    }

    @Test func aComponentWithoutATypeIsFound() {
        let object: JSONValue = ["type": "object"]
        let schemas: JSONValue = [
            "New": ["allOf": [["$ref": "#/components/schemas/Old"]]], "Old": object, "Known": object,
            "Exempt": object, "Name": ["type": "string"], "Either": ["oneOf": [object, ["type": "null"]]],
        ]
        let judge = JSONSchema(document: ["components": ["schemas": schemas]])
        let found = judge.objectsWithout(["Known", "Either", "Gone"], except: ["Exempt", "Known", "Lost"])
        #expect(
            found == [
                "Gone: not in the document", "Known: has a type and a reason for none", "Lost: not in the document",
                "New: no type", "Old: no type",
            ]
        )
    }

    @Test func floatingPointHasNoShape() {
        #expect(throws: ShapeProbe.Fault.self) { try ShapeProbe.shape(of: [Double].self) }
    }
}
