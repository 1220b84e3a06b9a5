/// The members of a JSON object, in order, each key once.
///
/// Keys are compared by their UTF-8 bytes. Two objects are equal when they have equal members in the same order, since
/// the order is part of the text that is kept.
package struct JSONObject: Sendable {
    package struct Member: Sendable, Hashable {
        package let key: String
        package let value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }

        package static func == (left: Member, right: Member) -> Bool {
            left.key.hasSameUTF8(as: right.key) && left.value == right.value
        }

        package func hash(into hasher: inout Hasher) {
            key.hashUTF8(into: &hasher)
            hasher.combine(value)
        }
    }

    /// Empty, or one list: an array takes one word and is copied when it is changed. Objects that were read with the
    /// same names share it.
    private var names: [NameList] = []
    package private(set) var values: [JSONValue] = []

    package init() {}

    /// An object with these members in this order; nil if a key is repeated.
    package init?(_ members: some Sequence<(String, JSONValue)>) {
        for (key, value) in members {
            guard append(key, value) else { return nil }
        }
    }

    /// - Precondition: There is one value for each name.
    init(_ names: [NameList], values: [JSONValue]) {
        self.names = names
        self.values = values
    }

    package var keys: [String] { names.first?.keys ?? [] }
    /// The members as a collection.
    package var members: JSONObject { self }
    package var count: Int { values.count }
    package var isEmpty: Bool { values.isEmpty }

    /// What objects with the same names share; nil if they do not.
    package var sharedNames: SharedNames? { names.isEmpty ? nil : names[0].shared }

    /// The value of a member. Setting a new key appends it; setting an existing one keeps its place; setting nil
    /// removes the member.
    package subscript(key: String) -> JSONValue? {
        get { position(of: key).map { values[$0] } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let newValue?):
                values[position] = newValue
            case (nil, let newValue?):
                add(key, newValue)
            case (let position?, nil):
                values.remove(at: position)
                names[0].remove(at: position)
            case (nil, nil):
                break
            }
        }
    }

    /// Adds a member at the end.
    ///
    /// - Returns: false, with nothing changed, if the key already exists.
    package mutating func append(_ key: String, _ value: JSONValue) -> Bool {
        guard position(of: key) == nil else { return false }
        add(key, value)
        return true
    }

    /// The same members with other values, in the order of the members, without those at some positions.
    ///
    /// - Precondition: There is one value for each member, and the positions ascend.
    package func with(values: [JSONValue], without removed: [Int] = []) -> JSONObject {
        precondition(values.count == count, "each member needs a value")
        guard !removed.isEmpty else { return JSONObject(names, values: values) }
        var left: [JSONValue] = []
        left.reserveCapacity(values.count - removed.count)
        var next = removed[...]
        for (position, value) in values.enumerated() {
            if next.first == position { next.removeFirst() } else { left.append(value) }
        }
        return JSONObject(names[0].without(removed), values: left)
    }

    private mutating func add(_ key: String, _ value: JSONValue) {
        if names.isEmpty { names.append(NameList()) }
        names[0].append(key)
        values.append(value)
    }

    private func position(of key: String) -> Int? {
        names.isEmpty ? nil : names[0].position(of: key)
    }
}

extension JSONObject: Hashable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        return left.isEmpty || left.names[0].isSame(as: right.names[0]) && left.values == right.values
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for member in self { hasher.combine(member) }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// If a key is given twice, the last value is used.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }
}

extension JSONObject: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { values.count }
    package subscript(position: Int) -> Member { Member(key: names[0].keys[position], value: values[position]) }
}
