/// What documents of careless apps carry and the ledger must never keep.
package enum CardSecrets {
    /// What follows the number on a second track: expiry, service code and the issuer's own data.
    static let trackRest = "29121010000000000"

    /// What stands in the element of a security code.
    static let securityCode = "7391"

    /// The password of the simulated merchants.
    static let password = "57!sE@3Fm"

    /// What registers a terminal of the simulated merchants.
    static let merchantCode = "MC8842617093"

    /// The whole numbers of the test cards.
    package static let cardNumbers = TestCard.all.map(\.number)

    /// Every text that must not come back.
    package static let all = cardNumbers + [trackRest, "CVV>\(securityCode)", password, merchantCode]
}
