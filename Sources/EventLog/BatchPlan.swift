import Canonical

/// Chooses what goes into the next batch. Pure: a queue in, a batch and the rest out.
///
/// The append function wants the streams and keys of different items to be disjoint. An item that meets one of an
/// earlier item waits for the next batch, so that items which have anything in common are appended in queue order;
/// one that repeats a chosen item's request rides along with it.
struct BatchPlan<Ticket> {
    struct Entry {
        var item: AppendItem
        var ticket: Ticket
    }

    /// The batch, in queue order.
    private(set) var chosen: [Entry] = []
    /// Tickets that repeat `chosen[index]`.
    private(set) var riders: [Int: [Entry]] = [:]
    /// What stays in the queue, in order.
    private(set) var rest: [Entry] = []

    init(queue: [Entry], maxItems: Int, maxBytes: Int) {
        var streams: Set<Name> = []
        var references: Set<Name> = []
        var keys: Set<Key> = []
        var leaders: [Key: Int] = [:]
        var bytes = 0
        for (offset, entry) in queue.enumerated() {
            let item = entry.item
            guard chosen.count < maxItems, chosen.isEmpty || bytes + item.byteCount <= maxBytes else {
                rest.append(contentsOf: queue[offset...])
                return
            }
            let itemKeys = item.idempotency.map { Key(tenant: item.tenant, key: $0.key) }
            // Only the very same set of keys for the very same requests is the same request.
            if let leader = itemKeys.first.flatMap({ leaders[$0] }),
                chosen[leader].item.idempotency == item.idempotency
            {
                riders[leader, default: []].append(entry)
                continue
            }
            let stream = Name(tenant: item.tenant, text: item.stream)
            let names = item.references.map { Name(tenant: item.tenant, text: $0) }
            let isFree =
                !streams.contains(stream) && references.isDisjoint(with: names) && keys.isDisjoint(with: itemKeys)
            // Those who wait hold their place, too: nobody behind them gets ahead on the same stream or key.
            streams.insert(stream)
            references.formUnion(names)
            keys.formUnion(itemKeys)
            guard isFree else {
                rest.append(entry)
                continue
            }
            for key in itemKeys { leaders[key] = chosen.count }
            chosen.append(entry)
            bytes += item.byteCount
        }
    }

    private struct Name: Hashable {
        var tenant: String
        var text: String
    }

    private struct Key: Hashable {
        var tenant: String
        var key: [UInt8]
    }
}

extension AppendResult {
    /// What a repeat of an item with this result is answered: the same, but as a repeat. Nil where the result was
    /// about the stream the item chose, and not about the request.
    var asRepeat: AppendResult? {
        switch self {
        case .appended(let range), .duplicate(let range): .duplicate(range)
        case .mismatch: .mismatch
        case .claimed, .conflict: nil
        }
    }
}
