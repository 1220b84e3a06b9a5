/// One payment, folded from its events. A pure fold: the same events give the same value, and every read model of a
/// transaction is computed from it. Amounts are minor units of `currency`.
package struct TransactionState: Sendable, Hashable, Codable {
    /// The number of folded events: the stream's version.
    package var version: Int64 = 0
    package var identity = Identity()
    package var references = References()
    package var card: CardPresentation?
    package var linked: [String] = []
    package var times = Times()
    package var steps = DeviceSteps()

    /// The currency of the first recorded amount. Amounts in another currency are flagged and not summed.
    package var currency: Currency?
    /// The sum of the magnitudes of all accepted amounts, at most `turnoverLimit`.
    package var turnover: Int64 = 0
    package var authorization = Authorization()
    package var tenders = Tenders()
    package var captures: [CaptureEntry] = []
    package var refunds: [ReturnEntry] = []
    package var chargebacks: [ReturnEntry] = []
    /// The amount of an approved standalone refund; inferred if only evidence shows that it was made.
    package var credit: CaptureEntry?
    package var pending = Pending()
    package var closing = Closing()
    package var ends = CountedEnds.all
    package var settlement = Settling()

    package var verdicts = Verdicts()
    /// Every anomaly raised and not cleared, in order.
    package var anomalies: [Anomaly] = []
    /// The calls to gateways whose effect is not proven.
    package var openCalls = OpenCalls()
    /// The last report about the value of the card, other than payments with it.
    package var cardValue: CardValue?
    package var storedValue = StoredValue()
    /// The number of times each copy of the receipt was handed out.
    package var receipts = ReceiptCounts()

    package init() {}

    package init(folding events: some Sequence<TransactionEvent>) {
        for event in events { Lifecycle.evolve(&self, event) }
    }

    package var operation: Operation? { identity.operation?.value }
    /// The current outcome of the payment.
    package var outcome: Outcome? { verdicts.current?.outcome }
    /// The operation on the card's value or token, if nothing reports a payment with it.
    package var valueOperation: ValueEventName? {
        operation == nil && !hasApproval && captures.isEmpty ? identity.value : nil
    }
    /// True if no money moves, because the payment was made at the vendor's test system.
    package var isTest: Bool { identity.isTest ?? false }
    /// True once an amount was approved, for the payment or for a standalone refund.
    package var hasApproval: Bool { authorization.approved != nil || credit != nil }
    /// True if the payment holds no money any more, because it was reversed or voided.
    package var isVoidedOrReversed: Bool { closing.isReversed || closing.isVoided }
}
