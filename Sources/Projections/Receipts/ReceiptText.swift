import Canonical
import Payments

/// A receipt as monospaced text.
package struct ReceiptText: Sendable {
    package enum Copy: String, Sendable, CaseIterable {
        case customer, merchant
    }

    /// The widths a printer may have, in characters.
    package static let widths = 24...80

    private let width: Int
    private var lines: [String] = []

    /// The text of `receipt`: lines of at most `width` characters, each ended by a line feed.
    package static func render(_ receipt: Receipt, copy: Copy, width: Int = 42) -> String {
        var text = ReceiptText(width: min(max(width, widths.lowerBound), widths.upperBound))
        text.write(receipt, copy)
        return text.lines.joined(separator: "\n") + "\n"
    }

    private init(width: Int) { self.width = width }

    private mutating func write(_ receipt: Receipt, _ copy: Copy) {
        centre(receipt.title)
        rule()
        pair("Merchant", receipt.merchant)
        pair("Terminal", receipt.terminal)
        pair("Invoice", receipt.invoice)
        pair("Date", receipt.at.map { String($0.rfc3339.prefix(19)).replacing("T", with: " ") + " UTC" })
        pair("Batch", receipt.batch)
        rule()
        pair("Card", receipt.card?.brand)
        pair("Number", receipt.card?.maskedNumber ?? receipt.card?.lastFour.map { "****\($0)" })
        pair("Entry", receipt.card?.entryMethod)
        pair("Application", receipt.card?.applicationLabel)
        pair("AID", receipt.card?.applicationIdentifier)
        pair("TVR", receipt.card?.terminalVerificationResults)
        pair("TSI", receipt.card?.transactionStatusInformation)
        pair("IAD", receipt.card?.issuerApplicationData)
        pair("Auth code", receipt.authorizationCode)
        pair("Response", receipt.response?.line)
        pair("Reference", receipt.gatewayTransaction ?? receipt.retrievalReference)
        rule()
        amount("Base", receipt.base)
        amount("Tip", receipt.tip)
        amount("Tax", receipt.tax)
        amount("Fee", receipt.fee)
        amount("Cashback", receipt.cashback)
        if receipt.authorized != receipt.total { amount("Authorised", receipt.authorized) }
        amount("TOTAL", receipt.total)
        amount("Refunded", receipt.refunded)
        amount("DUE", receipt.due)
        rule()
        centre(receipt.status.rawValue.uppercased().replacing("-", with: " "))
        if receipt.verification == .pin || receipt.verification == .pinAndSignature { centre("VERIFIED BY PIN") }
        if copy == .merchant, receipt.verification == .signature || receipt.verification == .pinAndSignature {
            lines.append("")
            lines.append("x" + String(repeating: "_", count: width - 1))
            centre("SIGNATURE")
        }
        centre("\(copy.rawValue.uppercased()) COPY")
    }

    /// Text that stays on its line: what a document says must not be able to steer a printer or a terminal, or to turn
    /// the order of what is printed around.
    private static func printable(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\t" || scalar == "\n" || scalar == "\r": shown.append(" ")
            case .spaceSeparator, .lineSeparator, .paragraphSeparator: shown.append(" ")
            case .control, .format, .surrogate, .privateUse, .unassigned: shown.append("?")
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }

    private mutating func rule() {
        if lines.last?.allSatisfy({ $0 == "-" }) != true { lines.append(String(repeating: "-", count: width)) }
    }

    private mutating func centre(_ text: String) {
        let shown = String(Self.printable(text).prefix(width))
        lines.append(String(repeating: " ", count: (width - shown.count) / 2) + shown)
    }

    private mutating func amount(_ label: String, _ money: Money?) {
        pair(label, money.map(\.description))
    }

    private mutating func pair(_ label: String, _ value: String?) {
        guard let value = value.map(Self.printable), !value.isEmpty else { return }
        let room = width - label.count - 1
        if value.count <= room {
            lines.append(label + String(repeating: " ", count: width - label.count - value.count) + value)
            return
        }
        // A long value gets lines of its own.
        lines.append(label)
        var rest = Substring(value)
        while !rest.isEmpty {
            let part = rest.prefix(width - 2)
            lines.append("  " + part)
            rest = rest.dropFirst(part.count)
        }
    }
}

extension Receipt {
    var title: String {
        switch operation {
        case .sale, nil: "SALE"
        case .authorization: total != authorized || status == .captured ? "SALE COMPLETION" : "AUTHORISATION"
        case .credit: "REFUND"
        case .verification: "ACCOUNT VERIFICATION"
        }
    }
}

extension Response {
    /// Code and message on one line.
    var line: String? {
        switch (code, message) {
        case (nil, nil): nil
        case (let code?, nil): code
        case (nil, let message?): message
        case (let code?, let message?): message.contains(code) ? message : "\(code) \(message)"
        }
    }
}
