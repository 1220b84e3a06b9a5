import EMV
import Testing

@Suite("Tag dictionary")
struct TagDictionaryTests {
    /// Tag, format, fewest and most bytes (`-` for no bound), source, sensitivity, use.
    private static let expected = """
        42 numeric 3 3 card low audit
        4F binary 5 16 card none receipt
        50 text 1 16 card none receipt
        56 text 0 76 card track drop
        57 track2 0 19 card track drop
        58 binary - - card track drop
        5A compressedNumeric 0 10 card cardNumber drop
        5F20 text 2 26 card cardholder drop
        5F24 date 3 3 card expiry drop
        5F25 date 3 3 card low audit
        5F28 numeric 2 2 card none audit
        5F2A numeric 2 2 terminal none required
        5F2D alphanumeric 2 8 card none receipt
        5F30 numeric 2 2 card trackDerived drop
        5F34 numeric 1 1 card low receipt
        5F36 numeric 1 1 terminal none required
        5F57 numeric 1 1 terminal none audit
        71 binary - - issuer low audit
        72 binary - - issuer low audit
        81 binary 4 4 terminal none audit
        82 binary 2 2 card none audit
        84 binary 5 16 card none receipt
        86 binary 0 261 issuer low audit
        89 text 6 6 issuer none receipt
        8A alphanumeric 2 2 issuerOrTerminal none receipt
        8E binary 10 252 card none audit
        8F binary 1 1 card none audit
        90 binary - - card none drop
        91 binary 8 16 issuer low audit
        94 binary 0 252 card none drop
        95 binary 5 5 terminal none receipt
        98 binary 20 20 terminal none audit
        99 binary - - terminal pin drop
        9A date 3 3 terminal none audit
        9B binary 2 2 terminal none receipt
        9C numeric 1 1 terminal none required
        9F01 numeric 6 6 terminal none audit
        9F02 numeric 6 6 terminal none required
        9F03 numeric 6 6 terminal none required
        9F06 binary 5 16 terminal none receipt
        9F07 binary 2 2 card none audit
        9F08 binary 2 2 card none audit
        9F09 binary 2 2 terminal none audit
        9F0B text 27 45 card cardholder drop
        9F0D binary 5 5 card none audit
        9F0E binary 5 5 card none audit
        9F0F binary 5 5 card none audit
        9F10 binary 0 32 card low receipt
        9F11 numeric 1 1 card none receipt
        9F12 text 1 16 card none receipt
        9F15 numeric 2 2 terminal none audit
        9F16 text 15 15 terminal none receipt
        9F17 binary 1 1 card low audit
        9F18 binary 4 4 issuer none audit
        9F1A numeric 2 2 terminal none audit
        9F1C alphanumeric 8 8 terminal none receipt
        9F1E alphanumeric 8 8 terminal none audit
        9F1F text - - card track drop
        9F20 compressedNumeric - - card track drop
        9F21 time 3 3 terminal none audit
        9F24 alphanumeric 29 29 card pseudonymous matching
        9F26 binary 8 8 card none receipt
        9F27 binary 1 1 card none receipt
        9F33 binary 3 3 terminal none audit
        9F34 binary 3 3 terminal none receipt
        9F35 numeric 1 1 terminal none audit
        9F36 binary 2 2 card none audit
        9F37 binary 4 4 terminal none audit
        9F39 numeric 1 1 terminal none receipt
        9F40 binary 5 5 terminal none audit
        9F41 numeric 2 4 terminal none receipt
        9F42 numeric 2 2 card none audit
        9F4C binary 2 8 card low audit
        9F53 alphanumeric 1 1 terminal none audit
        9F5B binary - - terminal none audit
        9F66 binary 4 4 terminal none audit
        9F6B binary 0 19 card track drop
        9F6C binary 2 2 card none audit
        9F6E binary 4 32 card low audit
        9F7C binary 0 32 card low audit
        DF37 vendor - - vendor none audit
        DF5A vendor - - vendor verificationValue drop
        DF70 vendor 1 1 vendor none audit
        DF76 vendor 1 1 vendor none audit
        DF8129 binary 8 8 terminal none audit
        """

    @Test("Every tag of the table, and no other")
    func everyTag() throws {
        let lines = Self.expected.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.count == TagDictionary.entries.count)
        for line in lines {
            let tag = try #require(EMVTag(hex: line[0]))
            let entry = try #require(TagDictionary.entry(for: tag), "\(tag)")
            let length = entry.length.map { "\($0.lowerBound) \($0.upperBound)" } ?? "- -"
            let shown =
                "\(entry.tag) \(entry.format) \(length) \(entry.source) \(entry.sensitivity) \(entry.use)"
            #expect(shown == line.joined(separator: " "))
            #expect(!entry.name.isEmpty)
        }
    }

    @Test("Tags are well formed and in order")
    func wellFormed() {
        let tags = TagDictionary.entries.map(\.tag)
        #expect(tags == Array(Set(tags)).sorted())
        #expect(tags.allSatisfy { EMVTag(bytes: $0.bytes) == $0 })
        #expect(TagDictionary.entry(for: 0x9F99) == nil)
    }

    @Test("Lengths")
    func lengths() throws {
        let pan = try #require(TagDictionary.entry(for: 0x5A))
        #expect(pan.allows(byteCount: 10) && !pan.allows(byteCount: 11))
        let track = try #require(TagDictionary.entry(for: 0x58))
        #expect(track.allows(byteCount: 10_000))
    }

    /// binaryfoo/emv-bertlv, `contact-visa-in.txt`: a record with track 2, name and track 1, and the status word 9000.
    @Test("A card's record loses what must not be stored")
    func record() throws {
        let hex =
            "703857104761340000000050d1712201125234515f20104341524420352f5649534120544553549f1f10313235323330"
            + "303435313030303030309000"
        let reading = try TLVReader().read(try #require(Hexadecimal.bytes(hex)))
        #expect(reading.objects.primitives.map(\.tag) == [0x57, 0x5F20, 0x9F1F, 0x90])
        let (kept, removed) = SensitiveTags.removing(from: reading.objects)
        #expect(removed == [0x57, 0x5F20, 0x9F1F])
        #expect(Hexadecimal.text(TLVWriter.bytes(kept)) == "70009000")
    }
}
