import Payments
import ReplayRules
import Vendors

/// The merchant accounts of a payment: those that its documents name, as far as reported (BridgePay's
/// MerchantAccountCode, Dejavoo's TPN, the serial number of Handpoint's reader), and those at which Daybook made it.
package struct MerchantAccounts: Sendable, Hashable {
    private var names: [Vendor: Set<String>] = [:]

    /// - Parameter facts: Every event of the payment, in order.
    init(_ facts: [RecordedFact]) {
        var isAnswer = false
        for fact in facts {
            switch fact.event {
            // The account of a query is no evidence of the payment's own account.
            case .gateway(let event):
                let report = event.report
                isAnswer = event.name == .callAnswered && report.operation == .find
                if report.operation.canMoveMoney, let account = report.account {
                    names[report.vendor, default: []].insert(account)
                }
            case .documentReceived(let received):
                let account = VendorAdapters.adapter(of: received.vendor).merchantAccount(
                    in: received.document,
                    terminal: received.terminal,
                    device: received.device
                )
                if !isAnswer, let account { names[received.vendor, default: []].insert(account) }
                isAnswer = false
            default: isAnswer = false
            }
        }
    }

    /// The accounts at a vendor; none if they are unknown.
    func names(with vendor: Vendor) -> Set<String> { names[vendor] ?? [] }
}
