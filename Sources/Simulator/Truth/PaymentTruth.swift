package import Canonical
package import Matching
package import Payments

/// What really happened to one payment, to the cent. Amounts are minor units.
package struct PaymentTruth: Sendable, Hashable, Codable {
    /// Whether what was delivered to the ledger lets it know the truth.
    package enum Evidence: String, Sendable, Hashable, Codable {
        /// Everything needed was delivered.
        case complete
        /// What was delivered tells that something was going on, and not how it ended.
        case missing
    }

    /// The app's own name for the payment.
    package var reference: String
    package var vendor: Vendor
    package var merchant: String
    package var terminal: String
    package var operation: Operation
    package var startedAt: Timestamp
    /// At the end of the simulation, in the ledger's words.
    package var status: TransactionStatus
    package var currency: String
    /// What the customer was asked for, part by part.
    package var base: Int64
    package var tip: Int64
    package var tax: Int64
    package var fee: Int64
    package var requested: Int64
    /// What the host has approved and not taken back.
    package var authorized: Int64 = 0
    /// Net of voids, tips included.
    package var captured: Int64 = 0
    package var voided: Int64 = 0
    package var refunded: Int64 = 0
    /// What was given without a payment, net of voids.
    package var credited: Int64 = 0
    /// When the device told that money was taken or given, by its clock; nil where there never was any.
    package var moneyAt: Timestamp?
    /// The same of what was refunded.
    package var refundedAt: Timestamp?
    /// The batch the money is in; nil where there is none.
    package var batch: BatchName?
    package var evidence: Evidence = .complete
    package var faults: [Fault] = []
    /// True where its documents carry card data they must not.
    package var isCareless: Bool
    /// The ids hosts and vendors gave it.
    package var ids: JSONObject = [:]
    /// The card's scheme and its last four digits, as the host knows them.
    package var brand: String?
    package var lastFour: String?
    /// What each account paid, where several did.
    package var parts: [Int64]?
    /// When the device told of it first, by its clock.
    package var begunAt: Timestamp?
    /// What was planted in what the ledger is told of it.
    package var planted: ExceptionClass?
    /// The name under which the app has told it again, as another payment: what is said of that one is what the ledger can
    /// know, and never happened.
    package var repeatedAs: String?
    /// The name of the payment that it tells again: it never happened itself.
    package var tellsAgain: String?
    /// Documents made; each reaches the ledger at least once.
    package var documents = 0

    init(_ purchase: Purchase, on terminal: VirtualTerminal) {
        reference = purchase.reference
        vendor = purchase.merchant.vendor
        merchant = purchase.merchant.id
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
    }

    // MARK: What hosts do

    /// A sale of everything asked for, or of less.
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

    /// Takes everything back before its batch is closed.
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

    /// Money without a payment before.
    mutating func credit(in batch: BatchName) {
        operation = .credit
        credited = requested
        self.batch = batch
        status = .credited
    }

    /// Ends without money.
    mutating func end(_ status: TransactionStatus) {
        tip = 0
        self.status = status
    }

    /// Its batch is closed.
    mutating func settle() {
        switch status {
        case .captured, .partiallyApproved, .partiallyCaptured, .credited: status = .settled
        default: break
        }
    }

    /// The device tells something.
    mutating func reported(at time: Timestamp) {
        begunAt = begunAt ?? time
        if captured > 0 || credited > 0 { moneyAt = moneyAt ?? time }
        if refunded > 0 { refundedAt = refundedAt ?? time }
    }

    /// What it adds to the net of its batch.
    package var net: Int64 { captured - refunded - credited }
}

/// A batch as the ledger can name it.
package struct BatchName: Sendable, Hashable, Codable {
    package var vendor: Vendor
    /// The terminal, which is the account batches are kept for.
    package var account: String
    /// Nil where the SDK does not tell: then the ledger keeps the money in its account's batch without a number.
    package var number: String?

    package init(vendor: Vendor, account: String, number: String? = nil) {
        self.vendor = vendor
        self.account = account
        self.number = number
    }
}

/// What money adds up to, in minor units. What was voided counts for nothing.
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

    /// `captured 1340, tip 100, refunded 0, credited 0`.
    package var text: String { "captured \(captured), tip \(tip), refunded \(refunded), credited \(credited)" }
}

/// What really became of one batch.
package struct BatchTruth: Sendable, Hashable, Codable {
    package var batch: BatchName
    package var isClosed: Bool
    package var currency: String
    /// Minor units, over every payment in it.
    package var net: Int64
    /// What the ledger can know of it.
    package var known: MoneySums
    /// The part of the net that the ledger cannot know, because the evidence never came.
    package var unknownNet: Int64
    /// Payments that have money in it, or had.
    package var members: Int
}
