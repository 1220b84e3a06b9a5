import Canonical
import Payments
import Vendors

extension Observation {
    var events: [TransactionEvent] {
        if case .transaction(let events) = subject { events } else { [] }
    }

    var batchEvents: [BatchEvent] {
        if case .batch(_, let events) = subject { events } else { [] }
    }

    /// The reports of a reader or the events of a checkout.
    var reports: [any LedgerEvent] {
        switch subject {
        case .device(_, let events, _): events
        case .checkout(_, let events, _): events
        case .transaction, .batch, .unplaced: []
        }
    }

    var types: [String] { events.map(\.type) + batchEvents.map(\.type) + reports.map(\.type) }

    var anomalies: [Anomaly] {
        switch subject {
        case .device(_, _, let anomalies), .checkout(_, _, let anomalies), .unplaced(let anomalies): anomalies
        case .batch(_, let events):
            events.compactMap { if case .anomalyRaised(let anomaly) = $0 { anomaly } else { nil } }
        case .transaction(let events):
            events.compactMap { if case .anomalyRaised(let anomaly) = $0 { anomaly } else { nil } }
        }
    }

    /// The amounts of the last fact about money.
    var amounts: Amounts? {
        events.reversed().lazy.compactMap { event in
            switch event {
            case .captured(let capture): capture.amounts
            case .tipAdjusted(let adjustment): adjustment.amounts
            case .tenderApplied(let tender): tender.amounts
            case .cashDispensed(let dispense): Amounts(total: dispense.dispensed, figures: dispense.figures)
            case .authorizationApproved(let approval), .partiallyApproved(let approval), .creditApproved(let approval):
                approval.amounts
            default: nil
            }
        }.first
    }

    var verdict: Verdict? {
        events.lazy.compactMap { event in
            switch event {
            case .declined(let verdict), .cancelled(let verdict), .failed(let verdict), .outcomeUnknown(let verdict):
                verdict
            default: nil
            }
        }.first
    }

    /// All its content in the stored form.
    func text() throws -> String {
        let facts =
            try events.map { try $0.data().text } + batchEvents.map { try $0.data().text }
            + reports.map { try $0.data().text } + anomalies.map(\.explanation)
        let identity = identity.map { "\($0)" } ?? ""
        return (facts + keys.map(\.text) + [identity]).joined(separator: "\n")
    }
}
