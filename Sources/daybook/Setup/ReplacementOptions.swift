import ArgumentParser
import Canonical
import Foundation

/// The options of a command that shows something with versions, or replaces it with what a file has.
struct ReplacementOptions: ParsableArguments {
    @Option(name: .customLong("set"), help: "A file with the next version as JSON, or - for standard input.")
    var file: String?

    @Option(help: "The reason for the change, which is recorded.")
    var reason: String?

    @Option(help: "The expected version.")
    var expectedVersion: Int64?

    func validate() throws {
        guard (file == nil) == (reason == nil) else {
            throw ValidationError("--set needs --reason, and --reason needs --set.")
        }
        guard file != nil || expectedVersion == nil else {
            throw ValidationError("--expected-version needs --set.")
        }
    }

    /// The body of the request of the API, with what the file has as its member `name`; nil without `--set`.
    ///
    /// - Throws: `Failure` for a file that cannot be read or is not JSON.
    func body(_ name: String) throws -> JSONObject? {
        guard let file else { return nil }
        let bytes: [UInt8]
        do {
            let handle = file == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: file))
            bytes = Array(try handle.readToEnd() ?? Data())
        } catch {
            throw Failure.usage("\(file) cannot be read.")
        }
        guard let json = try? JSONValue(parsing: bytes) else { throw Failure.usage("\(file) is not JSON.") }
        // A file with an answer of the API has it as a member.
        var body: JSONObject = ["reason": .string(reason ?? "")]
        body[name] = json[name] ?? json
        if let expectedVersion { body["expectedVersion"] = .number(.init(expectedVersion)) }
        return body
    }
}
