/// Secrets in documents of careless apps, which the ledger must never keep.
package enum CardSecrets {
    /// The data after the number on a second track: expiry, service code and the issuer's own data.
    static let trackRest = "29121010000000000"

    /// The content of a security code element.
    static let securityCode = "7391"

    static let password = "57!sE@3Fm"

    /// The code that registers a terminal of the simulated merchants.
    static let merchantCode = "MC8842617093"

    /// The complete numbers of the test cards.
    package static let cardNumbers = TestCard.all.map(\.number)

    /// All texts that must not appear in the ledger's output.
    package static let all = cardNumbers + [trackRest, "CVV>\(securityCode)", password, merchantCode]
}
