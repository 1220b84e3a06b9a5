import Canonical
import Foundation
import Redaction
import Synchronization

/// Output for users and for scripts. Failure messages are scrubbed, because users copy them into tickets.
enum Terminal {
    /// A line of result.
    static func say(_ line: String = "") { write(line + "\n", to: .standardOutput) }

    /// One JSON document.
    static func say(_ json: JSONValue) { say(json.text) }

    /// One value as a JSON document.
    static func say(json value: some Encodable) throws { say(try value.jsonValue()) }

    /// A line about progress, on standard error; not part of the result.
    static func note(_ line: String) { write(line + "\n", to: .standardError) }

    /// True when the command line requests JSON.
    static var complainsInJSON: Bool { CommandLine.arguments.contains { $0 == "--json" || $0 == "--jsonl" } }

    static func complain(_ failure: Failure) {
        if complainsInJSON {
            var error: JSONObject = ["message": .string(TextScrubber().scrub(failure.message).text)]
            error.set("hint", failure.hint)
            error.set("code", failure.code)
            error["exitCode"] = .number(JSONNumber(Int64(failure.exitCode)))
            return note(JSONValue.object(["error": .object(error)]).text)
        }
        note("daybook: \(TextScrubber().scrub(failure.message).text)")
        if let hint = failure.hint { note("  \(hint)") }
    }

    /// A line about a wait; only on a terminal, because a script needs no explanation.
    static func wait(_ line: String) { if isWatched { note(line) } }

    /// True if standard error is a terminal.
    private static var isWatched: Bool { isatty(FileHandle.standardError.fileDescriptor) == 1 }

    /// The line that ended the latest progress.
    private static let ended = Mutex("")

    /// Progress of long work: one line that is overwritten on a terminal; elsewhere only the last one is written. It
    /// ends once, however often its end is reported.
    static func progress(_ what: String, _ done: Int64, of total: Int64) {
        let line = "\(what): \(min(done, total))/\(total)"
        let isEnd = done >= total
        let isRepeated = ended.withLock { ended in
            defer { ended = isEnd ? line : "" }
            return isEnd && ended == line
        }
        guard !isRepeated else { return }
        if isWatched {
            let percent = total == 0 ? 100 : min(done, total) * 100 / total
            write("\r\(line) (\(percent) %)" + (isEnd ? "\n" : ""), to: .standardError)
        } else if isEnd {
            note(line)
        }
    }

    /// Prints rows under headings, with aligned columns.
    static func table(_ headings: [String], _ rows: [[String]], rightAligned: Set<Int> = []) {
        let widths = headings.indices.map { column in
            rows.reduce(headings[column].count) { max($0, $1[column].count) }
        }
        func line(_ cells: [String]) -> String {
            cells.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return rightAligned.contains(column) ? padding + cell : cell + padding
            }
            .joined(separator: "  ").trimmingSuffix(while: { $0 == " " }).description
        }
        say(line(headings))
        say(line(widths.map { String(repeating: "-", count: $0) }))
        for row in rows { say(line(row)) }
    }

    private static func write(_ text: String, to handle: FileHandle) {
        // A closed pipe (`daybook tail | head`) is not a failure.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        var end = endIndex
        while end > startIndex, predicate(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
