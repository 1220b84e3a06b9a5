import Canonical
import EMV
import Payments

/// The content of a copy of a receipt, in order, before it is formatted.
struct ReceiptLayout {
    struct Line: Hashable {
        var label: String
        var value: String
        /// Bold, in forms that support it.
        var isStrong = false
    }

    /// A labelled group of lines.
    struct Group: Hashable {
        /// The heading for screen readers.
        var heading: String
        var lines: [Line]
    }

    var title: String
    /// The mark of a reprint.
    var mark: String?
    var groups: [Group]
    var amounts: Group
    /// The lines that the customer fills in by hand.
    var blanks: [String] = []
    /// The outcome of the payment, and the verification of the cardholder.
    var statements: [String] = []
    var isSigned = false
    var footer: String

    /// - Parameter tipLine: Whether to print a line for a tip if one can still be added.
    init(_ whole: Receipt, copy: ReceiptCopy, tipLine: Bool) {
        let receipt = whole.shown(on: copy)
        title = receipt.title
        let reprint = receipt.reprint(of: copy)
        mark = reprint > 0 ? "REPRINT \(reprint)" : nil
        groups = [Self.payment(receipt), Self.card(receipt), Self.chip(receipt), Self.answer(receipt)]
            .filter { !$0.lines.isEmpty }
        amounts = Group(heading: "Amounts", lines: Self.amounts(receipt))
        if tipLine, receipt.takesTip { blanks = ["Tip", "Total"] }
        statements = Self.statements(receipt)
        isSigned = copy == .merchant && receipt.isOfPresentation && receipt.verification.usesSignature
        footer = "\(copy.rawValue.uppercased()) COPY"
    }

    // MARK: Groups

    private static func lines(_ pairs: [(String, String?)]) -> [Line] {
        pairs.compactMap { label, value in
            guard let value = value.map(printable), !value.isEmpty else { return nil }
            return Line(label: label, value: value)
        }
    }

    private static func payment(_ receipt: Receipt) -> Group {
        let zone = receipt.zone ?? .utc
        let time = receipt.at.map { zone.text($0) }
        let wasDoneLater = receipt.isTipAdjusted || [.void, .refund, .capture].contains(receipt.kind)
        let later = wasDoneLater ? receipt.updatedAt.map { zone.text($0) } : nil
        return Group(
            heading: "Payment",
            lines: lines([
                ("Merchant", receipt.merchant), ("Terminal", receipt.terminal), ("Invoice", receipt.invoice),
                ("Date", time), ("Updated", later == time ? nil : later), ("Batch", receipt.batch),
            ])
        )
    }

    private static func card(_ receipt: Receipt) -> Group {
        Group(
            heading: "Card",
            lines: lines([
                ("Card", receipt.card?.brand),
                ("Number", receipt.card?.maskedNumber ?? receipt.card?.lastFour.map { "************\($0)" }),
                ("Type", receipt.card?.funding), ("Entry", receipt.card?.entryMethod.map(EntryMode.name)),
                ("Card presence", receipt.isCardPresent == false ? "Not present" : nil),
                ("Cardholder", receipt.terms?.isCardholderPresent == false ? "Not present" : nil),
                ("Budget", receipt.terms?.budgetMonths.map { "\($0) months" }),
            ])
        )
    }

    private static func chip(_ receipt: Receipt) -> Group {
        let kind = receipt.card?.cryptogramInformation.flatMap(Hexadecimal.bytes).flatMap { CryptogramInformation($0) }
        let cryptogram = [kind?.cryptogram.abbreviation, receipt.card?.applicationCryptogram]
            .compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        return Group(
            heading: "Chip",
            lines: lines([
                ("Application", receipt.card?.applicationLabel), ("AID", receipt.card?.applicationIdentifier),
                ("TVR", receipt.card?.terminalVerificationResults),
                ("TSI", receipt.card?.transactionStatusInformation), ("IAD", receipt.card?.issuerApplicationData),
                ("Cryptogram", cryptogram), ("CVM", receipt.card?.verificationResults),
            ])
        )
    }

    private static func answer(_ receipt: Receipt) -> Group {
        // The code of an earlier attempt would look like an approval.
        let isRefused = [.declined, .cancelled, .failed].contains(receipt.kind)
        return Group(
            heading: "Answer",
            lines: lines([
                ("Auth code", isRefused ? nil : receipt.authorizationCode), ("Voice auth", receipt.voiceAuthorization),
                ("Response", receipt.response?.line),
                ("Reference", receipt.gatewayTransaction), ("RRN", receipt.retrievalReference),
                ("Transaction", receipt.transaction), ("Proof", receipt.position.map { "event \($0)" }),
            ])
        )
    }

    private static func amounts(_ receipt: Receipt) -> [Line] {
        var lines: [Line] = []
        func add(_ label: String, _ money: Money?, isStrong: Bool = false) {
            if let money { lines.append(Line(label: label, value: money.description, isStrong: isStrong)) }
        }
        /// The parts under the merchant's labels, if they make up the whole; else the whole.
        func addParts(_ kind: AmountPart.Kind, _ label: String, _ whole: Money?) {
            let parts = (receipt.parts ?? []).filter { $0.kind == kind }
            let sum = parts.reduce(Int64(0)) { $0.addingSaturated($1.amount.value) }
            guard let whole, !parts.isEmpty, sum == whole.value else { return add(label, whole) }
            for part in parts { add(part.label.map { String(printable($0).fitting(20)) } ?? label, part.amount) }
        }
        guard receipt.kind != .balance else {
            add("BALANCE", receipt.balance, isStrong: true)
            return lines
        }
        add("LOADED", receipt.loaded, isStrong: true)
        let isLess = receipt.discount != nil || receipt.kind == .cashWithdrawal && receipt.requested != receipt.total
        let isRequestShown = receipt.total == nil || receipt.kind == .partialApproval || isLess
        if isRequestShown { add("Requested", receipt.requested) }
        add("Discount", receipt.discount)
        guard receipt.total != nil else {
            add("Card balance", receipt.balance)
            return lines
        }
        if receipt.isLinkedRefund {
            add("Paid", receipt.total)
            add("REFUNDED", receipt.refunded, isStrong: true)
            return lines
        }
        if receipt.authorized != receipt.total, receipt.kind != .void { add("Authorized", receipt.authorized) }
        add("Base", receipt.base)
        add(receipt.isTipAdjusted ? "Tip (adjusted)" : "Tip", receipt.tip)
        addParts(.tax, "Tax", receipt.tax)
        addParts(.fee, "Fee", receipt.fee)
        add("CASHBACK", receipt.cashback)
        for (name, amount) in receipt.healthCare?.portions ?? [] { add(name, amount) }
        add("Voided", receipt.voided)
        add(receipt.kind == .cashWithdrawal ? "CASH" : "TOTAL", receipt.total, isStrong: true)
        add("Refunded", receipt.refunded)
        add("DUE", receipt.due, isStrong: true)
        add("Card balance", receipt.balance)
        return lines
    }

    private static func statements(_ receipt: Receipt) -> [String] {
        var statements: [String] = receipt.isTest == true ? ["TEST - NO MONEY MOVED"] : []
        switch receipt.kind {
        case .balance, .giftActivation, .giftLoad, .giftDeactivation, .token: statements.append("NO PAYMENT")
        case .unknown: statements.append("OUTCOME NOT KNOWN YET")
        // The host still holds the money of a payment that the terminal refused.
        case _ where receipt.kind.isRefusal && receipt.status == .authorized:
            statements.append(receipt.kind.rawValue.uppercased())
        default: statements.append(receipt.status.rawValue.uppercased().replacing("-", with: " "))
        }
        guard receipt.isOfPresentation else { return statements }
        if receipt.verification.usesPIN { statements.append("VERIFIED BY PIN") }
        if receipt.verification == .none, receipt.hasNoVerification { statements.append("NO VERIFICATION REQUIRED") }
        if receipt.card?.verification == .failed { statements.append("VERIFICATION FAILED") }
        return statements
    }

    /// The text made safe to print on one line: text from a document must not control a printer or terminal, or
    /// change the direction of the printed text.
    static func printable(_ text: String) -> String {
        // Almost all texts are printable ASCII.
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
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
}

/// Card entry modes, in the same words for all vendors.
enum EntryMode {
    /// The entry mode for a vendor's word; the word itself when it is unknown.
    static func name(_ reported: String) -> String {
        let word = Array(reported.lowercased().utf8)
        func has(_ parts: String...) -> Bool {
            parts.contains { part in word.indices.contains { word[$0...].starts(with: part.utf8) } }
        }
        if has("contactless", "tap", "nfc", "ctls") { return "Contactless" }
        if has("fallback") { return "Swiped (fallback)" }
        if has("swipe", "msr", "magn", "stripe") { return "Swiped" }
        if has("key", "manual") { return "Keyed" }
        if reported.lowercased() == "cnp" { return "Card not present" }
        if has("chip", "icc", "insert", "emv", "contact") { return "Chip" }
        return reported
    }
}

extension Receipt {
    var title: String {
        switch value {
        case .giftCardActivated: return "GIFT CARD ACTIVATION"
        case .giftCardLoaded: return "GIFT CARD LOAD"
        case .giftCardDeactivated: return "GIFT CARD DEACTIVATION"
        case .tokenIssued, .tokenRetrieved: return "CARD TOKEN"
        case .balanceInquired: return "BALANCE"
        case nil: break
        }
        switch kind {
        case .balance: return "BALANCE"
        case .cashWithdrawal: return "CASH WITHDRAWAL"
        case .verification: return "ACCOUNT VERIFICATION"
        case .void: return "VOID"
        case .refund: return "REFUND"
        case .capture: return "SALE COMPLETION"
        case .authorization: return "AUTHORIZATION"
        default: break
        }
        return switch operation {
        case .sale, nil: Kind.isCash(tender) ? "CASH WITHDRAWAL" : "SALE"
        case .authorization: "AUTHORIZATION"
        case .credit: "REFUND"
        case .verification: "ACCOUNT VERIFICATION"
        }
    }

    /// True when the chip or the vendor reports that no verification was required.
    fileprivate var hasNoVerification: Bool {
        if card?.verification == .notRequired { return true }
        let results = card?.verificationResults.flatMap { VerificationResults(hex: $0) }
        return results?.rule.method == .noVerification
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
