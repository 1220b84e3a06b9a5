import Canonical
import Crypto
package import Payments

/// An account of the journal, or one of its parts.
package struct AccountPart: Sendable {
    package var account: Account
    /// Nil if the account has no parts, or it is not known.
    package var part: String?

    package init(_ account: Account, _ part: String?) {
        self.account = account
        self.part = part
    }

    /// The name with its root, as Beancount and hledger have it: `Assets:Processor-Receivable:Adyen`.
    func fullName(in chart: Chart) -> String {
        let place = chart[account]
        return "\(place.root.rawValue):\(withPart(place.component))"
    }

    /// The name below the root, as QuickBooks and Xero have it: `Processor-Receivable:Adyen`, or `Processor-Receivable`
    /// without a part.
    func name(in chart: Chart) -> String { withPart(chart[account].name) }

    private func withPart(_ name: String) -> String { part.map { "\(name):\(Self.component($0))" } ?? name }

    // MARK: Parts as components

    private static let longestPlain = 60
    private static let longestReadable = 40

    /// The part as a component of a name: a capital letter or digit, then letters, digits and single dashes. Different
    /// parts have different components, also where case does not count.
    ///
    /// A part of lower-case letters, digits and single dashes is only capitalised. Any other is followed by two dashes
    /// and 64 bits of its SHA-256, because characters of it are replaced.
    package static func component(_ part: String) -> String {
        let bytes = Array(part.utf8)
        if isPlain(bytes) { return capitalised(bytes) }
        var readable: [UInt8] = []
        for byte in bytes where readable.count < longestReadable {
            if isLowerOrDigit(byte) || (0x41...0x5A).contains(byte) {
                readable.append(byte)
            } else if let last = readable.last, last != dash {
                readable.append(dash)
            }
        }
        if readable.last == dash { readable.removeLast() }
        if readable.isEmpty { readable = Array("x".utf8) }
        return "\(capitalised(readable))--\(SHA256.hash(data: bytes).hexadecimal.prefix(16))"
    }

    private static let dash = UInt8(ascii: "-")

    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, isLowerOrDigit(first), bytes.count <= longestPlain else { return false }
        return zip(bytes, bytes.dropFirst() + [0]).allSatisfy { byte, next in
            isLowerOrDigit(byte) || byte == dash && next != dash
        }
    }

    private static func isLowerOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }

    private static func capitalised(_ bytes: [UInt8]) -> String {
        var bytes = bytes
        if (0x61...0x7A).contains(bytes[0]) { bytes[0] -= 0x20 }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SHA256.Digest {
    var hexadecimal: String { String(decoding: flatMap(HexadecimalDigits.pair), as: UTF8.self) }
}
