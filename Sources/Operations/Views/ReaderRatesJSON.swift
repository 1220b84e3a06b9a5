package import Payments
package import Projections

/// The counts of one reader or cashier, with rates in hundredths of a percent. A rate of nothing is absent.
package struct ReaderRatesJSON: Codable, Sendable, Hashable {
    package var vendor: Vendor?
    package var reader: String?
    package var cashier: String?
    package var payments: Int64
    package var decided: Int64
    package var declined: Int64
    package var declineBasisPoints: Int64?
    package var signatures: Int64
    package var signatureTimeouts: Int64
    package var signatureTimeoutBasisPoints: Int64?
    package var pins: Int64
    package var pinBypasses: Int64
    package var pinBypassBasisPoints: Int64?

    package init(_ rates: ReaderRates, by key: ReaderRates.Key) {
        vendor = rates.vendor
        switch key {
        case .reader: reader = rates.name
        case .cashier: cashier = rates.name
        }
        payments = rates.payments
        decided = rates.decided
        declined = rates.declined
        declineBasisPoints = ReaderRates.basisPoints(declined, of: decided)
        signatures = rates.signatures
        signatureTimeouts = rates.signatureTimeouts
        signatureTimeoutBasisPoints = ReaderRates.basisPoints(signatureTimeouts, of: signatures)
        pins = rates.pins
        pinBypasses = rates.pinBypasses
        pinBypassBasisPoints = ReaderRates.basisPoints(pinBypasses, of: pins)
    }
}

/// All rates.
package struct ReaderRatesListJSON: Codable, Sendable, Hashable {
    package var by: ReaderRates.Key
    package var items: [ReaderRatesJSON]
}
