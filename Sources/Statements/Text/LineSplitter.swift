/// Splits bytes into physical lines, which end with CR, LF or both. Accepts bytes piece by piece.
struct LineSplitter: Sendable {
    /// The longest line that is read, in bytes.
    static let longestLine = 1 << 16

    private var line: [UInt8] = []
    private var isAfterReturn = false
    private var isBegun = false
    /// The 1-based number of the line being read.
    private(set) var number = 1

    mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, _ number: Int) throws -> Void) throws {
        var rest = bytes
        while let first = rest.first {
            if isAfterReturn {
                isAfterReturn = false
                if first == 0x0A {
                    rest = rest.dropFirst()
                    continue
                }
            }
            isBegun = true
            guard let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else {
                try append(rest)
                return
            }
            try append(rest[..<end])
            isAfterReturn = rest[end] == 0x0D
            try body(line[...], number)
            line.removeAll(keepingCapacity: true)
            isBegun = false
            number += 1
            rest = rest[(end + 1)...]
        }
    }

    /// Passes on the last line, if it has no line end.
    mutating func finish(_ body: (ArraySlice<UInt8>, _ number: Int) throws -> Void) throws {
        guard isBegun else { return }
        try body(line[...], number)
        line = []
        isBegun = false
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws {
        guard line.count + bytes.count <= Self.longestLine else {
            throw StatementProblem(.tooLarge, line: number, "A line has \(Self.longestLine) bytes at the most.")
        }
        line += bytes
    }
}
