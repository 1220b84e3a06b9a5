/// How a cardholder is verified (EMV book 3, annex C3): the lower six bits of a CVM code.
package enum VerificationMethod: UInt8, Sendable, Hashable, CaseIterable {
    case fail = 0x00
    case plaintextOfflinePIN = 0x01
    case encipheredOnlinePIN = 0x02
    case plaintextOfflinePINAndSignature = 0x03
    case encipheredOfflinePIN = 0x04
    case encipheredOfflinePINAndSignature = 0x05
    case signature = 0x1E
    case noVerification = 0x1F
    /// The value that terminals write when no method was performed.
    case notPerformed = 0x3F

    package var meaning: String {
        switch self {
        case .fail: "fail"
        case .plaintextOfflinePIN: "plaintext PIN verified by the chip"
        case .encipheredOnlinePIN: "enciphered PIN verified online"
        case .plaintextOfflinePINAndSignature: "plaintext PIN verified by the chip, and signature"
        case .encipheredOfflinePIN: "enciphered PIN verified by the chip"
        case .encipheredOfflinePINAndSignature: "enciphered PIN verified by the chip, and signature"
        case .signature: "signature"
        case .noVerification: "no verification required"
        case .notPerformed: "not performed"
        }
    }

    package var usesPIN: Bool {
        switch self {
        case .plaintextOfflinePIN, .encipheredOnlinePIN, .plaintextOfflinePINAndSignature, .encipheredOfflinePIN,
            .encipheredOfflinePINAndSignature:
            true
        case .fail, .signature, .noVerification, .notPerformed: false
        }
    }

    package var usesSignature: Bool {
        switch self {
        case .plaintextOfflinePINAndSignature, .encipheredOfflinePINAndSignature, .signature: true
        case .fail, .plaintextOfflinePIN, .encipheredOnlinePIN, .encipheredOfflinePIN, .noVerification, .notPerformed:
            false
        }
    }
}

/// When a rule of the CVM list applies (EMV book 3, annex C3). X and Y are the amounts of the list.
package enum VerificationCondition: UInt8, Sendable, Hashable, CaseIterable {
    case always = 0x00
    case unattendedCash = 0x01
    case notCash = 0x02
    case terminalSupportsMethod = 0x03
    case manualCash = 0x04
    case cashback = 0x05
    case underX = 0x06
    case overX = 0x07
    case underY = 0x08
    case overY = 0x09

    package var meaning: String {
        switch self {
        case .always: "always"
        case .unattendedCash: "if unattended cash"
        case .notCash: "if neither cash nor cashback"
        case .terminalSupportsMethod: "if the terminal supports the method"
        case .manualCash: "if manual cash"
        case .cashback: "if purchase with cashback"
        case .underX: "if in the application's currency and under X"
        case .overX: "if in the application's currency and over X"
        case .underY: "if in the application's currency and under Y"
        case .overY: "if in the application's currency and over Y"
        }
    }
}

/// One rule: a method, when it applies, and what happens when it fails.
package struct VerificationRule: Sendable, Hashable {
    /// The method's byte, including bit 0x40.
    package let code: UInt8
    package let conditionCode: UInt8

    package init(code: UInt8, conditionCode: UInt8) {
        self.code = code
        self.conditionCode = conditionCode
    }

    /// Nil for unknown methods. `3F` is a separate method; otherwise bit 0x40 is not part of it.
    package var method: VerificationMethod? { VerificationMethod(rawValue: code & 0x3F) }

    /// True when the next rule is tried after this one failed; otherwise verification fails.
    package var continuesAfterFailure: Bool { code & 0x40 != 0 }

    /// Nil for unknown conditions.
    package var condition: VerificationCondition? { VerificationCondition(rawValue: conditionCode) }
}

/// Tag 9F34: the rule that was performed last, and its result.
package struct VerificationResults: Sendable, Hashable {
    package enum Result: UInt8, Sendable, Hashable, CaseIterable {
        /// For example a signature, which the terminal cannot check.
        case unknown = 0x00
        case failed = 0x01
        case successful = 0x02
    }

    /// The verification that a receipt shows.
    package enum ReceiptLine: String, Sendable, Hashable, CaseIterable {
        case verifiedByPIN, signature, verifiedByPINAndSignature
        case none
    }

    package let rule: VerificationRule
    package let resultCode: UInt8

    /// Nil unless there are exactly three bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 3 else { return nil }
        rule = VerificationRule(code: bytes[0], conditionCode: bytes[1])
        resultCode = bytes[2]
    }

    package init?(hex: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(hex) else { return nil }
        self.init(bytes)
    }

    /// Nil for unknown codes.
    package var result: Result? { Result(rawValue: resultCode) }

    package var receiptLine: ReceiptLine {
        guard let method = rule.method else { return .none }
        return switch (method.usesPIN, method.usesSignature) {
        case (true, true): .verifiedByPINAndSignature
        case (true, false): .verifiedByPIN
        case (false, true): .signature
        case (false, false): .none
        }
    }
}

/// Tag 8E: the issuer's rules in the order in which they are tried.
package struct VerificationMethodList: Sendable, Hashable {
    /// X and Y in minor units of the application's currency, or with its implied decimals.
    package let amountX: UInt32
    package let amountY: UInt32
    package let rules: [VerificationRule]

    /// Nil when there are fewer than eight bytes, more than 252, or half a rule. A list without rules is accepted,
    /// because some cards have one.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard (8...252).contains(bytes.count), bytes.count % 2 == 0 else { return nil }
        amountX = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        amountY = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        rules = stride(from: 8, to: bytes.count, by: 2).map {
            VerificationRule(code: bytes[$0], conditionCode: bytes[$0 + 1])
        }
    }

    package init?(hex: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(hex) else { return nil }
        self.init(bytes)
    }
}
