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
                if !isAnswer, let name = Self.account(in: received) { names.insert(name) }
                isAnswer = false
            default: isAnswer = false
            }
        }
    }

    private static func account(in received: DocumentReceived) -> String? {
        switch received.vendor {
        case .bridgepay: BridgePayAdapter.merchantAccount(in: received.document)
        // A TPN has ten to twelve letters and digits. Other terminal names of senders are not TPNs.
        case .dejavoo:
            received.terminal.flatMap {
                (10...12).contains($0.utf8.count) && $0.utf8.allSatisfy(isLetterOrDigit) ? $0 : nil
            }
        default: nil
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }

    /// Whether the payment may have been made at this gateway. A payment without known accounts may have been made at
    /// any.
    func mayBe(at gateway: any PaymentGateway) -> Bool {
        guard !names.isEmpty, let account = gateway.merchantAccount else { return true }
        return names.contains(account)
    }
}
