import Canonical
import Payments
import Tables

/// Writes Adyen's settlement detail report. A batch with a payout adds up to zero if its lines do.
package struct AdyenWriter: StatementWriter {
    /// The company account of all rows.
    package var company: String

    package init(company: String) {
        self.company = company
    }

    private static let columns: [AdyenColumn] = [
        .company, .merchant, .pspReference, .merchantReference, .paymentMethod, .creationDate, .timeZone, .type,
        .modification, .grossCurrency, .grossDebit, .grossCredit, .netCurrency, .netDebit, .netCredit, .commission,
        .markup, .scheme, .interchange, .variant, .modificationMerchantReference, .batch, .terminal,
        .acquirerReference, .authCode,
    ]

    package func write(_ lines: [StatementLine]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        CSVDialect.raw.append(Self.columns.map { Cell.text($0.title) }, to: &bytes)
        for (index, line) in lines.enumerated() {
            let row = try cells(line, index)
            CSVDialect.raw.append(Self.columns.map { row[$0].map(Cell.text) ?? .absent }, to: &bytes)
        }
        return bytes
    }

    private func cells(_ line: StatementLine, _ index: Int) throws -> [AdyenColumn: String] {
        guard let local = line.localTime else { throw StatementWriterError(index: index, "A row has a time.") }
        guard let net = line.net else { throw StatementWriterError(index: index, "A row has a net amount.") }
        var row: [AdyenColumn: String] = [
            .company: company, .creationDate: WrittenText.time(local), .type: try journal(line, index),
            .netCurrency: line.currency.alpha,
        ]
        row[.timeZone] = line.zone
        row[net < 0 ? .netDebit : .netCredit] = magnitude(net, line.currency)
        let paid = line.transactionAmount ?? line.gross.map { Money($0, line.currency) }
        if let paid {
            row[.grossCurrency] = paid.currency.alpha
            row[paid.value < 0 ? .grossDebit : .grossCredit] = magnitude(paid.value, paid.currency)
        }
        for fee in line.fees {
            let column: AdyenColumn
            switch fee.kind {
            case .commission: column = .commission
            case .markup: column = .markup
            case .scheme: column = .scheme
            case .interchange: column = .interchange
            default: throw StatementWriterError(index: index, "There is no column for \(fee.kind.rawValue) fees.")
            }
            row[column] = WrittenText.decimal(-fee.amount, line.currency)
        }
        for (kind, column) in Self.references { row[column] = line.references[kind] }
        return row
    }

    private static let references: [(ReferenceKind, AdyenColumn)] = [
        (.processor, .pspReference), (.related, .modification), (.invoice, .merchantReference), (.merchant, .merchant),
        (.batch, .batch), (.brand, .variant), (.text, .modificationMerchantReference), (.terminal, .terminal),
        (.arn, .acquirerReference), (.authCode, .authCode),
    ]

    private func magnitude(_ value: Int64, _ currency: Currency) -> String {
        WrittenText.decimal(abs(value), currency)
    }

    private func journal(_ line: StatementLine, _ index: Int) throws -> String {
        if let raw = line.rawType { return raw }
        switch line.type {
        case .sale, .capture: return "Settled"
        case .refund: return "Refunded"
        case .refundReversal: return "RefundedReversed"
        case .chargeback: return "Chargeback"
        case .chargebackReversal: return "ChargebackReversed"
        case .fee: return "Fee"
        case .payout: return "MerchantPayout"
        case .payoutReturn: return "BankInstructionReturned"
        case .transfer: return "Balancetransfer"
        case .reserve, .reserveRelease: return "DepositCorrection"
        case .adjustment: return "ManualCorrected"
        case .deposit: return "MatchedStatement"
        default: throw StatementWriterError(index: index, "There is no journal type for \(line.type.rawValue).")
        }
    }
}
