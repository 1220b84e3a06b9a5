/// Tag 9F33: how the terminal reads cards, verifies cardholders and secures data.
package typealias TerminalCapabilities = BitField<TerminalCapability>

/// EMV book 4, annex A2.
package enum TerminalCapability: UInt16, BitFlag {
    case manualKeyEntry = 0x0180
    case magneticStripe = 0x0140
    case chipWithContacts = 0x0120

    case plaintextOfflinePIN = 0x0280
    case encipheredOnlinePIN = 0x0240
    case signature = 0x0220
    case encipheredOfflinePIN = 0x0210
    case noVerification = 0x0208

    case staticDataAuthentication = 0x0380
    case dynamicDataAuthentication = 0x0340
    case cardCapture = 0x0320
    case combinedDataAuthentication = 0x0308

    package static let byteCount = 3

    package var meaning: String {
        switch self {
        case .manualKeyEntry: "manual key entry"
        case .magneticStripe: "magnetic stripe"
        case .chipWithContacts: "chip with contacts"
        case .plaintextOfflinePIN: "plaintext PIN verified by the chip"
        case .encipheredOnlinePIN: "enciphered PIN verified online"
        case .signature: "signature on paper"
        case .encipheredOfflinePIN: "enciphered PIN verified by the chip"
        case .noVerification: "no cardholder verification"
        case .staticDataAuthentication: "static data authentication"
        case .dynamicDataAuthentication: "dynamic data authentication"
        case .cardCapture: "card capture"
        case .combinedDataAuthentication: "combined data authentication"
        }
    }
}

/// Tag 9F40: the transactions that the terminal accepts, and its keys, display and printer.
package typealias AdditionalTerminalCapabilities = BitField<AdditionalTerminalCapability>

/// EMV book 4, annex A3.
package enum AdditionalTerminalCapability: UInt16, BitFlag {
    case cash = 0x0180
    case goods = 0x0140
    case services = 0x0120
    case cashback = 0x0110
    case inquiry = 0x0108
    case transfer = 0x0104
    case payment = 0x0102
    case administrative = 0x0101
    case cashDeposit = 0x0280

    case numericKeys = 0x0380
    case alphabeticKeys = 0x0340
    case commandKeys = 0x0320
    case functionKeys = 0x0310

    case printForAttendant = 0x0480
    case printForCardholder = 0x0440
    case displayForAttendant = 0x0420
    case displayForCardholder = 0x0410
    case codeTable10 = 0x0402
    case codeTable9 = 0x0401

    case codeTable8 = 0x0580
    case codeTable7 = 0x0540
    case codeTable6 = 0x0520
    case codeTable5 = 0x0510
    case codeTable4 = 0x0508
    case codeTable3 = 0x0504
    case codeTable2 = 0x0502
    case codeTable1 = 0x0501

    package static let byteCount = 5

    package var meaning: String {
        switch self {
        case .cash: "cash"
        case .goods: "goods"
        case .services: "services"
        case .cashback: "cashback"
        case .inquiry: "inquiry"
        case .transfer: "transfer"
        case .payment: "payment"
        case .administrative: "administrative"
        case .cashDeposit: "cash deposit"
        case .numericKeys: "numeric keys"
        case .alphabeticKeys: "alphabetic and special keys"
        case .commandKeys: "command keys"
        case .functionKeys: "function keys"
        case .printForAttendant: "prints for the attendant"
        case .printForCardholder: "prints for the cardholder"
        case .displayForAttendant: "displays for the attendant"
        case .displayForCardholder: "displays for the cardholder"
        case .codeTable10: "code table 10"
        case .codeTable9: "code table 9"
        case .codeTable8: "code table 8"
        case .codeTable7: "code table 7"
        case .codeTable6: "code table 6"
        case .codeTable5: "code table 5"
        case .codeTable4: "code table 4"
        case .codeTable3: "code table 3"
        case .codeTable2: "code table 2"
        case .codeTable1: "code table 1"
        }
    }
}
