import Canonical
import Payments

/// The uCube SDK's documents: requests, progress and the payment context. Bytes are in hexadecimal digits.
struct UCubeForms {
    let purchase: Purchase
    let terminal: VirtualTerminal
    /// `9F36` and `9F37` of the payment's chip data.
    let counter: String
    let unpredictable: String
    let cryptogram: String
    /// Ciphertext; nothing in the simulation can decrypt it.
    let secured: String

    enum Kind: String {
        case purchase, refund, withdrawal, inquiry, purchaseCashback, manualCash

        /// Tag `9C`.
        var code: String {
            switch self {
            case .purchase: "00"
            case .withdrawal: "01"
            case .refund: "20"
            case .inquiry: "31"
            case .purchaseCashback: "09"
            case .manualCash: "12"
            }
        }

        /// Whether the card buys cash.
        var sellsCash: Bool { self == .withdrawal || self == .manualCash }
    }

    private var currency: Currency { purchase.merchant.currency }
    private var amount: Int64 { purchase.basket.total }
    private var isContactless: Bool { purchase.card.entry == .contactless }

    static func hexadecimal(_ text: String) -> String {
        text.utf8.map { String(Int($0) + 0x100, radix: 16, uppercase: true).dropFirst() }.joined()
    }

    private static func padded(_ number: Int, to digits: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// `UCubePaymentRequest`, and the first members of every `PaymentContext`.
    func request(_ kind: Kind, at time: Timestamp) -> JSONObject {
        [
            "cardWaitTimeout": 30, "amount": .number(.init(amount)),
            "currency": [
                "label": .string(currency.alpha), "code": .number(.init(Int64(currency.numeric))),
                "exponent": .number(.init(Int64(currency.exponent ?? 0))),
            ],
            "transactionType": .string(kind.rawValue),
            "transactionDate": .string(String(time.rfc3339.prefix(19)) + "Z"),
            "applicationVersion": 2, "preferredLanguages": ["en"], "forceOnlinePIN": false, "onlinePinBlockFormat": 0,
            "readers": ["ICC", "NFC"], "forceDebug": false, "authorizationPlainTags": [79, 80, 24362, 24372],
            "authorizationSecuredTags": [90, 87, 86, 24352],
        ]
    }

    /// The chip's data before the host is contacted.
    private func chip(_ kind: Kind, at time: Timestamp) -> JSONObject {
        let digits = terminal.shown(time).compactText
        return [
            "4F": .string(purchase.card.application), "50": .string(Self.hexadecimal(purchase.card.label)),
            "5F2A": .string(Self.padded(currency.numeric, to: 4)), "5F34": "01",
            "5F36": .string(Self.padded(currency.exponent ?? 0, to: 2)), "82": "3900", "95": "0000008000",
            "9A": .string(String(digits.dropFirst(2).prefix(6))), "9C": .string(kind.code),
            "9F02": .string(Self.padded(Int(amount), to: 12)), "9F03": "000000000000", "9F1A": "0250",
            "9F21": .string(String(digits.suffix(6))), "9F26": .string(cryptogram), "9F27": "80",
            "9F34": isContactless ? "1E0300" : "020300", "9F36": .string(counter), "9F37": .string(unpredictable),
        ]
    }

    /// The end of a payment.
    struct Ending {
        var kind = Kind.purchase
        /// `PaymentStatus`.
        var status: String
        /// The two characters of tag `8A`; nil if the host's answer did not arrive.
        var host: String?
        /// False if the card was not read.
        var isRead = true
        /// `9F27` of the chip's last answer; nil if there is none.
        var last: String?
    }

    /// `PaymentContext` at its end.
    func context(_ ending: Ending, at time: Timestamp) -> JSONObject {
        var context = request(ending.kind, at: time)
        context["uCubeInfo"] = .string(UCubeReader(terminal: terminal).info)
        if ending.isRead {
            context["sredKsn"] = "FFFF5544330000200017"
            context["pinKsn"] = "FFFF5544330000400009"
            context["cardEntryMode"] = isContactless ? "NFC" : "ICC"
            context["authorizationPlainTagsValues"] = .object(chip(ending.kind, at: time))
            context["authorizationSecuredTagsValues"] = .string(secured)
            if !isContactless, purchase.card.isDebit { context["onlinePinBlock"] = .string(String(secured.prefix(16))) }
        }
        context["paymentStatus"] = .string(ending.status)
        if let host = ending.host { context["authorizationResponse"] = .string("8A02\(Self.hexadecimal(host))") }
        if isContactless, ending.status == "approved" { context["nfcOutcome"] = "3236" }
        if isContactless, ending.status == "declined" { context["nfcOutcome"] = "3237" }
        context["signatureRequired"] = false
        if let last = ending.last {
            var final: JSONObject = [
                "8E": "00000000000000004201440341031E031F03", "95": "0000008000", "9B": "E800", "9F27": .string(last),
                "9F10": "0110A00003220000000000000000000000FF",
            ]
            if purchase.isCareless {
                final["5A"] = .string(
                    purchase.card.number.count % 2 == 0 ? purchase.card.number : purchase.card.number + "F"
                )
                final["57"] = .string("\(purchase.card.number)D\(CardSecrets.trackRest)")
            }
            context["finalizationPlainTagsValues"] = .object(final)
            context["finalizationSecuredTagsValues"] = .string(String(secured.reversed()))
        }
        return context
    }
}
