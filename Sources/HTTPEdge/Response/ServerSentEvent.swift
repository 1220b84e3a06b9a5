/// One event of a `text/event-stream` (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Sendable, Hashable {
    /// The id that a client sends back as `Last-Event-ID`.
    package var id: String?
    /// The event type; a client treats nil as `message`.
    package var type: String?
    package var data: String

    package init(id: String? = nil, type: String? = nil, data: String) {
        self.id = id
        self.type = type
        self.data = data
    }

    /// The event on the wire. Line ends in the id or type would end their line and are removed. NUL is removed too,
    /// because a client would ignore an id that contains it.
    package var bytes: [UInt8] {
        var text = ""
        if let id { text += "id: \(Self.oneLine(id))\n" }
        if let type { text += "event: \(Self.oneLine(type))\n" }
        // CR LF is one Character; LF, CR and CR LF each end a line of a stream.
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: { "\n\r\r\n".contains($0) }) {
            text += "data: \(line)\n"
        }
        text += "\n"
        return Array(text.utf8)
    }

    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\n" && $0 != "\r" && $0 != "\0" }))
    }
}
