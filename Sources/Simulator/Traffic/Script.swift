import Canonical
import Payments

/// The events at one till, step by step: the SDK's documents and the truth about the payment.
struct Script: Sendable {
    private(set) var documents: [SDKDocument] = []
    /// Nil if it is not about a payment.
    var truth: PaymentTruth?
    /// The truth about another payment that this one changes by mistake.
    var other: PaymentTruth?
    /// By the correct clock.
    private(set) var now: Timestamp

    private let vendor: Vendor
    private let reference: String?
    private let keyPrefix: String
    private let merchant: String
    private let terminal: VirtualTerminal

    /// A script of a payment.
    init(_ purchase: Purchase, on terminal: VirtualTerminal) {
        vendor = purchase.merchant.vendor
        reference = purchase.reference
        keyPrefix = purchase.reference
        merchant = purchase.merchant.id
        self.terminal = terminal
        now = purchase.at
        truth = PaymentTruth(purchase, on: terminal)
    }

    /// A script of a terminal's other events.
    ///
    /// - Parameter name: A unique name among such scripts.
    init(_ terminal: VirtualTerminal, of merchant: Merchant, at time: Timestamp, name: String) {
        vendor = merchant.vendor
        reference = nil
        keyPrefix = name
        self.merchant = merchant.id
        self.terminal = terminal
        now = time
    }

    /// The device's current time.
    var deviceNow: Timestamp { now.adding(microseconds: terminal.skew) }

    mutating func wait(seconds: Int) { now = now.adding(microseconds: Int64(seconds) * 1_000_000) }

    mutating func wait(milliseconds: Int) { now = now.adding(microseconds: Int64(milliseconds) * 1_000) }

    /// Advances to a later time; an earlier one changes nothing.
    mutating func wait(until time: Timestamp) { now = max(now, time) }

    /// Adds a callback of the SDK.
    ///
    /// - Parameters:
    ///   - happenedAt: The time by the device's clock, if the callback reports an earlier event.
    ///   - isOfPayment: False for a callback beside the payment.
    mutating func report(
        _ kind: String,
        _ body: JSONValue,
        happenedAt: Timestamp? = nil,
        isOfPayment: Bool = true
    ) {
        let at = happenedAt ?? deviceNow
        let document = SDKDocument(
            vendor: vendor,
            kind: kind,
            body: body,
            reference: isOfPayment ? reference : nil,
            merchant: merchant,
            terminal: terminal.name,
            device: terminal.device,
            at: now,
            occurredAt: at,
            idempotencyKey: "\(keyPrefix)/\(documents.count + 1)"
        )
        documents.append(document)
        guard isOfPayment else { return }
        if let tender = document.tender { truth?.tender = tender }
        truth?.reported(at: at)
    }

    /// The last document names neither merchant nor terminal.
    mutating func unname() {
        guard let last = documents.indices.last else { return }
        documents[last].namesMerchant = false
        documents[last].namesTerminal = false
    }

    /// Notes the local time that a document prints, if it is the first one.
    ///
    /// - Parameter text: Such as `2025-03-07T23:59:58`; with `Z` if it names its zone, in UTC.
    mutating func prints(_ text: String) {
        truly { $0.printedAt = $0.printedAt ?? text }
    }

    mutating func truly(_ change: (inout PaymentTruth) -> Void) {
        if var truth {
            change(&truth)
            self.truth = truth
        }
    }
}
