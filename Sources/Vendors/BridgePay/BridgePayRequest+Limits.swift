import Payments
import Redaction

/// One limit of a request's property. PayGuardian iOS guide, `BPNPaymentRequest`, `BPNAddress`, `TerminalCommConfig`,
/// `BPNHealthCare`.
///
/// Values that the scrubber removes have no limit here: password, keys, signature, expiry date. Of a token only a
/// digest is left. A masked number keeps its length.
enum BridgePayLimit: Hashable {
    /// Text of this many characters.
    case length(ClosedRange<Int>)
    /// Letters and digits only, of this many characters.
    case alphanumeric(ClosedRange<Int>)
    /// Digits of any number.
    case digits
    /// A figure `DDDD.CC` of at most this many characters.
    case decimal(Int)
    /// A figure in hundredths, of at most this many digits.
    case implied(Int)
    /// `YES` or `NO`, in any accepted spelling.
    case flag
    /// A number of seconds, or a port.
    case number(ClosedRange<Int>)

    /// All limits, by the object that contains the property: nil for the request itself. `name` is the field's
    /// normalised name.
    static let byObject: [(object: String?, limits: [(field: String, name: String, limit: BridgePayLimit)])] = {
        var groups: [(object: String?, limits: [(field: String, name: String, limit: BridgePayLimit)])] = []
        for (object, field, limit) in all {
            if groups.last?.object != object || groups.isEmpty { groups.append((object, [])) }
            groups[groups.count - 1].limits.append((field, SensitiveNames.normalized(field), limit))
        }
        return groups
    }()

    private static let all: [(object: String?, field: String, limit: BridgePayLimit)] = [
        (nil, "amount", .decimal(12)),
        (nil, "tipAmount", .decimal(12)),
        (nil, "invoiceNumber", .alphanumeric(1...12)),
        (nil, "username", .length(5...25)),
        (nil, "merchantCode", .digits),
        (nil, "merchantAccountCode", .digits),
        (nil, "pnRefNum", .length(1...15)),
        (nil, "cashBackAmount", .implied(15)),
        (nil, "paymentAccountNumber", .length(13...16)),
        (nil, "bankAccountNumber", .length(1...17)),
        (nil, "routingNumber", .length(9...9)),
        (nil, "partialApproval", .flag),
        (nil, "enableTpi", .flag),
        (nil, "testMode", .flag),
        (nil, "disableAmountConfirmation", .flag),
        (nil, "enforceCardType", .flag),
        (nil, "cardPresent", .flag),
        (nil, "forceOnDuplicate", .flag),
        (nil, "taxRate", .implied(15)),
        (nil, "taxAmount", .implied(15)),
        (nil, "taxIndicator", .length(1...1)),
        (nil, "voiceAuthCode", .length(1...15)),
        (nil, "clerkId", .length(1...15)),
        (nil, "tipRecipientCode", .length(1...15)),
        (nil, "wallet", .length(1...3)),
        (nil, "settlementDelay", .length(1...1)),
        (nil, "customFields", .length(20...500)),
        ("shippingAddress", "name", .length(1...100)),
        ("shippingAddress", "street", .length(1...128)),
        ("shippingAddress", "city", .length(1...50)),
        ("shippingAddress", "state", .length(1...2)),
        ("shippingAddress", "zip", .length(1...15)),
        ("shippingAddress", "countryCode", .length(1...2)),
        ("healthCareData", "healthCareAmt", .decimal(50)),
        ("healthCareData", "transitAmt", .decimal(50)),
        ("healthCareData", "transmitAmt", .decimal(50)),
        ("healthCareData", "prescriptionAmt", .decimal(50)),
        ("healthCareData", "visionAmt", .decimal(50)),
        ("healthCareData", "dentalAmt", .decimal(50)),
        ("healthCareData", "clinicAmt", .decimal(50)),
        ("healthCareData", "isQualifiedIIAS", .length(4...5)),
        ("terminalCommConfig", "port", .number(1...65_535)),
        ("terminalCommConfig", "disableEmv", .flag),
        ("terminalCommConfig", "useQuickChip", .flag),
        ("terminalCommConfig", "useBluefinManualEntry", .flag),
        ("terminalCommConfig", "enableBluefinCashback", .flag),
        ("terminalCommConfig", "enableBluefinTip", .flag),
        ("terminalCommConfig", "enableContactless", .flag),
        ("terminalCommConfig", "promptZipForFees", .flag),
        ("terminalCommConfig", "promptCvvForFees", .flag),
        ("terminalCommConfig", "terminalTimeout", .number(1...86_400)),
    ]

    /// A description of the broken limit, without `text` itself; nil if `text` is valid.
    func objection(to text: String) -> String? {
        switch self {
        case .length(let range):
            return range.contains(text.count) ? nil : "\(text.count) characters where \(Self.text(range)) are allowed"
        case .alphanumeric(let range):
            if let objection = Self.length(range).objection(to: text) { return objection }
            return text.utf8.allSatisfy(Self.isAlphanumeric) ? nil : "other characters than letters and digits"
        case .digits:
            return CardNumber.digits(text) != nil ? nil : "other characters than digits"
        case .decimal(let most):
            // JSON drops trailing zeros of a decimal number; the limit applies to the figure with two decimals.
            let whole = text.drop { $0 == "$" }.prefix { $0 != "." }
            let count = max(1, whole.count) + 3
            return count <= most ? nil : "a figure of \(count) characters where \(most) are allowed"
        case .implied(let most):
            return text.count <= most ? nil : "\(text.count) digits where \(most) are allowed"
        case .flag:
            let flags = ["yes", "no", "true", "false", "1", "0", "y", "n"]
            return flags.contains(text.lowercased()) ? nil : "neither yes nor no"
        case .number(let range):
            return Int(text).map(range.contains) ?? false
                ? nil : "no number of \(range.lowerBound) to \(range.upperBound)"
        }
    }

    private static func text(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? String(range.lowerBound) : "\(range.lowerBound) to \(range.upperBound)"
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
}

extension BridgePayRequest {
    /// The limits that the request breaks, and its values that are not in the guide's lists.
    func anomalies(in currency: Currency, total: Money?) -> [Anomaly] {
        brokenLimits + incompleteness + unknownValues + scaleAnomalies(in: currency)
            + portionAnomalies(in: currency, total: total)
    }

    private var brokenLimits: [Anomaly] {
        BridgePayLimit.byObject.flatMap { object, limits -> [Anomaly] in
            let holder = object.map { try? fields.object(SensitiveNames.normalized($0)) } ?? fields
            guard let holder else { return [] }
            return limits.compactMap { field, name, limit in
                guard holder.has(name) else { return nil }
                var label: String { [kind.rawValue, object, field].compactMap(\.self).joined(separator: ".") }
                do {
                    // The length of a redacted value is unknown.
                    guard let text = try holder.text(name), !text.hasPrefix("["),
                        let objection = limit.objection(to: text)
                    else { return nil }
                    return Anomaly(.limitExceeded, "\(label): \(objection)")
                } catch {
                    return Anomaly(.limitExceeded, "\(label): no text, or one that is far too long")
                }
            }
        }
    }

    private var unknownValues: [Anomaly] {
        var anomalies: [Anomaly] = []
        func check(_ holder: Fields?, _ field: String, _ isKnown: (String) -> Bool) {
            guard let text = try? holder?.text(SensitiveNames.normalized(field)), !isKnown(text) else { return }
            anomalies.append(.unlisted(label(field), text))
        }
        check(fields, "tenderType") { BridgePayTender($0) != nil }
        check(fields, "transactionType") { BridgePayOperation(transactionType: $0) != nil }
        check(fields, "industryType") { BridgePayIndustry($0) != nil }
        check(fields, "taxIndicator") { BridgePayTaxIndicator(rawValue: $0.uppercased()) != nil }
        check(fields, "wallet") { $0.lowercased() == "new" }
        let terminal = try? fields.object("terminalcommconfig")
        check(terminal, "terminalType") { BridgePayTerminalType($0) != nil }
        check(fields, "terminalType") { BridgePayTerminalType($0) != nil }
        let health = try? fields.object("healthcaredata")
        check(health, "isQualifiedIIAS") { ["true", "false"].contains($0.lowercased()) }
        if let terminal, (try? terminal.text("terminaltype")).flatMap({ BridgePayTerminalType($0) }) == .ingenicoIP,
            !terminal.has("ipaddress")
        {
            anomalies.append(Anomaly(.malformedField, "an IP terminal is named without its ipAddress"))
        }
        return anomalies
    }
}
