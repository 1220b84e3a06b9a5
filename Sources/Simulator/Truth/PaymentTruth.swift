package import Canonical
package import Matching
package import Payments

/// The truth about one payment. Amounts are in minor units.
package struct PaymentTruth: Sendable, Hashable, Codable {
    /// Whether the delivered documents let the ledger know the truth.
    package enum Evidence: String, Sendable, Hashable, Codable {
        /// All necessary documents were delivered.
        case complete
        /// The delivered documents show the payment, but not its outcome.
        case missing
        /// The outcome can be inferred, or be left in doubt; neither is wrong.
        case indirect
    }

    /// The app's name for the payment.
    package var reference: String
    package var vendor: Vendor
    package var merchant: String
    package var terminal: String
    package var operation: Operation
    package var startedAt: Timestamp
    /// The status at the end of the simulation, as the ledger names it.
    package var status: TransactionStatus
    package var currency: String
    /// The parts of the requested amount.
    package var base: Int64
    package var tip: Int64
    package var tax: Int64
    package var fee: Int64
    package var requested: Int64
    /// The approved amount that the host has not reversed.
    package var authorized: Int64 = 0
    /// Net of voids, tips included.
    package var captured: Int64 = 0
    package var voided: Int64 = 0
    package var refunded: Int64 = 0
    /// Credits without a payment, net of voids.
    package var credited: Int64 = 0
    /// The time of the device's first report that money was taken or credited, by its clock; nil without money.
    package var moneyAt: Timestamp?
    /// The same for the refund.
    package var refundedAt: Timestamp?
    /// The batch of the money; nil if there is none.
    package var batch: BatchName?
    package var evidence: Evidence = .complete
    package var faults: [Fault] = []
    /// True if its documents contain forbidden card data.
    package var isCareless: Bool
    /// The ids from hosts and vendors.
    package var ids: JSONObject = [:]
    /// The card's brand and last four digits, as known to the host.
    package var brand: String?
    package var lastFour: String?
    /// The amounts paid by each account, if there are several.
    package var parts: [Int64]?
    /// The tender of each of them.
    package var tenders: [String]?
    /// The tender of the money as the ledger names it, such as `credit`; empty if no document names it.
    package var tender = ""
    /// The taxes inside a capture, and the surcharge. The tip is in `tip`.
    package var taxes: [TaxTruth] = []
    package var surcharge: Int64 = 0
    /// The cash that was handed out with the sale; nil: none.
    package var cashBack: Int64?
    /// The person to whom the tip is owed; nil if no document names one.
    package var tipRecipient: String?
    /// Whether a machine dispensed or took cash: it is neither a sale nor a refund.
    package var isCash = false
    /// What a gift card was loaded with.
    package var loaded: Int64 = 0
    /// What the accounts get of its money, in the order of the reports. Money that the ledger cannot know is included.
    package var entries: [EntryTruth] = []
    /// The time of the device's first report, by its clock.
    package var begunAt: Timestamp?
    /// The discrepancy planted in the documents to the ledger.
    package var planted: ExceptionClass?
    /// The name under which the app reported the sale again, as another payment. That other payment never happened, but
    /// the ledger can know it.
    package var repeatedAs: String?
    /// The name of the payment that this one repeats; this one never happened.
    package var tellsAgain: String?
    /// The zone of the merchant; nil: UTC.
    package var zone: String?
    var troubles: [Trouble] = []
    /// True for a payment at the vendor's test system: it is in no total and no batch.
    var isTest = false
    /// Further statuses that the document leaves open: none of them moves money.
    var alternatives: [TransactionStatus] = []
    /// The kinds of anomalies of which one must be recorded; empty: none is required.
    var flags: [String] = []
    /// The payment that may have the anomaly as well.
    var flaggedWith: String?
    /// The first local time that a document prints, such as `2025-03-07T23:59:58`; nil if none does. With `Z` it is
    /// a time that names its zone, in UTC.
    var printedAt: String?
    /// The local day of the money; nil without money.
    var businessDay: String?
    /// The state of the signature and of a cancellation, as the API names them; nil if neither was asked for.
    var signature: String?
    var cancellation: String?
    /// Parts of the amount and other facts that the answers must show, by the member's name.
    private(set) var shown: JSONObject = [:]
    /// The number of documents; each reaches the ledger at least once.
    package var documents = 0

    init(_ purchase: Purchase, on terminal: VirtualTerminal) {
        reference = purchase.reference
        vendor = purchase.merchant.vendor
        merchant = purchase.merchant.id
        zone = purchase.merchant.zone
        self.terminal = terminal.id
        operation = .sale
        startedAt = purchase.at
        status = .requested
        currency = purchase.merchant.currency.alpha
        base = purchase.basket.base
        tip = purchase.basket.tip
        tax = purchase.basket.tax
        fee = purchase.basket.fee
        requested = purchase.basket.total
        isCareless = purchase.isCareless
        brand = purchase.card.brand
        lastFour = purchase.card.lastFour
        faults = purchase.fault.map { [$0] } ?? []
        planted = purchase.planted
        troubles =
            purchase.merchant.traits.sorted { $0.rawValue < $1.rawValue }
            + [purchase.trouble].compactMap(\.self)
    }

    // MARK: Host operations

    /// A sale of the whole requested amount, or of less.
    mutating func sell(_ amount: Int64? = nil, in batch: BatchName) {
        authorized = amount ?? requested
        captured = authorized
        self.batch = batch
        status = authorized < requested ? .partiallyApproved : .captured
    }

    mutating func authorize() {
        operation = .authorization
        authorized = requested
        status = .authorized
    }

    /// - Parameter tip: The part of the amount that is a tip.
    mutating func capture(_ amount: Int64, tip: Int64, in batch: BatchName) {
        captured = amount
        self.tip = tip
        self.batch = batch
        status = amount - tip < authorized ? .partiallyCaptured : .captured
    }

    mutating func adjust(tip: Int64) {
        captured += tip - self.tip
        self.tip = tip
    }

    /// Reverses the whole amount before its batch is closed.
    mutating func void() {
        voided = operation == .credit ? credited : captured
        captured = 0
        credited = 0
        tip = 0
        status = .voided
    }

    mutating func refund(_ amount: Int64) {
        refunded += amount
        status = refunded < captured ? .partiallyRefunded : .refunded
    }

    /// A refund without a previous payment.
    mutating func credit(in batch: BatchName) {
        operation = .credit
        credited = requested
        // A tip inside it is given back.
        tip = 0
        self.batch = batch
        status = .credited
    }

    /// Ends without a movement of money.
    mutating func end(_ status: TransactionStatus) {
        tip = 0
        self.status = status
    }

    /// Its batch is closed.
    ///
    /// - Parameter time: The time of the closing, which identifies a batch without a number.
    mutating func settle(at time: Timestamp, isOnlyInitiated: Bool) {
        if batch?.number == nil { batch?.closedAt = time }
        // An accepted request to settle does not prove the settlement: BridgePay guide, line 799.
        if isOnlyInitiated { alternatives.append(status) }
        switch status {
        case .captured, .partiallyApproved, .partiallyCaptured, .credited: status = .settled
        default: break
        }
    }

    /// Notes the time of a report by the device, and what has changed by then.
    mutating func reported(at time: Timestamp) {
        begunAt = begunAt ?? time
        guard !isTest else { return }
        if captured > 0 || credited > 0 { moneyAt = moneyAt ?? time }
        if refunded > 0 { refundedAt = refundedAt ?? time }
        if evidence != .missing { post(at: time) }
    }

    /// The next report is the first about its money.
    mutating func forgetReports() {
        moneyAt = nil
        entries = []
    }

    /// - Parameter path: The names of the members, such as `breakdown.tax`.
    mutating func show(_ path: String, _ amount: Int64) { show(path, is: .number(.init(amount))) }

    /// - Parameter path: The names of the members, such as `references.clerk`.
    mutating func show(_ path: String, is value: JSONValue) { shown[path] = value }

    /// True for a sale that was as expected.
    var isPlain: Bool {
        status == .captured && evidence == .complete && faults.isEmpty && planted == nil && tellsAgain == nil
            && repeatedAs == nil && troubles.allSatisfy { $0 == .idsByRole || $0 == .accountSettlement }
    }

    /// Its part of the batch's net amount.
    package var net: Int64 { captured - refunded - credited }
}

/// The name of a batch as the ledger can know it.
package struct BatchName: Sendable, Hashable, Codable {
    package var vendor: Vendor
    /// The account of the batches as documents name it; the terminal if they name none.
    package var account: String
    /// Nil if the SDK does not report it; the ledger then keeps the money in the account's batch without a number.
    package var number: String?
    /// The time of the closing of a batch without a number; nil if it has one or is open.
    package var closedAt: Timestamp?

    package init(vendor: Vendor, account: String, number: String? = nil) {
        self.vendor = vendor
        self.account = account
        self.number = number
    }
}

/// Sums of money in minor units. Voided amounts do not count.
package struct MoneySums: Sendable, Hashable, Codable {
    /// Tips included.
    package var captured: Int64 = 0
    package var tip: Int64 = 0
    package var refunded: Int64 = 0
    package var credited: Int64 = 0

    package init() {}

    package var net: Int64 { captured - refunded - credited }

    mutating func take(_ payment: PaymentTruth) {
        captured += payment.captured
        tip += payment.tip
        refunded += payment.refunded
        credited += payment.credited
    }

    mutating func add(_ other: MoneySums) {
        captured += other.captured
        tip += other.tip
        refunded += other.refunded
        credited += other.credited
    }

    /// For example `captured 1340, tip 100, refunded 0, credited 0`.
    package var text: String { "captured \(captured), tip \(tip), refunded \(refunded), credited \(credited)" }
}

package struct BatchTruth: Sendable, Hashable, Codable {
    package var batch: BatchName
    package var isClosed: Bool
    /// True if the documents report the request to close it only.
    package var isOnlyInitiated = false
    package var currency: String
    /// Minor units, over all payments in the batch.
    package var net: Int64
    /// The sums that the ledger can know.
    package var known: MoneySums
    /// The part of the net that the ledger cannot know, because the evidence never arrived.
    package var unknownNet: Int64
    /// The number of payments that have or had money in the batch.
    package var members: Int
}
