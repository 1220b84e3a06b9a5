import EMV
import Testing

@Suite("EMV values")
struct ValueTests {
    // MARK: Bits

    /// binaryfoo/emv-bertlv, `TVRDecoderTest`; the gateway's samples.
    @Test("Terminal verification results")
    func terminalVerificationResults() throws {
        #expect(try #require(TerminalVerificationResults(hex: "0000080000")).flags == [.pinNotEntered])
        let all = try #require(TerminalVerificationResults(hex: "FFFFFFFFFF"))
        #expect(all.flags.count == 27)
        #expect(Set(all.flags) == Set(TerminalVerificationCheck.allCases))
        #expect(all.reserved.count == 13)
        let seed = try #require(TerminalVerificationResults(hex: "8080008000"))
        #expect(seed.flags == [.offlineDataAuthenticationNotPerformed, .versionsDiffer, .overFloorLimit])
        #expect(seed.reserved.isEmpty)
        let sample = try #require(TerminalVerificationResults(hex: "0400008001"))
        #expect(sample.flags == [.combinedDataAuthenticationFailed, .overFloorLimit])
        #expect(sample.reserved == ["5.1"])
        #expect(sample.description == "0400008001")
        #expect(TerminalVerificationResults(hex: "00000000") == nil)
        #expect(TerminalVerificationResults(hex: "0000000000zz") == nil)
    }

    @Test("Transaction status information")
    func transactionStatusInformation() throws {
        let seed = try #require(TransactionStatusInformation(hex: "6800"))
        #expect(seed.flags == [.cardholderVerification, .cardRiskManagement, .terminalRiskManagement])
        #expect(try #require(TransactionStatusInformation(hex: "FC00")).flags.count == 6)
        #expect(try #require(TransactionStatusInformation(hex: "0301")).reserved == ["1.2", "1.1", "2.1"])
    }

    /// Byte, bit (8 is the highest), flag: as listed in the annexes of EMV book 3 and 4.
    @Test("Every bit as listed in the annexes")
    func positions() {
        expectBits(
            """
            1.8 offlineDataAuthenticationNotPerformed 1.7 staticDataAuthenticationFailed 1.6 cardDataMissing \
            1.5 onExceptionFile 1.4 dynamicDataAuthenticationFailed 1.3 combinedDataAuthenticationFailed \
            1.2 staticDataAuthenticationSelected 2.8 versionsDiffer 2.7 applicationExpired \
            2.6 applicationNotYetEffective 2.5 serviceNotAllowed 2.4 newCard 3.8 cardholderVerificationNotSuccessful \
            3.7 unrecognizedVerificationMethod 3.6 pinTryLimitExceeded 3.5 pinPadAbsentOrBroken 3.4 pinNotEntered \
            3.3 onlinePINEntered 4.8 overFloorLimit 4.7 lowerOfflineLimitExceeded 4.6 upperOfflineLimitExceeded \
            4.5 selectedAtRandom 4.4 merchantForcedOnline 5.8 defaultTransactionCertificateListUsed \
            5.7 issuerAuthenticationFailed 5.6 scriptFailedBeforeFinalCryptogram 5.5 scriptFailedAfterFinalCryptogram
            """,
            of: TerminalVerificationCheck.self
        )
        expectBits(
            """
            1.8 offlineDataAuthentication 1.7 cardholderVerification 1.6 cardRiskManagement 1.5 issuerAuthentication \
            1.4 terminalRiskManagement 1.3 scriptProcessing
            """,
            of: TransactionStep.self
        )
        expectBits(
            """
            1.7 staticDataAuthentication 1.6 dynamicDataAuthentication 1.5 cardholderVerification \
            1.4 terminalRiskManagement 1.3 issuerAuthentication 1.2 onDeviceCardholderVerification \
            1.1 combinedDataAuthentication 2.8 contactlessChipMode
            """,
            of: ApplicationCapability.self
        )
        expectBits(
            """
            1.8 domesticCash 1.7 internationalCash 1.6 domesticGoods 1.5 internationalGoods 1.4 domesticServices \
            1.3 internationalServices 1.2 cashMachines 1.1 otherTerminals 2.8 domesticCashback \
            2.7 internationalCashback
            """,
            of: ApplicationUsage.self
        )
        expectBits(
            """
            1.8 manualKeyEntry 1.7 magneticStripe 1.6 chipWithContacts 2.8 plaintextOfflinePIN \
            2.7 encipheredOnlinePIN 2.6 signature 2.5 encipheredOfflinePIN 2.4 noVerification \
            3.8 staticDataAuthentication 3.7 dynamicDataAuthentication 3.6 cardCapture 3.4 combinedDataAuthentication
            """,
            of: TerminalCapability.self
        )
        expectBits(
            """
            1.8 cash 1.7 goods 1.6 services 1.5 cashback 1.4 inquiry 1.3 transfer 1.2 payment 1.1 administrative \
            2.8 cashDeposit 3.8 numericKeys 3.7 alphabeticKeys 3.6 commandKeys 3.5 functionKeys \
            4.8 printForAttendant 4.7 printForCardholder 4.6 displayForAttendant 4.5 displayForCardholder \
            4.2 codeTable10 4.1 codeTable9 5.8 codeTable8 5.7 codeTable7 5.6 codeTable6 5.5 codeTable5 \
            5.4 codeTable4 5.3 codeTable3 5.2 codeTable2 5.1 codeTable1
            """,
            of: AdditionalTerminalCapability.self
        )
    }

    private func expectBits<Flag: BitFlag>(_ table: String, of flag: Flag.Type) {
        let words = table.split(separator: " ").map(String.init)
        let expected = stride(from: 0, to: words.count - 1, by: 2).map { "\(words[$0]) \(words[$0 + 1])" }
        let actual = Flag.allCases.map { flag in
            let bit = 8 - UInt8(truncatingIfNeeded: flag.rawValue).leadingZeroBitCount
            return "\(flag.rawValue >> 8).\(bit) \(flag)"
        }
        #expect(actual == expected)
        #expect(Flag.allCases.allSatisfy { !$0.meaning.isEmpty })
        let all = BitField<Flag>(Set(Flag.allCases))
        #expect(all.flags == Array(Flag.allCases))
        #expect(all.reserved.isEmpty)
        #expect(BitField<Flag>(all.bytes) == all)
    }

    // MARK: Cardholder verification

    @Test(
        "Every method, its place on the receipt",
        arguments: [
            ("00", VerificationMethod.fail, VerificationResults.ReceiptLine.none),
            ("01", .plaintextOfflinePIN, .verifiedByPIN), ("02", .encipheredOnlinePIN, .verifiedByPIN),
            ("03", .plaintextOfflinePINAndSignature, .verifiedByPINAndSignature),
            ("04", .encipheredOfflinePIN, .verifiedByPIN),
            ("05", .encipheredOfflinePINAndSignature, .verifiedByPINAndSignature), ("1E", .signature, .signature),
            ("1F", .noVerification, .none), ("3F", .notPerformed, .none),
        ]
    )
    func methods(code: String, method: VerificationMethod, line: VerificationResults.ReceiptLine) throws {
        let results = try #require(VerificationResults(hex: "\(code)0002"))
        #expect(results.rule.method == method)
        #expect(results.receiptLine == line)
        #expect(!results.rule.continuesAfterFailure)
        #expect(!method.meaning.isEmpty)
        #expect(VerificationMethod.allCases.count == 9)
    }

    @Test("Every condition and result")
    func conditionsAndResults() throws {
        let conditions: [VerificationCondition] = [
            .always, .unattendedCash, .notCash, .terminalSupportsMethod, .manualCash, .cashback, .underX, .overX,
            .underY,
            .overY,
        ]
        #expect(VerificationCondition.allCases == conditions)
        for (code, condition) in conditions.enumerated() {
            #expect(VerificationCondition(rawValue: UInt8(code)) == condition)
            #expect(!condition.meaning.isEmpty)
        }
        let results: [VerificationResults.Result] = [.unknown, .failed, .successful]
        for (code, result) in results.enumerated() {
            #expect(try #require(VerificationResults([0x1E, 0, UInt8(code)])).result == result)
        }
        let odd = try #require(VerificationResults(hex: "5E1003"))
        #expect(odd.rule.method == .signature && odd.rule.continuesAfterFailure)
        #expect(odd.rule.condition == nil && odd.result == nil)
        #expect(try #require(VerificationResults(hex: "060000")).rule.method == nil)
        #expect(VerificationResults(hex: "1E00") == nil)
    }

    /// binaryfoo/emv-bertlv, `CVMResultsDecoder` and `CVMListDecoder` tests.
    @Test("Public vectors")
    func verificationVectors() throws {
        let signature = try #require(VerificationResults(hex: "1E0002"))
        #expect(signature.rule.condition == .always && signature.result == .successful)
        #expect(try #require(VerificationResults(hex: "3F0002")).rule.method == .notPerformed)
        let list = try #require(VerificationMethodList(hex: "000000C80000000002071E00"))
        #expect(list.amountX == 200 && list.amountY == 0)
        #expect(list.rules.map(\.method) == [.encipheredOnlinePIN, .signature])
        #expect(list.rules.map(\.condition) == [.overX, .always])
        #expect(VerificationMethodList(hex: "0000000000000000")?.rules == [])
        for hex in ["00", "000000000000000011", String(repeating: "00", count: 254)] {
            #expect(VerificationMethodList(hex: hex) == nil)
        }
    }

    // MARK: Decisions

    @Test(
        "Cryptogram information",
        arguments: [
            (0x00, CryptogramInformation.Cryptogram.declined, "AAC"), (0x40, .approved, "TC"),
            (0x80, .onlineRequested, "ARQC"), (0xC0, .reserved, ""),
        ]
    )
    func cryptograms(byte: UInt8, cryptogram: CryptogramInformation.Cryptogram, abbreviation: String) throws {
        let reasons: [CryptogramInformation.Reason?] = [
            .notGiven, .serviceNotAllowed, .pinTryLimitExceeded, .issuerAuthenticationFailed, nil, nil, nil, nil,
        ]
        for (code, reason) in reasons.enumerated() {
            let information = try #require(CryptogramInformation([byte | UInt8(code)]))
            #expect(information.cryptogram == cryptogram && information.cryptogram.abbreviation == abbreviation)
            #expect(information.reason == reason)
            #expect(!information.requiresAdvice)
            #expect(CryptogramInformation(byte | 0x08).requiresAdvice)
        }
        #expect(CryptogramInformation([UInt8]()) == nil)
    }

    @Test(
        "Authorisation response codes",
        arguments: [
            ("00", AuthorizationResponseCode.Meaning.onlineApproved, false), ("Y1", .offlineApproved, true),
            ("Y2", .approvedAfterReferral, true), ("Y3", .unableOnlineApproved, true), ("Z1", .offlineDeclined, true),
            ("Z2", .declinedAfterReferral, true), ("Z3", .unableOnlineDeclined, true), ("05", .issuer, false),
            ("1A", .issuer, false), ("70", .issuer, false), ("98", .issuer, false), ("y1", .issuer, false),
        ]
    )
    func responseCodes(code: String, meaning: AuthorizationResponseCode.Meaning, isTerminals: Bool) throws {
        let read = try #require(AuthorizationResponseCode(Array(code.utf8)))
        #expect(read.meaning == meaning && read.isTerminals == isTerminals && read.code == code)
        #expect(AuthorizationResponseCode(code) == read)
    }

    @Test("Values that are not a response code")
    func noResponseCodes() {
        #expect(AuthorizationResponseCode([0x30]) == nil)
        #expect(AuthorizationResponseCode([0, 0]) == nil)
        #expect(AuthorizationResponseCode("000") == nil)
        #expect(AuthorizationResponseCode("é") == nil)
    }

    @Test(
        "Schemes",
        arguments: [
            ("A0000000031010", CardScheme.visa), ("A0000000032010", .visa), ("A0000000041010", .mastercard),
            ("A0000000043060", .maestro), ("A0000000050001", .maestro), ("A00000002501", .americanExpress),
            ("A000000025010402", .americanExpress), ("A0000001523010", .discover), ("A0000003241010", .discover),
            ("A0000000651010", .jcb), ("A000000333010101", .unionPay), ("A0000002771010", .interac),
            ("A0000000421010", .cartesBancaires), ("A0000001211010", .dankort), ("A0000003591010028001", .girocard),
            ("A0000001410001", .pagoBancomat), ("A0000002281010", .mada), ("A00000038410", .eftpos),
            ("A0000005241010", .ruPay), ("A0000006581010", .mir), ("A0000000042203", .usCommonDebit),
            ("A0000000980840", .usCommonDebit), ("A0000001524010", .usCommonDebit), ("A0000006200620", .usCommonDebit),
        ]
    )
    func schemes(identifier: String, scheme: CardScheme) {
        #expect(CardScheme(applicationIdentifier: identifier) == scheme)
    }

    @Test("Identifiers of no known scheme")
    func noScheme() {
        for identifier in ["", "A0000000", "A000000999", "F000000003", String(repeating: "A0", count: 17), "A0x"] {
            #expect(CardScheme(applicationIdentifier: identifier) == nil)
        }
    }

    // MARK: Numbers

    @Test("Decimal digits, two per byte")
    func decimals() {
        #expect(BinaryCodedDecimal.number([0, 0, 0, 0x01, 0x23, 0x45]) == 12_345)
        #expect(BinaryCodedDecimal.number([0x99, 0x99, 0x99, 0x99, 0x99, 0x99]) == 999_999_999_999)
        #expect(BinaryCodedDecimal.number([0x1A]) == nil)
        #expect(BinaryCodedDecimal.number([UInt8]()) == nil)
        #expect(BinaryCodedDecimal.number([UInt8](repeating: 0x99, count: 10)) == nil)
        #expect(BinaryCodedDecimal.number([UInt8](repeating: 0, count: 99)) == 0)
        #expect(BinaryCodedDecimal.bytes(12_345, count: 6) == [0, 0, 0, 0x01, 0x23, 0x45])
        #expect(BinaryCodedDecimal.bytes(100, count: 1) == nil)
        #expect(BinaryCodedDecimal.bytes(-1, count: 6) == nil)
        #expect(BinaryCodedDecimal.digits([0x41, 0x11, 0x1F]) == "41111")
        #expect(BinaryCodedDecimal.digits([0x4F, 0x11]) == nil)
        #expect(BinaryCodedDecimal.digits([0x4D]) == nil)
    }
}
