/// The scheme of a chip application, derived from its application identifier.
package enum CardScheme: String, Sendable, Hashable, CaseIterable {
    case visa = "Visa"
    case mastercard = "Mastercard"
    case maestro = "Maestro"
    case americanExpress = "American Express"
    case discover = "Discover"
    case jcb = "JCB"
    case unionPay = "UnionPay"
    case interac = "Interac"
    case cartesBancaires = "CB"
    case dankort = "Dankort"
    case girocard = "girocard"
    case pagoBancomat = "PagoBANCOMAT"
    case mada = "mada"
    case eftpos = "eftpos"
    case ruPay = "RuPay"
    case mir = "Mir"
    case usCommonDebit = "US common debit"

    /// - Parameter identifier: Tag 4F, 84 or 9F06: five bytes of the registered provider and up to eleven more. Nil for
    ///   unknown providers.
    ///
    /// Source: published lists of application identifiers (ID TECH and Hartley knowledge bases).
    package init?(applicationIdentifier identifier: some Collection<UInt8>) {
        guard (5...16).contains(identifier.count) else { return nil }
        let text = Hexadecimal.text(identifier)
        // The longest prefix first, because some providers have several schemes.
        guard let scheme = Self.prefixes.first(where: { text.hasPrefix($0.prefix) })?.scheme else { return nil }
        self = scheme
    }

    package init?(applicationIdentifier hex: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(hex) else { return nil }
        self.init(applicationIdentifier: bytes)
    }

    private static let prefixes: [(prefix: String, scheme: CardScheme)] = [
        ("A0000000042203", .usCommonDebit), ("A0000000980840", .usCommonDebit), ("A0000001524010", .usCommonDebit),
        ("A0000006200620", .usCommonDebit), ("A0000000043060", .maestro), ("A000000003", .visa),
        ("A000000004", .mastercard), ("A000000005", .maestro), ("A000000025", .americanExpress),
        ("A000000042", .cartesBancaires), ("A000000065", .jcb), ("A000000098", .visa), ("A000000121", .dankort),
        ("A000000141", .pagoBancomat), ("A000000152", .discover), ("A000000228", .mada), ("A000000277", .interac),
        ("A000000324", .discover), ("A000000333", .unionPay), ("A000000359", .girocard), ("A000000384", .eftpos),
        ("A000000524", .ruPay), ("A000000658", .mir),
    ]
}
