import Canonical
import DaybookTestKit
import Payments
import Statements
import Testing

/// The output of writers is read back by the readers.
@Suite struct WriterTests {
    private static let rounds = 60

    /// Draws lines of a format at random.
    struct Draw {
        var random: SeededGenerator

        mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
        mutating func chance() -> Bool { Bool.random(using: &random) }
        mutating func one<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: 0..<elements.count, using: &random)]
        }
        mutating func id(_ prefix: String) -> String { prefix + String(number(1...9_999_999)) }
        mutating func maybe(_ prefix: String) -> String? { chance() ? id(prefix) : nil }
        mutating func digits(_ count: Int) -> String { String((0..<count).map { _ in one(Array("123456789")) }) }
        mutating func day() -> CivilDate { CivilDate(daysSince1970: 20_400 + number(0...60)) }
        mutating func time(_ day: CivilDate) -> Timestamp {
            Timestamp(microsecondsSince1970: (day.daysSince1970 * 86_400 + number(0...86_399)) * 1_000_000)
        }
        mutating func text() -> String {
            one(["plain", "a, b", "says \"yes\"", "Grüße & <more>", "semi;colon", "it's", "tab\u{9}less", "ends ß"])
        }
    }

    /// The lines as read, without what belongs only to the file.
    private static func plain(_ lines: [StatementLine]) -> [StatementLine] {
        var groups: [String] = []
        return lines.map { line in
            var line = line
            line.line = 0
            if let group = line.group {
                if !groups.contains(group) { groups.append(group) }
                line.group = "\(groups.firstIndex(of: group) ?? 0)"
            }
            return line
        }
    }

    private func check(_ format: StatementFormat, _ writer: any StatementWriter, _ lines: [StatementLine]) throws {
        let bytes = try writer.write(lines)
        let reading = try Reading(format, bytes)
        let (found, wanted) = (Self.plain(reading.lines), Self.plain(lines))
        if found != wanted {
            let place = (0..<min(found.count, wanted.count)).first { found[$0] != wanted[$0] }
            Issue.record("line \(place ?? -1): \(place.map { "\(found[$0])\n\(wanted[$0])" } ?? "")")
        }
        #expect(reading.failing.isEmpty, "\(reading.controls.filter { !$0.holds })")
        #expect(!reading.controls.isEmpty)
        #expect(StatementFormat.recognise(bytes) == format)
    }

    // MARK: Adyen

    @Test func adyen() throws {
        var draw = Draw(random: .forTest())
        for _ in 0..<Self.rounds {
            let currency = draw.one([Currency.usd, .eur, .jpy])
            let batch = draw.id("")
            let count = Int(draw.number(1...12))
            var lines = (0..<count).map { _ in Self.adyenLine(&draw, currency, batch) }
            var payout = Self.adyenRow(&draw, .payout, "MerchantPayout", currency, batch)
            payout.net = -lines.reduce(0) { $0 + ($1.net ?? 0) }
            lines.append(payout)
            try check(.adyenSettlement, AdyenWriter(company: "Shop, Inc"), lines)
        }
    }

    private static func adyenRow(
        _ draw: inout Draw,
        _ type: LineType,
        _ raw: String,
        _ currency: Currency,
        _ batch: String
    ) -> StatementLine {
        var line = StatementLine(line: 0, side: .processor, type: type, rawType: raw, currency: currency)
        let day = draw.day()
        let time = draw.time(day)
        (line.localTime, line.day, line.zone) = (time, day, "CET")
        line.occurredAt = time.adding(microseconds: -3_600_000_000)
        line.references[.batch] = batch
        line.references[.merchant] = "ShopPOS"
        return line
    }

    private static func adyenLine(_ draw: inout Draw, _ currency: Currency, _ batch: String) -> StatementLine {
        let (type, raw, sign): (LineType, String, Int64) = draw.one([
            (.capture, "Settled", 1), (.refund, "Refunded", -1), (.chargeback, "Chargeback", -1),
            (.chargebackReversal, "ChargebackReversed", 1),
        ])
        var line = adyenRow(&draw, type, raw, currency, batch)
        let gross = draw.number(0...99_999) * sign
        for kind in [FeeKind.commission, .markup, .scheme, .interchange] where draw.chance() {
            line.fees.append(LineFee(kind, -draw.number(1...500)))
        }
        line.gross = gross
        line.net = gross + (line.feeTotal ?? 0)
        line.references[.processor] = draw.digits(16)
        line.references[.related] = draw.maybe("M")
        line.references[.invoice] = draw.chance() ? draw.text().replacing("\t", with: " ") : draw.maybe("INV")
        line.references[.brand] = draw.one(["visa", "mc", nil])
        line.references[.terminal] = draw.maybe("V400m-")
        line.references[.authCode] = draw.maybe("A")
        return line
    }

    // MARK: Banks

    private static func bankLine(_ draw: inout Draw, _ day: CivilDate, _ account: String) -> StatementLine {
        let isCredit = draw.chance()
        let amount = draw.number(1...9_999_999)
        var line = StatementLine(line: 0, side: .bank, type: isCredit ? .deposit : .withdrawal, currency: .usd)
        line.gross = isCredit ? amount : -amount
        line.net = line.gross
        (line.day, line.bookedDay) = (day, day)
        line.valueDay = draw.chance() ? draw.day() : nil
        line.references[.account] = account
        return line
    }

    @Test func bai2() throws {
        var draw = Draw(random: .forTest())
        for _ in 0..<Self.rounds {
            var lines: [StatementLine] = []
            for offset in 0..<Int64(draw.number(1...3)) {
                for account in ["0012345", "77-A"] {
                    for _ in 0..<draw.number(1...5) {
                        let day = CivilDate(daysSince1970: 20_400 + offset)
                        var line = Self.bankLine(&draw, day, account)
                        line.rawType = line.type == .deposit ? draw.one(["142", "165", "115"]) : "455"
                        line.references[.bank] = draw.maybe("B")
                        line.references[.invoice] = draw.maybe("C")
                        line.references[.text] = draw.chance() ? draw.text().replacing("\t", with: " ") : nil
                        lines.append(line)
                    }
                }
            }
            let writer = BAI2Writer(
                sender: "021000021",
                receiver: "MYSHOP",
                createdAt: .init(microsecondsSince1970: 1_768_950_000_000_000),
                opening: ["0012345": draw.number(-99_999...99_999)]
            )
            try check(.bai2, writer, lines)
        }
    }

    @Test func camt() throws {
        var draw = Draw(random: .forTest())
        for _ in 0..<Self.rounds {
            var lines: [StatementLine] = []
            for account in ["DE02120300000000202051", "GB29NWBK60161331926819"] {
                for entry in 0..<draw.number(1...5) {
                    let day = draw.day()
                    let group = draw.chance() ? "\(account) \(entry)" : nil
                    let first = Self.camtLine(&draw, day, account, group)
                    lines.append(first)
                    guard group != nil else { continue }
                    for _ in 0..<draw.number(1...3) {
                        var next = Self.camtLine(&draw, day, account, group)
                        // The values that belong to the entry.
                        next.valueDay = first.valueDay
                        next.references[.other] = first.references[.other]
                        lines.append(next)
                    }
                }
            }
            let writer = CamtWriter(
                messageID: "M&1",
                createdAt: .init(microsecondsSince1970: 1_768_950_000_000_000),
                opening: ["DE02120300000000202051": draw.number(-99_999...99_999)]
            )
            try check(.camt053, writer, lines)
        }
    }

    private static func camtLine(
        _ draw: inout Draw,
        _ day: CivilDate,
        _ account: String,
        _ group: String?
    ) -> StatementLine {
        var line = bankLine(&draw, day, account)
        line.rawType = draw.one(["PMNT/RCDT/VCOM", "NTRF 166"])
        line.rawStatus = "BOOK"
        line.group = group
        line.references[.bank] = draw.id("B")
        if group != nil || draw.chance() {
            line.references[.endToEnd] = draw.id("E2E")
            line.references[.invoice] = draw.maybe("RF")
            line.references[.counterparty] = draw.chance() ? draw.text().replacing("\t", with: " ") : nil
        }
        line.references[.other] = draw.maybe("N")
        line.references[.text] = draw.chance() ? draw.text().replacing("\t", with: " ") : nil
        return line
    }

    // MARK: Terminals

    @Test func iposgo() throws {
        var draw = Draw(random: .forTest())
        for _ in 0..<Self.rounds {
            var lines: [StatementLine] = []
            for batch in 1...draw.number(1...3) {
                let terminal = "7949370" + draw.digits(5)
                for _ in 0..<draw.number(1...8) { lines.append(Self.terminalLine(&draw, terminal, batch)) }
                var settled = StatementLine(
                    line: 0,
                    side: .processor,
                    type: .batch,
                    rawType: "settlements",
                    currency: .usd
                )
                (settled.role, settled.group) = (.total, "batch \(terminal) \(batch)")
                let day = draw.day()
                (settled.localTime, settled.day, settled.bookedDay) = (draw.time(day), day, day)
                settled.rawStatus = "BATCH SETTLED"
                settled.references[.terminal] = terminal
                settled.references[.batch] = String(batch)
                settled.references[.processor] = draw.digits(20)
                lines.append(settled)
            }
            let bytes = try IPOSgoWriter(hasTotals: false).write(lines)
            #expect(try Reading(.iposgoSettlement, bytes).controls.isEmpty)
            try check(.iposgoSettlement, IPOSgoWriter(), lines)
        }
    }

    private static func terminalLine(_ draw: inout Draw, _ terminal: String, _ batch: Int64) -> StatementLine {
        let (type, raw): (LineType, String) = draw.one([
            (.sale, "Sale"), (.refund, "Refund"), (.void, "Void"), (.authorization, "Pre Auth"), (.capture, "Ticket"),
        ])
        var line = StatementLine(line: 0, side: .processor, type: type, rawType: raw, currency: .usd)
        let amount = draw.number(1...99_999)
        line.gross = type == .refund ? -amount : amount
        let isApproved = draw.number(0...4) > 0
        line.net = isApproved && [.sale, .refund, .capture].contains(type) ? line.gross : 0
        line.rawStatus = isApproved ? "APPROVED" : "DECLINED"
        let day = draw.day()
        (line.localTime, line.day) = (draw.time(day), day)
        line.references = [
            .terminal: terminal, .batch: String(batch), .processor: draw.digits(20), .related: draw.maybe("R"),
            .rrn: draw.digits(12), .authCode: draw.maybe("A"), .trace: draw.digits(6), .invoice: draw.maybe("I"),
            .lastFour: draw.digits(4), .brand: draw.one(["VISA", nil]), .other: draw.maybe("H"),
        ]
        return line
    }

    // MARK: American Express

    @Test func grrcn() throws {
        var draw = Draw(random: .forTest())
        for _ in 0..<Self.rounds {
            var lines: [StatementLine] = []
            for _ in 0..<draw.number(1...3) { lines += Self.payment(&draw) }
            let writer = GRRCNWriter(
                fileName: "MY SHOP",
                sequence: draw.number(1...9999),
                createdAt: .init(microsecondsSince1970: 1_768_950_000_000_000)
            )
            try check(.amexGRRCN, writer, lines)
        }
    }

    private static func payment(_ draw: inout Draw) -> [StatementLine] {
        let (number, paid) = (draw.id("P"), draw.day())
        func begun(_ type: LineType, _ raw: String, _ merchant: String) -> StatementLine {
            var line = StatementLine(line: 0, side: .processor, type: type, rawType: raw, currency: .usd)
            (line.valueDay, line.day) = (paid, paid)
            line.references[.payout] = number
            line.references[.merchant] = merchant
            return line
        }
        var details: [StatementLine] = []
        for index in 0..<draw.number(1...3) {
            var batch = begun(.batch, "SUBMISSION", "2222222222")
            (batch.role, batch.group) = (.total, "\(number) \(index)")
            (batch.day, batch.bookedDay) = (draw.day(), draw.day())
            batch.references[.batch] = String(index + 1)
            var parts: [StatementLine] = []
            for _ in 0..<draw.number(0...4) {
                let amount = draw.number(-9999...99_999)
                var part = begun(amount < 0 ? .refund : .capture, "TRANSACTN", "2222222222")
                (part.role, part.group, part.gross) = (.part, batch.group, amount)
                let day = draw.day()
                (part.day, part.localTime, part.bookedDay) = (day, draw.time(day), batch.bookedDay)
                part.references[.batch] = batch.references[.batch]
                part.references[.invoice] = draw.chance() ? draw.text().replacing("\t", with: " ") : nil
                part.references[.lastFour] = draw.digits(4)
                part.references[.brand] = "amex"
                part.references[.processor] = draw.digits(15)
                part.references[.authCode] = draw.maybe("A")
                part.references[.arn] = draw.maybe("R")
                part.references[.terminal] = draw.maybe("T")
                parts.append(part)
            }
            batch.gross = parts.isEmpty ? draw.number(1...9999) : parts.reduce(0) { $0 + ($1.gross ?? 0) }
            for kind in [FeeKind.discount, .service, .tax] where draw.chance() {
                batch.fees.append(LineFee(kind, -draw.number(1...99)))
            }
            batch.net = (batch.gross ?? 0) + (batch.feeTotal ?? 0)
            details += [batch] + parts
        }
        if draw.chance() {
            var back = begun(.chargeback, "CHARGEBACK", "2222222222")
            (back.gross, back.day, back.bookedDay) = (-draw.number(1...9999), draw.day(), draw.day())
            back.net = back.gross
            back.references[.related] = draw.id("CB")
            back.references[.lastFour] = draw.digits(4)
            back.references[.brand] = "amex"
            back.references[.text] = draw.text().replacing("\t", with: " ")
            details.append(back)
        }
        if draw.chance() {
            var fee = begun(.fee, "FEEREVENUE", "2222222222")
            fee.gross = -draw.number(1...999)
            fee.net = fee.gross
            fee.references[.text] = "Fee"
            fee.references[.other] = "fee or revenue amount"
            details.append(fee)
        }
        var payout = begun(.payout, "SUMMARY", "1111111111")
        payout.net = -details.filter { $0.role != .part }.reduce(0) { $0 + ($1.net ?? 0) }
        payout.gross = payout.net
        return [payout] + details
    }

    // MARK: Lines that cannot be written

    @Test func linesAFormatHasNoPlaceForAreRefused() throws {
        let line = StatementLine(line: 0, side: .processor, type: .conversion, currency: .usd)
        let at = Timestamp(microsecondsSince1970: 1_768_950_000_000_000)
        let writers: [any StatementWriter] = [
            AdyenWriter(company: "C"), IPOSgoWriter(), GRRCNWriter(fileName: "F", sequence: 1, createdAt: at),
            BAI2Writer(sender: "S", receiver: "R", createdAt: at), CamtWriter(messageID: "M", createdAt: at),
        ]
        for writer in writers {
            let error = #expect(throws: StatementWriterError.self) { try writer.write([line]) }
            #expect(error?.index == 0)
        }
    }
}
