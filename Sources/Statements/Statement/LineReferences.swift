/// The kind of a line's reference.
package enum ReferenceKind: UInt8, Sendable, Hashable, CaseIterable {
    /// The gateway's or processor's id of the transaction.
    case processor
    /// The id of the transaction that this line changes, or of this change.
    case related
    /// The retrieval reference number.
    case rrn
    case authCode
    /// The systems trace audit number.
    case trace
    /// The acquirer reference number.
    case arn
    /// The merchant's reference: invoice, order, ticket.
    case invoice
    case merchant
    /// The branch or outlet, if it differs from the merchant.
    case location
    case terminal
    case batch
    case clerk
    /// Four digits.
    case lastFour
    /// The scheme or payment method as named in the file.
    case brand
    /// The payout, payment or deposit that pays the line.
    case payout
    /// The bank's reference for the entry.
    case bank
    /// The account of the line.
    case account
    /// The end-to-end reference of a bank transfer.
    case endToEnd
    /// The other party's name.
    case counterparty
    /// Remittance information, description or reason, with card numbers masked.
    case text
    /// A reference whose meaning the format's document does not state.
    case other

    /// The stable name used in JSON and SQL.
    package var name: String {
        switch self {
        case .processor: "processor_id"
        case .related: "related_id"
        case .rrn: "rrn"
        case .authCode: "auth_code"
        case .trace: "trace"
        case .arn: "arn"
        case .invoice: "invoice"
        case .merchant: "merchant"
        case .location: "location"
        case .terminal: "terminal"
        case .batch: "batch"
        case .clerk: "clerk"
        case .lastFour: "last_four"
        case .brand: "brand"
        case .payout: "payout"
        case .bank: "bank_reference"
        case .account: "account"
        case .endToEnd: "end_to_end"
        case .counterparty: "counterparty"
        case .text: "text"
        case .other: "other_reference"
        }
    }
}

/// The references of a line. A line has few of many kinds, so they are kept as a list, ordered by kind.
package struct LineReferences: Sendable, Hashable {
    package struct Entry: Sendable, Hashable {
        package var kind: ReferenceKind
        package var value: String
    }

    package private(set) var entries: [Entry] = []

    package init() {}

    /// Nil if the line has none of the kind. Setting an empty text removes it.
    package subscript(kind: ReferenceKind) -> String? {
        get { entries.first { $0.kind == kind }?.value }
        set {
            var place = entries.count
            while place > 0, entries[place - 1].kind.rawValue >= kind.rawValue { place -= 1 }
            let isThere = place < entries.count && entries[place].kind == kind
            switch (isThere, newValue) {
            case (true, let value?) where !value.isEmpty: entries[place].value = value
            case (true, _): entries.remove(at: place)
            case (false, let value?) where !value.isEmpty: entries.insert(Entry(kind: kind, value: value), at: place)
            case (false, _): break
            }
        }
    }

    package mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }
}

extension LineReferences: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (ReferenceKind, String?)...) {
        for (kind, value) in elements { self[kind] = value }
    }
}
