package import Payments

extension BatchLine {
    /// The payment's events that disagree with this line as it is counted: a tip or a void after settlement, or a
    /// capture of another amount. The host may have used those values.
    package func contested(by events: some Sequence<TransactionEvent>) -> [BatchDiscrepancy] {
        guard line.hasPrefix("capture:") else { return [] }
        // The last event of each kind wins.
        var (tip, void, capture): (Int64?, Int64?, Int64?) = (nil, nil, nil)
        for event in events {
            switch event {
            case .tipAdjusted(let reported) where reported.tip.currency == amount.currency: tip = reported.tip.value
            case .voided(let reported) where reported.amount.map { $0.currency == amount.currency } ?? true:
                void = reported.amount?.value ?? net
            case .captured(let reported)
            where line == "capture:\(reported.id)" && reported.amounts.total.currency == amount.currency:
                capture = reported.amounts.total.value
            default: break
            }
        }
        func discrepancy(_ kind: BatchDiscrepancy.Kind, _ host: Int64) -> BatchDiscrepancy? {
            host == net
                ? nil : BatchDiscrepancy(kind: kind, transaction: transaction, line: line, ledger: net, host: host)
        }
        return [
            tip.flatMap { discrepancy(.tipAfterClose, net.addingSaturated($0.subtractingSaturated(self.tip))) },
            void.flatMap { voided > 0 ? nil : discrepancy(.amountDiffers, max(0, net.subtractingSaturated($0))) },
            capture.flatMap { discrepancy(.amountDiffers, $0.subtractingSaturated(voided)) },
        ]
        .compactMap(\.self)
    }
}
