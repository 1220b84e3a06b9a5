import EMV
import Payments
import Redaction

/// `receiptTagData` and `issuerTagData`: EMV tags and their values in hexadecimal,
/// `4F:A0000000031010;95:8080008000;91:`. The guide calls their content processor dependent.
struct BridgePayTagData: Hashable {
    /// Tags and values in capital letters, without tags that have no value.
    private(set) var values: [String: String] = [:]
    /// False if a part is not a pair of tag and value.
    private(set) var isReadable = true

    init(_ text: String) {
        for pair in text.utf8.split(separator: UInt8(ascii: ";")).prefix(64) {
            let colon = pair.firstIndex(of: UInt8(ascii: ":"))
            guard let colon, let tag = Self.digits(pair[..<colon]), (2...8).contains(tag.utf8.count) else {
                if !pair.allSatisfy(Self.isSpace) { isReadable = false }
                continue
            }
            let value = pair[pair.index(after: colon)...]
            guard let digits = Self.digits(value), digits.utf8.count <= 512, digits.utf8.count.isMultiple(of: 2) else {
                // A redacted value is not the sender's error.
                if !value.contains(UInt8(ascii: "*")) && !Substring(value).contains(TextEdits.marker) {
                    isReadable = false
                }
                continue
            }
            if !digits.isEmpty { values[tag] = digits }
        }
    }

    /// Hexadecimal digits in capital letters, without white space; nil if there is anything else.
    private static func digits(_ bytes: Substring.UTF8View) -> String? {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.count)
        for byte in bytes where !isSpace(byte) {
            switch byte {
            case 0x30...0x39, 0x41...0x46: digits.append(byte)
            case 0x61...0x66: digits.append(byte - 0x20)
            default: return nil
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    func bytes(_ tag: String) -> [UInt8]? {
        guard let value = values[tag] else { return nil }
        let digits = Array(value.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            Self.nibble(digits[$0]) << 4 | Self.nibble(digits[$0 + 1])
        }
    }

    private static func nibble(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x37 }

    /// The card presentation's fields that the tags contain.
    var card: CardPresentation {
        var card = CardPresentation()
        card.applicationIdentifier = values["4F"] ?? values["84"]
        card.terminalVerificationResults = values["95"]
        card.transactionStatusInformation = values["9B"]
        card.issuerApplicationData = values["9F10"]
        card.applicationCryptogram = values["9F26"].flatMap { $0.utf8.count == 16 ? $0 : nil }
        card.cryptogramInformation = values["9F27"].flatMap { $0.utf8.count == 2 ? $0 : nil }
        card.verificationResults = values["9F34"].flatMap { $0.utf8.count == 6 ? $0 : nil }
        card.applicationLabel = text("50")
        if let authorized = packedDecimal("9F02") {
            card.chipAmounts = ChipAmounts(
                authorized: authorized,
                other: packedDecimal("9F03") ?? 0,
                currencyNumeric: packedDecimal("5F2A").map(Int.init)
            )
        }
        return card
    }

    /// The value of a tag with printable ASCII text.
    func text(_ tag: String) -> String? {
        guard let bytes = bytes(tag), (1...32).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value of a tag with two decimal digits per byte and at most six bytes.
    private func packedDecimal(_ tag: String) -> Int64? {
        guard let value = values[tag], value.utf8.count <= 12 else { return nil }
        return Int64(value)
    }

    /// Tag 8A: the host's answer, `00` for an approval.
    var authorizationResponse: String? { text("8A") }

    /// Tag 8A if it is the issuer's reason: the terminal sets the tag when it did not query the issuer.
    var issuer: IssuerAnswer? {
        guard let code = authorizationResponse.flatMap({ AuthorizationResponseCode($0) }), code.meaning == .issuer
        else { return nil }
        return IssuerAnswer(code: code.code)
    }

    /// Tag 9F27: the chip's decision.
    enum Cryptogram {
        case declined, approved, asksHost
    }

    var cryptogram: Cryptogram? {
        guard let byte = bytes("9F27")?.first else { return nil }
        switch byte >> 6 {
        case 0: return .declined
        case 1: return .approved
        case 2: return .asksHost
        default: return nil
        }
    }
}
