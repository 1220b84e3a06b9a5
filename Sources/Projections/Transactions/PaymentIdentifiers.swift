import Canonical
import Payments
import Postgres

/// The texts by which a search finds a payment, each once.
struct PaymentIdentifiers {
    private var list = PostgresListText(reserving: 256)
    /// The texts, one after another, and where each one is.
    private var texts: [UInt8] = []
    private var places: [Range<Int>] = []
    /// All texts, once there are many; few are compared one by one.
    private var known: Set<[UInt8]> = []
    private static let fewTexts = 64

    /// - Parameter batches: The storable numbers of its batches.
    static func list(of state: TransactionState, in batches: [String]) -> PostgresListText {
        var texts = PaymentIdentifiers()
        texts.add(state.identity.reference)
        texts.add(state.identity.merchant)
        texts.add(state.identity.terminal)
        texts.add(state.identity.device)
        texts.add(state.identity.cardReader?.serial)
        texts.add(state.references.gatewayTransaction)
        texts.add(state.references.invoice)
        texts.add(state.references.authorizationCode)
        texts.add(state.references.retrievalReference)
        texts.add(state.references.vendorTransaction)
        texts.add(state.references.hostTransaction)
        texts.add(state.references.merchant)
        texts.add(state.references.gatewayAccount)
        texts.add(state.references.terminal)
        texts.add(state.references.clerk)
        texts.add(state.references.tipRecipient)
        texts.add(state.card?.lastFour)
        texts.add(state.card?.brand)
        for batch in batches { texts.addName(batch) }
        for batch in batches { texts.addWhole(batch) }
        for stream in state.linked { texts.addWhole(stream.storable.lowercased()) }
        return texts.list
    }

    private mutating func add(_ name: String?) {
        if let name { addName(name.storable) }
    }

    /// Adds a name in lower case, and each of its words.
    private mutating func addName(_ name: String) {
        var name = name
        if !name.withUTF8({ addPlain($0) }) {
            name = name.lowercased()
            addWhole(name)
            for word in name.split(whereSeparator: \.isWhitespace) { addWhole(String(word)) }
        }
    }

    /// Adds a name of ASCII without control characters, in which only the space is white.
    ///
    /// - Returns: False, with nothing added, for other names.
    private mutating func addPlain(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = name.baseAddress else { return true }
        let plain = ByteScan.firstSpecial(base, from: 0, to: name.count)
        guard plain.isASCII, plain.position == name.count else { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: name.count) { lower in
            var hasSpace = false
            for place in 0..<name.count {
                let byte = name[place]
                lower[place] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
                if byte == UInt8(ascii: " ") { hasSpace = true }
            }
            addUnlessKnown(UnsafeBufferPointer(lower))
            guard hasSpace else { return true }
            for word in lower.split(separator: UInt8(ascii: " ")) {
                addUnlessKnown(UnsafeBufferPointer(rebasing: word))
            }
            return true
        }
    }

    private mutating func addWhole(_ text: String) {
        var text = text
        text.withUTF8 { addUnlessKnown($0) }
    }

    private mutating func addUnlessKnown(_ text: UnsafeBufferPointer<UInt8>) {
        guard !text.isEmpty, isNew(text) else { return }
        places.append(texts.count..<texts.count + text.count)
        texts.append(contentsOf: text)
        list.append(text)
    }

    private mutating func isNew(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard places.count >= Self.fewTexts else {
            return !places.contains { $0.count == text.count && texts[$0].elementsEqual(text) }
        }
        if known.isEmpty { known = Set(places.map { Array(texts[$0]) }) }
        return known.insert(Array(text)).inserted
    }
}
