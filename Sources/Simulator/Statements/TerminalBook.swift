import Canonical
import Payments
import Statements

/// The batches of a merchant's terminals, and the acquirer's payment for each.
struct TerminalBook {
    let merchant: Merchant

    private(set) var records: [PostedLine] = []
    /// The total of each batch, for the acquirer's account.
    private(set) var funding: [PostedLine] = []

    init(_ merchant: Merchant, _ lines: [PostedLine]) {
        self.merchant = merchant
        let terminals = Dictionary(grouping: lines) { $0.line.references[.terminal] ?? "" }
        for (terminal, lines) in terminals.sorted(by: { $0.key < $1.key }) { enter(lines, of: terminal) }
    }

    private mutating func enter(_ lines: [PostedLine], of terminal: String) {
        let sorted = lines.sorted {
            ($0.line.localTime ?? .earliest, $0.line.references[.processor] ?? "", $0.line.net ?? 0)
                < ($1.line.localTime ?? .earliest, $1.line.references[.processor] ?? "", $1.line.net ?? 0)
        }
        var ends: [String: Int] = [:]
        for (index, posted) in sorted.enumerated() {
            if let batch = posted.line.references[.batch] { ends[batch] = index }
        }
        for (index, posted) in sorted.enumerated() {
            records.append(posted)
            guard let batch = posted.line.references[.batch], ends[batch] == index,
                let time = posted.line.localTime?.adding(microseconds: 3_600_000_000)
            else { continue }
            settle(batch, of: terminal, sorted.filter { $0.line.references[.batch] == batch }, at: time)
        }
    }

    private mutating func settle(_ batch: String, of terminal: String, _ lines: [PostedLine], at time: Timestamp) {
        var line = StatementLine(line: 0, side: .processor, type: .batch, currency: merchant.currency)
        line.role = .total
        line.localTime = time
        line.day = time.civilDay
        line.references = [.terminal: terminal, .batch: batch, .processor: "S\(terminal)N\(batch)"]
        records.append(PostedLine(line))
        let net = lines.reduce(Int64(0)) { $0 + ($1.line.net ?? 0) }
        guard net != 0 else { return }
        var transfer = StatementLine(
            line: 0,
            side: .processor,
            type: .deposit,
            rawType: "MatchedStatement",
            currency: merchant.currency
        )
        transfer.net = net
        transfer.localTime = time
        transfer.day = time.civilDay
        transfer.zone = "UTC"
        transfer.references = [.merchant: merchant.id, .text: "Net from batch \(batch), terminal \(terminal)"]
        funding.append(PostedLine(transfer))
        let sales = lines.reduce(Int64(0)) { $0 + max(0, $1.line.net ?? 0) }
        var fee = transfer
        fee.type = .fee
        fee.rawType = "Fee"
        fee.net = -ProcessorTerms.share(ProcessorTerms.terminalDiscount, of: sales)
        fee.references[.text] = "Discount of batch \(batch), terminal \(terminal)"
        if fee.net != 0 { funding.append(PostedLine(fee)) }
    }
}
