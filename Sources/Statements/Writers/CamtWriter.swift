package import Canonical
import Payments

/// Writes a camt.053, version 08: a statement for each run of lines on one account, an entry for each line, and one
/// entry for lines of the same group.
package struct CamtWriter: StatementWriter {
    package var messageID: String
    /// In UTC.
    package var createdAt: Timestamp
    /// Booked balances in minor units before the first line, by account; zero for other accounts.
    package var opening: [String: Int64]

    package init(messageID: String, createdAt: Timestamp, opening: [String: Int64] = [:]) {
        self.messageID = messageID
        self.createdAt = createdAt
        self.opening = opening
    }

    private typealias Numbered = (index: Int, line: StatementLine)

    package func write(_ lines: [StatementLine]) throws -> [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">
            <BkToCstmrStmt>
            <GrpHdr><MsgId>\(WrittenText.markup(messageID))</MsgId><CreDtTm>\(createdAt)</CreDtTm></GrpHdr>\n
            """
        var balances = opening
        var statements = 0
        var rest = lines.enumerated().map { (index: $0.offset, line: $0.element) }[...]
        while let first = rest.first {
            let account = first.line.references[.account]
            let run = rest.prefix { $0.line.references[.account] == account }
            rest = rest.dropFirst(run.count)
            statements += 1
            try statement(Array(run), "\(messageID)-\(statements)", &balances, &text)
        }
        text += "</BkToCstmrStmt>\n</Document>\n"
        return Array(text.utf8)
    }

    private func statement(
        _ lines: [Numbered],
        _ id: String,
        _ balances: inout [String: Int64],
        _ text: inout String
    ) throws {
        let (index, first) = lines[0]
        guard let account = first.references[.account], let from = lines.compactMap(\.line.bookedDay).min(),
            let to = lines.compactMap(\.line.bookedDay).max()
        else { throw StatementWriterError(index: index, "An entry has an account and a booking day.") }
        let currency = first.currency
        let before = balances[account] ?? 0
        let after = try WrittenText.sum([before] + lines.map(\.line.amount), index: index)
        balances[account] = after
        text += """
            <Stmt><Id>\(WrittenText.markup(id))</Id>
            <FrToDt><FrDtTm>\(from)T00:00:00</FrDtTm><ToDtTm>\(to)T23:59:59</ToDtTm></FrToDt>
            <Acct><Id><IBAN>\(WrittenText.markup(account))</IBAN></Id><Ccy>\(currency.alpha)</Ccy></Acct>\n
            """
        for (code, balance, day) in [("OPBD", before, from), ("CLBD", after, to)] {
            text += "<Bal><Tp><CdOrPrtry><Cd>\(code)</Cd></CdOrPrtry></Tp>\(amount(balance, currency))"
            text += "<Dt><Dt>\(day)</Dt></Dt></Bal>\n"
        }
        var entries: [[Numbered]] = []
        for numbered in lines {
            guard numbered.line.currency == currency else {
                throw StatementWriterError(index: numbered.index, "An account has one currency.")
            }
            if let group = numbered.line.group, entries.last?.last?.line.group == group {
                entries[entries.count - 1].append(numbered)
            } else {
                entries.append([numbered])
            }
        }
        try summary(entries, index, currency, &text)
        for entry in entries { try write(entry, &text) }
        text += "</Stmt>\n"
    }

    private func amount(_ value: Int64, _ currency: Currency) -> String {
        let figure = WrittenText.decimal(abs(value), currency)
        return "<Amt Ccy=\"\(currency.alpha)\">\(figure)</Amt><CdtDbtInd>\(value < 0 ? "DBIT" : "CRDT")</CdtDbtInd>"
    }

    private func summary(_ entries: [[Numbered]], _ index: Int, _ currency: Currency, _ text: inout String) throws {
        let amounts = try entries.map { try WrittenText.sum($0.map(\.line.amount), index: index) }
        let net = try WrittenText.sum(amounts, index: index)
        let sum = try WrittenText.sum(amounts.map { abs($0) }, index: index)
        text += "<TxsSummry><TtlNtries><NbOfNtries>\(entries.count)</NbOfNtries>"
        text += "<Sum>\(WrittenText.decimal(sum, currency))</Sum><TtlNetNtry>"
        text += "<Amt>\(WrittenText.decimal(abs(net), currency))</Amt>"
        text += "<CdtDbtInd>\(net < 0 ? "DBIT" : "CRDT")</CdtDbtInd></TtlNetNtry></TtlNtries></TxsSummry>\n"
    }

    private func write(_ entry: [Numbered], _ text: inout String) throws {
        let (index, first) = entry[0]
        guard let day = first.bookedDay else { throw StatementWriterError(index: index, "An entry has a booking day.") }
        let total = try WrittenText.sum(entry.map(\.line.amount), index: index)
        text += "<Ntry>"
        if let reference = first.references[.other] { text += "<NtryRef>\(WrittenText.markup(reference))</NtryRef>" }
        text += amount(total, first.currency)
        text += "<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>\(day)</Dt></BookgDt>"
        if let value = first.valueDay { text += "<ValDt><Dt>\(value)</Dt></ValDt>" }
        if let reference = first.references[.bank] {
            text += "<AcctSvcrRef>\(WrittenText.markup(reference))</AcctSvcrRef>"
        }
        text += code(first)
        let isDetailed = entry.count > 1 || Self.detailed.contains { first.references[$0] != nil }
        if isDetailed {
            text += "\n<NtryDtls>"
            if entry.count > 1 { text += "<Btch><NbOfTxs>\(entry.count)</NbOfTxs></Btch>" }
            for numbered in entry { try detail(numbered, &text) }
            text += "</NtryDtls>"
        } else if let remark = first.references[.text] {
            text += "<AddtlNtryInf>\(WrittenText.markup(remark))</AddtlNtryInf>"
        }
        text += "</Ntry>\n"
    }

    private static let detailed: [ReferenceKind] = [.endToEnd, .processor, .invoice, .counterparty, .batch]

    private func code(_ line: StatementLine) -> String {
        let raw = line.rawType ?? (line.type == .fee ? "ACMT/MDOP/CHRG" : "PMNT/RCDT/VCOM")
        let parts = raw.split(separator: "/").map { WrittenText.markup(String($0)) }
        guard parts.count == 3 else {
            return "<BkTxCd><Prtry><Cd>\(WrittenText.markup(raw))</Cd></Prtry></BkTxCd>"
        }
        return "<BkTxCd><Domn><Cd>\(parts[0])</Cd><Fmly><Cd>\(parts[1])</Cd>"
            + "<SubFmlyCd>\(parts[2])</SubFmlyCd></Fmly></Domn></BkTxCd>"
    }

    private func detail(_ numbered: Numbered, _ text: inout String) throws {
        let line = numbered.line
        guard let value = line.amount else {
            throw StatementWriterError(index: numbered.index, "A transaction has an amount.")
        }
        func element(_ name: String, _ kind: ReferenceKind) -> String {
            line.references[kind].map { "<\(name)>\(WrittenText.markup($0))</\(name)>" } ?? ""
        }
        text += "\n<TxDtls><Refs>" + element("AcctSvcrRef", .bank) + element("PmtInfId", .batch)
        text += element("EndToEndId", .endToEnd) + element("TxId", .processor) + "</Refs>"
        text += amount(value, line.currency) + code(line)
        if let name = line.references[.counterparty] {
            let side = value < 0 ? "Cdtr" : "Dbtr"
            text += "<RltdPties><\(side)><Pty><Nm>\(WrittenText.markup(name))</Nm></Pty></\(side)></RltdPties>"
        }
        text += "<RmtInf>" + element("Ustrd", .text)
        if let invoice = line.references[.invoice] {
            text += "<Strd><CdtrRefInf><Ref>\(WrittenText.markup(invoice))</Ref></CdtrRefInf></Strd>"
        }
        text += "</RmtInf></TxDtls>"
    }
}
