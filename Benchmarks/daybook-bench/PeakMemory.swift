import DaybookTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The peak memory of a process: `VmHWM`, in MiB. 0 if the system does not report it.
enum PeakMemory {
    /// - Parameter process: A process id; nil for this process.
    static func mebibytes(of process: Int32? = nil) -> Int {
        let name = process.map { String($0) } ?? "self"
        guard let file = fopen("/proc/\(name)/status", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        while fgets(&buffer, Int32(buffer.count), file) != nil {
            let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if line.hasPrefix("VmHWM:") {
                return (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
            }
        }
        return 0
    }

    /// Resets this process's peak, after unused memory is released.
    static func restart() {
        // A function of glibc that Swift's module does not import.
        if let symbol = dlsym(nil, "malloc_trim") {
            _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
        }
        restart("self")
    }

    /// Resets another process's peak.
    static func restart(_ process: Int32) { restart("\(process)") }

    private static func restart(_ process: String) {
        // proc(5): 5 resets the peak.
        guard let file = fopen("/proc/\(process)/clear_refs", "w") else { return }
        defer { fclose(file) }
        fputs("5", file)
    }
}

/// Runs a command of the program under test.
struct BenchCommand: Sendable {
    let seconds: Double
    let peakMebibytes: Int

    /// - Parameter codes: The exit codes that mean success.
    /// - Throws: `LoadFailure` with its output if it fails.
    static func run(
        _ program: String,
        _ arguments: [String],
        allowing codes: Set<Int> = [0]
    ) async throws -> BenchCommand {
        let start = LoadGenerator.now()
        let process = try await ServerProcess.start(program, arguments)
        // Polls, because there is no notification of the end.
        let watching = Task {
            var peak = 0
            while !Task.isCancelled {
                peak = max(peak, PeakMemory.mebibytes(of: process.processID))
                try? await Task.sleep(for: .milliseconds(20))
            }
            return peak
        }
        let status: Int
        do {
            status = try await process.waitForExit()
        } catch {
            watching.cancel()
            throw error
        }
        let seconds = Double(LoadGenerator.now() - start) / 1e6
        watching.cancel()
        let peak = await watching.value
        guard codes.contains(status) else { throw LoadFailure(await process.standardError) }
        return BenchCommand(seconds: seconds, peakMebibytes: peak)
    }
}
