internal import CLibPQ

extension PostgresConnection {
    /// The rows and bytes taken from the server before `body` receives them. Crossing threads once per row would cost
    /// more than the row.
    private static let batchRows = 256
    private static let batchBytes = 256 << 10

    /// Runs one statement and passes its rows to `body` as they arrive, in constant memory. A slow `body` slows the
    /// server.
    ///
    /// When `body` throws, the statement is cancelled; inside a transaction that fails the transaction. Rows before a
    /// failing row are passed on first.
    ///
    /// - Throws: the errors of `body`, or `PostgresError`.
    package nonisolated(nonsending) func stream(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        _ body: nonisolated(nonsending) (PostgresRow) async throws -> Void
    ) async throws {
        try await stream(sql, parameters, in: nil, body)
    }

    nonisolated(nonsending) func stream(
        _ sql: String,
        _ parameters: [PostgresValue],
        in token: TransactionToken?,
        _ body: nonisolated(nonsending) (PostgresRow) async throws -> Void
    ) async throws {
        try await beginStream(sql, parameters, in: token)
        while true {
            let rows = try await nextBatch()
            guard !rows.isEmpty else { return }
            do {
                for row in rows { try await body(row) }
            } catch {
                await abandonStream()
                throw error
            }
        }
    }

    private func beginStream(_ sql: String, _ parameters: [PostgresValue], in token: TransactionToken?) async throws {
        try await cancellable { connection, operation in
            let session = try connection.admit(token)
            let parameters = try EncodedParameters(parameters)
            defer { connection.settle() }
            try connection.withStatement(sql, parameters, session, operation) { (statement) throws(PostgresError) in
                try session.start(operation) { pointer in
                    guard Self.send(statement, parameters, on: pointer) == 1 else { return 0 }
                    return PQsetSingleRowMode(pointer)
                }
                connection.firstAnswer = try session.firstResult(operation)
            }
            connection.occupation = .streaming
            connection.longOperation = operation
        }
    }

    /// The next rows; empty at the end.
    private func nextBatch() async throws -> [PostgresRow] {
        guard let operation = longOperation, occupation == .streaming else { throw PostgresError(.connectionLost) }
        if let streamEnd {
            if let openSession { endLong(openSession, operation) }
            try streamEnd.get()
            return []
        }
        let rows = try await withTaskCancellationHandler {
            try self.readBatch(operation)
        } onCancel: {
            canceller.cancel(operation)
        }
        // Rows that came before an error are returned before it.
        return rows.isEmpty ? try await nextBatch() : rows
    }

    private func readBatch(_ operation: StatementCanceller.Operation) throws(PostgresError) -> [PostgresRow] {
        let session = try session()
        var rows: [PostgresRow] = []
        var size = 0
        do throws(PostgresError) {
            while rows.isEmpty || (rows.count < Self.batchRows && size < Self.batchBytes && session.hasResult) {
                let first = takeFirstAnswer()
                let next = if let first { first } else { try session.nextResult() }
                guard let answer = next else {
                    session.finish(operation)
                    try session.checkReplication()
                    streamEnd = .success(())
                    break
                }
                try session.check(answer, operation)
                for index in 0..<answer.rowCount {
                    rows.append(PostgresRow(result: answer, index: index))
                    size += answer.size(ofRow: index)
                }
            }
        } catch {
            streamEnd = .failure(session.abandon(operation, after: error))
        }
        return rows
    }

    private func takeFirstAnswer() -> PostgresResult? {
        defer { firstAnswer = nil }
        return firstAnswer
    }

    private func abandonStream() {
        guard let session = openSession, let operation = longOperation, occupation == .streaming else { return }
        if streamEnd == nil {
            canceller.cancel(operation)
            // The remaining answers of the statement are of no use.
            _ = session.abandon(operation, after: PostgresError(.cancelled))
        }
        endLong(session, operation)
    }

    /// Ends the stream or COPY, whatever its outcome.
    func endLong(_ session: PostgresSession, _ operation: StatementCanceller.Operation) {
        session.finish(operation)
        occupation = .none
        longOperation = nil
        firstAnswer = nil
        streamEnd = nil
        settle()
    }
}
