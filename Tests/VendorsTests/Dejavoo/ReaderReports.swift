import Payments
import Vendors

extension Observation {
    /// The reader's reports, alone or during a payment.
    var reportedByReader: [DeviceEvent] {
        switch subject {
        case .device(_, let events, _): events
        case .transaction(let events): events.compactMap { if case .device(let event) = $0 { event } else { nil } }
        default: []
        }
    }
}
