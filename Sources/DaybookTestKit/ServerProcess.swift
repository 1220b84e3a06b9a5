import Subprocess
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that runs beside the test: the test can wait for its lines and signal it. It is killed when the test
/// releases it.
package final class ServerProcess: Sendable {
    package let processID: Int32
    private let transcript: ProcessTranscript
    private let commands: AsyncStream<Command>.Continuation
    private let running: Task<Void, Never>

    private enum Command: Sendable {
        case signal(Int32)
        case closeInput
    }

    /// The path of a program built together with the tests.
    package static func builtProduct(_ name: String) throws -> String {
        // The test runner is in the directory of the products.
        var path = [CChar](repeating: 0, count: 4097)
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        guard length > 0 else { throw TestKitError("The test runner's path cannot be read") }
        let runner = String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let product = FilePath(runner).removingLastComponent().appending(name).string
        guard access(product, X_OK) == 0 else { throw TestKitError("\(product) has not been built") }
        return product
    }

    /// Starts a program with a pipe for each of its standard streams.
    ///
    /// - Parameter environment: added to the environment of this process; nil removes a variable.
    /// - Throws: `TestKitError` when it cannot be started.
    package static func start(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String?] = [:],
        workingDirectory: String? = nil
    ) async throws -> ServerProcess {
        var changes: [Environment.Key: String?] = [:]
        for (name, value) in environment {
            guard let key = Environment.Key(rawValue: name) else { throw TestKitError("Malformed variable \(name)") }
            changes.updateValue(value, forKey: key)
        }
        var platform = PlatformOptions()
        // A signal to the terminal's process group ends the tests, and through them this program.
        platform.createSession = true
        let configuration = Configuration(
            executable: .path(FilePath(executable)),
            arguments: Arguments(arguments),
            environment: .inherit.updating(changes),
            workingDirectory: workingDirectory.map { FilePath($0) },
            platformOptions: platform
        )
        let transcript = ProcessTranscript(name: executable)
        let (stream, commands) = AsyncStream.makeStream(of: Command.self, bufferingPolicy: .bufferingOldest(64))
        let running = Task { await run(configuration, stream, transcript) }
        let processID = try await transcript.started()
        return ServerProcess(processID, transcript, commands, running)
    }

    private init(
        _ processID: Int32,
        _ transcript: ProcessTranscript,
        _ commands: AsyncStream<Command>.Continuation,
        _ running: Task<Void, Never>
    ) {
        self.processID = processID
        self.transcript = transcript
        self.commands = commands
        self.running = running
    }

    deinit { running.cancel() }

    /// The first line of standard output, past or future, for which the condition holds.
    ///
    /// - Throws: `TestKitError` with the collected output when the program ends without it; `CancellationError`, so
    ///   that a test's time limit ends the wait.
    @discardableResult
    package func line(where condition: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await transcript.line(where: condition)
    }

    /// The first line of standard output that starts with `prefix`.
    @discardableResult
    package func line(startingWith prefix: String) async throws -> String {
        try await line { $0.hasPrefix(prefix) }
    }

    /// Sends a signal, such as `SIGTERM` or `SIGKILL`; without effect once the program has ended.
    package func send(_ signal: Int32) { commands.yield(.signal(signal)) }

    package func closeInput() { commands.yield(.closeInput) }

    /// Waits for the end.
    ///
    /// - Returns: the exit code, or the negative number of the signal that ended it.
    @discardableResult
    package func waitForExit() async throws -> Int {
        await running.value
        return try await transcript.exitStatus()
    }

    /// Kills the program and waits for its end.
    package func kill() async throws {
        send(SIGKILL)
        try await waitForExit()
    }

    /// Its output so far: the last lines, up to 1 MiB.
    package var standardOutput: String { get async { await transcript.text(of: .output) } }
    package var standardError: String { get async { await transcript.text(of: .error) } }

    private static func run(
        _ configuration: Configuration,
        _ commands: AsyncStream<Command>,
        _ transcript: ProcessTranscript
    ) async {
        do {
            let outcome = try await Subprocess.run(
                configuration,
                input: .inputWriter,
                output: .sequence,
                error: .sequence
            ) { execution in
                await transcript.hasStarted(execution.processIdentifier.value)
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask {
                        for try await line in execution.standardOutput.strings() {
                            await transcript.append(line, to: .output)
                        }
                        return true
                    }
                    group.addTask {
                        for try await line in execution.standardError.strings() {
                            await transcript.append(line, to: .error)
                        }
                        return true
                    }
                    group.addTask {
                        for await command in commands {
                            switch command {
                            // Fails only when the program has just ended.
                            case .signal(let number): try? execution.send(signal: Signal(rawValue: number))
                            case .closeInput: try? await execution.standardInputWriter.finish()
                            }
                        }
                        return false
                    }
                    var openStreams = 2
                    while openStreams > 0, let isStream = try await group.next() { openStreams -= isStream ? 1 : 0 }
                    group.cancelAll()
                }
            }
            switch outcome.terminationStatus {
            case .exited(let code): await transcript.hasEnded(.success(Int(code)))
            case .signaled(let signal): await transcript.hasEnded(.success(-Int(signal)))
            }
        } catch {
            await transcript.hasEnded(.failure(TestKitError("\(configuration.executable): \(error)")))
        }
    }
}
