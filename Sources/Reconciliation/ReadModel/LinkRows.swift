import EventLog
import Postgres

/// The links of `LinesMatched` events as rows of `COPY`.
///
/// A run may record a million links, and SQL that takes the JSON of each apart takes longer than storing it. So this
/// reads the form in which runs write links: sorted, and without escapes. Such text is the same in JSON and in `COPY`.
/// Events in any other form are left to SQL.
struct LinkRows {
    private var bytes: [UInt8] = []

    /// Adds the links of an event.
    ///
    /// - Returns: False if the event has another form; then nothing is added.
    mutating func add(_ event: RecordedEvent) -> Bool {
        guard event.tenant.utf8.allSatisfy(LinkText.isPlain) else { return false }
        var data = event.data
        return data.withUTF8 { utf8 in
            var text = LinkText(utf8)
            guard text.read() else { return false }
            let tenant = Array(event.tenant.utf8)
            let end = Array("\t\(event.position)\n".utf8)
            for link in text.links {
                bytes.append(contentsOf: tenant)
                for part in [link.line, link.transaction, link.movement, link.match, text.rule] {
                    bytes.append(LinkText.tab)
                    bytes.append(contentsOf: utf8[part])
                }
                bytes.append(contentsOf: end)
            }
            return true
        }
    }

    func write(in transaction: borrowing PostgresTransaction) async throws {
        guard !bytes.isEmpty else { return }
        try await transaction.copyIn(
            "COPY links (tenant, line, transaction, movement, match, rule, position) FROM STDIN"
        ) { writer in
            try await writer.write(bytes)
        }
    }
}

/// Reads `{"rule":"…","links":[["line","transaction","movement","match"],…]}`, with the members in either order and
/// the match optional. The parts are ranges of the text.
private struct LinkText {
    struct Link {
        var line: Range<Int>
        var transaction: Range<Int>
        var movement: Range<Int>
        var match: Range<Int>
    }

    static let tab = UInt8(ascii: "\t")
    private static let quote = UInt8(ascii: "\"")
    private static let uuidBytes = 36

    private let utf8: UnsafeBufferPointer<UInt8>
    private var place = 0
    private(set) var rule = 0..<0
    private(set) var links: [Link] = []

    init(_ utf8: UnsafeBufferPointer<UInt8>) {
        self.utf8 = utf8
    }

    /// Whether a byte stands for itself in a string of JSON and in a value of `COPY`.
    static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\\") && byte != quote
    }

    /// - Returns: False if the text has another form.
    mutating func read() -> Bool {
        guard take("{") else { return false }
        let isRuleFirst = take(#""rule":"#)
        if isRuleFirst {
            guard readRule(), take(",") else { return false }
        }
        guard take(#""links":["#), readLinks() else { return false }
        if !isRuleFirst {
            guard take(#","rule":"#), readRule() else { return false }
        }
        return take("}") && place == utf8.count
    }

    private mutating func readRule() -> Bool {
        guard let rule = string() else { return false }
        self.rule = rule
        return true
    }

    private mutating func readLinks() -> Bool {
        var last: Range<Int>?
        repeat {
            guard take("["), let line = uuid(), take(","), let transaction = uuid(), take(","),
                let movement = string()
            else { return false }
            var match = line
            if take(",") {
                guard let named = uuid() else { return false }
                match = named
            }
            guard take("]") else { return false }
            // Sorted links are different links. Two that are equal would break the primary key.
            let key = line.lowerBound..<movement.upperBound
            if let last, !isAscending(last, key) { return false }
            last = key
            links.append(Link(line: line, transaction: transaction, movement: movement, match: match))
        } while take(",")
        return take("]")
    }

    private func isAscending(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        for (a, b) in zip(a, b) where utf8[a] != utf8[b] { return utf8[a] < utf8[b] }
        return a.count < b.count
    }

    private mutating func uuid() -> Range<Int>? {
        string().flatMap { $0.count == Self.uuidBytes ? $0 : nil }
    }

    /// The content of a string.
    private mutating func string() -> Range<Int>? {
        guard place < utf8.count, utf8[place] == Self.quote else { return nil }
        let start = place + 1
        var end = start
        while end < utf8.count, Self.isPlain(utf8[end]) { end += 1 }
        guard end < utf8.count, utf8[end] == Self.quote else { return nil }
        place = end + 1
        return start..<end
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard place + count <= utf8.count else { return false }
        for offset in 0..<count where text.utf8Start[offset] != utf8[place + offset] { return false }
        place += count
        return true
    }
}
