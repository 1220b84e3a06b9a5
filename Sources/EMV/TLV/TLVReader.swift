/// The limits for a sequence of data objects.
package struct TLVLimits: Sendable, Hashable {
    /// The number of levels of objects; 1 allows no nesting.
    package var depth: Int
    package var objects: Int
    package var bytes: Int

    package init(depth: Int = 8, objects: Int = 1_024, bytes: Int = 65_536) {
        self.depth = depth
        self.objects = objects
        self.bytes = bytes
    }
}

/// The objects read, and their deviations from what a strict writer would write.
package struct TLVReading: Sendable, Hashable {
    package enum Deviation: Sendable, Hashable {
        /// The length uses more bytes than it needs. The uCube writes 127 as `81 7F`.
        case longLength(EMVTag)
        /// 00 or FF between or after objects.
        case padding(bytes: Int)
        /// The tag is on the list of quirks.
        case quirk(EMVTag)
    }

    package var objects: [TLVObject]
    /// In the order of the bytes; at most `TLVReader.listedDeviations`.
    package var deviations: [Deviation]
}

/// Reads BER-TLV (EMV book 3, annex B; ISO/IEC 7816-4) within bounds: no input makes it use more than a few times the
/// memory of the input, exceed the depth limit, or stop the process.
///
/// 00 between objects is padding. FF is padding too, if 00, FF or the end follows; elsewhere it begins a private tag
/// such as `FF8101`.
package struct TLVReader: Sendable {
    package static let listedDeviations = 32

    package var limits: TLVLimits
    package var quirks: TagQuirks
    /// False if every tag holds plain bytes, whatever its bits say: the uCube describes itself with tags such as `EA`.
    package var opensTemplates: Bool

    package init(limits: TLVLimits = TLVLimits(), quirks: TagQuirks = .none, opensTemplates: Bool = true) {
        self.limits = limits
        self.quirks = quirks
        self.opensTemplates = opensTemplates
    }

    package func read(_ bytes: [UInt8]) throws(TLVError) -> TLVReading {
        guard bytes.count <= limits.bytes else { throw TLVError(.tooManyBytes, at: limits.bytes) }
        var run = Run(bytes: bytes, limits: limits, quirks: quirks, opensTemplates: opensTemplates)
        let objects = try run.objects(upTo: bytes.count, level: 1)
        return TLVReading(objects: objects, deviations: run.deviations)
    }

    /// One pass over the bytes.
    private struct Run {
        let bytes: [UInt8]
        let limits: TLVLimits
        let quirks: TagQuirks
        let opensTemplates: Bool
        var position = 0
        var count = 0
        var deviations: [TLVReading.Deviation] = []

        init(bytes: [UInt8], limits: TLVLimits, quirks: TagQuirks, opensTemplates: Bool) {
            self.bytes = bytes
            self.limits = limits
            self.quirks = quirks
            self.opensTemplates = opensTemplates
        }

        mutating func note(_ deviation: TLVReading.Deviation) {
            if deviations.count < TLVReader.listedDeviations { deviations.append(deviation) }
        }

        mutating func objects(upTo end: Int, level: Int) throws(TLVError) -> [TLVObject] {
            guard level <= limits.depth else { throw TLVError(.tooDeep, at: position) }
            var objects: [TLVObject] = []
            skipPadding(upTo: end)
            while position < end {
                guard count < limits.objects else { throw TLVError(.tooManyObjects, at: position) }
                count += 1
                objects.append(try object(upTo: end, level: level))
                skipPadding(upTo: end)
            }
            return objects
        }

        private mutating func skipPadding(upTo end: Int) {
            let start = position
            while position < end {
                let next = position + 1 < end ? bytes[position + 1] : 0
                guard bytes[position] == 0 || bytes[position] == 0xFF && (next == 0 || next == 0xFF) else { break }
                position += 1
            }
            if position > start { note(.padding(bytes: position - start)) }
        }

        private mutating func object(upTo end: Int, level: Int) throws(TLVError) -> TLVObject {
            let tag = try tag(upTo: end)
            let length = try length(of: tag, upTo: end)
            let valueEnd = position + length
            guard tag.isConstructed, opensTemplates else {
                defer { position = valueEnd }
                return TLVObject(tag, Array(bytes[position..<valueEnd]))
            }
            return TLVObject(tag, try objects(upTo: valueEnd, level: level + 1))
        }

        private mutating func tag(upTo end: Int) throws(TLVError) -> EMVTag {
            let start = position
            var number = UInt32(bytes[position])
            position += 1
            guard number & 0x1F == 0x1F else { return EMVTag(unchecked: number) }
            while position < end {
                guard position - start < 4 else { throw TLVError(.tagTooLong, at: start) }
                let byte = bytes[position]
                number = number << 8 | UInt32(byte)
                position += 1
                guard byte & 0x80 != 0 else { return EMVTag(unchecked: number) }
                if position - start == 2, quirks.twoByteTags.contains(UInt16(truncatingIfNeeded: number)) {
                    note(.quirk(EMVTag(unchecked: number)))
                    return EMVTag(unchecked: number)
                }
            }
            throw TLVError(.truncatedTag, at: start)
        }

        /// - Returns: A length within the bytes before `end`.
        private mutating func length(of tag: EMVTag, upTo end: Int) throws(TLVError) -> Int {
            let start = position
            guard position < end else { throw TLVError(.truncatedLength, at: start) }
            let first = bytes[position]
            position += 1
            var length = Int(first)
            if first & 0x80 != 0 {
                let count = Int(first & 0x7F)
                guard (1...4).contains(count) else { throw TLVError(.unsupportedLength, at: start) }
                guard end - position >= count else { throw TLVError(.truncatedLength, at: start) }
                length = 0
                for _ in 0..<count {
                    length = length << 8 | Int(bytes[position])
                    position += 1
                }
                if TLVWriter.length(length).count < count + 1 { note(.longLength(tag)) }
            }
            guard length <= end - position else { throw TLVError(.truncatedValue, at: start) }
            return length
        }
    }
}
