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
        ("Attention", DayJSON.Attention.self),
        ("Batch", BatchJSON.self),
        ("BatchAgreement", AgreementJSON.self),
        ("BatchDiscrepancy", DiscrepancyJSON.self),
        ("BatchMember", BatchMemberJSON.self),
        ("BatchReference", BatchReference.self),
        ("BatchTotal", BatchTotalJSON.self),
        ("Breakdown", BreakdownJSON.self),
        ("CaptureView", TransactionJSON.Capture.self),
        ("Card", CardPresentation.self),
        ("Change", ChangeJSON.self),
        ("ChangePage", ChangePageJSON.self),
        ("Checkout", CheckoutJSON.self),
        ("Consistency", ConsistencyJSON.self),
        ("Day", DayJSON.self),
        ("Detail", Detail.self),
        ("Duplicate", DuplicateJSON.self),
        ("DuplicatePayment", DuplicateJSON.Payment.self),
        ("Event", EventJSON.self),
        ("EventProof", EventProofJSON.self),
        ("Facet", TransactionJSON.Facet.self),
        ("Finding", FindingJSON.self),
        ("FollowUpInDoubt", FollowUpInDoubt.self),
        ("Found", FoundJSON.self),
        ("HostTotals", HostTotals.self),
        ("IntakeAnswer", IntakeAnswerJSON.self),
        ("IssuerAnswer", IssuerAnswer.self),
        ("Merchant", MerchantJSON.self),
        ("Money", Money.self),
        ("NotReady", NotReadyJSON.self),
        ("Progress", ProgressJSON.self),
        ("ProjectionPage", ProgressPageJSON.self),
        ("QueuedAnomaly", AnomalyJSON.self),
        ("Reader", ReaderJSON.self),
        ("ReaderReference", ReaderReference.self),
        ("Ready", ReadyJSON.self),
        ("Receipt", ReceiptJSON.self),
        ("ReceiptPrinted", PrintedReceiptJSON.self),
        ("Redaction", RedactionNote.self),
        ("References", References.self),
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
    private static let requests: Set = ["MatchingRules", "ReconciliationRules"]

    @Test(arguments: allTypes.map(\.0)) func componentsHaveTheShapeOfTheirType(_ name: String) throws {
        let type = try #require(Self.allTypes.first { $0.0 == name }?.1)
        let differences = try judge.differences(from: ShapeProbe.shape(of: type), inComponent: name)
        let leftOut = Self.requests.contains(name) ? ": optional in the schema only" : "-"
        #expect(differences.filter { !$0.hasSuffix(leftOut) } == [])
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

    @Test func floatingPointHasNoShape() {
        #expect(throws: ShapeProbe.Fault.self) { try ShapeProbe.shape(of: [Double].self) }
    }
}
