import DaybookTestKit
import Testing

@testable import Access

@Suite struct APIKeyTests {
    /// The check value of CRC-32/ISO-HDLC, and two longer published ones.
    @Test(arguments: [
        ("123456789", 0xCBF4_3926 as UInt32), ("", 0), ("a", 0xE8B7_BE43),
        ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
    ])
    func theCheckIsTheCommonCRC(text: String, expected: UInt32) {
        #expect(APIKey.crc32(text.utf8) == expected)
    }

    @Test(arguments: APIKey.Mode.allCases)
    func aNewKeyHasTheFormAndIsReadBack(mode: APIKey.Mode) throws {
        var random = SeededGenerator.forTest()
        for _ in 0..<100 {
            let key = APIKey(mode: mode, random: &random)
            #expect(key.secret.hasPrefix("dbk_\(mode.rawValue)_"))
            #expect(key.secret.count == 9 + 30 + 6)
            #expect(key.secret.dropFirst(9).allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
            let read = try #require(APIKey(key.secret))
            #expect(read.secret == key.secret)
            #expect(read.hash == key.hash)
            #expect(key.hash.count == 32)
        }
    }

    /// A key of zeros: its check computed by zlib, written in base 62. Keys in use must stay readable forever.
    @Test func aKnownKeyIsReadAndHashed() throws {
        let key = try #require(APIKey(Self.known))
        #expect(
            key.hash.map { "\(String($0 >> 4, radix: 16))\(String($0 & 15, radix: 16))" }.joined() == Self.knownHash
        )
    }

    @Test func keysAreNotMadeTwice() {
        var random = SystemRandomNumberGenerator()
        let keys = (0..<1000).map { _ in APIKey(mode: .live, random: &random).secret }
        #expect(Set(keys).count == 1000)
    }

    @Test func everyMistypedCharacterIsNoticed() {
        let bytes = Array(Self.known.utf8)
        for index in bytes.indices {
            for replacement in Array("aZ0_ \u{7F}".utf8) where replacement != bytes[index] {
                var mistyped = bytes
                mistyped[index] = replacement
                #expect(APIKey(String(decoding: mistyped, as: UTF8.self)) == nil)
            }
            var shorter = bytes
            shorter.remove(at: index)
            #expect(APIKey(String(decoding: shorter, as: UTF8.self)) == nil)
        }
    }

    @Test(arguments: [
        "", "dbk_", "dbk_live_", "Bearer x", known + "0", " " + known, known + "\n", known + "\u{0}",
        known.replacing("live", with: "test"), known.uppercased(), known + "\u{301}",
        "dbk_live_" + String(repeating: "\u{FF10}", count: 12),
    ])
    func malformedKeysAreRefused(text: String) {
        #expect(APIKey(text) == nil)
    }

    @Test func equalityInConstantTimeIsEquality() {
        #expect(isEqualInConstantTime([], []))
        #expect(isEqualInConstantTime([1, 2], [1, 2]))
        #expect(!isEqualInConstantTime([1, 2], [1, 3]))
        #expect(!isEqualInConstantTime([1, 2], [1]))
        #expect(!isEqualInConstantTime([0x80], [0]))
    }

    @Test(arguments: ["a", "0", "acme", "acme-2_x", String(repeating: "a", count: 63)])
    func goodTenantNames(name: String) throws {
        try InvalidTenant.check(name)
    }

    @Test(arguments: [
        "", "-a", "_a", "A", "acme corp", "acme\n", "\u{e4}", "a/b", "a.b", "a\u{0}", String(repeating: "a", count: 64),
    ])
    func badTenantNames(name: String) {
        #expect(throws: InvalidTenant.self) { try InvalidTenant.check(name) }
    }

    static let known = "dbk_live_00000000000000000000000000000003VRPu"
    static let knownHash = "8290bd69ccfe4d951da56d4dcba8b26c6b69a0ef253c95c31029a1cdbf2bd44b"
}
