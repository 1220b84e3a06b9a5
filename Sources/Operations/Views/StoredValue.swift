import Payments

/// A text of a read model that is no value of the expected type.
struct UnknownStoredText: Error, Hashable, CustomStringConvertible {
    /// The type; the text itself may be data of a payment.
    var type: String

    var description: String { "a stored text is no \(type)" }
}

extension RawRepresentable where RawValue == String {
    /// - Throws: `UnknownStoredText`.
    init(stored text: String) throws(UnknownStoredText) {
        guard let value = Self(rawValue: text) else { throw UnknownStoredText(type: "\(Self.self)") }
        self = value
    }
}

extension Currency {
    /// - Throws: `UnknownStoredText`.
    init(stored code: String) throws(UnknownStoredText) {
        guard let currency = Currency(alpha: code) else { throw UnknownStoredText(type: "Currency") }
        self = currency
    }
}

extension Money {
    /// - Throws: `UnknownStoredText`.
    init(_ value: Int64, stored code: String) throws(UnknownStoredText) {
        self.init(value, try Currency(stored: code))
    }

    /// Minor units with their currency; nil without either.
    ///
    /// - Throws: `UnknownStoredText`.
    static func stored(_ value: Int64?, _ code: String?) throws(UnknownStoredText) -> Money? {
        guard let value, let code else { return nil }
        return try Money(value, stored: code)
    }
}
