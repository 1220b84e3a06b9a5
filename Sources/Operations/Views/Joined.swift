/// Two documents whose members are in one object: those of the first, then those of the second.
@dynamicMemberLookup
package struct Joined<First: Codable & Sendable & Hashable, Second: Codable & Sendable & Hashable>: Codable, Sendable,
    Hashable
{
    package var first: First
    package var second: Second

    package init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    package init(from decoder: any Decoder) throws {
        first = try First(from: decoder)
        second = try Second(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try first.encode(to: encoder)
        try second.encode(to: encoder)
    }

    package subscript<Value>(dynamicMember member: KeyPath<First, Value>) -> Value { first[keyPath: member] }
    package subscript<Value>(dynamicMember member: KeyPath<Second, Value>) -> Value { second[keyPath: member] }
}
