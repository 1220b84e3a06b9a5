/// Tag 8A: two characters from the issuer, or from the terminal if it could not go online.
package struct AuthorizationResponseCode: Sendable, Hashable {
    package enum Meaning: Sendable, Hashable {
        /// `00`.
        case onlineApproved
        /// `Y1`.
        case offlineApproved
        /// `Y2`, of older terminals.
        case approvedAfterReferral
        /// `Y3`.
        case unableOnlineApproved
        /// `Z1`.
        case offlineDeclined
        /// `Z2`, of older terminals.
        case declinedAfterReferral
        /// `Z3`. Some integrations use it as a default, so it says nothing about the issuer.
        case unableOnlineDeclined
        /// A code of the issuer, ISO 8583 field 39 in two characters.
        case issuer
    }

    /// Two printable ASCII characters.
    package let code: String

    /// Nil for anything but two printable ASCII characters.
    package init?(_ code: some StringProtocol) {
        guard code.utf8.count == 2, code.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        self.code = String(code)
    }

    /// Nil for anything but two bytes of printable ASCII.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 2 else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    package var meaning: Meaning {
        switch code {
        case "00": .onlineApproved
        case "Y1": .offlineApproved
        case "Y2": .approvedAfterReferral
        case "Y3": .unableOnlineApproved
        case "Z1": .offlineDeclined
        case "Z2": .declinedAfterReferral
        case "Z3": .unableOnlineDeclined
        default: .issuer
        }
    }

    /// True when the code comes from the terminal, not from the issuer.
    package var isTerminals: Bool {
        switch meaning {
        case .onlineApproved, .issuer: false
        case .offlineApproved, .approvedAfterReferral, .unableOnlineApproved, .offlineDeclined, .declinedAfterReferral,
            .unableOnlineDeclined:
            true
        }
    }
}
