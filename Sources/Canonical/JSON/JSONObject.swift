/// The members of a JSON object, in order, each key once.
///
/// Keys are compared by their UTF-8 bytes. Two objects are equal when they have equal members in the same order, since
/// the order is part of the text that is kept.
package struct JSONObject: Sendable {
    package struct Member: Sendable, Hashable {
        package let key: String
        package internal(set) var value: JSONValue

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

    package private(set) var members: [Member] = []
    private var keys = KeyIndex()

    package init() {}

    /// An object with these members in this order; nil if a key is repeated.
    package init?(_ members: some Sequence<(String, JSONValue)>) {
        for (key, value) in members {
            guard append(key, value) else { return nil }
        }
    }

    /// - Precondition: The keys differ.
    init(distinct members: [Member]) {
        self.members = members
        keys.extend(count: members.count) { members[$0].key }
    }

    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }

    /// The value of a member. Setting a new key appends it; setting an existing one keeps its place; setting nil
    /// removes the member.
    package subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let newValue?):
                members[position].value = newValue
            case (nil, let newValue?):
                add(key, newValue)
            case (let position?, nil):
                members.remove(at: position)
                keys = KeyIndex()
                keys.extend(count: members.count) { members[$0].key }
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

    /// The same members with other values, in the order of the members.
    ///
    /// - Precondition: There is one value for each member.
    package func with(values: [JSONValue]) -> JSONObject {
        precondition(values.count == members.count, "each member needs a value")
        var object = self
        for index in values.indices { object.members[index].value = values[index] }
        return object
    }

    private mutating func add(_ key: String, _ value: JSONValue) {
        members.append(Member(key: key, value: value))
        keys.extend(count: members.count) { members[$0].key }
    }

    private func position(of key: String) -> Int? {
        keys.position(of: key, count: members.count) { members[$0].key }
    }
}

extension JSONObject: Hashable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool { left.members == right.members }

    package func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// If a key is given twice, the last value is used.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }
}

extension JSONObject: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { members.count }
    package subscript(position: Int) -> Member { members[position] }
}
