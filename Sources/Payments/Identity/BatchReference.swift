import Canonical

/// The batch, within an account, in which a captured amount is settled.
///
/// A batch number is unique only within one account (Dejavoo: the TPN) and only until the host restarts its numbering.
/// Documents name a number; which use of it they mean follows from their time.
package struct BatchReference: Sendable, Hashable {
    package let vendor: Vendor
    /// The terminal or merchant account of the batch; nil if the document does not name one.
    package let account: String?
    /// The number as the vendor prints it; nil until the gateway names a batch.
    package let number: String?
    /// Which use of the number it is, from 1, in the order in which the uses became known. A batch without a number has
    /// only the first.
    package let generation: Int

    package init(vendor: Vendor, account: String?, number: String?, generation: Int = 1) {
        self.vendor = vendor
        self.account = account
        self.number = number
        self.generation = number == nil ? 1 : max(1, generation)
    }

    /// Another use of the same number.
    package func inGeneration(_ generation: Int) -> BatchReference {
        BatchReference(vendor: vendor, account: account, number: number, generation: generation)
    }

    /// True for two uses of the same number of one account, which may be the same use.
    package func hasSameNumber(as other: BatchReference) -> Bool {
        number != nil && inGeneration(1) == other.inGeneration(1)
    }

    /// Compares bytes, because the batch's id is computed from bytes: texts that only look equal are different batches.
    package static func == (left: BatchReference, right: BatchReference) -> Bool {
        left.vendor == right.vendor && left.generation == right.generation
            && left.account.hasSameUTF8(as: right.account) && left.number.hasSameUTF8(as: right.number)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(vendor)
        // Canonically equivalent texts with different bytes may collide.
        hasher.combine(account)
        hasher.combine(number)
        hasher.combine(generation)
    }

    /// The number for operators: `42`, and `42 #2` for its second use; nil without a number.
    package var shownNumber: String? { number.map { generation == 1 ? $0 : "\($0) #\(generation)" } }

    /// The reference as one line of text. Nil parts are written as `-`, and a later generation as `#2`.
    package var text: String {
        "\(vendor.rawValue):\(account ?? "-"):\(number ?? "-")" + (generation == 1 ? "" : "#\(generation)")
    }
}

/// The first generation is not written: a document names only the number.
extension BatchReference: Codable {
    private enum CodingKeys: String, CodingKey {
        case vendor, account, number, generation
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let generation = try container.decodeIfPresent(Int.self, forKey: .generation)
        let number = try container.decodeIfPresent(String.self, forKey: .number)
        if let generation, generation < 1 || generation > 1 && number == nil {
            throw DecodingError.invalid("A generation is a number from 1, of a batch with a number.", for: decoder)
        }
        self.init(
            vendor: try container.decode(Vendor.self, forKey: .vendor),
            account: try container.decodeIfPresent(String.self, forKey: .account),
            number: number,
            generation: generation ?? 1
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(vendor, forKey: .vendor)
        try container.encodeIfPresent(account, forKey: .account)
        try container.encodeIfPresent(number, forKey: .number)
        if generation > 1 { try container.encode(generation, forKey: .generation) }
    }
}
