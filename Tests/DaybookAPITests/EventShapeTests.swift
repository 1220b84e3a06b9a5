import Canonical
import Foundation
import Journal
import Matching
import Payments
import Redaction
import ReplayRules
import Testing

/// Checks the events that the code encodes against the shapes of the OpenAPI document.
@Suite struct EventShapeTests {
    let judge: JSONSchema
    private let choices: [JSONValue]

    init() throws {
        let document = try Contract.published.get().document
        judge = JSONSchema(document: document)
        choices = try #require(document["components"]?["schemas"]?["Event"]?["allOf"]?[1]?["oneOf"]?.array)
    }

    @Test func failedRunsHaveTheirShape() throws {
        for reason in RunFailure.Reason.allCases {
            try expectShape(ReconciliationEvent.failed(RunFailure(run: Self.id, reason: reason)))
        }
    }

    @Test func eventsOfReplaysHaveTheirShapes() throws {
        let events = try Self.replayEvents()
        #expect(Set(events.map(\.name)) == Set(ReplayEvent.Name.allCases))
        for event in events { try expectShape(event) }
    }

    /// The data of events: one row for each component that an event refers to.
    static let payloads: [(String, any (Decodable & Sendable).Type)] = [
        ("Amounts", Amounts.self),
        ("Anomaly", Anomaly.self),
        ("AnomalyAcknowledgement", AnomalyAcknowledgement.self),
        ("ApplicationTotals", ApplicationTotals.self),
        ("Approval", Approval.self),
        ("BatchAssignment", BatchAssignment.self),
        ("BatchClosing", BatchClosing.self),
        ("BatchImbalance", BatchImbalance.self),
        ("BatchLink", BatchLink.self),
        ("Capture", Capture.self),
        ("ChangeApproval", ChangeApproval.self),
        ("ChangeProposal", ChangeProposal.self),
        ("ChangeRejection", ChangeRejection.self),
        ("CardTokenReport", CardTokenReport.self),
        ("ChartDefined", ChartDefinition.self),
        ("ChartSpan", ChartSpan.self),
        ("CheckoutReport", CheckoutReport.self),
        ("DeviceReport", DeviceReport.self),
        ("Dispense", Dispense.self),
        ("DisputeReport", DisputeReport.self),
        ("DocumentReceived", DocumentReceived.self),
        ("Figure", Figure.self),
        ("FollowUpRefusal", FollowUpRefusal.self),
        ("GatewayReport", GatewayReport.self),
        ("Increment", Increment.self),
        ("IntakeRefusal", IntakeRefusal.self),
        ("JournalExported", JournalExport.self),
        ("KeyIssue", KeyIssue.self),
        ("KeysLinked", KeysLinked.self),
        ("MerchantDescribed", MerchantDescription.self),
        ("NamedAccount", NamedAccount.self),
        ("PaymentRequest", PaymentRequest.self),
        ("PlannedReplayItem", ReplayItem.self),
        ("PlannedReplayItems", ReplayItems.self),
        ("ReceiptIssue", ReceiptIssue.self),
        ("ReplayApproval", ReplayApproval.self),
        ("ReplayAttempt", ReplayAttempt.self),
        ("ReplayCompletion", ReplayCompletion.self),
        ("ReplayItemEnd", ReplayItemEnd.self),
        ("ReplayNote", ReplayNote.self),
        ("ReplayPlanning", ReplayPlanning.self),
        ("RequestRepeat", RequestRepeat.self),
        ("Resolution", Resolution.self),
        ("Return", Return.self),
        ("RunFailure", RunFailure.self),
        ("Settlement", Settlement.self),
        ("Tender", Tender.self),
        ("TenderMarks", TenderMarks.self),
        ("TenderRefusal", TenderRefusal.self),
        ("TipAdjustment", TipAdjustment.self),
        ("ValueReport", ValueReport.self),
        ("Verdict", Verdict.self),
    ]

    @Test(arguments: payloads.map(\.0)) func payloadsHaveTheShapeOfTheirType(_ name: String) throws {
        let type = try #require(Self.payloads.first { $0.0 == name }?.1)
        #expect(try judge.differences(from: ShapeProbe.shape(of: type), inComponent: name) == [])
    }

    /// The types of events in the sources: a new one needs a shape, too.
    @Test func everyTypeOfEventIsKnown() throws {
        let declaration = try Regex(#"(?m)(?:enum|struct) (\w+)(?:<.*>)?: LedgerEvent \{"#)
        let sources = RepositoryFile.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: declaration) { found.insert(match[1].substring.map(String.init) ?? "") }
        }
        // Those of `ContractTests.theEventTypesAreThoseOfTheLog`; `ReportEvent` and `JournalEvent` have several names.
        let known: Set = [
            "TransactionEvent", "ReportEvent", "JournalEvent", "BatchEvent", "TenantEvent", "StatementEvent",
            "ReconciliationEvent", "ExceptionEvent", "PeriodEvent", "ReplayEvent", "ProposalEvent",
        ]
        #expect(found == known)
    }

    /// Every event of the golden files is valid for the schema of its type.
    @Test func goldenEventsHaveTheirShapes() throws {
        let folder = RepositoryFile.root.appending(path: "Tests/PaymentsTests/Golden/Events")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        var types: Set<String> = []
        for name in names {
            for line in try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(separator: "\n") {
                let event = try JSONValue(parsing: String(line))
                let (type, data) = (try #require(event["type"]?.string), try #require(event["data"]))
                types.insert(type)
                #expect(judge.faults(of: data, by: try shape(of: type)) == [], "\(type) in \(name)")
            }
        }
        #expect(types.isSuperset(of: TransactionEvent.types))
    }

    private func shape(of type: String) throws -> JSONValue {
        let choice = choices.first { choice in
            let types = choice["properties"]?["type"]
            return types?["const"]?.string == type || types?["enum"]?.strings.contains(type) == true
        }
        return try #require(choice?["properties"]?["data"], "\(type)")
    }

    /// Expects the data to be valid for its type, and invalid with another member or without any.
    private func expectShape(_ event: some LedgerEvent) throws {
        let shape = try shape(of: event.type)
        let data = try event.data()
        #expect(judge.faults(of: data, by: shape) == [], "\(event.type)")
        #expect(judge.faults(of: [:], by: shape) != [], "\(event.type)")
        var wider = try #require(data.object)
        wider["surplus"] = 1
        #expect(judge.faults(of: .object(wider), by: shape) != [], "\(event.type)")
    }

    private static let id = UUID128(high: 0x8000, low: 0x8000_0000_0000_0001)

    /// Events of every type, with and without their optional members.
    private static func replayEvents() throws -> [ReplayEvent] {
        let time = try #require(Timestamp(rfc3339: "2026-11-02T12:00:00.000000Z"))
        let note = ReplayNote(reason: "enough")
        let ann = ReplayActor(name: "ann", holder: "person-1")
        let book = RuleBookReference(
            edition: "2026.1",
            day: "2026-11-02",
            digest: "sha256:ab",
            overrides: ["wait.retry=7200"]
        )
        let item = ReplayItem(
            number: 1,
            transaction: id,
            version: 7,
            operation: .tipAdjustment,
            disposition: .waitUntil,
            until: time,
            rule: "wait.retry",
            evidence: [3, 5],
            amount: Money(1000, .usd),
            tip: Money(100, .usd),
            instead: .reversal,
            card: "hmac-sha256:ab"
        )
        let bare = ReplayItem(
            number: 2,
            transaction: id,
            version: 1,
            operation: .verification,
            disposition: .never,
            rule: "iso.04",
            evidence: []
        )
        func planned(filter: String?, transactions: [UUID128]?, items: [ReplayItem]) -> ReplayEvent {
            .planned(
                ReplayPlanning(
                    filter: filter,
                    transactions: transactions,
                    reason: "nightly",
                    planner: ann,
                    book: book,
                    covers: 40,
                    plannedAt: time,
                    expiresAt: time,
                    items: Int64(items.count),
                    totals: ReplayTotal.of(items)
                )
            )
        }
        let ends = ReplayItemEnd.End.allCases
        return [
            planned(filter: "status=declined", transactions: nil, items: [item, bare]),
            planned(filter: nil, transactions: [id], items: [bare]),
            .itemsPlanned(ReplayItems(items: [item, bare])),
            .approved(ReplayApproval(reason: "small", approver: ann, byPolicy: true)),
            .approved(ReplayApproval(reason: "checked", approver: ReplayActor(name: "bob"), byPolicy: false)),
            .rejected(note), .started(note), .paused(note), .resumed(note), .stopped(note),
            .itemAttempted(ReplayAttempt(item: 1, transaction: id, version: 7, reference: "r-1")),
            .itemEnded(
                ReplayItemEnd(item: 1, transaction: id, end: .movedOn, version: 8, rule: "iso.05", detail: "later")
            ),
            .completed(ReplayCompletion(ends: ends.map { ReplayEndCount(end: $0, count: 1) })),
        ] + ends.map { .itemEnded(ReplayItemEnd(item: 2, transaction: id, end: $0)) }
    }
}
