package import Canonical
package import Composition
import EventLog
package import Intake
package import Payments
import Projections
package import Reconciliation
package import Redaction

/// An operator's command about a dispute.
package struct DisputeStep: Sendable, Hashable {
    /// The commands, by the last part of their paths.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case describe, represent, close
    }

    package enum Command: Sendable, Hashable {
        case record(DisputeFact)
        /// Another operator must approve it.
        case close(DisputeCase.Outcome)
    }

    package var command: Command
    package var reason: Reason
    /// The version that the payment must still have; nil if it may have any.
    package var version: Int64?

    /// `{"reasonCode": "10.4", "respondBy": "2026-03-31", "reason": "..."}`, `{"documents": "...", "reason": "..."}` or
    /// `{"as": "lost", "reason": "..."}`, each perhaps with `expectedVersion`.
    ///
    /// - Throws: `malformed-record`, with the place of the invalid member.
    package init(_ name: Name, reading json: JSONValue) throws(IntakeProblem) {
        let own =
            switch name {
            case .describe: ["reasonCode", "respondBy"]
            case .represent: ["documents"]
            case .close: ["as"]
            }
        let body = try CommandBody(json, members: own + ["reason", "expectedVersion"])
        switch name {
        case .describe: command = .record(try Self.description(body))
        case .represent:
            let documents = try body.text("documents", mostBytes: DisputeCommands.longestDocuments)
            command = .record(.represented(documents: documents))
        case .close:
            guard let outcome = body["as"]?.string.flatMap({ DisputeCase.Outcome(rawValue: $0) }) else {
                let names = DisputeCase.Outcome.allCases.map(\.rawValue).joined(separator: " or ")
                throw IntakeProblem(.malformedRecord, "`as` is \(names).", pointer: "/as")
            }
            command = .close(outcome)
        }
        reason = try body.reason()
        version = try body.expectedVersion()
    }

    private static func description(_ body: CommandBody) throws(IntakeProblem) -> DisputeFact {
        var code: String?
        var day: CivilDate?
        if body["reasonCode"] != nil { code = try body.text("reasonCode", mostBytes: DisputeReport.longestCode) }
        if let stated = body["respondBy"] {
            guard let read = stated.string.flatMap({ CivilDate($0) }) else {
                throw IntakeProblem(.malformedRecord, "It is a day, as 2026-03-31.", pointer: "/respondBy")
            }
            day = read
        }
        guard code != nil || day != nil else {
            throw IntakeProblem(.malformedRecord, "Send `reasonCode`, `respondBy` or both.")
        }
        return .described(reasonCode: code, respondBy: day)
    }
}

/// The result of a command about a dispute.
package enum DisputeAnswer: Sendable, Hashable {
    case recorded(DisputeCommands.Outcome)
    /// Another operator must approve it.
    case proposed(Proposals.Outcome)
}

extension Ledger {
    /// Executes a command about a dispute, once the read model contains what this process appended before.
    ///
    /// - Parameter idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal` with `projection-behind`; the errors of `DisputeCommands`.
    package func act(
        _ step: DisputeStep,
        on dispute: UUID128,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> DisputeAnswer {
        let isThere = try await readModels.wait(
            for: "movements",
            toReachKnown: appended.position,
            timeout: waitLimit
        )
        guard isThere else { throw Refusal.projectionBehind() }
        let commands = reconciliation.disputeCommands
        switch step.command {
        case .record(let fact):
            return .recorded(
                try await commands.record(
                    fact,
                    of: dispute,
                    reason: step.reason,
                    version: step.version,
                    idempotencyKey: idempotencyKey,
                    sender: sender
                )
            )
        case .close(let outcome):
            return .proposed(
                try await commands.close(
                    dispute,
                    as: outcome,
                    reason: step.reason,
                    version: step.version,
                    idempotencyKey: idempotencyKey,
                    sender: sender
                )
            )
        }
    }
}
