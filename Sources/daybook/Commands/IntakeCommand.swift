import ArgumentParser
import Canonical
import Composition
import Foundation
import Intake
import Operations
import Payments

struct IntakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intake",
        abstract: "Record vendor documents from a file: one JSON record, or NDJSON with one record per line.",
        discussion: """
            A record is {"kind": ..., "body": ..., "transaction"?, "merchant"?, "terminal"?, "device"?, "occurredAt"?, \
            "issuer"?, "idempotencyKey"?}, as for POST /v1/intake/{vendor}. Ends when the read models contain the \
            documents. Exit code 2: some records were refused.

            EXAMPLES
              daybook intake sale.json --vendor bridgepay --tenant acme
              daybook intake - --vendor dejavoo < day.ndjson
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The file, or - for standard input.")
    var file: String

    @Option(help: "The vendor of the documents.")
    var vendor: String

    @Option(help: "The tenant to record for. Optional when there is only one.")
    var tenant: String?

    func run() async throws {
        let refused = try await Session.open(common) { session in
            try await session.withLedger(for: .applying) { ledger in
                let tenant = try await ledger.tenant(tenant)
                let sender = ledger.sender(tenant)
                var refused = 0
                var results: [JSONValue] = []
                let records = try RecordFile(file).records
                for (index, record) in records.enumerated() {
                    let line: JSONObject
                    do throws(IntakeProblem) {
                        let answer = try await ledger.intake.documents.submit(record, vendor: vendor, sender: sender)
                        line = ["line": .number(.init(Int64(index + 1))), "answer": answer.json]
                        if !common.json {
                            let id = StreamLabel(answer.stream).text
                            Terminal.say("\(index + 1): \(id)  \(answer.types.joined(separator: ", "))\(answer.suffix)")
                        }
                    } catch {
                        refused += 1
                        line = [
                            "line": .number(.init(Int64(index + 1))), "code": .string(error.code.name),
                            "detail": .string(error.detail),
                        ]
                        if !common.json { Terminal.say("\(index + 1): refused (\(error.code.name)): \(error.detail)") }
                    }
                    if common.json { results.append(.object(line)) }
                    if records.count > 100 {
                        Terminal.progress("intake", Int64(index + 1), of: Int64(records.count))
                    }
                }
                if common.json { Terminal.say(.array(results)) }
                return refused
            }
        }
        if refused > 0 { throw ExitCode(2) }
    }
}

/// The records of a file: a whole JSON document, or lines of them.
private struct RecordFile {
    let records: [[UInt8]]

    init(_ path: String) throws {
        let data: Data
        do {
            data =
                path == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data() : try Data(contentsOf: URL(filePath: path))
        } catch {
            throw Failure("The file \(path) cannot be read.")
        }
        let bytes = [UInt8](data)
        if (try? JSONValue(parsing: bytes)) != nil {
            records = [bytes]
        } else {
            records = bytes.split(separator: 0x0A).map(Array.init).filter { $0 != [0x0D] }
        }
        if records.isEmpty { throw Failure("There is no record in \(path).") }
    }
}

/// The printed name of a stream.
struct StreamLabel {
    let text: String

    init(_ stream: String) { text = stream.replacing("/", with: " ") }
}

extension IntakeAnswer {
    /// The text after the events: repeat, redactions and anomalies.
    fileprivate var suffix: String {
        var suffix = isDuplicate ? "  (already recorded)" : ""
        if !redactions.isEmpty { suffix += "  \(redactions.count) redacted" }
        for anomaly in anomalies { suffix += "  ! \(anomaly.kind.rawValue)" }
        return suffix
    }
}
