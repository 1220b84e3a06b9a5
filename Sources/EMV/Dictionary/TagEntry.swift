/// The properties of one tag.
package struct TagEntry: Sendable, Hashable {
    /// The format of the value. The names in brackets are EMV's.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// Any bytes (b).
        case binary
        /// Decimal digits, two in a byte, zeros on the left (n).
        case numeric
        /// Decimal digits, two in a byte, F on the right (cn).
        case compressedNumeric
        /// Letters and digits of ASCII (an).
        case alphanumeric
        /// ASCII or the code table of tag 9F11 (ans).
        case text
        /// Digits `YYMMDD`.
        case date
        /// Digits `HHMMSS`.
        case time
        /// Card number, `D`, expiry, service code and more, as nibbles.
        case track2
        /// Defined by the vendor.
        case vendor
    }

    package enum Source: String, Sendable, Hashable, CaseIterable {
        case card, terminal, issuer, issuerOrTerminal, vendor
    }

    /// The sensitivity of a stored value. SAD is sensitive authentication data, which PCI DSS forbids to store after
    /// authorisation, even encrypted.
    package enum Sensitivity: String, Sendable, Hashable, CaseIterable {
        case none, low
        /// Represents a card without revealing it.
        case pseudonymous
        /// The card number: first six and last four digits at most may be kept.
        case cardNumber
        case cardholder
        case expiry
        /// Derived from the magnetic stripe (SAD).
        case trackDerived
        /// A track or its equivalent (SAD).
        case track
        /// A card verification value (SAD).
        case verificationValue
        /// A PIN or PIN block (SAD).
        case pin

        /// True if the value must not be stored as it is.
        package var isForbidden: Bool {
            switch self {
            case .none, .low, .pseudonymous: false
            case .cardNumber, .cardholder, .expiry, .trackDerived, .track, .verificationValue, .pin: true
            }
        }
    }

    /// The use of the value in a ledger.
    package enum Use: String, Sendable, Hashable, CaseIterable {
        /// The amounts cannot be understood without it.
        case required
        /// Receipts print it, or need it to print another value.
        case receipt
        /// Finds payments that belong together.
        case matching
        case audit
        case drop
    }

    package let tag: EMVTag
    package let name: String
    package let format: Format
    /// The possible lengths of the value in bytes; nil if there is no bound.
    package let length: ClosedRange<Int>?
    package let source: Source
    package let sensitivity: Sensitivity
    package let use: Use

    init(
        _ tag: EMVTag,
        _ name: String,
        _ format: Format,
        _ length: ClosedRange<Int>?,
        _ source: Source,
        _ sensitivity: Sensitivity,
        _ use: Use
    ) {
        self.tag = tag
        self.name = name
        self.format = format
        self.length = length
        self.source = source
        self.sensitivity = sensitivity
        self.use = use
    }

    /// True when a value may have this number of bytes.
    package func allows(byteCount: Int) -> Bool { length?.contains(byteCount) ?? true }
}
