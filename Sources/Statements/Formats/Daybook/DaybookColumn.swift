/// The columns of Daybook's CSV, which a mapping assigns to the columns of any other one.
enum DaybookColumn: Int, CSVColumn {
    case type, currency, gross, net, debit, credit, sign
    case fee, feeCommission, feeMarkup, feeScheme, feeInterchange, feeDiscount, feeService, feeTax, feeOther
    case transactionAmount, transactionCurrency
    case occurredAt, localTime, day, time, zone, bookedDay, valueDay
    case status, balance, count, role, group
    case processor, related, rrn, authCode, trace, arn, invoice, merchant, location, terminal, batch, clerk
    case lastFour, brand, payout, bank, account, endToEnd, counterparty, text, other

    var title: String {
        if let reference { return reference.name }
        return switch self {
        case .type: "type"
        case .currency: "currency"
        case .gross: "gross"
        case .net: "net"
        case .debit: "debit"
        case .credit: "credit"
        case .sign: "sign"
        case .fee: "fee"
        case .feeCommission: "fee_commission"
        case .feeMarkup: "fee_markup"
        case .feeScheme: "fee_scheme"
        case .feeInterchange: "fee_interchange"
        case .feeDiscount: "fee_discount"
        case .feeService: "fee_service"
        case .feeTax: "fee_tax"
        case .feeOther: "fee_other"
        case .transactionAmount: "transaction_amount"
        case .transactionCurrency: "transaction_currency"
        case .occurredAt: "occurred_at"
        case .localTime: "local_time"
        case .day: "day"
        case .time: "time"
        case .zone: "zone"
        case .bookedDay: "booked_day"
        case .valueDay: "value_day"
        case .status: "status"
        case .balance: "balance"
        case .count: "count"
        case .role: "role"
        default: "group"
        }
    }

    var aliases: [String] { self == .gross ? ["amount"] : [] }

    static let fees: [(column: DaybookColumn, kind: FeeKind)] = [
        (.fee, .processing), (.feeCommission, .commission), (.feeMarkup, .markup), (.feeScheme, .scheme),
        (.feeInterchange, .interchange), (.feeDiscount, .discount), (.feeService, .service), (.feeTax, .tax),
        (.feeOther, .other),
    ]

    static let references: [(column: DaybookColumn, kind: ReferenceKind)] = allCases.compactMap { column in
        column.reference.map { (column, $0) }
    }

    var reference: ReferenceKind? {
        switch self {
        case .processor: .processor
        case .related: .related
        case .rrn: .rrn
        case .authCode: .authCode
        case .trace: .trace
        case .arn: .arn
        case .invoice: .invoice
        case .merchant: .merchant
        case .location: .location
        case .terminal: .terminal
        case .batch: .batch
        case .clerk: .clerk
        case .lastFour: .lastFour
        case .brand: .brand
        case .payout: .payout
        case .bank: .bank
        case .account: .account
        case .endToEnd: .endToEnd
        case .counterparty: .counterparty
        case .text: .text
        case .other: .other
        default: nil
        }
    }
}
