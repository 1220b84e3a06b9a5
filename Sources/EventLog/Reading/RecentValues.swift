/// A dictionary with a size limit: a value is dropped when half the limit of other values came in since its last use.
package struct RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let half: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    package init(limit: Int) {
        half = max(1, limit / 2)
    }

    package var count: Int { young.count + old.count }

    package subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old.removeValue(forKey: key) else { return nil }
            insert(value, for: key)
            return value
        }
        set {
            old[key] = nil
            guard let newValue else {
                young[key] = nil
                return
            }
            insert(newValue, for: key)
        }
    }

    /// All values with their keys, in no order.
    package var entries: [(key: Key, value: Value)] { Array(old) + Array(young) }

    /// Drops all values.
    package mutating func clear() {
        young = [:]
        old = [:]
    }

    private mutating func insert(_ value: Value, for key: Key) {
        if young.count >= half, young[key] == nil {
            old = young
            young = [:]
            young.reserveCapacity(half)
        }
        young[key] = value
    }
}
