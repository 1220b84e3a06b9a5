import Canonical
import Gateways
import Payments
import Vendors

extension OriginalPayment {
    /// The names by which the gateway certainly knows the payment: those of Daybook's own call, else those in the
    /// vendor's documents. The app's own reference was never sent to the gateway.
    ///
    /// - Parameter sent: The call with which Daybook made it, if its outcome is unknown.
    init(_ state: TransactionState, sent: GatewayReport?, at sentAt: Timestamp) {
        let payment = sent.flatMap { $0.operation == .sale || $0.operation == .authorization ? $0 : nil }
        let own = payment?.reference
        let references = state.references
        self.init(
            invoice: payment == nil ? references.invoice : payment?.references.invoice,
            reference: own,
            authorizationCode: references.authorizationCode,
            retrievalReference: references.retrievalReference,
            lastFour: state.card?.lastFour,
            begunAt: sentAt
        )
        let names = state.lookupNames
        gatewayTransaction = names.gatewayTransaction
        reference = own ?? names.reference
    }
}

extension TransactionState {
    /// By the rules of the vendor; without one the gateway's id.
    var lookupNames: LookupNames {
        identity.vendor.map { VendorAdapters.adapter(of: $0).lookupNames(references, appReference: identity.reference) }
            ?? LookupNames(gatewayTransaction: references.gatewayTransaction)
    }
}
