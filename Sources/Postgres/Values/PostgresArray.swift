/// A one-dimensional array field whose elements may be null.
package struct PostgresArray<Element: PostgresDecodable>: PostgresDecodable {
    package let elements: [Element?]

    package static func decode(
        _ bytes: UnsafeRawBufferPointer,
        as type: PostgresType
    ) throws(PostgresError) -> PostgresArray<Element> {
        guard let declared = PostgresArrayTypes.element(of: type) else { throw .mismatch(type) }
        var reader = BinaryReader(bytes)
        let dimensions = try reader.integer(Int32.self)
        let nullFlag = try reader.integer(Int32.self)
        let element = PostgresType(oid: try reader.integer(UInt32.self))
        guard element == declared else { throw .mismatch(element) }
        guard dimensions != 0 else {
            try reader.finish()
            return PostgresArray(elements: [])
        }
        // Arrays of several dimensions would lose their shape here.
        guard dimensions == 1, nullFlag == 0 || nullFlag == 1 else { throw PostgresError(.malformedValue) }
        let count = try reader.integer(Int32.self)
        _ = try reader.integer(Int32.self)
        // Each element takes at least the four bytes of its length, so a larger count is false and must not be reserved
        // for.
        guard count >= 0, Int(count) <= reader.remaining / 4 else { throw PostgresError(.malformedValue) }
        var elements: [Element?] = []
        elements.reserveCapacity(Int(count))
        for _ in 0..<count {
            let length = try reader.integer(Int32.self)
            if length == -1 {
                elements.append(nil)
            } else {
                elements.append(try Element.decode(try reader.take(Int(length)), as: element))
            }
        }
        try reader.finish()
        return PostgresArray(elements: elements)
    }
}

enum PostgresArrayTypes {
    private static let elements: [PostgresType: PostgresType] = [
        .boolArray: .bool, .byteaArray: .bytea, .nameArray: .name, .int2Array: .int2, .int4Array: .int4,
        .int8Array: .int8, .textArray: .text, .varcharArray: .varchar, .timestamptzArray: .timestamptz,
        .jsonArray: .json, .jsonbArray: .jsonb, .uuidArray: .uuid,
    ]

    static func element(of array: PostgresType) -> PostgresType? {
        elements[array]
    }
}
