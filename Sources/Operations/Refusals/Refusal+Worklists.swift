import Access
import Canonical
import Composition
import EventLog
import Intake
import Payments
import Projections
package import Replay

extension Refusal {
    package static let alreadyAcknowledged = Refusal(
        kind: .conflict,
        code: "already-acknowledged",
        title: "The anomaly is already acknowledged",
        detail: "By another operator or for another reason: see `GET /v1/anomalies/{id}`."
    )
}

extension Refusal {
    /// The refusal of an operator's resolution that was not recorded.
    package init(_ refusal: DoubtCommands.Refusal) {
        let (kind, title): (Kind, String) =
            switch refusal {
            case .noSuchPayment: (.notFound, "There is no such payment")
            case .nothingInDoubt: (.conflict, "Nothing of the payment is in doubt")
            case .callUnderWay: (.conflict, "A gateway is being called about the payment")
            case .amountMissing: (.unprocessable, "The amount is missing")
            case .amountImpossible: (.unprocessable, "The amount does not fit the payment")
            case .endImpossible: (.unprocessable, "The doubt cannot be resolved like this")
            }
        guard refusal != .noSuchPayment else {
            self = .notFound
            return
        }
        self.init(kind: kind, code: refusal.rawValue, title: title)
        switch refusal {
        case .amountMissing:
            detail =
                "Send `amount`: that of the follow-up. A payment whose requested amount is unknown needs a document: "
                + "nothing bounds the amount."
        case .amountImpossible:
            detail = "It is above zero, in the payment's currency, and not above what was requested."
        case .endImpossible:
            detail =
                "The amount of some follow-ups is only in a document: send the document. Approved is possible for a "
                + "payment, a void, a reversal, a capture and a refund; reversed for a payment, a void and a reversal."
        case .callUnderWay: detail = "Wait for its answer, or until the call is over."
        default: break
        }
    }
}
