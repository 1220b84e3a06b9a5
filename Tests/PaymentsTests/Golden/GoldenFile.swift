import Canonical
import Foundation
import Payments
import Testing

/// Samples of stored events, one per line. A stored event must stay readable, so a line changes only on purpose:
/// `DAYBOOK_WRITE_GOLDEN=1` rewrites the files and fails the test that did so.
struct GoldenFile {
    struct Sample: Hashable {
        var type: String
        var schema: Int
        /// `full`: every optional is set; `minimal`: none is.
        var extent: String
        var data: JSONValue

        init(_ event: some LedgerEvent, _ extent: String) throws {
            type = event.type
            schema = event.schema
            self.extent = extent
            data = try event.data()
        }

        /// The data comes last, byte for byte as stored.
        var line: String {
            #"{"type":"\#(type)","schema":\#(schema),"extent":"\#(extent)","data":"# + data.text + "}"
        }
    }

    static let isWriting = ProcessInfo.processInfo.environment["DAYBOOK_WRITE_GOLDEN"] == "1"

    let url: URL

    init(_ name: String) {
        url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Events/\(name).ndjson")
    }

    /// The lines as written in the file.
    func lines() throws -> [String] {
        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(text.hasSuffix("\n"))
        return text.split(separator: "\n").map(String.init)
    }

    func write(_ samples: [Sample]) throws {
        try samples.map { $0.line + "\n" }.joined().write(to: url, atomically: true, encoding: .utf8)
        Issue.record(
            "\(url.lastPathComponent) was written; look at the difference, and test without DAYBOOK_WRITE_GOLDEN"
        )
    }
}
