import Canonical

/// Chooses what goes into the next batch. Pure: a queue in, a batch and the rest out.
///
/// The append function wants the streams and keys of different items to be disjoint. An item that meets one
/// already chosen waits for the next batch; one that repeats a chosen item's request rides along with it and
/// shares its fate.
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
        var keys: [Key: Int] = [:]
        var bytes = 0
        for (offset, entry) in queue.enumerated() {
            guard chosen.count < maxItems, chosen.isEmpty || bytes + entry.item.byteCount <= maxBytes else {
                rest.append(contentsOf: queue[offset...])
                return
            }
            let item = entry.item
            let itemKeys = item.idempotency.map { Key(tenant: item.tenant, key: $0.key) }
            if let leader = itemKeys.lazy.compactMap({ keys[$0] }).first {
                // Only the very same set of keys for the very same requests is the same request.
                if chosen[leader].item.idempotency == item.idempotency {
                    riders[leader, default: []].append(entry)
                } else {
                    rest.append(entry)
                }
                continue
            }
            let stream = Name(tenant: item.tenant, text: item.stream)
            let names = item.references.map { Name(tenant: item.tenant, text: $0) }
            guard !streams.contains(stream), names.allSatisfy({ !references.contains($0) }) else {
                rest.append(entry)
                continue
            }
            streams.insert(stream)
            references.formUnion(names)
            for key in itemKeys { keys[key] = chosen.count }
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
    /// What a repeat of an item with this result is answered: the same, but as a repeat.
    var asRepeat: AppendResult {
        if case .appended(let range) = self { return .duplicate(range) }
        return self
    }
}
