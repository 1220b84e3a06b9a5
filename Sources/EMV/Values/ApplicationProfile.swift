/// Tag 82: the capabilities of the application on the chip.
package typealias ApplicationInterchangeProfile = BitField<ApplicationCapability>

/// EMV book 3, annex C1; the two contactless bits by kernels 2 and 3.
package enum ApplicationCapability: UInt16, BitFlag {
    case staticDataAuthentication = 0x0140
    case dynamicDataAuthentication = 0x0120
    case cardholderVerification = 0x0110
    case terminalRiskManagement = 0x0108
    case issuerAuthentication = 0x0104
    case onDeviceCardholderVerification = 0x0102
    case combinedDataAuthentication = 0x0101
    case contactlessChipMode = 0x0280

    package static let byteCount = 2

    package var meaning: String {
        switch self {
        case .staticDataAuthentication: "static data authentication supported"
        case .dynamicDataAuthentication: "dynamic data authentication supported"
        case .cardholderVerification: "cardholder verification supported"
        case .terminalRiskManagement: "terminal risk management to be performed"
        case .issuerAuthentication: "issuer authentication supported"
        case .onDeviceCardholderVerification: "on-device cardholder verification supported"
        case .combinedDataAuthentication: "combined data authentication supported"
        case .contactlessChipMode: "chip mode supported over contactless"
        }
    }
}

/// Tag 9F07: the uses of the card that the issuer allows.
package typealias ApplicationUsageControl = BitField<ApplicationUsage>

/// EMV book 3, annex C2.
package enum ApplicationUsage: UInt16, BitFlag {
    case domesticCash = 0x0180
    case internationalCash = 0x0140
    case domesticGoods = 0x0120
    case internationalGoods = 0x0110
    case domesticServices = 0x0108
    case internationalServices = 0x0104
    case cashMachines = 0x0102
    case otherTerminals = 0x0101
    case domesticCashback = 0x0280
    case internationalCashback = 0x0240

    package static let byteCount = 2

    package var meaning: String {
        switch self {
        case .domesticCash: "domestic cash"
        case .internationalCash: "international cash"
        case .domesticGoods: "domestic goods"
        case .internationalGoods: "international goods"
        case .domesticServices: "domestic services"
        case .internationalServices: "international services"
        case .cashMachines: "at ATMs"
        case .otherTerminals: "at terminals other than ATMs"
        case .domesticCashback: "domestic cashback"
        case .internationalCashback: "international cashback"
        }
    }
}
