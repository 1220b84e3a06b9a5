/// Tag 9F27: the chip's decision.
package struct CryptogramInformation: Sendable, Hashable {
    package enum Cryptogram: UInt8, Sendable, Hashable, CaseIterable {
        /// AAC: declined.
        case declined = 0x00
        /// TC: approved.
        case approved = 0x40
        /// ARQC: the issuer must decide.
        case onlineRequested = 0x80
        /// The fourth value, which EMV reserves.
        case reserved = 0xC0

        /// EMV's abbreviation; empty for the reserved value.
        package var abbreviation: String {
            switch self {
            case .declined: "AAC"
            case .approved: "TC"
            case .onlineRequested: "ARQC"
            case .reserved: ""
            }
        }
    }

    /// EMV book 3, table 15.
    package enum Reason: UInt8, Sendable, Hashable, CaseIterable {
        case notGiven = 0
        case serviceNotAllowed = 1
        case pinTryLimitExceeded = 2
        case issuerAuthenticationFailed = 3
    }

    package let byte: UInt8

    package init(_ byte: UInt8) {
        self.byte = byte
    }

    /// Nil unless there is exactly one byte.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 1, let byte = bytes.first else { return nil }
        self.init(byte)
    }

    /// The two upper bits.
    package var cryptogram: Cryptogram { Cryptogram(rawValue: byte & 0xC0) ?? .reserved }

    /// True when the issuer wants an advice message.
    package var requiresAdvice: Bool { byte & 0x08 != 0 }

    /// The three lower bits; nil for the values EMV reserves.
    package var reason: Reason? { Reason(rawValue: byte & 0x07) }
}
