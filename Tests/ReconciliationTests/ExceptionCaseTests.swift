import Canonical
import Matching
import Redaction
import Testing

/// The permitted actions on an exception, and the status after them.
@Suite struct ExceptionCaseTests {
    private static let rules = MatchingRules(approvals: [ApprovalLimit(currency: "USD", above: 500)])

    /// Decides an action and folds its event.
    private func act(
        _ action: ExceptionAction,
        _ state: inout ExceptionCase,
        by actor: String = "ann",
        holder: String? = nil
    ) throws(ExceptionRefusal) {
        let event = try state.decide(action, by: actor, holder: holder, reason: "because", rules: Self.rules)
        state.fold(event, by: actor)
    }

    private func open(_ amount: Int64?, _ currency: String? = "USD") -> ExceptionCase {
        ExceptionCase(evidence: 7, amount: amount, currency: currency)
    }

    @Test(arguments: [
        (Int64(500), "USD", false), (-500, "USD", false), (501, "USD", true), (-501, "USD", true), (0, "EUR", false),
        (1, "EUR", true), (.min, "USD", true),
    ])
    func resolutionsThatNeedApproval(amount: Int64, currency: String, isNeeded: Bool) throws {
        #expect(Self.rules.needsApproval(amount, currency) == isNeeded)
        var state = open(amount, currency)
        try act(.resolve(ExceptionResolution(.writtenOff)), &state)
        #expect(state.status == (isNeeded ? .proposed : .resolved))
    }

    @Test func sumsBeyond64BitsNeedApproval() {
        #expect(Self.rules.needsApproval(nil, "USD"))
    }

    @Test func anotherOperatorApproves() throws {
        var state = open(9000)
        try act(.assign("ann"), &state, by: "boss")
        #expect(state.status == .assigned && state.assignee == "ann")
        try act(.resolve(ExceptionResolution(.timing)), &state)
        #expect(state.status == .proposed && state.proposedBy == "ann")
        #expect(throws: ExceptionRefusal.ownProposal) { try act(.approve, &state) }
        try act(.reject, &state, by: "bob")
        #expect(state.status == .assigned && state.proposal == nil)
        #expect(throws: ExceptionRefusal.notProposed) { try act(.approve, &state, by: "bob") }
        try act(.resolve(ExceptionResolution(.writtenOff)), &state)
        try act(.approve, &state, by: "bob")
        #expect(state.status == .resolved && state.resolution?.kind == .writtenOff)
        #expect(throws: ExceptionRefusal.ended) { try act(.resolve(ExceptionResolution(.timing)), &state) }
        #expect(throws: ExceptionRefusal.ended) { try act(.assign(nil), &state) }
        try act(.note, &state)
        #expect(state.status == .resolved)
        try act(.reopen, &state)
        #expect(state.status == .assigned && state.reopenings == 1 && state.resolution == nil)
        #expect(throws: ExceptionRefusal.notResolved) { try act(.reopen, &state) }
        try act(.assign(nil), &state)
        #expect(state.status == .open)
    }

    private static let people: [(String, String?, String, String?, Bool)] = [
        ("key:1", "ann", "key:2", "ann", false), ("key:1", "ann", "key:2", "Ann", false),
        ("key:1", "ann", "key:1", "bob", false), ("key:1", nil, "key:1", "bob", false),
        ("key:1", "ann", "key:2", "bob", true), ("key:1", nil, "key:2", "ann", true),
        ("key:1", "ann", "key:2", nil, true),
    ]

    /// Users are distinguished by the holders of their keys if both are known, else by the keys.
    @Test(arguments: people)
    func keysOfOneHolderAreOneOperator(
        proposer: String,
        proposerIs: String?,
        approver: String,
        approverIs: String?,
        mayApprove: Bool
    ) throws {
        var state = open(9000)
        try act(.resolve(ExceptionResolution(.writtenOff)), &state, by: proposer, holder: proposerIs)
        if mayApprove {
            try act(.approve, &state, by: approver, holder: approverIs)
            #expect(state.status == .resolved)
        } else {
            #expect(throws: ExceptionRefusal.ownProposal) {
                try act(.approve, &state, by: approver, holder: approverIs)
            }
            #expect(state.status == .proposed)
        }
    }

    /// A decision on earlier evidence resolves nothing.
    @Test func olderEvidenceDecidesNothing() throws {
        var state = open(100)
        let resolved = try state.decide(
            .resolve(ExceptionResolution(.timing)),
            by: "ann",
            reason: "x",
            rules: Self.rules
        )
        state.evidence = 8
        state.fold(resolved, by: "ann")
        #expect(state.status == .open && state.resolution == nil)
    }

    /// Recorded events can be read again.
    @Test func eventsComeBack() throws {
        let id = try #require(UUID128("0198c1c2-6a00-7000-8000-000000000001"))
        let resolution = ExceptionResolution(
            .matched,
            lines: [id],
            movements: [MovementName(transaction: id, movement: "capture:1")]
        )
        let events: [ExceptionEvent] = [
            .assigned(ExceptionAssignment(assignee: nil, reason: "r")), .noted(ExceptionNote(reason: "r")),
            .resolutionProposed(ResolutionProposal(evidence: 7, resolution: resolution, reason: "r", holder: "ann")),
            .resolutionRejected(ResolutionRejection(evidence: 7, reason: "r")),
            .resolved(ResolutionDecision(evidence: 7, resolution: resolution, reason: "r", proposedBy: "ann")),
            .reopened(ExceptionNote(reason: "r")),
        ]
        #expect(Set(events.map(\.name)) == Set(ExceptionEvent.Name.allCases))
        for event in events {
            #expect(try ExceptionEvent(type: event.type, schema: event.schema, data: event.data()) == event)
        }
    }
}
