import Canonical
import Payments

/// What happens at one till, step by step: the documents the SDK hands out, and the truth about the payment.
struct Script: Sendable {
    private(set) var documents: [SDKDocument] = []
    /// Nil for what is about no payment.
    var truth: PaymentTruth?
    /// By a clock that is right.
    private(set) var now: Timestamp

    private let vendor: Vendor
    private let reference: String?
    private let keyPrefix: String
    private let merchant: String
    private let terminal: VirtualTerminal

    /// A payment.
    init(_ purchase: Purchase, on terminal: VirtualTerminal) {
        vendor = purchase.merchant.vendor
        reference = purchase.reference
        keyPrefix = purchase.reference
        merchant = purchase.merchant.id
        self.terminal = terminal
        now = purchase.at
        truth = PaymentTruth(purchase, on: terminal)
    }

    /// What a terminal does beside payments.
    ///
    /// - Parameter name: Unlike that of every other such script.
    init(_ terminal: VirtualTerminal, of merchant: Merchant, at time: Timestamp, name: String) {
        vendor = merchant.vendor
        reference = nil
        keyPrefix = name
        self.merchant = merchant.id
        self.terminal = terminal
        now = time
    }

    /// What the device takes for now.
    var deviceNow: Timestamp { now.adding(microseconds: terminal.skew) }

    mutating func wait(seconds: Int) { now = now.adding(microseconds: Int64(seconds) * 1_000_000) }

    mutating func wait(milliseconds: Int) { now = now.adding(microseconds: Int64(milliseconds) * 1_000) }

    /// Goes on at a later time; an earlier one changes nothing.
    mutating func wait(until time: Timestamp) { now = max(now, time) }

    /// The SDK calls back.
    ///
    /// - Parameter happenedAt: By the device's clock; where it tells of something earlier.
    mutating func tell(_ kind: String, _ body: JSONValue, happenedAt: Timestamp? = nil) {
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

    /// Changes the truth of the payment.
    mutating func truly(_ change: (inout PaymentTruth) -> Void) {
        if var truth {
            change(&truth)
            self.truth = truth
        }
    }
}
