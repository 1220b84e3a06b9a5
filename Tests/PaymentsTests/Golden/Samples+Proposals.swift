import Canonical
import Payments

extension Samples {
    static let changeApproval = ChangeApproval(
        proposal: UUID128(high: 0x0198_c1c2_6a00_7000, low: 0x8000_0000_0000_000a),
        proposedBy: "key:0198c1c2-6a00-7000-8000-00000000000b",
        proposer: "ann@acme.example",
        approver: "bob@acme.example",
        reason: "seen in the portal, too"
    )

    static let cardToken = Pair(
        full: CardTokenReport(
            digest: "hmac-sha256:" + String(repeating: "0a", count: 32),
            keptUntil: instant,
            holder: "ann@acme.example",
            approval: changeApproval
        ),
        minimal: CardTokenReport(digest: "hmac-sha256:" + String(repeating: "b1", count: 32), keptUntil: instant)
    )

    static let dispute = Pair(
        full: DisputeReport(
            chargeback: "0198c1c2-6a00-7000-8000-00000000000c",
            reasonCode: "10.4",
            respondBy: "2026-03-31",
            documents: "receipt and proof of delivery",
            reason: "the chip was read",
            at: instant,
            approval: changeApproval
        ),
        minimal: DisputeReport(chargeback: "k1", reason: "accepted", at: instant)
    )
}
