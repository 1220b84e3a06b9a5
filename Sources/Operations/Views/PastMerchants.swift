package import Canonical
package import Composition
import EventLog
import Payments
package import Projections

// Answers about the past use the merchant's zone of that time.
extension Ledger {
    /// The number of descriptions that are read at once.
    private static let descriptions = 200

    /// The last description of a merchant, under any name that it had, at a moment; nil if there was none.
    ///
    /// - Parameter moment: Nil for now.
    /// - Throws: Errors of reading.
    package func merchant(_ name: String, of tenant: String, at moment: Moment?) async throws -> MerchantView? {
        // The present description mostly held then, too. The read model has it once it contains the moment.
        let end = if let moment { try await position(of: moment) } else { try await reader.head() }
        let names = [name] + (try await payments.merchants.others(of: name, tenant: tenant, at: end))
        if try await readModels.wait(for: "merchants", toReach: end, timeout: .zero) {
            guard let known = try await payments.merchants.merchant(name, of: tenant, at: end) else { return nil }
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
                if names.contains(where: reported.isOf) { return reported }
            }
            guard events.count == Self.descriptions, let first = events.first else { return nil }
            filter.upTo = first.position - 1
        }
    }

    /// The receipt of a payment as it was, in its merchant's zone of that time.
    ///
    /// - Parameters:
    ///   - payment: Folded up to the moment.
    ///   - moment: Nil for now.
    /// - Throws: Errors of reading.
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

    /// The receipt of a payment as it was at a moment; nil if the payment had no event.
    ///
    /// - Throws: Errors of reading.
    package func receipt(of id: UUID128, tenant: String, at moment: Moment) async throws -> Receipt? {
        guard let payment = try await transaction(id, of: tenant, at: moment) else { return nil }
        return try await receipt(of: payment, tenant: tenant, at: moment)
    }
}
