import Canonical
import Payments
import Statements

/// Writes a host's records as a processor's lines, with the fields of each format.
struct ProcessorLines {
    enum Channel {
        /// An acquirer, in Adyen's format.
        case acquirer
        /// American Express itself.
        case amex
        /// The terminals' own batches.
        case terminal
    }

    let channel: Channel
    let entry: HostEntry
    let currency: Currency
    /// The processor's own id, unknown to others.
    let ownID: String

    private var payment: PaymentTruth { entry.payment }

    static func channel(of payment: PaymentTruth, at merchant: Merchant) -> Channel {
        switch merchant.vendor {
        case .dejavoo: .terminal
        case .bridgepay, .handpoint, .paydiant:
            // Every second merchant has its own contract with American Express.
            payment.brand == "American Express" && payment.parts == nil && merchant.place % 2 == 0 ? .amex : .acquirer
        case .youtransactor: .acquirer
        }
    }

    /// The id that both host and ledger have for the payment, if the format has it.
    var sharedID: String? {
        switch channel {
        case .amex: nil
        case .acquirer:
            switch payment.vendor {
            case .paydiant: payment.id("vendorTransaction")
            case .bridgepay, .dejavoo, .handpoint, .youtransactor: payment.id("gatewayTransaction")
            }
        case .terminal: payment.id("retrievalReference")
        }
    }

    /// The app's name for it, on the slip and in the files.
    var invoice: String { payment.id("invoice") ?? payment.reference }

    private var isSale: Bool { entry.kind == .sale }

    func line() -> StatementLine {
        switch channel {
        case .acquirer: acquired()
        case .amex: submitted()
        case .terminal: batched()
        }
    }

    private func dated(_ type: LineType) -> StatementLine {
        var line = StatementLine(line: 0, side: .processor, type: type, currency: currency)
        line.gross = entry.amount
        line.localTime = entry.at.wholeSecond
        line.day = entry.day
        return line
    }

    // MARK: Acquirers

    private func acquired() -> StatementLine {
        var line = dated(isSale ? .capture : .refund)
        line.zone = "UTC"
        line.references = [
            .processor: sharedID ?? ownID, .invoice: invoice, .merchant: payment.merchant, .terminal: payment.terminal,
            .brand: scheme, .authCode: payment.id("authorizationCode"),
        ]
        // A follow-up is reported under the payment's id, with its own id beside it.
        if entry.kind == .refund { line.references[.related] = payment.id("refundTransaction") ?? ownID }
        Self.charge(&line)
        return line
    }

    private var scheme: String? {
        switch payment.brand {
        case "Mastercard": "mc"
        case "American Express": "amex"
        default: payment.brand?.lowercased()
        }
    }

    /// Deducts the agreed fees from a sale.
    static func charge(_ line: inout StatementLine) {
        line.fees = []
        if let gross = line.gross, gross > 0 {
            let fee = ProcessorTerms.fee(of: gross, line.currency)
            line.fees = [LineFee(.commission, fee.percent), LineFee(.markup, fee.fixed)].filter { $0.amount != 0 }
        }
        line.net = (line.gross ?? 0) + line.fees.reduce(0) { $0 + $1.amount }
    }

    // MARK: American Express

    private func submitted() -> StatementLine {
        var line = dated(isSale ? .capture : .refund)
        line.role = .part
        line.references = [
            .processor: ownID, .invoice: invoice, .merchant: payment.merchant, .terminal: payment.terminal,
            .lastFour: payment.lastFour, .authCode: payment.id("authorizationCode"),
        ]
        return line
    }

    // MARK: Terminals

    private func batched() -> StatementLine {
        let isTicket = payment.id("captureTransaction") != nil
        var line = dated(isSale ? (isTicket ? .capture : .sale) : .refund)
        line.net = line.gross
        line.references = [
            // A ticket has its own id; the retrieval reference number stays the payment's.
            .processor: payment.id("captureTransaction") ?? payment.id("vendorTransaction") ?? ownID,
            .rrn: sharedID, .other: sharedID.map { "000\($0)" }, .authCode: payment.id("authorizationCode"),
            .lastFour: payment.lastFour, .brand: payment.brand?.uppercased(), .terminal: payment.terminal,
            .batch: payment.batch?.number,
        ]
        return line
    }

    /// A terminal's line without money: a declined or voided payment.
    static func moneyless(_ payment: PaymentTruth, _ currency: Currency, ownID: String) -> StatementLine? {
        let isVoid = payment.status == .voided && payment.voided > 0
        guard isVoid || payment.status == .declined, payment.evidence == .complete else { return nil }
        let entry = HostEntry(
            payment: payment,
            kind: .sale,
            amount: isVoid ? payment.voided : payment.requested,
            at: payment.startedAt.adding(microseconds: 30_000_000),
            ledgerDay: payment.startedAt.civilDay,
            isAll: true
        )
        var line = ProcessorLines(channel: .terminal, entry: entry, currency: currency, ownID: ownID).line()
        line.type = isVoid ? .void : .sale
        line.net = 0
        line.rawStatus = isVoid ? nil : "DECLINED"
        return line
    }
}
