package import Canonical
package import EventLog
package import Intake
package import Payments
package import Projections

/// One copy of a receipt: the members of `Receipt`, and those below. The zone is UTC if the receipt has none.
/// `instant` and `timeBasis` say when `at` was, and how that is known.
package struct ReceiptJSON: Codable, Sendable, Hashable {
    private enum CodingKeys: String, CodingKey {
        case zone, copy, reprint, instant, timeBasis, proof
    }

    package var receipt: Receipt
    package var zone: String
    package var copy: ReceiptCopy
    package var reprint: Int
    package var instant: Timestamp?
    package var timeBasis: TimeBasis?
    package var proof: EventProofJSON?

    package init(_ receipt: Receipt, copy: ReceiptCopy, proof: EventProof? = nil) {
        self.receipt = receipt.shown(on: copy)
        zone = (receipt.zone ?? .utc).name
        self.copy = copy
        reprint = receipt.reprint(of: copy)
        let placed = receipt.at?.placed(in: receipt.zone)
        instant = placed?.instant
        timeBasis = placed?.basis
        self.proof = proof.map(EventProofJSON.init)
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        zone = try members.decode(String.self, forKey: .zone)
        copy = try members.decode(ReceiptCopy.self, forKey: .copy)
        reprint = try members.decode(Int.self, forKey: .reprint)
        instant = try members.decodeIfPresent(Timestamp.self, forKey: .instant)
        timeBasis = try members.decodeIfPresent(TimeBasis.self, forKey: .timeBasis)
        proof = try members.decodeIfPresent(EventProofJSON.self, forKey: .proof)
        receipt = try Receipt(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try receipt.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(copy, forKey: .copy)
        if receipt.zone == nil { try members.encode(zone, forKey: .zone) }
        try members.encode(reprint, forKey: .reprint)
        try members.encodeIfPresent(instant, forKey: .instant)
        try members.encodeIfPresent(timeBasis, forKey: .timeBasis)
        try members.encodeIfPresent(proof, forKey: .proof)
    }
}

/// The answer to a recorded print of a receipt.
package struct PrintedReceiptJSON: Codable, Sendable, Hashable {
    package var transaction: UUID128
    package var copy: ReceiptCopy
    package var count: Int
    package var reprint: Int
    package var position: Int64

    package init(_ issued: IssuedReceipt) {
        transaction = issued.transaction
        copy = issued.copy
        count = issued.count
        reprint = issued.count - 1
        position = issued.position
    }
}
