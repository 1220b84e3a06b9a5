import Canonical
import Payments

/// The lines and controls of the records of BAI2.
struct BAI2Report: Sendable {
    private struct File {
        var id = ""
        var total: Int128 = 0
        var groups: Int64 = 0
        var records: Int64 = 1
    }

    private struct Group {
        var originator: String?
        var day: CivilDate?
        var currency: Currency?
        var total: Int128 = 0
        var accounts: Int64 = 0
        var records: Int64 = 1
        var line = 0
    }

    struct Account {
        var number: String
        var currency: Currency
        var total: Int128 = 0
        var records: Int64 = 1
        var line = 0
        var credits = BAI2Side()
        var debits = BAI2Side()
        var opening: Int64?
        var closing: Int64?
        var details = 0
    }

    let defaultCurrency: Currency?
    private var file: File?
    private var group: Group?
    private var account: Account?
    private var isEmpty = true
    private var isCurrencyNoted = false
    private var unknown = UnknownCodes()

    init(defaultCurrency: Currency?) {
        self.defaultCurrency = defaultCurrency
    }

    mutating func take(_ record: BAI2Record, into sink: StatementSink) throws {
        isEmpty = false
        let fields = BAI2Fields(record)
        if let wrapped = record.wrapped {
            let detail = "A line without a record code was read as a continuation of the preceding detail's text."
            try sink(.note(StatementNote(.unknownRecord, line: wrapped, detail)))
        }
        switch record.code {
        case 1: try beginFile(fields, sink)
        case 2: try beginGroup(fields, sink)
        case 3: try beginAccount(fields, sink)
        case 16: try detail(fields, sink)
        case 49: try endAccount(fields, sink)
        case 98: try endGroup(fields, sink)
        default: try endFile(fields, sink)
        }
    }

    /// - Throws: `.empty` or `.truncated`.
    mutating func finish(line: Int) throws {
        if isEmpty { throw StatementProblem(.empty, line: 0, "The file is empty.") }
        let missing = account != nil ? "49" : group != nil ? "98" : file != nil ? "99" : nil
        if let missing {
            throw StatementProblem(.truncated, line: line, "The file ends before the trailer \(missing).")
        }
    }

    // MARK: Files and groups

    private mutating func beginFile(_ fields: BAI2Fields, _ sink: StatementSink) throws {
        guard file == nil else { throw fields.misplaced("A file begins (01) within another one.") }
        // In other versions the type codes have other meanings.
        let version = fields[8, "version"]
        guard version.is("2") else { throw version.problem(.unknownFormat, "Version 2 is read.") }
        var begun = File()
        begun.records = Int64(fields.record.physical)
        begun.id = fields[5, "file id"].id ?? ""
        file = begun
    }

    private mutating func beginGroup(_ fields: BAI2Fields, _ sink: StatementSink) throws {
        guard file != nil else { throw fields.misplaced("A group (02) is outside a file (01).") }
        guard group == nil else { throw fields.misplaced("A group begins (02) within another one.") }
        var begun = Group()
        begun.line = fields.record.line
        begun.records = Int64(fields.record.physical)
        begun.originator = fields[2, "originator"].id
        let day = fields[4, "as-of date"]
        begun.day = DateText.shortDay(day.bytes)
        guard begun.day != nil || day.isEmpty else { throw day.problem(.badDate, "A day as YYMMDD is expected.") }
        let currency = fields[6, "currency"]
        if !currency.isEmpty { begun.currency = try currency.currency() }
        group = begun
    }

    private mutating func endGroup(_ fields: BAI2Fields, _ sink: StatementSink) throws {
        guard let ended = group, account == nil else {
            throw fields.misplaced("The trailer of a group (98) is outside a group.")
        }
        let records = ended.records + Int64(fields.record.physical)
        let scope = "group \(ended.day.map(\.description) ?? "") line \(ended.line)"
        let currency = ended.currency ?? defaultCurrency ?? .usd
        let total = try fields.total(1)
        try sink(
            .control(
                StatementControl(
                    .hashTotal,
                    "group-total",
                    scope: scope,
                    stated: total,
                    sum: ended.total,
                    currency: currency,
                    line: fields.record.line
                )
            )
        )
        try fields.count(2, "group-accounts", scope, computed: ended.accounts, sink)
        try fields.count(3, "group-records", scope, computed: records, sink)
        file?.total += Int128(total)
        file?.groups += 1
        file?.records += records
        group = nil
    }

    private mutating func endFile(_ fields: BAI2Fields, _ sink: StatementSink) throws {
        guard let ended = file, group == nil else {
            throw fields.misplaced("The trailer of a file (99) is outside a file, or a group has no trailer.")
        }
        let scope = "file \(ended.id)"
        try sink(
            .control(
                StatementControl(
                    .hashTotal,
                    "file-total",
                    scope: scope,
                    stated: try fields.total(1),
                    sum: ended.total,
                    line: fields.record.line
                )
            )
        )
        try fields.count(2, "file-groups", scope, computed: ended.groups, sink)
        try fields.count(3, "file-records", scope, computed: ended.records + Int64(fields.record.physical), sink)
        file = nil
    }

    // MARK: Accounts

    private mutating func beginAccount(_ fields: BAI2Fields, _ sink: StatementSink) throws {
        guard let group else { throw fields.misplaced("An account (03) is outside a group (02).") }
        guard account == nil else { throw fields.misplaced("An account begins (03) within another one.") }
        let named = fields[2, "currency"]
        let currency: Currency
        if !named.isEmpty {
            currency = try named.currency()
        } else if let given = group.currency ?? defaultCurrency {
            currency = given
        } else {
            currency = .usd
            if !isCurrencyNoted {
                isCurrencyNoted = true
                try sink(
                    .note(
                        StatementNote(
                            .assumedCurrency,
                            line: fields.record.line,
                            "The currency is assumed to be US dollars."
                        )
                    )
                )
            }
        }
        var begun = Account(number: fields[1, "account"].id ?? "", currency: currency)
        begun.records = Int64(fields.record.physical)
        begun.line = fields.record.line
        for status in try fields.statuses() {
            begun.total += Int128(status.amount)
            switch status.code {
            case 10: begun.opening = status.amount
            case 15: begun.closing = status.amount
            case 100: begun.credits.state(status)
            case 400: begun.debits.state(status)
            default: break
            }
        }
        account = begun
        try sink(
            .section(
                StatementSection(
                    line: begun.line,
                    id: group.originator,
                    account: begun.number,
                    currency: currency,
                    from: group.day,
                    to: group.day,
                    opening: begun.opening,
                    closing: begun.closing
                )
            )
        )
    }

    private mutating func detail(_ fields: BAI2Fields, _ sink: StatementSink) throws {
        guard let group, var account else { throw fields.misplaced("A detail (16) is outside an account (03).") }
        let detail = try BAI2Detail(fields)
        account.records += Int64(fields.record.physical)
        account.total += Int128(detail.amount)
        account.details += 1
        defer { self.account = account }
        var line = StatementLine(
            line: fields.record.line,
            side: .bank,
            type: BAI2Codes.type(detail.code),
            rawType: detail.rawCode,
            currency: account.currency
        )
        switch BAI2Codes.sense(detail.code) {
        case .credit:
            account.credits.add(detail.amount)
            line.gross = detail.amount
        case .debit:
            account.debits.add(detail.amount)
            line.gross = -detail.amount
        case .nonMonetary, .status:
            line.type = .balance
            line.gross = 0
        case .unknown:
            guard detail.amount == 0 else {
                throw fields[1, "type code"].problem(
                    .unknownCode,
                    "The sign of this type code, credit or debit, is unknown."
                )
            }
            try unknown.note(detail.rawCode, line: line.line, "Type code", into: sink)
        }
        line.net = line.gross
        line.day = group.day
        line.bookedDay = group.day
        line.valueDay = detail.valueDay
        line.references[.account] = account.number
        line.references[.bank] = detail.bankReference
        line.references[.invoice] = detail.customerReference
        line.references[.text] = detail.text
        try sink(.line(line))
    }

    private mutating func endAccount(_ fields: BAI2Fields, _ sink: StatementSink) throws {
        guard let ended = account else {
            throw fields.misplaced("The trailer of an account (49) is outside an account.")
        }
        let scope = "account \(ended.number) line \(ended.line)"
        let records = ended.records + Int64(fields.record.physical)
        let total = try fields.total(1)
        try sink(
            .control(
                StatementControl(
                    .hashTotal,
                    "account-total",
                    scope: scope,
                    stated: total,
                    sum: ended.total,
                    currency: ended.currency,
                    line: fields.record.line
                )
            )
        )
        try fields.count(2, "account-records", scope, computed: records, sink)
        try balances(ended, scope, sink)
        group?.total += Int128(total)
        group?.accounts += 1
        group?.records += records
        account = nil
    }

    /// Compares the totals of the account's header with its details.
    private func balances(_ account: Account, _ scope: String, _ sink: StatementSink) throws {
        // A report of balances alone lists no details to compare.
        guard account.details > 0 else { return }
        func control(_ kind: StatementControl.Kind, _ name: String, _ stated: Int64?, _ sum: Int128) throws {
            guard let stated else { return }
            let currency = kind == .count ? nil : account.currency
            try sink(
                .control(
                    StatementControl(
                        kind,
                        name,
                        scope: scope,
                        stated: stated,
                        sum: sum,
                        currency: currency,
                        line: account.line
                    )
                )
            )
        }
        let hasBalances = account.opening != nil && account.closing != nil
        for (name, side) in [("credits", account.credits), ("debits", account.debits)] {
            if !hasBalances, let total = side.statedTotal, side.mayBeSelected {
                let detail = "\(scope) states \(total) of \(name), no count, and details of \(side.total): a selection."
                try sink(.note(StatementNote(.unchecked, line: account.line, detail)))
                continue
            }
            try control(.total, "total-\(name)", side.statedTotal, side.total)
            try control(.count, "count-\(name)", side.statedCount, Int128(side.count))
        }
        if let opening = account.opening {
            let sum = Int128(opening) + account.credits.total - account.debits.total
            try control(.balance, "closing-ledger", account.closing, sum)
        }
    }
}

/// The credits or the debits of an account.
struct BAI2Side: Sendable {
    private(set) var total: Int128 = 0
    private(set) var count: Int64 = 0
    private(set) var statedTotal: Int64?
    private(set) var statedCount: Int64?

    /// True if the details are less than the total and no count is stated: banks may list only the details that a
    /// customer requested, as in the specification's own example.
    var mayBeSelected: Bool { statedCount == nil && statedTotal.map { total < Int128($0) } == true }

    mutating func add(_ amount: Int64) {
        total += Int128(amount)
        count += 1
    }

    mutating func state(_ status: BAI2Fields.Status) {
        statedTotal = status.amount
        statedCount = status.items
    }
}
