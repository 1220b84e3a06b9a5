import DaybookTestKit
import EMV
import Foundation

/// Card data and secrets to plant and search for. Each is distinctive, so that a match is no coincidence.
enum CardSecrets {
    /// BridgePay's test cards (BridgePay developer documentation), those of the schemes, and made-up numbers of all
    /// brands.
    static let numbers: [String] =
        [
            "4111111111111111", "5499740000000057", "6011000991001201", "371449635392376", "4217651111111119",
            "5149612222222229", "4012888888881881", "5555555555554444", "2223003122003222", "378282246310005",
            "30569309025904", "36259600000004", "6011111111111117", "3530111333300000", "6200000000000005",
            "6205500000000000004", "6759649826438453", "6304000000000000", "4222222222222",
        ] + made

    /// Numbers used nowhere else: even a part of one in the wrong place is found.
    static let made: [String] = {
        var random = SeededGenerator(seed: 0xCA4D)
        return ["453201", "520082", "222350", "601198", "356600", "379764", "622126", "650012"].map { prefix in
            let length = prefix.hasPrefix("37") ? 15 : 16
            var digits = prefix
            while digits.count < length - 1 { digits += String(Int.random(in: 0...9, using: &random)) }
            return digits + checkDigit(digits)
        }
    }()

    static let track1 = "%B4532015112830366^DOE/JANE^25121011000084765300017?"
    static let track2 = ";5425233430109903=25121018476530001799?"
    static let trackData = ["84765300017", "1018476530001799", "4532015112830366", "5425233430109903"]
    static let pinBlocks = ["0412AC89AB7CDEF1", "9F8E7D6C5B4A3928"]
    /// The encoding of the bytes by Swift's `JSONEncoder`: a PIN block, a card number, a track with its tag and length.
    static let encoded: [String] = [pinBlocks[0], made[3], "57125425233430109903D25121018476530001799F"].compactMap {
        Hexadecimal.bytes($0).map { Data($0).base64EncodedString() }
    }
    static let passwords = ["pw-Quokka!57sE3Fm", "hunter-Wombat-2931", "s3cret-Numbat-8817", "code-Bilby-48213"]
    static let privateKey = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjNumbat"
    /// Codes for fields with telling names, where they may be as long as a search needs.
    static let longCodes = ["cvvNarwhal83911", "cscNarwhal73920"]
    /// Codes in the form of real ones; too short to be searched for in bytes.
    static let shortCodes = ["8391", "739"]
    static let expiry = "1299"

    /// Planted beside the secrets, and allowed: the search must find it.
    static let canary = "Canary-Kookaburra-5150"

    /// Everything that must not be found.
    static let needles: [String] =
        numbers + trackData + pinBlocks + encoded + passwords + [privateKey] + longCodes
        // All but the first and last two digits and less: what masking has to hide, in any grouping.
        + made.flatMap { number in
            (1...number.count - 12).map { start in String(number.dropFirst(start).prefix(11)) }
        }

    /// - Parameter digits: Without the check digit.
    static func checkDigit(_ digits: String) -> String {
        var sum = 0
        for (index, digit) in digits.reversed().compactMap(\.wholeNumberValue).enumerated() {
            let value = index.isMultiple(of: 2) ? digit * 2 : digit
            sum += value > 9 ? value - 9 : value
        }
        return String((10 - sum % 10) % 10)
    }

    /// `4111 1111 1111 1111`.
    static func grouped(_ number: String, by separator: String) -> String {
        var text = ""
        for (index, digit) in number.enumerated() {
            if index > 0, index.isMultiple(of: 4) { text += separator }
            text.append(digit)
        }
        return text
    }
}
