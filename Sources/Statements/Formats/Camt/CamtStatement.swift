import Canonical
import Payments
import XML

/// One statement or notification: its balances, its entries, and their sums.
struct CamtStatement {
    private struct Balance {
        var code: String
        var amount: Int64
        var currency: Currency
        var line: Int
    }

    /// Amounts and counts of entries in one direction.
    private struct Sums {
        var count: Int64 = 0
        var amount: Int128 = 0
    }

    private let line: Int
    private let format: StatementFormat
    private var section: StatementSection
    private var isSectionOut = false
    private var balances: [Balance] = []
    private var summaries: [XMLTree] = []
    private var credits = Sums()
    private var debits = Sums()
    /// The sums of booked entries, by currency.
    private var booked: [Currency: Int128] = [:]
    private var entries = 0

    init(line: Int, format: StatementFormat) {
        self.line = line
        self.format = format
        section = StatementSection(line: line)
    }

    mutating func take(_ element: XMLTree, into sink: StatementSink) throws {
        switch element.name {
        case "Id": section.id = element.field.id
        case "FrToDt":
            section.from = try (element["FrDtTm"] ?? element["FrDt"]).map { try CamtTime($0).day }
            section.to = try (element["ToDtTm"] ?? element["ToDt"]).map { try CamtTime($0).day }
        case "Acct":
            let id = element["Id"]
            section.account = (id?["IBAN"] ?? id?.at("Othr", "Id") ?? id?.at("PrtryAcct", "Id"))?.field.id
            if let currency = element["Ccy"] { section.currency = try currency.field.currency() }
        case "Bal": try balance(element)
        case "TxsSummry": summaries.append(element)
        case "Ntry": try entry(element, sink)
        case "ElctrncSeqNb", "LglSeqNb", "CreDtTm", "RptgSrc", "RltdAcct", "Intrst", "AddtlStmtInf", "AddtlNtfctnInf",
            "StmtPgntn", "NtfctnPgntn", "CpyDplctInd", "RptgSeq":
            break
        default: try sink(.note(StatementNote(.unknownRecord, line: element.line, "Element \(element.name)")))
        }
    }

    // MARK: Balances

    private mutating func balance(_ element: XMLTree) throws {
        let type = element["Tp"]
        let code = (type?.at("CdOrPrtry", "Cd") ?? type?["Cd"] ?? type?.at("CdOrPrtry", "Prtry"))?.field.id ?? ""
        let amount = try CamtAmount(of: element)
        balances.append(Balance(code: code, amount: amount.signed, currency: amount.currency, line: element.line))
    }

    private func first(_ codes: String...) -> Balance? {
        codes.lazy.compactMap { code in balances.first { $0.code == code } }.first
    }

    private func last(_ codes: String...) -> Balance? {
        codes.lazy.compactMap { code in balances.last { $0.code == code } }.first
    }

    private mutating func sendSection(_ sink: StatementSink) throws {
        guard !isSectionOut else { return }
        isSectionOut = true
        let (opening, closing) = (opening, closing)
        section.opening = opening?.amount
        section.closing = closing?.amount
        section.currency = section.currency ?? opening?.currency ?? closing?.currency
        try sink(.section(section))
    }

    /// One page of a statement with several pages begins and ends with interim balances.
    private var opening: Balance? { first("OPBD", "PRCD") ?? first("ITBD") }

    private var closing: Balance? {
        if let closing = last("CLBD") { return closing }
        let interim = balances.filter { $0.code == "ITBD" }
        return opening?.code == "ITBD" && interim.count < 2 ? nil : interim.last
    }

    // MARK: Entries

    private mutating func entry(_ element: XMLTree, _ sink: StatementSink) throws {
        try sendSection(sink)
        entries += 1
        let entry = try CamtEntry(element, account: section.account)
        if entry.amount.isCredit {
            credits.count += 1
            credits.amount += Int128(entry.amount.value)
        } else {
            debits.count += 1
            debits.amount += Int128(entry.amount.value)
        }
        if entry.isBooked { booked[entry.amount.currency, default: 0] += Int128(entry.amount.signed) }
        try entry.send(into: sink)
    }

    // MARK: Controls

    mutating func finish(line end: Int, into sink: StatementSink) throws {
        try sendSection(sink)
        let scope = "statement \(section.id ?? "line \(line)")"
        try checkBalances(scope, sink)
        for summary in summaries { try check(summary, scope, sink) }
    }

    private func checkBalances(_ scope: String, _ sink: StatementSink) throws {
        guard let opening, let closing, opening.currency == closing.currency else {
            if format == .camt053 {
                let detail = "\(scope) has no opening and closing balance in one currency to compare."
                try sink(.note(StatementNote(.unchecked, line: line, detail)))
            }
            return
        }
        let moved = booked[closing.currency] ?? 0
        let isOne = booked.keys.allSatisfy { $0 == closing.currency }
        try sink(
            .control(
                StatementControl(
                    .balance,
                    "closing-balance",
                    scope: scope,
                    stated: closing.amount,
                    // Entries in other currencies cannot be added to a balance.
                    computed: isOne ? Int64(exactly: Int128(opening.amount) + moved) : nil,
                    currency: closing.currency,
                    line: closing.line
                )
            )
        )
    }

    private func check(_ summary: XMLTree, _ scope: String, _ sink: StatementSink) throws {
        let all = Sums(count: credits.count + debits.count, amount: credits.amount + debits.amount)
        for (name, sums) in [("TtlNtries", all), ("TtlCdtNtries", credits), ("TtlDbtNtries", debits)] {
            guard let element = summary[name] else { continue }
            if let count = element["NbOfNtries"] {
                try control(.count, "\(name)-count", scope, try count.field.count(), Int128(sums.count), count, sink)
            }
            if let sum = element["Sum"], let currency = currency {
                let stated = try sum.field.amount(currency)
                try control(.total, "\(name)-sum", scope, stated, sums.amount, sum, sink)
            }
        }
        guard let total = summary["TtlNtries"], let currency else { return }
        let net = total["TtlNetNtry"]
        guard let amount = net?["Amt"] ?? total["TtlNetNtryAmt"] else { return }
        let sense = net?["CdtDbtInd"] ?? total["CdtDbtInd"]
        let isDebit = try sense.map { try CamtAmount.isCredit($0) } == false
        let stated = try amount.field.amount(currency)
        try control(
            .total,
            "TtlNtries-net",
            scope,
            isDebit ? -stated : stated,
            credits.amount - debits.amount,
            amount,
            sink
        )
    }

    private var currency: Currency? { section.currency ?? booked.keys.min() }

    private func control(
        _ kind: StatementControl.Kind,
        _ name: String,
        _ scope: String,
        _ stated: Int64,
        _ sum: Int128,
        _ element: XMLTree,
        _ sink: StatementSink
    ) throws {
        let currency = kind == .count ? nil : currency
        try sink(
            .control(
                StatementControl(
                    kind,
                    name,
                    scope: scope,
                    stated: stated,
                    sum: sum,
                    currency: currency,
                    line: element.line
                )
            )
        )
    }
}
