package import Canonical
package import Matching
package import Payments
import Projections
package import Reconciliation

/// An exception with its candidates.
package struct ExceptionJSON: Codable, Sendable, Hashable {
    package struct Proposal: Codable, Sendable, Hashable {
        /// The name that its approval must have; nil for proposals that are too old to be approved.
        package var id: UUID128?
        package var resolution: ExceptionResolution
        package var reason: String
        package var by: String?
        package var holder: String?
    }

    package var id: UUID128
    package var `class`: ExceptionClass
    package var status: ExceptionStatus
    package var line: UUID128?
    /// The statement that it is about as a whole.
    package var statement: UUID128?
    /// The processor whose file is missing, and the time by which it was expected.
    package var processor: String?
    package var expectedBy: Timestamp?
    package var transaction: UUID128?
    package var movement: String?
    package var merchant: String?
    /// True if no merchant is known.
    package var unattributed: Bool?
    package var terminal: String?
    package var day: String?
    package var amount: Money?
    package var lineAmount: Money?
    package var expected: Money?
    package var ledgerAmount: Money?
    package var paymentStatus: String?
    package var rule: String?
    package var candidates: [MatchCandidateJSON]?
    /// The first controls of the statement that do not hold.
    package var controls: [StatementControlJSON]?
    package var ageSeconds: Int64?
    package var assignee: String?
    package var proposal: Proposal?
    package var resolution: ExceptionResolution?
    package var reopenings: Int64
    package var firstAt: Timestamp
    package var firstPosition: Int64
    package var evidenceAt: Timestamp
    package var evidencePosition: Int64
    package var lastPosition: Int64
    package var version: Int64

    /// - Parameter now: The time at which its age is computed.
    package init(_ exception: ExceptionView, at now: Timestamp) throws {
        let reported = try JSONValueDecoder().decode(ReportedException.self, parsing: exception.reported)
        let state = exception.state
        let ledgerCurrency = reported.ledgerCurrency ?? state.currency
        id = exception.id
        `class` = try ExceptionClass(stored: exception.exceptionClass)
        status = state.status
        line = exception.line
        statement = reported.statement
        processor = reported.processor
        expectedBy = reported.expectedBy
        transaction = exception.transaction
        movement = exception.movement
        merchant = exception.merchant
        unattributed = merchant == nil ? true : nil
        terminal = exception.terminal
        day = exception.day?.description
        amount = try .stored(state.amount, state.currency)
        lineAmount = try .stored(reported.lineAmount?.int64, state.currency)
        expected = try .stored(reported.expected?.int64, ledgerCurrency)
        ledgerAmount = try .stored(reported.ledgerAmount?.int64, ledgerCurrency)
        paymentStatus = reported.status
        rule = reported.rule
        candidates = try reported.candidates?.map { try MatchCandidateJSON($0, of: reported) }
        controls = reported.controls
        if state.status.isOpen {
            ageSeconds = max(0, now.microsecondsSince1970 - exception.firstAt.microsecondsSince1970) / 1_000_000
        }
        assignee = state.assignee
        proposal = state.proposal.map { proposal in
            Proposal(
                id: proposal.id,
                resolution: proposal.resolution,
                reason: proposal.reason,
                by: state.proposedBy,
                holder: proposal.holder
            )
        }
        resolution = state.resolution
        reopenings = Int64(state.reopenings)
        firstAt = exception.firstAt
        firstPosition = exception.firstPosition
        evidenceAt = exception.evidenceAt
        evidencePosition = state.evidence
        lastPosition = exception.lastPosition
        version = exception.version
    }
}

/// A candidate, with the reasons why it did not match.
package struct MatchCandidateJSON: Codable, Sendable, Hashable {
    package enum Reason: String, Codable, Sendable, CaseIterable {
        /// A payment without money has no movement to name.
        case noMoney = "no-money"
        case taken
        case currencyDiffers = "currency-differs"
        case amountDiffers = "amount-differs"
        case dayDiffers = "day-differs"
        case notUnique = "not-unique"
    }

    package var transaction: UUID128?
    package var movement: String?
    package var line: UUID128?
    package var type: String?
    package var rule: String?
    package var day: String?
    package var amount: Money?
    package var reasons: [Reason]

    fileprivate init(_ candidate: ReportedException.Candidate, of reported: ReportedException) throws {
        transaction = candidate.transaction
        movement = candidate.movement
        line = candidate.line
        type = candidate.type
        rule = candidate.rule
        day = candidate.day
        amount = try .stored(candidate.amount?.int64, candidate.currency)
        reasons = []
        if transaction != nil, movement ?? "" == "" { reasons.append(.noMoney) }
        if candidate.taken == true { reasons.append(.taken) }
        if candidate.currency != reported.currency { reasons.append(.currencyDiffers) }
        let own = reported.lineAmount ?? reported.ledgerAmount
        if candidate.amount?.int64 != own?.int64 { reasons.append(.amountDiffers) }
        if reasons.isEmpty { reasons.append(day == reported.day ? .notUnique : .dayDiffers) }
    }

    /// Whether the candidate has the same money and is not yet explained.
    package var isMatch: Bool {
        !reasons.contains { [.noMoney, .taken, .amountDiffers, .currencyDiffers].contains($0) }
    }
}

/// The evidence of a raised exception, as a run records it.
private struct ReportedException: Decodable {
    struct Candidate: Decodable {
        var transaction: UUID128?
        var movement: String?
        var line: UUID128?
        var type: String?
        var rule: String?
        var day: String?
        /// Beyond 64 bits in unusual cases.
        var amount: JSONNumber?
        var currency: String?
        var taken: Bool?
    }

    var lineAmount: JSONNumber?
    var expected: JSONNumber?
    var ledgerAmount: JSONNumber?
    var currency: String?
    var ledgerCurrency: String?
    var status: String?
    var rule: String?
    var day: String?
    var candidates: [Candidate]?
    var statement: UUID128?
    var processor: String?
    var expectedBy: Timestamp?
    var controls: [StatementControlJSON]?
}

/// A step in the history of an exception.
package struct ExceptionStepJSON: Codable, Sendable, Hashable {
    /// The data of an operator's action: the members of every `ExceptionEvent`.
    package struct Details: Codable, Sendable, Hashable {
        package var id: UUID128?
        package var assignee: String?
        package var evidence: Int64?
        package var resolution: ExceptionResolution?
        package var reason: String?
        package var holder: String?
        package var proposedBy: String?
        package var proposal: UUID128?
        package var given: Int64?
        package var currency: String?
    }

    package var position: Int64
    package var type: String
    package var at: Timestamp
    package var actor: String
    package var status: ExceptionStatus
    /// Nil for the steps of runs: their report is long, and is in the exception itself.
    package var details: Details?

    package init(_ step: ExceptionStepView) throws {
        position = step.position
        type = step.kind
        at = step.at
        actor = step.actor
        status = try ExceptionStatus(stored: step.status)
        guard let reported = step.reported, ExceptionEvent.Name(rawValue: step.kind) != nil else { return }
        details = try JSONValueDecoder().decode(Details.self, parsing: reported)
    }
}

/// An exception with its statement line and all its steps.
package typealias ExceptionDetailJSON = Joined<ExceptionJSON, ExceptionHistoryJSON>

package struct ExceptionHistoryJSON: Codable, Sendable, Hashable {
    /// The line with its statement.
    package typealias Line = Joined<Place, ReportedLineJSON>

    package struct Place: Codable, Sendable, Hashable {
        package var statement: UUID128
        package var number: Int64
        package var id: UUID128
    }

    package var statementLine: Line?
    package var steps: [ExceptionStepJSON]
}
