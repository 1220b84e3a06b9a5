package import Canonical
package import Composition
import EventLog
package import Intake
package import Journal
import Projections

extension ExportRequest {
    /// `{"format": "beancount", "after": 0, "through": 1200}`; the positions may be left out.
    ///
    /// - Throws: `malformed-record`.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        let body = try CommandBody(json, members: ["format", "after", "through"])
        guard let format = body["format"]?.string.flatMap(ExportFormat.init) else {
            let names = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw IntakeProblem(.malformedRecord, "A format is one of \(names).", pointer: "/format")
        }
        self.init(format: format)
        after = try Self.position("after", in: body)
        through = try Self.position("through", in: body)
        if let after, let through, after > through {
            throw IntakeProblem(.malformedRecord, "The file must not end before it begins.", pointer: "/through")
        }
    }

    private static func position(_ name: String, in body: CommandBody) throws(IntakeProblem) -> Int64? {
        guard let stated = body[name] else { return nil }
        guard let position = stated.int64, position >= 0 else {
            throw IntakeProblem(.malformedRecord, "A position is a whole number from 0.", pointer: "/\(name)")
        }
        return position
    }
}

extension Ledger {
    /// Records an export of the journal, once the read model contains the whole log.
    ///
    /// - Parameter waitLimit: How long to wait for the read model.
    /// - Throws: `Refusal` with `position-beyond-end` or `projection-behind`; the errors of `ExportCommands.export`.
    package func exportJournal(
        _ request: ExportRequest,
        idempotencyKey: String?,
        sender: Sender,
        waitLimit: Duration
    ) async throws -> ExportCommands.Outcome {
        let head = try await reader.head()
        guard max(request.after ?? 0, request.through ?? 0) <= head else { throw Refusal.beyondEnd(head) }
        // Also for an earlier end: the chart in force names the accounts.
        guard try await readModels.wait(for: "journal", toReach: head, timeout: waitLimit) else {
            throw Refusal.projectionBehind()
        }
        return try await exports.export(request, upTo: head, idempotencyKey: idempotencyKey, sender: sender)
    }
}
