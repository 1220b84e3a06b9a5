/// The output of each command.
actor Printed {
    private var texts: [String: Task<String, any Error>] = [:]

    func text(_ command: String, _ run: @escaping @Sendable () async throws -> String) async throws -> String {
        if let known = texts[command] { return try await known.value }
        let running = Task { try await run() }
        texts[command] = running
        return try await running.value
    }
}
