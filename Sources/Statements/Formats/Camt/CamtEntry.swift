import Canonical
import Payments
import XML

/// An entry on the account, with its transactions.
struct CamtEntry {
    let amount: CamtAmount
    /// False for a pending or informational entry, which is in no balance.
    let isBooked: Bool
    private let element: XMLTree
    private let template: StatementLine

    init(_ element: XMLTree, account: String?) throws {
        self.element = element
        amount = try CamtAmount(of: element)
        let status = (element.at("Sts", "Cd") ?? element.at("Sts", "Prtry") ?? element["Sts"])?.field.id
        isBooked = status == nil || status == "BOOK"
        var line = StatementLine(
            line: element.line,
            side: .bank,
            type: .other,
            rawType: Self.code(element["BkTxCd"]),
            currency: amount.currency
        )
        line.rawStatus = status
        if let booked = element["BookgDt"] {
            line.bookedDay = try CamtTime(booked).day
            line.day = line.bookedDay
        }
        if let value = element["ValDt"] { line.valueDay = try CamtTime(value).day }
        line.day = line.day ?? line.valueDay
        line.references[.account] = account
        line.references[.bank] = element["AcctSvcrRef"]?.field.id
        line.references[.other] = element["NtryRef"]?.field.id
        line.references[.text] = element["AddtlNtryInf"]?.field.text
        template = line
    }

    /// `PMNT/RCDT/VCOM`, or the bank's own code.
    private static func code(_ code: XMLTree?) -> String? {
        if let domain = code?["Domn"] {
            let names = [domain["Cd"], domain.at("Fmly", "Cd"), domain.at("Fmly", "SubFmlyCd")]
            return names.compactMap { $0?.field.id }.joined(separator: "/")
        }
        return code?.at("Prtry", "Cd")?.field.id
    }

    private static let feeCodes: Set<String> = ["CHRG", "COMM", "FEES", "COME", "COMI", "COMT"]

    private static func type(_ code: String?, isBooked: Bool, isCredit: Bool) -> LineType {
        guard isBooked else { return .balance }
        if let last = code?.split(separator: "/").last, feeCodes.contains(String(last)) { return .fee }
        return isCredit ? .deposit : .withdrawal
    }

    // MARK: Lines

    /// Writes one line per transaction if the entry lists several with amounts; otherwise one line. If the transactions
    /// do not add up to the entry, the entry is also a line, with the transactions as its parts.
    func send(into sink: StatementSink) throws {
        let parts = element.all("NtryDtls")
        let details = parts.flatMap { $0.all("TxDtls") }
        let amounts = try details.map { try Self.amount(of: $0, in: amount) }
        let known = amounts.compactMap { $0 }
        let isListed = details.count > 1 && known.count == details.count
        let sum = known.reduce(Int128(0)) { $0 + Int128($1.signed) }
        if isListed {
            let group = "entry line \(element.line)"
            let isWhole = sum == Int128(amount.signed)
            if !isWhole {
                // The account moves by the entry's amount, whatever its details state.
                var whole = try line(nil, of: amount)
                (whole.group, whole.role) = (group, .total)
                try sink(.line(whole))
            }
            for (detail, part) in zip(details, known) {
                var line = try self.line(detail, of: part)
                line.group = group
                if !isWhole { line.role = .part }
                try sink(.line(line))
            }
        } else {
            try sink(.line(try line(details.count == 1 ? details[0] : nil, of: amount)))
        }
        if !details.isEmpty {
            if known.count == details.count {
                try control(.total, "entry-details", amount.signed, sum, line: element.line, sink)
            } else if details.count > 1 {
                let detail = "The entry lists transactions without amounts in its own currency; it is one line."
                try sink(.note(StatementNote(.unchecked, line: element.line, detail)))
            }
        }
        for part in parts { try checkBatch(part, isOnly: parts.count == 1, sink) }
    }

    /// The amount of a transaction in the entry's currency; nil if it has none.
    private static func amount(of detail: XMLTree, in entry: CamtAmount) throws -> CamtAmount? {
        let holders = [detail, detail.at("AmtDtls", "TxAmt")].compactMap { $0 }
        guard let holder = holders.first(where: { $0["Amt"] != nil }) else { return nil }
        var isCredit = entry.isCredit
        if let sense = detail["CdtDbtInd"] { isCredit = try CamtAmount.isCredit(sense) }
        let amount = try CamtAmount(of: holder, orElse: isCredit)
        return amount.currency == entry.currency ? amount : nil
    }

    private func line(_ detail: XMLTree?, of amount: CamtAmount) throws -> StatementLine {
        var line = template
        line.gross = amount.signed
        line.net = amount.signed
        if let detail { try fill(&line, detail, isCredit: amount.isCredit) }
        line.type = Self.type(line.rawType, isBooked: isBooked, isCredit: amount.isCredit)
        return line
    }

    private func fill(_ line: inout StatementLine, _ detail: XMLTree, isCredit: Bool) throws {
        line.line = detail.line
        if let code = Self.code(detail["BkTxCd"]) { line.rawType = code }
        let references = detail["Refs"]
        if let reference = references?["AcctSvcrRef"]?.field.id { line.references[.bank] = reference }
        if let endToEnd = references?["EndToEndId"]?.field.text, endToEnd != "NOTPROVIDED" {
            line.references[.endToEnd] = endToEnd
        }
        line.references[.processor] = (references?["TxId"] ?? references?["InstrId"])?.field.id
        line.references[.batch] = references?["PmtInfId"]?.field.id
        line.references[.related] = references?.at("Prtry", "Ref")?.field.id
        let remittance = detail["RmtInf"]
        line.references[.invoice] = remittance?.at("Strd", "CdtrRefInf", "Ref")?.field.text
        let texts = (remittance?.all("Ustrd") ?? []) + (detail["AddtlTxInf"].map { [$0] } ?? [])
        // The text is split at 140 characters, not between words.
        let text = texts.reduce("") { $0 + ($1.name == "Ustrd" || $0.isEmpty ? "" : " ") + $1.text }
        if let text = Field(Array(text.utf8)[...], line: line.line, column: .named("Ustrd")).text {
            line.references[.text] = text
        }
        let party = detail["RltdPties"]?[isCredit ? "Dbtr" : "Cdtr"]
        line.references[.counterparty] = (party?["Nm"] ?? party?.at("Pty", "Nm"))?.field.text
        if let card = detail.at("CardTx", "Card", "PlainCardData", "PAN") {
            line.references[.lastFour] = CardDigits.lastFour(card.field.bytes)
        }
        line.references[.terminal] = detail.at("CardTx", "POI", "Id", "Id")?.field.id
        if let accepted = detail.at("RltdDts", "AccptncDtTm") ?? detail.at("RltdDts", "TxDtTm") {
            let time = try CamtTime(accepted)
            (line.localTime, line.zone, line.occurredAt) = (time.wall, time.zone, time.instant)
        }
        if let instructed = detail.at("AmtDtls", "InstdAmt", "Amt") {
            let money = try CamtAmount.money(instructed)
            if money.currency != line.currency {
                line.transactionAmount = isCredit ? money : try money.negated()
            }
        }
    }

    // MARK: Controls

    private func checkBatch(_ part: XMLTree, isOnly: Bool, _ sink: StatementSink) throws {
        guard let batch = part["Btch"] else { return }
        let details = part.all("TxDtls")
        if let count = batch["NbOfTxs"] {
            if details.isEmpty {
                try sink(
                    .note(StatementNote(.unchecked, line: count.line, "The batch counts transactions and lists none."))
                )
            } else {
                let stated = try count.field.count()
                try control(.count, "batch-transactions", stated, Int128(details.count), line: count.line, sink)
            }
        }
        guard let total = batch["TtlAmt"] else { return }
        let money = try CamtAmount.money(total)
        let isCredit = try batch["CdtDbtInd"].map { try CamtAmount.isCredit($0) } ?? amount.isCredit
        let stated = isCredit ? money.value : -money.value
        let amounts = try details.compactMap { try Self.amount(of: $0, in: amount) }
        if money.currency != amount.currency {
            let detail = "The batch's total is in another currency than its entry."
            try sink(.note(StatementNote(.unchecked, line: total.line, detail)))
        } else if !details.isEmpty, amounts.count == details.count {
            let sum = amounts.reduce(Int128(0)) { $0 + Int128($1.signed) }
            try control(.total, "batch-amount", stated, sum, line: total.line, sink)
        } else if isOnly {
            try control(.total, "batch-amount", stated, Int128(amount.signed), line: total.line, sink)
        }
    }

    private func control(
        _ kind: StatementControl.Kind,
        _ name: String,
        _ stated: Int64,
        _ sum: Int128,
        line: Int,
        _ sink: StatementSink
    ) throws {
        try sink(
            .control(
                StatementControl(
                    kind,
                    name,
                    scope: "entry line \(element.line)",
                    stated: stated,
                    sum: sum,
                    currency: kind == .count ? nil : amount.currency,
                    line: line
                )
            )
        )
    }
}
