import EMV

extension YouTransactorAdapter {
    /// The members of `PaymentContext` that need more than the general rules.
    ///
    /// Of ciphertext only a digest is kept: whoever has the terminal's keys could read tracks out of it, and nobody may
    /// keep those after the payment, however well enciphered (PCI DSS 3.3.1). The level 2 logs are treated alike.
    static let redactionSchema = RedactionSchema(
        [
            (["onlinePinBlock"], .drop(.pin)),
            (["authorizationSecuredTagsValues", "finalizationSecuredTagsValues"], .digest(.emv)),
            (["tagCC", "tagF4", "tagF5"], .digest(.emv)),
            (["sredKsn", "pinKsn"], .identifier(.init(.hexadecimal, 16...24))),
            (["nfcOutcome"], .identifier(.init(.hexadecimal, 2...32))),
            (["uCubeInfo"], .identifier(.init(.hexadecimal, 2...4_096))),
        ] + plainTags
    )

    /// The plain tags by number, as a Swift dictionary of `Int` prints it, and in hexadecimal. A name of digits alone
    /// can be either; what is forbidden in one reading is forbidden.
    private static var plainTags: [(fields: [String], treatment: RedactionSchema.Treatment)] {
        var treatments: [String: RedactionSchema.Treatment] = [:]
        func forbid(_ names: [String], _ treatment: RedactionSchema.Treatment) {
            for name in names {
                switch treatments[name] {
                case nil, .identifier: treatments[name] = treatment
                default: break
                }
            }
        }
        for entry in TagDictionary.entries {
            let names = [entry.tag.hex, "0x\(entry.tag.hex)", String(entry.tag.number)]
            switch EMVTags.sensitivity(of: entry.tag) {
            case .drop(let rule): forbid(names, .drop(rule))
            case .cardNumber: forbid(names, .maskCardNumber)
            case .keep(let bytes):
                let alphabet: RedactionSchema.Shape.Alphabet =
                    entry.format == .text || entry.format == .alphanumeric ? .hexadecimalText : .hexadecimal
                for name in names where treatments[name] == nil {
                    treatments[name] = .identifier(.init(alphabet, 2...(2 * bytes)))
                }
            case nil: break
            }
        }
        let places = ["authorizationPlainTagsValues", "finalizationPlainTagsValues"]
        return treatments.map { name, treatment in (places.map { "\($0).\(name)" }, treatment) }
    }
}
