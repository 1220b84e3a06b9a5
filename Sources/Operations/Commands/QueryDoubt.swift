import Access
package import Canonical
package import Composition
import EventLog
package import Intake
import Payments
import Projections
package import Replay

/// The result of a query about a payment in doubt.
package struct DoubtQueryResult: Sendable {
    /// Stable names.
    package enum Result: String, Codable, Sendable, Hashable, CaseIterable {
        /// The gateway was queried, or the reversal was sent.
        case queried
        /// A call is under way, or was made moments ago.
        case underWay = "under-way"
        /// No gateway is configured for the payment.
        case noGateway = "no-gateway"
        /// Its outcome is known.
        case nothingInDoubt = "nothing-in-doubt"
    }

    package var result: Result
    package var doubt: DoubtItem
}

extension Ledger {
    /// A payment in doubt with every gateway call about it; nil if the payment does not exist, or did not at the
    /// moment.
    ///
    /// - Parameter moment: A past moment, judged by the events up to it and the rules of that day; nil for now.
    /// - Throws: `RuleBookError`; errors of reading; the error of an event that cannot be read.
    package func doubt(_ id: UUID128, of tenant: String, at moment: Moment? = nil) async throws -> DoubtDetailJSON? {
        guard let moment else {
            return try await replay.worklist.item(id, of: tenant).map { try DoubtDetailJSON($0, at: clock.now()) }
        }
        let history = try await events(of: id, of: tenant, at: moment)
        guard let view = try await transaction(id, of: tenant, at: moment) else { return nil }
        let time = try await self.moment(moment.asked, at: try await position(of: moment))
        return try DoubtDetailJSON(replay.worklist.item(PaymentInDoubt(view, of: tenant), history, at: time), at: time)
    }

    /// Queries the gateway of a payment in doubt now, regardless of the schedule.
    ///
    /// - Returns: Nil if there is no such payment.
    /// - Throws: `IntakeProblem` if the log refuses the events; `CallHold` if nothing was sent; errors of reading.
    package func queryDoubt(_ transaction: UUID128, sender: Sender) async throws -> DoubtQueryResult? {
        let result: DoubtQueryResult.Result
        var status: DoubtStatus?
        do {
            let checked = try await replay.resolver.check(transaction, isForced: true, sender: sender)
            status = checked.status
            result =
                switch checked.result {
                case .noSuchPayment: .nothingInDoubt
                case .nothingInDoubt: .nothingInDoubt
                case .queried: .queried
                case .waiting: .underWay
                case .person, .noGateway: .noGateway
                }
        } catch let error as AppendError where error.code == .streamFull {
            // Nothing was sent, because nothing could be recorded.
            result = .noGateway
        } catch let error as AppendError {
            throw IntakeProblem(appending: error)
        }
        return try await replay.worklist.item(transaction, of: sender.tenant, status: status).map {
            DoubtQueryResult(result: result, doubt: $0)
        }
    }
}
