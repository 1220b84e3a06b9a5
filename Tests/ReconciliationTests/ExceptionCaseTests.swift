import Canonical
import Matching
import Payments
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
        holder: String?? = .none,
        proposal: UUID128 = id
    ) throws(ExceptionRefusal) {
        let event = try state.decide(
            action,
            by: KeyHolder(actor: actor, holder: holder ?? actor),
            proposal: proposal,
            reason: "because",
            rules: Self.rules
        )
        state.fold(event, by: actor)
    }

    private static let id = UUID128(high: 1, low: 1)

    private func open(_ amount: Int64?, _ currency: String? = "USD") -> ExceptionCase {
        ExceptionCase(evidence: 7, amount: amount, currency: currency)
    }

    @Test(arguments: [
        (Int64(500), "USD", false), (-500, "USD", false), (501, "USD", true), (-501, "USD", true), (0, "EUR", false),
        (1, "EUR", true), (.min, "USD", true),
    ])
    func resolutionsThatNeedApproval(amount: Int64, currency: String, isNeeded: Bool) throws {
        var state = open(amount, currency)
        try act(.resolve(ExceptionResolution(.writtenOff)), &state)
        #expect(state.status == (isNeeded ? .proposed : .resolved))
    }

    @Test func sumsBeyond64BitsNeedApproval() throws {
        var state = open(nil)
        try act(.resolve(ExceptionResolution(.writtenOff)), &state)
        #expect(state.status == .proposed)
    }

    @Test func anotherOperatorApproves() throws {
        var state = open(9000)
        try act(.assign("ann"), &state, by: "boss")
        #expect(state.status == .assigned && state.assignee == "ann")
        try act(.resolve(ExceptionResolution(.timing)), &state)
        #expect(state.status == .proposed && state.proposedBy == "ann")
        #expect(throws: ExceptionRefusal.ownProposal) { try act(.approve(Self.id), &state) }
        try act(.reject, &state, by: "bob")
        #expect(state.status == .assigned && state.proposal == nil)
        #expect(throws: ExceptionRefusal.notProposed) { try act(.approve(Self.id), &state, by: "bob") }
        try act(.resolve(ExceptionResolution(.writtenOff)), &state)
        try act(.approve(Self.id), &state, by: "bob")
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

    private static let people: [(String, String?, String, String?, ExceptionRefusal?)] = [
        ("key:1", "ann", "key:2", "ann", .ownProposal), ("key:1", "ann", "key:2", "Ann", .ownProposal),
        ("key:1", "ann", "key:1", "bob", .ownProposal), ("key:1", nil, "key:1", "bob", .ownProposal),
        ("key:1", "ann", "key:2", "bob", nil), ("key:1", nil, "key:2", "ann", .unknownHolder),
        ("key:1", "ann", "key:2", nil, .unknownHolder), ("key:1", nil, "key:2", nil, .unknownHolder),
        ("key:1", "ann", "cli:root", "root", .unknownHolder),
        ("key:1", "Andre\u{301}", "key:2", "ANDRÉ ", .ownProposal),
    ]

    /// Both holders must be known, and be two persons.
    @Test(arguments: people)
    func keysOfOneHolderAreOneOperator(
        proposer: String,
        proposerIs: String?,
        approver: String,
        approverIs: String?,
        refusal: ExceptionRefusal?
    ) throws {
        var state = open(9000)
        try act(.resolve(ExceptionResolution(.writtenOff)), &state, by: proposer, holder: .some(proposerIs))
        guard let refusal else {
            try act(.approve(Self.id), &state, by: approver, holder: .some(approverIs))
            #expect(state.status == .resolved)
            return
        }
        #expect(throws: refusal) { try act(.approve(Self.id), &state, by: approver, holder: .some(approverIs)) }
        #expect(state.status == .proposed)
    }

    /// An approval is of the proposal that the approver has read.
    @Test func anApprovalNamesItsProposal() throws {
        var state = open(9000)
        let other = UUID128(high: 1, low: 2)
        try act(.resolve(ExceptionResolution(.timing)), &state)
        try act(.resolve(ExceptionResolution(.writtenOff)), &state, proposal: other)
        #expect(throws: ExceptionRefusal.proposalReplaced) { try act(.approve(Self.id), &state, by: "bob") }
        try act(.approve(other), &state, by: "bob")
        #expect(state.resolution?.kind == .writtenOff)
    }

    /// What an operator writes off within 24 hours has the limit of one resolution.
    @Test(
        arguments: [
            ([], 500, false), ([1], 500, true), ([499], 1, false), ([499], 2, true), ([.max], 1, true),
            ([500], -1, true),
            ([-1], 500, true),
        ] as [([Int64], Int64, Bool)]
    )
    func sumsNeedApproval(earlier: [Int64], amount: Int64, isNeeded: Bool) throws {
        for kind in [ExceptionResolution.Kind.writtenOff, .corrected] {
            let event = try open(amount).decide(
                .resolve(ExceptionResolution(kind)),
                by: KeyHolder(actor: "ann", holder: "ann"),
                proposal: Self.id,
                reason: "x",
                rules: Self.rules,
                earlier: earlier
            )
            #expect((event.name == .resolutionProposed) == isNeeded)
        }
    }

    /// Without a known holder there is no sum.
    @Test(arguments: [nil, "root", " "] as [String?])
    func unknownOperatorsWriteOffNothingAlone(holder: String?) throws {
        var state = open(1)
        try act(.resolve(ExceptionResolution(.writtenOff)), &state, by: "key:1", holder: .some(holder))
        #expect(state.status == .proposed)
    }

    /// A decision on earlier evidence resolves nothing.
    @Test func olderEvidenceDecidesNothing() throws {
        var state = open(100)
        let resolved = try state.decide(
            .resolve(ExceptionResolution(.timing)),
            by: KeyHolder(actor: "ann", holder: "ann"),
            proposal: Self.id,
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
