import Subprocess
import SystemPackage

/// A child program that uses the terminal until it ends.
enum Child {
    /// - Returns: Its exit code; 128 + n after signal n ended it.
    static func run(_ path: String, _ arguments: [String]) async throws -> Int32 {
        let result = try await Subprocess.run(
            .path(FilePath(path)),
            arguments: Arguments(arguments),
            input: .fileDescriptor(.standardInput, closeAfterSpawningProcess: false),
            output: .fileDescriptor(.standardOutput, closeAfterSpawningProcess: false),
            error: .fileDescriptor(.standardError, closeAfterSpawningProcess: false)
        )
        switch result.terminationStatus {
        case .exited(let code): return code
        case .signaled(let signal): return 128 + signal
        }
    }
}
