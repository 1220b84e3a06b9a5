import Access
package import Canonical
import EventLog
package import Intake
package import Ledger
import Payments
import Projections
package import Replay

/// What came of asking about a payment.
package struct DoubtQueryResult: Sendable {
    /// Stable names.
    package enum Result: String, Sendable, Hashable, CaseIterable {
        /// Its gateway was asked, or was sent what takes the payment back.
        case asked
        /// A call is under way, or somebody else has just called.
        case underWay = "under-way"
        /// There is nobody to ask.
        case noGateway = "no-gateway"
        /// Its outcome is known.
        case nothingInDoubt = "nothing-in-doubt"
    }

    package var result: Result
    package var doubt: DoubtItem

    package func json(at now: Timestamp) -> JSONValue {
        ["result": .string(result.rawValue), "doubt": doubt.detail(at: now)]
    }
}

extension Ledger {
    /// How it stands with one payment, with every call that was made about it; nil where there is none, or was none
    /// then.
    ///
    /// - Parameter moment: How it stood then, by its events up to then and the rules of that day; nil for now.
    /// - Throws: `RuleBookError`; what reading throws, and an event that cannot be read.
    package func doubt(_ id: UUID128, of tenant: String, at moment: Moment? = nil) async throws -> JSONValue? {
        guard let moment else {
            return try await worklist.item(id, of: tenant)?.detail(at: clock.now())
        }
        let history = try await reader.stream(StreamName.transaction(id), of: tenant).filter(moment.contains)
        guard let view = try await transaction(id, of: tenant, at: moment) else { return nil }
        let time = try await self.moment(moment.asked, at: try await position(of: moment))
        return try worklist.item(try PaymentInDoubt(view, of: tenant), history, at: time).detail(at: time)
    }

    /// Asks the gateway of a payment in doubt, whether or not it is time to.
    ///
    /// - Returns: Nil where there is no such payment.
    /// - Throws: `IntakeProblem` where the log does not take it; what reading throws.
    package func ask(_ transaction: UUID128, sender: Sender) async throws -> DoubtQueryResult? {
        let result: DoubtQueryResult.Result
        do {
            result =
                switch try await resolver.resolve(transaction, isForced: true, sender: sender) {
                case .noSuchPayment: .nothingInDoubt
                case .nothingInDoubt: .nothingInDoubt
                case .asked: .asked
                case .waiting: .underWay
                case .person, .noGateway: .noGateway
                }
        } catch let error as AppendError {
            throw IntakeProblem(appending: error)
        }
        return try await worklist.item(transaction, of: sender.tenant).map {
            DoubtQueryResult(result: result, doubt: $0)
        }
    }
}
