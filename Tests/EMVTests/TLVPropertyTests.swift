import DaybookTestKit
import EMV
import Testing

/// Random data objects and random bytes, from fixed seeds.
@Suite("BER-TLV properties")
struct TLVPropertyTests {
    private func tag(constructed: Bool, _ random: inout SeededGenerator) -> EMVTag {
        let known = TagDictionary.entries.map(\.tag).filter { $0.isConstructed == constructed }
        let templates: [EMVTag] = [0x61, 0x6F, 0x70, 0x77, 0xA5, 0xBF0C, 0xE0, 0xEF, 0xFF8101]
        return (constructed ? known + templates : known + [0xC1, 0xDF8129, 0x9F8101, 0x9FC101])
            .randomElement(using: &random) ?? 0x9A
    }

    private func object(depth: Int, _ random: inout SeededGenerator) -> TLVObject {
        if depth > 1, Int.random(in: 0..<3, using: &random) == 0 {
            let count = Int.random(in: 0...4, using: &random)
            let children = (0..<count).map { _ in object(depth: depth - 1, &random) }
            return TLVObject(tag(constructed: true, &random), children)
        }
        let sizes = [0, 1, 2, 5, 6, 16, 127, 128, 255, 256, 300]
        let count = sizes.randomElement(using: &random) ?? 0
        let value = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        return TLVObject(tag(constructed: false, &random), value)
    }

    @Test("Written objects are read back", arguments: [1, 2, 3])
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let count = Int.random(in: 0...5, using: &random)
            let objects = (0..<count).map { _ in object(depth: 5, &random) }
            let reading = try TLVReader().read(TLVWriter.bytes(objects))
            #expect(reading.objects == objects)
            #expect(reading.deviations.isEmpty)
        }
    }

    @Test("Bytes cut at any place are read or refused")
    func truncation() throws {
        var random = SeededGenerator(seed: 7)
        let vectors = [
            "6F2F840E325041592E5359532E4444463031A51DBF0C1A61184F07A0000000041010500A4D617374657263617264870101",
            "703857104761340000000050d1712201125234515f20104341524420352f5649534120544553549f1f10313235323330"
                + "303435313030303030309000",
        ]
        var samples = try vectors.map { try #require(Hexadecimal.bytes($0)) }
        for _ in 0..<20 { samples.append(TLVWriter.bytes([object(depth: 4, &random), object(depth: 4, &random)])) }
        var refused = 0
        for sample in samples {
            for end in 0..<sample.count {
                for quirks in [TagQuirks.none, .numberedBeyond9F7F] {
                    do {
                        let reading = try TLVReader(quirks: quirks).read(Array(sample[..<end]))
                        _ = SensitiveTags.removing(from: reading.objects)
                        decodeEverything(reading.objects)
                    } catch {
                        refused += 1
                        #expect(error.offset <= end)
                    }
                }
            }
        }
        #expect(refused > samples.count)
    }

    @Test("Random and damaged bytes are read or refused", arguments: [11, 12, 13])
    func damage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_500 {
            var bytes = TLVWriter.bytes([object(depth: 4, &random)])
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let reading = try? TLVReader(quirks: .numberedBeyond9F7F).read(bytes) else { continue }
            decodeEverything(reading.objects)
            // Objects that were read are read again with the same result.
            let again = try? TLVReader(quirks: .numberedBeyond9F7F).read(TLVWriter.bytes(reading.objects))
            #expect(again?.objects == reading.objects)
        }
    }

    private func decodeEverything(_ objects: [TLVObject]) {
        for object in objects.primitives {
            let value = object.value ?? []
            _ = (TerminalVerificationResults(value)?.reserved, TransactionStatusInformation(value)?.flags)
            _ = (VerificationResults(value)?.receiptLine, VerificationMethodList(value)?.rules.map(\.method))
            _ = (CryptogramInformation(value)?.reason, AuthorizationResponseCode(value)?.meaning)
            _ = (CardScheme(applicationIdentifier: value), BinaryCodedDecimal.digits(value))
            _ = (ApplicationInterchangeProfile(value), ApplicationUsageControl(value), TerminalCapabilities(value))
        }
        let chip = ChipData(objects)
        _ = AmountCheck.disagreements(chip, with: .init(total: .max, cashback: .min, currencyNumeric: 0, exponent: 0))
    }

    @Test("No sensitive tag survives, at any depth", arguments: [21, 22])
    func removal(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let forbidden = TagDictionary.entries.filter(\.sensitivity.isForbidden).map(\.tag)
        for _ in 0..<200 {
            var objects = (0..<3).map { _ in object(depth: 4, &random) }
            objects.append(TLVObject(forbidden.randomElement(using: &random) ?? 0x5A, [1, 2, 3]))
            objects = [TLVObject(0x70, objects)]
            let (kept, removed) = SensitiveTags.removing(from: objects)
            #expect(!removed.isEmpty)
            #expect(kept.primitives.allSatisfy { $0.value == [] || !forbidden.contains($0.tag) })
            #expect(SensitiveTags.removing(from: kept).removed.isEmpty)
            let harmless = objects.primitives.filter { $0.value == [] || !forbidden.contains($0.tag) }
            #expect(kept.primitives == harmless)
        }
    }
}
