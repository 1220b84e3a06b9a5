package import Canonical
import EventLog
package import Ledger
import Payments
package import Projections

// By whose clocks something was at a moment: what is answered about the past is what was answered then.
extension Ledger {
    /// How many descriptions are read at once.
    private static let descriptions = 200

    /// What had been said last about a merchant at a moment, by the log; nil where nobody had said anything.
    ///
    /// - Parameter moment: Now if left out.
    /// - Throws: What reading throws.
    package func merchant(_ name: String, of tenant: String, at moment: Moment?) async throws -> MerchantView? {
        // What holds now is mostly what held then, and the read model has it at hand once it contains the moment.
        let end = if let moment { try await position(of: moment) } else { try await reader.head() }
        if try await readModels.wait(for: "merchants", toReach: end, timeout: .zero) {
            guard let known = try await merchants.merchant(name, of: tenant) else { return nil }
            if moment.map({ $0.contains(position: known.position, recordedAt: known.at) }) ?? true { return known }
        }
        var filter = EventFilter()
        filter.type = TenantEvent.Name.merchantDescribed.rawValue
        if case .position(let position)? = moment { filter.upTo = position }
        while true {
            let events = try await reader.newest(of: tenant, matching: filter, limit: Self.descriptions)
            for event in events.reversed() where event.stream == StreamName.tenant(tenant) {
                guard moment?.contains(event) ?? true else { continue }
                let reported = try MerchantView(event)
                if reported.isOf(name) { return reported }
            }
            guard events.count == Self.descriptions, let first = events.first else { return nil }
            filter.upTo = first.position - 1
        }
    }

    /// The receipt of a payment as it was, in the zone its merchant was said to be in then.
    ///
    /// - Parameters:
    ///   - payment: Folded up to the moment.
    ///   - moment: Now if left out.
    /// - Throws: What reading throws.
    package func receipt(of payment: TransactionView, tenant: String, at moment: Moment?) async throws -> Receipt {
        var receipt = Receipt(
            payment.state,
            transaction: payment.id,
            firstSeen: payment.occurredAt,
            position: payment.lastPosition
        )
        if let merchant = payment.merchant {
            receipt.zone = try await self.merchant(merchant, of: tenant, at: moment)?.day?.zone
        }
        return receipt
    }

    /// The receipt of a payment as it was at a moment; nil when the payment had not begun.
    ///
    /// - Throws: What reading throws.
    package func receipt(of id: UUID128, tenant: String, at moment: Moment) async throws -> Receipt? {
        guard let payment = try await transaction(id, of: tenant, at: moment) else { return nil }
        return try await receipt(of: payment, tenant: tenant, at: moment)
    }
}
