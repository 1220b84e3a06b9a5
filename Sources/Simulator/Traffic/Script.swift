import Canonical
import Payments

/// The events at one till, step by step: the SDK's documents and the truth about the payment.
struct Script: Sendable {
    private(set) var documents: [SDKDocument] = []
    /// Nil if it is not about a payment.
    var truth: PaymentTruth?
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
    /// - Parameter happenedAt: The time by the device's clock, if the callback reports an earlier event.
    mutating func report(_ kind: String, _ body: JSONValue, happenedAt: Timestamp? = nil) {
        let at = happenedAt ?? deviceNow
        truth?.reported(at: at)
        documents.append(
            SDKDocument(
                vendor: vendor,
                kind: kind,
                body: body,
                reference: reference,
                merchant: merchant,
                terminal: terminal.id,
                device: terminal.device,
                at: now,
                occurredAt: at,
                idempotencyKey: "\(keyPrefix)/\(documents.count + 1)"
            )
        )
    }

    mutating func truly(_ change: (inout PaymentTruth) -> Void) {
        if var truth {
            change(&truth)
            self.truth = truth
        }
    }
}
