/// Canonical JSON text under construction, for documents that are only stored or sent: no values are made first. The
/// text is the one that `JSONValue.text` gives for the same members. The caller sets each name once.
package struct JSONText: Sendable {
    /// The text as UTF-8.
    package private(set) var bytes: [UInt8] = []

    /// - Parameter count: The bytes to reserve.
    package init(reserving count: Int = 0) {
        bytes.reserveCapacity(count)
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// False for the first member, the first element and the value of a member. A string ends with a quotation mark,
    /// so the last byte decides.
    private var needsComma: Bool {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): false
        default: true
        }
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    // MARK: Values

    package mutating func write(_ text: String) {
        separate()
        JSONValue.appendQuoted(text, to: &bytes)
    }

    package mutating func write(_ truth: Bool) {
        separate()
        append(truth ? "true" : "false")
    }

    package mutating func write(_ number: Int64) {
        separate()
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            var rest = number.magnitude
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: digits[start...])
        }
    }

    /// A time as a string.
    package mutating func write(_ time: Timestamp) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        time.appendRFC3339(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// An id as a string.
    package mutating func write(_ id: UUID128) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        id.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func object(_ members: (inout JSONText) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    package mutating func array(_ elements: (inout JSONText) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "["))
        elements(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    // MARK: Members

    /// The name of the next member: ASCII without anything to escape.
    package mutating func name(_ name: StaticString) {
        let comma = needsComma ? 1 : 0
        name.withUTF8Buffer { name in
            // One piece is appended faster than four.
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: name.count + 4) { piece in
                piece[0] = UInt8(ascii: ",")
                piece[comma] = UInt8(ascii: "\"")
                var end = comma + 1
                for byte in name {
                    piece[end] = byte
                    end += 1
                }
                piece[end] = UInt8(ascii: "\"")
                piece[end + 1] = UInt8(ascii: ":")
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: piece[..<(end + 2)]))
            }
        }
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    // Absent values are left out, never written as null.

    package mutating func set(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        self.name(name)
        write(text)
    }

    package mutating func set(_ name: StaticString, _ truth: Bool?) {
        guard let truth else { return }
        self.name(name)
        write(truth)
    }

    package mutating func set(_ name: StaticString, _ number: Int64?) {
        guard let number else { return }
        self.name(name)
        write(number)
    }

    package mutating func set(_ name: StaticString, _ time: ReportedTime?) {
        switch time {
        case .instant(let time): set(name, time)
        case .local(let time): set(name, time)
        case nil: break
        }
    }

    package mutating func set(_ name: StaticString, _ time: LocalTime?) { set(name, time?.description) }

    package mutating func set(_ name: StaticString, _ time: Timestamp?) {
        guard let time else { return }
        self.name(name)
        write(time)
    }
}
