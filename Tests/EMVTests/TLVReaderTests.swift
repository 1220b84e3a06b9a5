import EMV
import Testing

@Suite("BER-TLV reader and writer")
struct TLVReaderTests {
    private func read(_ hex: String, _ reader: TLVReader = TLVReader()) throws -> TLVReading {
        try reader.read(try #require(Hexadecimal.bytes(hex)))
    }

    private func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }

    // MARK: Public vectors

    /// moov-io/bertlv, `tlv_test.go`.
    @Test("A payment directory")
    func directory() throws {
        let hex =
            "6F2F840E325041592E5359532E4444463031A51DBF0C1A61184F07A0000000041010500A4D6173746572636172648701"
            + "01"
        let reading = try read(hex)
        let expected = TLVObject(
            0x6F,
            [
                TLVObject(0x84, Array("2PAY.SYS.DDF01".utf8)),
                TLVObject(
                    0xA5,
                    [
                        TLVObject(
                            0xBF0C,
                            [
                                TLVObject(
                                    0x61,
                                    [
                                        TLVObject(0x4F, [0xA0, 0, 0, 0, 4, 0x10, 0x10]),
                                        TLVObject(0x50, Array("Mastercard".utf8)), TLVObject(0x87, [1]),
                                    ]
                                )
                            ]
                        )
                    ]
                ),
            ]
        )
        #expect(reading.objects == [expected])
        #expect(reading.deviations.isEmpty)
        #expect(Hexadecimal.text(TLVWriter.bytes(reading.objects)) == hex)
        #expect(ChipData(reading.objects).scheme == .mastercard)
    }

    /// binaryfoo/emv-bertlv, `BerTlvTest`.
    @Test("Tags of two bytes and lengths of every form")
    func lengths() throws {
        #expect(try read("9F1A0401020304").objects == [TLVObject(0x9F1A, [1, 2, 3, 4])])
        for (length, count) in [("8180", 128), ("81FF", 255), ("82013A", 314), ("83010000", 65_536)] {
            let hex = "9F1A\(length)\(zeros(count))"
            let reading = try read(hex, TLVReader(limits: TLVLimits(bytes: 100_000)))
            #expect(reading.objects == [TLVObject(0x9F1A, [UInt8](repeating: 0, count: count))])
            #expect(reading.deviations.isEmpty)
            #expect(Hexadecimal.text(TLVWriter.bytes(reading.objects)) == hex)
        }
    }

    @Test("Objects with the same tag stay separate")
    func orderDuplicates() throws {
        let hex = "E00E9A0101EF049F1A0103EF038A01CC"
        let reading = try read(hex)
        #expect(
            reading.objects == [
                TLVObject(
                    0xE0,
                    [
                        TLVObject(0x9A, [1]), TLVObject(0xEF, [TLVObject(0x9F1A, [3])]),
                        TLVObject(0xEF, [TLVObject(0x8A, [0xCC])]),
                    ]
                )
            ]
        )
        #expect(reading.objects.value(of: 0x8A) == [0xCC])
        #expect(reading.objects.value(of: 0x9F02) == nil)
        #expect(Hexadecimal.text(TLVWriter.bytes(reading.objects)) == hex)
        #expect(reading.objects.first?.depth == 3)
    }

    @Test("Padding inside a template")
    func padding() throws {
        let hex =
            "910A93D60A0F3CC53834303072459F180400004000860E04DA9F5809004B360CA0FF728F689F180400004000"
            + "860E04DA9F580904B50F23328A5C7885" + zeros(23)
        let reading = try read(hex)
        #expect(reading.objects.map(\.tag) == [0x91, 0x72])
        #expect(reading.objects.last?.children.map(\.tag) == [0x9F18, 0x86, 0x9F18, 0x86])
        #expect(reading.deviations == [.padding(bytes: 23)])
        #expect(try read("00008A023030FFFF").objects == [TLVObject(0x8A, [0x30, 0x30])])
        #expect(try read("8A02303000FF").deviations == [.padding(bytes: 2)])
        #expect(try read("").objects.isEmpty)
        // FF before any other byte begins a tag.
        #expect(try read("FF8101039A0101").objects == [TLVObject(0xFF8101, [TLVObject(0x9A, [1])])])
    }

    @Test("A vendor's tag without its announced continuation needs the list of quirks")
    func quirks() throws {
        let hex = "9F84100C9291EA7DB1EA276A8C96999DF512A6"
        let reading = try read(hex, TLVReader(quirks: .numberedBeyond9F7F))
        #expect(reading.objects.map(\.tag.hex) == ["9F84"])
        #expect(reading.objects.first?.value?.count == 16)
        #expect(reading.deviations == [.quirk(0x9F84)])
        #expect(try read(hex, TLVReader(quirks: TagQuirks(twoByteTags: [0x9F84]))) == reading)
        #expect(Hexadecimal.text(TLVWriter.bytes(reading.objects)) == hex)
        // By the rules it is another tag, whose value ends too early.
        #expect(throws: TLVError(.truncatedValue, at: 3)) { try read("9F8410119291") }
        #expect(try read("9FC1010155").objects.map(\.tag) == [0x9FC101])
    }

    @Test("If no tag is a template, every value is plain bytes")
    func flat() throws {
        let reader = TLVReader(opensTemplates: false)
        #expect(
            try read("C30401020304EA021205", reader).objects == [
                TLVObject(0xC3, [1, 2, 3, 4]), TLVObject(0xEA, [0x12, 5]),
            ]
        )
        #expect(throws: TLVError.self) { try read("C30401020304EA021205") }
    }

    // MARK: Errors and deviations

    @Test(
        "What is no TLV",
        arguments: [
            ("918211", TLVError.Code.truncatedLength, 1), ("91FE4C94B779BC04", .unsupportedLength, 1),
            ("9180", .unsupportedLength, 1), ("9F", .truncatedTag, 0), ("9F81", .truncatedTag, 0),
            ("9F81818181", .tagTooLong, 0), ("91", .truncatedLength, 1), ("9102FF", .truncatedValue, 1),
            ("9184FFFFFFFF", .truncatedValue, 1), ("E0039F1A01", .truncatedValue, 4), ("E0029A01", .truncatedValue, 3),
            ("9185FFFFFFFFFF", .unsupportedLength, 1),
        ]
    )
    func errors(hex: String, code: TLVError.Code, offset: Int) throws {
        #expect(throws: TLVError(code, at: offset)) { try read(hex) }
    }

    @Test("Lengths longer than needed are read and reported")
    func longLengths() throws {
        // As the uCube writes it.
        let ucube = "9F1A817F" + zeros(127)
        #expect(try read(ucube).deviations == [.longLength(0x9F1A)])
        #expect(try read(ucube).objects.first?.value?.count == 127)
        #expect(try read("8A82000230308A8400000001AA").deviations == [.longLength(0x8A), .longLength(0x8A)])
        #expect(try read("8A8100").objects == [TLVObject(0x8A, [UInt8]())])
    }

    @Test("Limits")
    func bounds() throws {
        let limits = TLVLimits(depth: 3, objects: 4, bytes: 64)
        let reader = TLVReader(limits: limits)
        #expect(try read("E004E1029A00", reader).objects.first?.depth == 3)
        #expect(throws: TLVError(.tooDeep, at: 6)) { try read("E006E104E2029A00", reader) }
        #expect(try read("9A009A009A009A00", reader).objects.count == 4)
        #expect(throws: TLVError(.tooManyObjects, at: 8)) { try read("9A009A009A009A009A00", reader) }
        #expect(throws: TLVError(.tooManyBytes, at: 64)) { try read(zeros(65), reader) }
        // Deeply nested templates end at the limit, not at the end of the stack.
        let bomb = String(repeating: "E0840000FFFF", count: 10_000)
        #expect(throws: TLVError.self) { try read(bomb) }
        let reading = try read(String(repeating: "9A008A810000", count: 200))
        #expect(reading.deviations.count == TLVReader.listedDeviations)
    }

    // MARK: Tags

    @Test("Tags end where their bits mark the end")
    func tags() {
        #expect(EMVTag(hex: "9f02") == 0x9F02)
        #expect(EMVTag(hex: "DF8129")?.bytes == [0xDF, 0x81, 0x29])
        #expect(EMVTag(hex: "5A")?.description == "5A")
        for hex in ["", "9F", "00", "5A01", "9F0201", "9F8102", "9F818181 01", "9F818181", "FF81818101", "9F81", "zz"] {
            let isTag = hex == "9F8102"
            #expect((EMVTag(hex: hex) != nil) == isTag, "\(hex)")
        }
        #expect(EMVTag(hex: "70")?.isConstructed == true)
        #expect(EMVTag(hex: "BF0C")?.isConstructed == true)
        #expect(EMVTag(hex: "9F02")?.isConstructed == false)
    }

    @Test("Tags in text, with empty values")
    func pairs() throws {
        let pairs = try #require(TagPairs.read("4F:A0000000031010;95:8080008000;9F10:06010A03A00000;9B:6800;91:;8A:"))
        #expect(pairs.map(\.tag.hex) == ["4F", "95", "9F10", "9B", "91", "8A"])
        #expect(pairs.map(\.value.count) == [7, 5, 7, 2, 0, 0])
        #expect(TagPairs.read("95:8080008000;") == TagPairs.read("95:8080008000"))
        let chip = ChipData(pairs)
        #expect(chip.scheme == .visa)
        #expect(
            chip.terminalVerificationResults?.flags
                == [.offlineDataAuthenticationNotPerformed, .versionsDiffer, .overFloorLimit]
        )
        #expect(chip.responseCode == nil)
        for text in ["", ";", "4F", "4F:A", "4F:A0;;95:00", "9F:00", "12:34:56", "4F:A0 ;", "4F:*0", "x"] {
            #expect(TagPairs.read(text) == nil, "\(text)")
        }
        #expect(TagPairs.read(String(repeating: "95:00;", count: 1_000)) == nil)
    }
}
