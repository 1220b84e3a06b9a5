import Access
import Canonical
import EventLog
import Intake
import Ledger
import Payments
import Projections
package import Replay

extension Refusal {
    package static let alreadyAcknowledged = Refusal(
        kind: .conflict,
        code: "already-acknowledged",
        title: "The anomaly has been acknowledged before",
        detail: "By somebody else or for another reason; `GET /v1/anomalies/{id}` says by whom and why."
    )
}

extension Refusal {
    /// The answer to the end of a doubt that was not recorded.
    package init(_ refusal: DoubtCommands.Refusal) {
        let (kind, title): (Kind, String) =
            switch refusal {
            case .noSuchPayment: (.notFound, "There is no such payment")
            case .nothingInDoubt: (.conflict, "Nothing of the payment is in doubt")
            case .callUnderWay: (.conflict, "A gateway is being called about the payment")
            case .amountMissing: (.unprocessable, "Nobody has told the amount")
            case .amountImpossible: (.unprocessable, "The amount cannot be of this payment")
            case .endImpossible: (.unprocessable, "What is in doubt cannot end like this")
            }
        guard refusal != .noSuchPayment else {
            self = .notFound
            return
        }
        self.init(kind: kind, code: refusal.rawValue, title: title)
        switch refusal {
        case .amountMissing: detail = "Send `amount`: what was approved, or what the follow-up was about."
        case .endImpossible:
            detail =
                "Of some follow-ups only a document can tell how much moved: take it in. Approved can be said of a payment, a "
                + "void, a reversal, a capture and a refund, reversed of a payment and of what takes it back."
        case .callUnderWay: detail = "Its answer comes first, or the time that the call can take is over."
        default: break
        }
    }
}
