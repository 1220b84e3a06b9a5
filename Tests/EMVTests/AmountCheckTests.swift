import Testing

@testable import EMV

@Suite("Chip data and amounts")
struct AmountCheckTests {
    private func chip(_ hex: String) throws -> ChipData {
        ChipData(try TLVReader().read(try #require(Hexadecimal.bytes(hex))).objects)
    }

    @Test("Amounts that agree")
    func agreement() throws {
        let chip = try chip("9F02060000000012349F03060000000002005F2A0208405F3601028104000004D2")
        #expect(chip.amountAuthorized == 1_234 && chip.binaryAmount == 1_234 && chip.amountOther == 200)
        #expect(chip.currencyNumeric == 840 && chip.currencyExponent == 2)
        let expected = AmountCheck.Expectation(total: 1_234, cashback: 200, currencyNumeric: 840, exponent: 2)
        #expect(AmountCheck.disagreements(chip, with: expected).isEmpty)
        #expect(AmountCheck.disagreements(chip, with: .init(total: nil)).isEmpty)
    }

    @Test("Every disagreement is reported")
    func disagreements() throws {
        let chip = try chip("9F02060000000012349F03060000000002005F2A0209785F3601038104000004D1")
        let expected = AmountCheck.Expectation(total: 1_000, currencyNumeric: 840, exponent: 2)
        #expect(
            AmountCheck.disagreements(chip, with: expected) == [
                .init(tag: 0x9F02, chip: 1_234, expected: 1_000), .init(tag: 0x81, chip: 1_233, expected: 1_000),
                .init(tag: 0x9F03, chip: 200, expected: 0), .init(tag: 0x5F2A, chip: 978, expected: 840),
                .init(tag: 0x5F36, chip: 3, expected: 2),
            ]
        )
    }

    @Test("A missing value does not disagree; an unreadable one does")
    func unreadable() throws {
        let expected = AmountCheck.Expectation(total: 5, cashback: 0, currencyNumeric: 978, exponent: 2)
        #expect(AmountCheck.disagreements(try chip("9A03160101"), with: expected).isEmpty)
        let chip = try chip("9F02060000000000FF")
        #expect(chip.amountAuthorized == nil)
        #expect(
            AmountCheck.disagreements(chip, with: expected) == [.init(tag: 0x9F02, chip: nil, expected: 5)]
        )
    }

    @Test("The first non-empty value is used; gaps are filled")
    func values() throws {
        let chip = try chip("8A008A0230308A023035500A4D617374657263617264")
        #expect(chip.responseCode?.meaning == .onlineApproved)
        #expect(chip.applicationLabel == "Mastercard")
        #expect(chip.hex(0x8A) == "3030")
        #expect(chip.tags == [0x50, 0x8A])
        let other = try self.chip("8A0230359F120456495341")
        let filled = chip.filled(from: other)
        #expect(filled.responseCode?.code == "00" && filled.applicationLabel == "VISA")
        #expect(ChipData([TLVObject]()).isEmpty)
    }

    @Test("Decisions are read from their tags")
    func decisions() throws {
        let chip = try chip("950580800080009B0268009F34031E00029F2701409F3303E0F8C88202398080009F0702FFC0")
        #expect(chip.terminalVerificationResults?.flags.count == 3)
        #expect(chip.transactionStatusInformation?.flags.count == 3)
        #expect(chip.verificationResults?.receiptLine == .signature)
        #expect(chip.cryptogramInformation?.cryptogram == .approved)
        #expect(chip.terminalCapabilities?.contains(.signature) == true)
        #expect(chip.interchangeProfile?.contains(.staticDataAuthentication) == false)
        #expect(chip.usageControl?.flags.count == 10)
        #expect(chip.verificationMethods == nil)
    }
}
