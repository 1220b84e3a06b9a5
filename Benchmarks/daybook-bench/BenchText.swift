import DaybookTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `psql` on the benchmark's server.
struct TestPsql {
    let server: BenchServer

    init(_ server: BenchServer) { self.server = server }

    @discardableResult
    func run(_ sql: String, at url: String) async throws -> String {
        let result = try await ChildProgram.run(
            server.program("psql"),
            ["--no-psqlrc", "-qtAX", "--set=ON_ERROR_STOP=1", "--command=\(sql)", "--dbname=\(url)"]
        )
        guard result.succeeded else { throw LoadFailure(result.standardError) }
        return result.standardOutput
    }
}

func writeText(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw LoadFailure("\(path) cannot be written") }
    defer { fclose(file) }
    fputs(text, file)
}

/// The number and model of the processors.
func machine() -> String {
    var cores = 0
    var model = ""
    if let file = fopen("/proc/cpuinfo", "r") {
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 512)
        while fgets(&buffer, Int32(buffer.count), file) != nil {
            let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if line.hasPrefix("processor") { cores += 1 }
            if line.hasPrefix("model name") { model = String(line.drop { $0 != ":" }.dropFirst(2).dropLast()) }
        }
    }
    return "\(cores) cores, \(model)"
}

/// Formats figures.
enum Figure {
    static func rate(_ rate: Double, _ unit: String) -> String { "\(grouped(Int(rate.rounded()))) \(unit)/s" }

    static func seconds(_ seconds: Double) -> String {
        let hundredths = Int((seconds * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
    }

    static func milliseconds(_ microseconds: Double) -> String {
        let hundredths = Int((microseconds / 10).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) ms"
    }

    static func ratio(_ ours: Double, _ ceiling: Double) -> String {
        guard ceiling > 0 else { return "-" }
        let hundredths = Int((ours / ceiling * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return String(digits)
    }
}
