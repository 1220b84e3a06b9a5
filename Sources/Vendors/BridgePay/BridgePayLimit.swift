import Payments
import Redaction

/// One limit of a property's value.
///
/// Values that the scrubber removes have no limit: password, keys, signature, expiry date, cardholder's name. Of tokens
/// and wallet ids only digests are left. A masked number keeps its length.
enum BridgePayLimit: Hashable {
    /// Text of this many characters.
    case length(ClosedRange<Int>)
    /// Letters and digits only, of this many characters.
    case alphanumeric(ClosedRange<Int>)
    /// Digits of any number.
    case digits
    /// A figure `DDDD.CC` of at most this many characters.
    case decimal(Int)
    /// A figure in hundredths, of at most this many digits.
    case implied(Int)
    /// `YES` or `NO`, in any accepted spelling.
    case flag
    /// A number of seconds, or a port.
    case number(ClosedRange<Int>)
    /// A card number of this many characters, which a receipt prints with a colon after it.
    case printedNumber(ClosedRange<Int>)

    /// A description of the broken limit, without `text` itself; nil if `text` is valid.
    func objection(to text: String) -> String? {
        switch self {
        case .length(let range):
            let count = Self.count(text)
            return range.contains(count) ? nil : "\(count) characters where \(Self.text(range)) are allowed"
        case .alphanumeric(let range):
            if let objection = Self.length(range).objection(to: text) { return objection }
            return text.utf8.allSatisfy(Self.isAlphanumeric) ? nil : "other characters than letters and digits"
        case .digits:
            return CardNumber.digits(text) != nil ? nil : "other characters than digits"
        case .decimal(let most):
            // JSON drops trailing zeros of a decimal number; the limit applies to the figure with two decimals.
            let whole = text.drop { $0 == "$" }.prefix { $0 != "." }
            let count = max(1, whole.count) + 3
            return count <= most ? nil : "a figure of \(count) characters where \(most) are allowed"
        case .implied(let most):
            return text.count <= most ? nil : "\(text.count) digits where \(most) are allowed"
        case .flag:
            return Self.flags.contains(text) || Self.flags.contains(text.lowercased()) ? nil : "neither yes nor no"
        case .printedNumber(let range):
            let number = String(text.prefix { $0 != ":" })
            return number.isEmpty ? nil : Self.length(range).objection(to: number)
        case .number(let range):
            return Int(text).map(range.contains) ?? false
                ? nil : "no number of \(range.lowerBound) to \(range.upperBound)"
        }
    }

    private static let flags: Set = ["true", "false", "yes", "no", "1", "0", "y", "n"]

    /// The number of characters; bytes are counted where each is one.
    private static func count(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.count
    }

    private static func text(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? String(range.lowerBound) : "\(range.lowerBound) to \(range.upperBound)"
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
}

/// A property of an object of the guide, with its limit.
struct BridgePayProperty {
    /// As the guide spells it.
    let field: String
    /// The field's normalised name.
    let name: String
    let limit: BridgePayLimit

    init(_ field: String, _ limit: BridgePayLimit) {
        self.field = field
        name = SensitiveNames.normalized(field)
        self.limit = limit
    }

    /// The anomaly of a value that breaks the limit, without the value; nil if the value is valid, absent or redacted.
    ///
    /// - Parameter object: The name of the object, as in events.
    func anomaly(in fields: Fields, of object: String) -> Anomaly? {
        guard fields.has(name) else { return nil }
        do {
            guard let text = try fields.text(name), !text.hasPrefix("["), let objection = limit.objection(to: text)
            else { return nil }
            return Anomaly(.limitExceeded, "\(object).\(field): \(objection)")
        } catch {
            return Anomaly(.limitExceeded, "\(object).\(field): no text, or one that is far too long")
        }
    }
}
