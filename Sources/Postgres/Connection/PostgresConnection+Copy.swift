internal import CLibPQ

extension PostgresConnection {
    /// How many bytes of output are collected before `body` receives them.
    private static let copyOutBytes = 64 << 10

    /// Runs a `COPY ... FROM STDIN` with the data that `body` writes, in bounded memory: a write waits until the system
    /// has accepted the data. When `body` throws, nothing is copied.
    ///
    /// - Returns: the number of rows copied.
    /// - Throws: the errors of `body`, or `PostgresError`.
    @discardableResult
    package nonisolated(nonsending) func copyIn(
        _ sql: String,
        _ body: nonisolated(nonsending) (inout PostgresCopyWriter) async throws -> Void
    ) async throws -> Int {
        try await copyIn(sql, in: nil, body)
    }

    /// Runs a `COPY ... FROM STDIN` with data that arrives in chunks.
    ///
    /// - Returns: the number of rows copied.
    @discardableResult
    package nonisolated(nonsending) func copyIn<Chunks: AsyncSequence>(
        _ sql: String,
        chunks: Chunks
    ) async throws -> Int where Chunks.Element == [UInt8] {
        try await copyIn(sql) { writer in
            for try await chunk in chunks { try await writer.write(chunk) }
        }
    }

    /// Runs a `COPY ... TO STDOUT` and passes its output to `body` in pieces, in bounded memory. A slow `body` slows
    /// the server. Pieces end only where a row of the output ends.
    ///
    /// - Returns: the number of rows copied.
    /// - Throws: the errors of `body`, and then the statement is cancelled; or `PostgresError`.
    @discardableResult
    package nonisolated(nonsending) func copyOut(
        _ sql: String,
        _ body: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws -> Int {
        try await copyOut(sql, in: nil, body)
    }

    nonisolated(nonsending) func copyIn(
        _ sql: String,
        in token: TransactionToken?,
        _ body: nonisolated(nonsending) (inout PostgresCopyWriter) async throws -> Void
    ) async throws -> Int {
        try await beginCopy(sql, .copyingIn, in: token)
        do {
            var writer = PostgresCopyWriter(connection: self)
            try await body(&writer)
            try await writer.finish()
        } catch {
            await abandonCopyIn()
            throw error
        }
        return try await endCopyIn()
    }

    nonisolated(nonsending) func copyOut(
        _ sql: String,
        in token: TransactionToken?,
        _ body: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws -> Int {
        try await beginCopy(sql, .copyingOut, in: token)
        while let piece = try await nextPiece() {
            do {
                try await body(piece)
            } catch {
                await abandonCopyOut()
                throw error
            }
        }
        return try await endCopyOut()
    }

    private func beginCopy(_ sql: String, _ direction: Occupation, in token: TransactionToken?) async throws {
        try await cancellable { connection, operation in
            let session = try connection.admit(token)
            guard !sql.utf8.contains(0) else { throw PostgresError(.textContainsNUL) }
            defer { connection.settle() }
            try session.start(operation) { PQsendQuery($0, sql) }
            _ = try session.firstResult(
                operation,
                wanted: direction == .copyingIn ? PGRES_COPY_IN : PGRES_COPY_OUT
            )
            connection.occupation = direction
            connection.longOperation = operation
        }
    }

    // MARK: Into the server

    /// Sends COPY data and waits until the system has accepted it.
    func sendCopyData(_ bytes: [UInt8]) async throws {
        guard occupation == .copyingIn, let operation = longOperation else { throw PostgresError(.connectionBusy) }
        try await withTaskCancellationHandler {
            let session = try self.session()
            if self.canceller.isRequested(operation) { throw PostgresError(.cancelled) }
            try bytes.withUnsafeBytes { try session.sendCopyData($0) }
        } onCancel: {
            canceller.cancel(operation)
        }
    }

    private func endCopyIn() async throws -> Int {
        guard let operation = longOperation else { throw PostgresError(.connectionLost) }
        return try await withTaskCancellationHandler {
            let session = try self.session()
            defer { self.endLong(session, operation) }
            try session.endCopyData(failing: false)
            return try session.collect(operation).last?.affectedCount ?? 0
        } onCancel: {
            canceller.cancel(operation)
        }
    }

    private func abandonCopyIn() {
        guard let session = openSession, let operation = longOperation, occupation == .copyingIn else { return }
        do {
            try session.endCopyData(failing: true)
            try session.collect(operation)
        } catch {
            // The server confirms with an error that it has dropped the data.
        }
        endLong(session, operation)
    }

    // MARK: Out of the server

    private func nextPiece() async throws -> [UInt8]? {
        guard occupation == .copyingOut, let operation = longOperation else { throw PostgresError(.connectionLost) }
        return try await withTaskCancellationHandler {
            let session = try self.session()
            do {
                return try session.nextCopyData(atLeast: Self.copyOutBytes)
            } catch {
                self.endLong(session, operation)
                throw error
            }
        } onCancel: {
            canceller.cancel(operation)
        }
    }

    private func endCopyOut() throws -> Int {
        guard let operation = longOperation else { throw PostgresError(.connectionLost) }
        let session = try session()
        defer { endLong(session, operation) }
        return try session.collect(operation).last?.affectedCount ?? 0
    }

    private func abandonCopyOut() {
        guard let session = openSession, let operation = longOperation, occupation == .copyingOut else { return }
        canceller.cancel(operation)
        do {
            while try session.nextCopyData(atLeast: 1) != nil {}
            try session.collect(operation)
        } catch {
            // The error is the requested cancellation.
        }
        endLong(session, operation)
    }
}
