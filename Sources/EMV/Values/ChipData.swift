/// The tag values of one transaction.
package struct ChipData: Sendable, Hashable {
    private var values: [EMVTag: [UInt8]] = [:]

    /// - Parameter values: If a tag occurs twice, the first non-empty value is used.
    package init(_ values: some Sequence<(tag: EMVTag, value: [UInt8])>) {
        for (tag, value) in values where !value.isEmpty && self.values[tag] == nil { self.values[tag] = value }
    }

    package init(_ objects: [TLVObject]) {
        self.init(objects.primitives.map { ($0.tag, $0.value ?? []) })
    }

    package init(_ pairs: [TagPairs.Pair]) {
        self.init(pairs.map { ($0.tag, $0.value) })
    }

    /// The values of `self`, with gaps filled from `other`.
    package func filled(from other: ChipData) -> ChipData {
        var all = self
        all.values.merge(other.values) { mine, _ in mine }
        return all
    }

    package var isEmpty: Bool { values.isEmpty }
    package var tags: [EMVTag] { values.keys.sorted() }

    package subscript(tag: EMVTag) -> [UInt8]? { values[tag] }

    /// The value in capital hexadecimal digits.
    package func hex(_ tag: EMVTag) -> String? { values[tag].map { Hexadecimal.text($0) } }

    /// The value as ASCII; nil if it has other bytes.
    package func text(_ tag: EMVTag) -> String? {
        guard let value = values[tag], value.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: value, as: UTF8.self)
    }

    private func number(_ tag: EMVTag) -> Int64? { values[tag].flatMap { BinaryCodedDecimal.number($0) } }

    // MARK: Amounts

    /// Tag 9F02, or else 81; in minor units, cashback included. Nil if neither is present or readable.
    package var amountAuthorized: Int64? {
        if values[0x9F02] != nil { return number(0x9F02) }
        return binaryAmount
    }
    /// Tag 81.
    package var binaryAmount: Int64? {
        guard let value = values[0x81], value.count == 4 else { return nil }
        return value.reduce(0) { $0 << 8 | Int64($1) }
    }
    /// Tag 9F03: the cashback part, in minor units.
    package var amountOther: Int64? { number(0x9F03) }
    /// Tag 5F2A: the ISO 4217 number.
    package var currencyNumeric: Int? { number(0x5F2A).flatMap { Int(exactly: $0) } }
    /// Tag 5F36.
    package var currencyExponent: Int? { number(0x5F36).flatMap { Int(exactly: $0) } }

    // MARK: Decisions

    package var terminalVerificationResults: TerminalVerificationResults? { values[0x95].flatMap { .init($0) } }
    package var transactionStatusInformation: TransactionStatusInformation? { values[0x9B].flatMap { .init($0) } }
    package var verificationResults: VerificationResults? { values[0x9F34].flatMap { .init($0) } }
    package var verificationMethods: VerificationMethodList? { values[0x8E].flatMap { .init($0) } }
    package var cryptogramInformation: CryptogramInformation? { values[0x9F27].flatMap { .init($0) } }
    package var interchangeProfile: ApplicationInterchangeProfile? { values[0x82].flatMap { .init($0) } }
    package var usageControl: ApplicationUsageControl? { values[0x9F07].flatMap { .init($0) } }
    package var terminalCapabilities: TerminalCapabilities? { values[0x9F33].flatMap { .init($0) } }
    package var responseCode: AuthorizationResponseCode? { values[0x8A].flatMap { .init($0) } }

    // MARK: Application

    /// Tag 4F, 84 or 9F06, the first one present.
    package var applicationIdentifier: [UInt8]? { values[0x4F] ?? values[0x84] ?? values[0x9F06] }
    package var scheme: CardScheme? { applicationIdentifier.flatMap { .init(applicationIdentifier: $0) } }
    /// Tag 9F12 if it is ASCII, else 50.
    package var applicationLabel: String? { text(0x9F12) ?? text(0x50) }
}
