package import Canonical
package import EventLog
package import Payments
package import Projections

/// The `ReceiptJSON` of a stored receipt, made from the stored members: most of them are neither decoded nor encoded.
package struct ReceiptDocument: Sendable {
    private let members: JSONObject
    private let zone: Zone?

    /// - Throws: `JSONParseError`; `DecodingError` for a text that is not an object.
    package init(_ stored: StoredReceipt) throws {
        let found = try JSONValueDecoder().decode(JSONObject.self, parsing: stored.json)
        if found.keys.allSatisfy(Receipt.memberNames.contains) {
            members = found
        } else {
            // Another build's receipts may have more, which this one cannot leave out of the customer's copy.
            var known = JSONObject()
            for member in found.members where Receipt.memberNames.contains(member.key) {
                known[member.key] = member.value
            }
            members = known
        }
        zone = stored.zone
    }

    package var version: Int64? { members["version"]?.int64 }
    /// The position of the receipt's last event; nil when unknown.
    package var position: Int64? { members["position"]?.int64 }

    /// - Throws: `DecodingError` for members that are not those of a receipt.
    package func json(_ copy: ReceiptCopy, proof: EventProof?) throws -> JSONValue {
        let decoder = JSONValueDecoder()
        var members = members
        if let card = members["card"] {
            members["card"] = try decoder.decode(CardPresentation.self, from: card).shown(on: copy).jsonValue()
        }
        let issued = try decoder.decode(ReceiptCounts.self, from: members["issued"] ?? .null)
        // A known zone precedes the copy, as in `ReceiptJSON`.
        if let zone { members["zone"] = .string(zone.name) }
        members["copy"] = .string(copy.rawValue)
        members["zone"] = .string((zone ?? .utc).name)
        members["reprint"] = .number(JSONNumber(Int64(issued.reprint(of: copy))))
        if let at = try members["at"].map({ try decoder.decode(ReportedTime.self, from: $0) }) {
            let placed = at.placed(in: zone)
            members["instant"] = .string(placed.instant.rfc3339)
            members["timeBasis"] = .string(placed.basis.rawValue)
        }
        members["proof"] = try proof.map { try EventProofJSON($0).jsonValue() }
        return .object(members)
    }
}
