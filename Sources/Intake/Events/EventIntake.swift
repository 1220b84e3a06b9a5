package import Canonical
package import Vendors

/// Appends events in the ledger's own form: read, scrub, check, judge, append.
///
/// They are recorded as received. After the events of a record about a payment follow the anomalies that contradict it,
/// as after a vendor's document, in the same append.
package struct EventIntake: Sendable {
    /// Those of `lines` that are lines of the tenant's statements.
    package typealias StatementLines =
        @Sendable (
            _ lines: Set<UUID128>, _ tenant: String
        ) async throws -> Set<UUID128>

    private let recorder: TransactionRecorder
    private let scrubber: RecordScrubber
    private let statementLines: StatementLines

    /// - Parameter adapters: The vendors whose documents may be recorded.
    package init(
        recorder: TransactionRecorder,
        adapters: [any VendorAdapter],
        statementLines: @escaping StatementLines
    ) {
        self.recorder = recorder
        self.statementLines = statementLines
        scrubber = RecordScrubber(adapters)
    }

    /// Appends records, and returns when each is durable or refused. They reach the log in their order.
    ///
    /// - Parameters:
    ///   - records: Each the JSON form of an `EventRecord`.
    ///   - idempotencyKey: From the request's header; a record's own key takes precedence.
    ///   - allowsEvidence: Whether the sender may report evidence of a gateway or of settlement.
    /// - Returns: One outcome for each record.
    package func submit(
        _ records: [[UInt8]],
        idempotencyKey: String? = nil,
        allowingEvidence allowsEvidence: Bool,
        sender: Sender
    ) async -> [Result<EventAnswer, IntakeProblem>] {
        var prepared = records.map { prepare($0, idempotencyKey, allowsEvidence, sender) }
        await refuseUnknownLines(in: &prepared, of: sender.tenant)
        return await EventRun.take(prepared, recorder, clearing: allowsEvidence, sender)
    }

    private func prepare(
        _ bytes: [UInt8],
        _ key: String?,
        _ allowsEvidence: Bool,
        _ sender: Sender
    ) -> Result<PreparedEvents, IntakeProblem> {
        do throws(IntakeProblem) {
            let json: JSONValue
            do {
                json = try JSONValue(parsing: bytes)
            } catch {
                let detail = "The record is not JSON: \(error.code.rawValue) at byte \(error.offset)."
                throw IntakeProblem(.malformedJSON, detail)
            }
            var record = try EventRecord(json)
            record.idempotencyKey = record.idempotencyKey ?? key
            return .success(
                try PreparedEvents(
                    record,
                    allowsEvidence,
                    sender: sender,
                    ids: recorder.ids,
                    now: recorder.clock.now(),
                    scrubber
                )
            )
        } catch {
            return .failure(error)
        }
    }

    /// Refuses records that name a statement line which the tenant does not have: the id is the ledger's own, so the
    /// line cannot arrive later.
    private func refuseUnknownLines(
        in records: inout [Result<PreparedEvents, IntakeProblem>],
        of tenant: String
    ) async {
        var named: [(event: Int, line: UUID128)] = []
        for case .success(let one) in records { named += one.statementLines }
        guard !named.isEmpty else { return }
        let known: Result<Set<UUID128>, IntakeProblem>
        do {
            known = .success(try await statementLines(Set(named.map(\.line)), tenant))
        } catch {
            known = .failure(error as? IntakeProblem ?? IntakeProblem(appending: error))
        }
        records = records.map { record in
            record.flatMap { one in
                guard !one.statementLines.isEmpty else { return record }
                return known.flatMap { known in
                    let unknown = one.statementLines.first { !known.contains($0.line) }
                    return unknown.map { .failure(StreamRules.unknownLine(inEvent: $0.event)) } ?? record
                }
            }
        }
    }
}

extension IntakeProblem {
    package static let idempotencyMismatch = IntakeProblem(
        .idempotencyMismatch,
        "This idempotency key was used for another record. Use a new key for a new record."
    )

    package static func versionConflict(actual: Int64) -> IntakeProblem {
        var problem = IntakeProblem(
            .versionConflict,
            "The stream has version \(actual). Read the events appended meanwhile, and decide again.",
            pointer: "/expectedVersion"
        )
        problem.actualVersion = actual
        return problem
    }
}
