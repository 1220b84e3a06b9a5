import Canonical
import Composition
import Payments
package import Projections
import Tables

extension Lists {
    package static let readerRates = ListDefinition<ReaderRatesRequest, ReaderRatesJSON>(
        name: "reader-rates",
        summary: "Rates of declines, signatures that timed out and PINs that were left out, by reader or by cashier.",
        paths: ["readers/rates"],
        readModels: ["transactions", "readers", "merchants"],
        pageSize: nil,
        filter: ReaderRatesRequest.init,
        columns: { $0.columns },
        members: { query, _ in ["by": .string(query.filter.key.rawValue)] },
        page: { query, ledger in
            let wanted = query.filter
            let found = try await ledger.payments.readerRates.rates(
                of: query.tenant,
                by: wanted.key,
                matching: wanted.filter
            )
            return Page(items: found.map { ReaderRatesJSON($0, by: wanted.key) }, next: nil)
        }
    )
}

/// A request for rates.
package struct ReaderRatesRequest: Sendable, Hashable {
    package var key: ReaderRates.Key
    package var filter = ReaderRatesFilter()

    package init(_ query: inout ParameterReader) throws(Refusal) {
        key = try query.choice("by", of: ReaderRates.Key.self) ?? .reader
        filter.occurredFrom = try query.time("from")
        filter.occurredBefore = try query.time("to")
        filter.merchant = try query.text("merchant")
        filter.vendor = try query.choice("vendor", of: Vendor.self)
    }

    var columns: [Column] {
        let names =
            key == .reader ? [Column("vendor", "vendor"), Column("reader", "reader")] : [Column("cashier", "cashier")]
        return names + [
            Column("payments", "payments"), Column("decided", "decided"), Column("declined", "declined"),
            Column("decline_basis_points", "declineBasisPoints"), Column("signatures", "signatures"),
            Column("signature_timeouts", "signatureTimeouts"),
            Column("signature_timeout_basis_points", "signatureTimeoutBasisPoints"), Column("pins", "pins"),
            Column("pin_bypasses", "pinBypasses"), Column("pin_bypass_basis_points", "pinBypassBasisPoints"),
        ]
    }
}
