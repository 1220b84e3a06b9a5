import DaybookTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The most memory a process has had at once: `VmHWM`, in MiB. 0 where the system does not tell.
enum PeakMemory {
    /// - Parameter process: Its number; nil for this one.
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

    /// Lets this process's peak begin anew with what it has now, less what earlier measurements have left unused.
    static func restart() {
        // glibc's, which is not among what Swift imports of it.
        if let symbol = dlsym(nil, "malloc_trim") {
            _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
        }
        restart("self")
    }

    /// Lets another process's peak begin anew with what it has now.
    static func restart(_ process: Int32) { restart("\(process)") }

    private static func restart(_ process: String) {
        // See proc(5): 5 resets the peak.
        guard let file = fopen("/proc/\(process)/clear_refs", "w") else { return }
        defer { fclose(file) }
        fputs("5", file)
    }
}

/// A command of the program under test, from its beginning to its end.
struct BenchCommand: Sendable {
    let seconds: Double
    let peakMebibytes: Int

    /// - Parameter codes: The exit codes of a command that has done its work.
    /// - Throws: `LoadFailure` with what it printed when it fails.
    static func run(
        _ program: String,
        _ arguments: [String],
        allowing codes: Set<Int> = [0]
    ) async throws -> BenchCommand {
        let start = LoadGenerator.now()
        let process = try await ServerProcess.start(program, arguments)
        // Asked again and again: nobody tells once it has ended.
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
