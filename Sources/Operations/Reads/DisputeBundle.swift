package import Canonical
package import Composition
import EventLog
import Intake
package import Payments
import Projections
import Reconciliation

/// What the ledger has against a chargeback: the dispute, the payment with the checks of the card, the receipt, and
/// each event of the payment with the proof that it is in the signed log. It has what the log has: no card data.
package struct DisputeBundle: Sendable {
    /// The most bytes of its events.
    package static let mostBytes = 16 << 20

    private let head: DisputeBundleLineJSON
    private let events: [(event: RecordedEvent, proof: EventProof?)]

    fileprivate init(_ head: DisputeBundleLineJSON, _ events: [(event: RecordedEvent, proof: EventProof?)]) {
        self.head = head
        self.events = events
    }

    /// The name of its file.
    package var fileName: String { "dispute-\(head.dispute?.id.text ?? "").ndjson" }

    /// One line about the dispute, then one for each event, with its record line byte for byte.
    package func lines() throws -> [UInt8] {
        var bytes = try JSONTextEncoder().bytes(of: head) + [0x0A]
        for (event, proof) in events {
            bytes += Array(#"{"kind":"event","event":"#.utf8) + Array(event.recordLine.utf8)
            if let proof {
                bytes += Array(#","proof":"#.utf8) + (try JSONTextEncoder().bytes(of: EventProofJSON(proof)))
            }
            bytes += Array("}\n".utf8)
        }
        return bytes
    }
}

/// One line of the bundle of a dispute.
package struct DisputeBundleLineJSON: Codable, Sendable, Hashable {
    package enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        case dispute, event
    }

    package var kind: Kind
    package var dispute: DisputeJSON?
    package var payment: DisputedPaymentJSON?
    /// The merchant's copy of the receipt, as text.
    package var receipt: String?
    package var event: EventJSON?
    /// Nil while no checkpoint covers the event.
    package var proof: EventProofJSON?
}

/// What is known of a disputed payment, its card and its cardholder's consent.
package struct DisputedPaymentJSON: Codable, Sendable, Hashable {
    /// The last report of a reader about the cardholder's signature.
    package enum Signature: String, Codable, Sendable, Hashable, CaseIterable {
        case requested, accepted, declined
        case timedOut = "timed-out"

        fileprivate init?(_ event: DeviceEventName) {
            switch event {
            case .signatureRequested: self = .requested
            case .signatureAccepted: self = .accepted
            case .signatureDeclined: self = .declined
            case .signatureTimedOut: self = .timedOut
            default: return nil
            }
        }
    }

    package var vendor: Vendor?
    package var merchant: String?
    package var terminal: String?
    package var reader: ReaderReference?
    /// The earliest time at which an event shows the payment.
    package var begunAt: Timestamp?
    package var captured: Money?
    package var refunded: Money?
    /// Entry mode, checks of address and card verification value, and EMV tags, as they are kept.
    package var card: CardPresentation?
    /// Nil if no reader reported one.
    package var signature: Signature?
    package var references: References

    fileprivate init(_ state: TransactionState, signature: Signature?) {
        vendor = state.identity.vendor
        merchant = state.merchant
        terminal = state.identity.terminal ?? state.references.terminal
        reader = state.identity.cardReader
        begunAt = state.times.begunAt
        captured = state.money(state.captured)
        refunded = state.money(state.refunded)
        card = state.card
        references = state.references
        self.signature = signature
    }
}

extension Ledger {
    /// The bundle of a dispute; nil if there is no such dispute.
    ///
    /// - Throws: `bundle-too-large`; `EvidenceFault` when an event is not the one that was signed; errors of reading.
    package func disputeBundle(of id: UUID128, tenant: String) async throws -> DisputeBundle? {
        guard let dispute = try await reconciliation.disputes.dispute(id, of: tenant) else { return nil }
        var head = DisputeBundleLineJSON(kind: .dispute, dispute: try DisputeJSON(dispute))
        var state = TransactionState()
        var signature: DisputedPaymentJSON.Signature?
        var events: [(event: RecordedEvent, proof: EventProof?)] = []
        var byteCount = 0
        for event in try await reader.stream(StreamName.transaction(dispute.transaction), of: tenant) {
            byteCount += event.data.utf8.count
            guard byteCount <= DisputeBundle.mostBytes else { throw Refusal.disputeBundleTooLarge }
            let fact = try TransactionEvent(event)
            Lifecycle.evolve(&state, fact, at: event.occurredAt)
            if case .device(let report) = fact { signature = DisputedPaymentJSON.Signature(report.name) ?? signature }
            events.append((event, try await evidence.proof(of: event)))
        }
        head.payment = DisputedPaymentJSON(state, signature: signature)
        if let receipt = try await payments.receipts.receipt(of: dispute.transaction, tenant: tenant) {
            head.receipt = ReceiptText.render(receipt, copy: .merchant)
        }
        return DisputeBundle(head, events)
    }
}

extension Refusal {
    fileprivate static let disputeBundleTooLarge = Refusal(
        kind: .unprocessable,
        code: "bundle-too-large",
        title: "The bundle is too large",
        detail: "A bundle has at most \(DisputeBundle.mostBytes >> 20) MiB of events: read them with `GET /v1/events`."
    )
}
