import Gateways
import Payments
import ReplayRules
import Vendors

/// The gateway accounts that a payment's documents name, as far as reported: BridgePay's MerchantAccountCode,
/// Dejavoo's TPN.
package struct MerchantAccounts: Sendable, Hashable {
    package private(set) var names: Set<String> = []

    /// - Parameter facts: Every event of the payment, in order.
    init(_ facts: [RecordedFact]) {
        var isAnswer = false
        for fact in facts {
            switch fact.event {
            // The account of a query is no evidence of the payment's own account.
            case .gateway(let event): isAnswer = event.name == .callAnswered && event.report.operation == .find
            case .documentReceived(let received):
                let adapter = VendorAdapters.adapter(of: received.vendor)
                if !isAnswer, let name = adapter.merchantAccount(in: received.document, terminal: received.terminal) {
                    names.insert(name)
                }
                isAnswer = false
            default: isAnswer = false
            }
        }
    }

    /// Whether the payment may have been made at this gateway. A payment without known accounts may have been made at
    /// any.
    func mayBe(at gateway: any PaymentGateway) -> Bool {
        guard !names.isEmpty, let account = gateway.merchantAccount else { return true }
        return names.contains(account)
    }
}
