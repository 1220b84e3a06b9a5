/// Finds where the plain bytes of a JSON string end.
package enum ByteScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// The first position in `start..<end` of a quotation mark, a backslash or a control character, `end` if none, and
    /// whether all bytes before it are ASCII.
    ///
    /// Reads eight bytes at a time, because strings make up most of a document. `(x - 0x01…) & ~x & 0x80…` is zero
    /// exactly when no byte of `x` is zero, and `(x - 0x20…) & ~x & 0x80…` when none is below 0x20. A borrow can only
    /// affect bytes above the first hit, so the lowest bit that is set belongs to the first hit.
    package static func firstSpecial(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> (
        position: Int, isASCII: Bool
    ) {
        var position = start
        var seen: UInt64 = 0
        while end - position >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(bytes + position).loadUnaligned(as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let hit =
                ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- (ones &* 0x20)) & ~word)
            if hit & highs != 0 {
                let plain = (hit & highs).trailingZeroBitCount / 8
                seen |= word & ~(~0 << UInt64(8 * plain))
                return (position + plain, seen & highs == 0)
            }
            seen |= word
            position += 8
        }
        while position < end {
            let byte = bytes[position]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C { break }
            seen |= UInt64(byte)
            position += 1
        }
        return (position, seen & highs == 0)
    }

    /// The first position in `bytes` that is not part of a well-formed UTF-8 sequence (RFC 3629); nil if there is none.
    package static func firstInvalidUTF8(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var position = bytes.startIndex
        func isContinuation(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            position + offset < bytes.endIndex && range.contains(bytes[position + offset])
        }
        while position < bytes.endIndex {
            let length: Int
            switch bytes[position] {
            case 0x00...0x7F: length = 1
            case 0xC2...0xDF where isContinuation(1): length = 2
            case 0xE0 where isContinuation(1, 0xA0...0xBF) && isContinuation(2): length = 3
            case 0xED where isContinuation(1, 0x80...0x9F) && isContinuation(2): length = 3
            case 0xE1...0xEC where isContinuation(1) && isContinuation(2): length = 3
            case 0xEE...0xEF where isContinuation(1) && isContinuation(2): length = 3
            case 0xF0 where isContinuation(1, 0x90...0xBF) && isContinuation(2) && isContinuation(3): length = 4
            case 0xF1...0xF3 where isContinuation(1) && isContinuation(2) && isContinuation(3): length = 4
            case 0xF4 where isContinuation(1, 0x80...0x8F) && isContinuation(2) && isContinuation(3): length = 4
            default: return position
            }
            position += length
        }
        return nil
    }
}
