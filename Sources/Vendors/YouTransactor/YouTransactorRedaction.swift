extension YouTransactorAdapter {
    /// What is secret in a document of `kind`.
    static func redaction(for kind: String) -> RedactionSchema {
        switch kind {
        case UCubeCommand.simplifiedOnlinePIN.rawValue: pinSchema
        case UCubeCommand.getSecuredTag.rawValue, "UCubeAPI", "ConnectionManager.send": ciphertextSchema
        case _ where kind.hasPrefix("sendData"): ciphertextSchema
        default: general
        }
    }

    /// The members of `PaymentContext` that need more than the general rules.
    ///
    /// Of ciphertext only a digest is kept: whoever has the terminal's keys could read tracks out of it, and nobody may
    /// keep those after the payment, however well enciphered (PCI DSS 3.3.1). The level 2 logs are treated alike.
    private static let general = RedactionSchema(
        [
            (["onlinePinBlock"], .drop(.pin)),
            (["authorizationSecuredTagsValues", "finalizationSecuredTagsValues"], .digest(.emv)),
            (["tagCC", "tagF4", "tagF5"], .digest(.emv)),
            (["sredKsn", "pinKsn"], .identifier(.init(.hexadecimal, 16...24))),
            (["nfcOutcome"], .identifier(.init(.hexadecimal, 2...32))),
            (["uCubeInfo"], .identifier(.init(.hexadecimal, 2...4_096))),
        ],
        tagged: ["authorizationPlainTagsValues", "finalizationPlainTagsValues"]
    )

    /// What goes to the terminal and comes back from it, by the names apps give it.
    private static let payloads = [
        "data", "response", "responseData", "input", "inputData", "output", "outputData", "payload", "bytes",
    ]

    /// The answer is the PIN block.
    private static let pinSchema = general.adding([(payloads + ["result"], .drop(.pin))])

    /// The answer is a block of enciphered tags, or can be one.
    private static let ciphertextSchema = general.adding([(payloads, .digest(.emv))])
}
