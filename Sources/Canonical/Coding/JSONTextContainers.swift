/// Appends the members of one object.
struct JSONTextMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONTextWriter
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    private func put(_ value: Int64, _ key: Key) {
        writer.beginMember(key.stringValue, at: depth)
        writer.append(value)
    }

    private func put(_ value: UInt64, _ key: Key) {
        writer.beginMember(key.stringValue, at: depth)
        writer.append(value)
    }

    func encodeNil(forKey key: Key) {
        writer.beginMember(key.stringValue, at: depth)
        writer.appendNull()
    }
    func encode(_ value: Bool, forKey key: Key) {
        writer.beginMember(key.stringValue, at: depth)
        writer.append(value)
    }
    func encode(_ value: String, forKey key: Key) {
        writer.beginMember(key.stringValue, at: depth)
        writer.append(value)
    }
    func encode(_ value: Int, forKey key: Key) { put(Int64(value), key) }
    func encode(_ value: Int8, forKey key: Key) { put(Int64(value), key) }
    func encode(_ value: Int16, forKey key: Key) { put(Int64(value), key) }
    func encode(_ value: Int32, forKey key: Key) { put(Int64(value), key) }
    func encode(_ value: Int64, forKey key: Key) { put(value, key) }
    func encode(_ value: UInt, forKey key: Key) { put(UInt64(value), key) }
    func encode(_ value: UInt8, forKey key: Key) { put(UInt64(value), key) }
    func encode(_ value: UInt16, forKey key: Key) { put(UInt64(value), key) }
    func encode(_ value: UInt32, forKey key: Key) { put(UInt64(value), key) }
    func encode(_ value: UInt64, forKey key: Key) { put(value, key) }
    func encode(_ value: Double, forKey key: Key) throws { throw JSONTextWriter.Unfit() }
    func encode(_ value: Float, forKey key: Key) throws { throw JSONTextWriter.Unfit() }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        writer.beginMember(key.stringValue, at: depth)
        try writer.write(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        writer.refuse()
        return JSONTreeEncoder(at: .root).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        writer.refuse()
        return JSONTreeEncoder(at: .root).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        writer.refuse()
        return JSONTreeEncoder(at: .root)
    }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// Appends the elements of one array.
struct JSONTextElements: UnkeyedEncodingContainer {
    let writer: JSONTextWriter
    let depth: Int
    private(set) var count = 0

    init(writer: JSONTextWriter, depth: Int) {
        self.writer = writer
        self.depth = depth
    }

    var codingPath: [any CodingKey] { [] }

    private mutating func begin() {
        writer.beginElement(at: depth)
        count += 1
    }

    private mutating func put(_ value: Int64) {
        begin()
        writer.append(value)
    }

    private mutating func put(_ value: UInt64) {
        begin()
        writer.append(value)
    }

    mutating func encodeNil() {
        begin()
        writer.appendNull()
    }
    mutating func encode(_ value: Bool) {
        begin()
        writer.append(value)
    }
    mutating func encode(_ value: String) {
        begin()
        writer.append(value)
    }
    mutating func encode(_ value: Int) { put(Int64(value)) }
    mutating func encode(_ value: Int8) { put(Int64(value)) }
    mutating func encode(_ value: Int16) { put(Int64(value)) }
    mutating func encode(_ value: Int32) { put(Int64(value)) }
    mutating func encode(_ value: Int64) { put(value) }
    mutating func encode(_ value: UInt) { put(UInt64(value)) }
    mutating func encode(_ value: UInt8) { put(UInt64(value)) }
    mutating func encode(_ value: UInt16) { put(UInt64(value)) }
    mutating func encode(_ value: UInt32) { put(UInt64(value)) }
    mutating func encode(_ value: UInt64) { put(value) }
    mutating func encode(_ value: Double) throws { throw JSONTextWriter.Unfit() }
    mutating func encode(_ value: Float) throws { throw JSONTextWriter.Unfit() }
    mutating func encode(_ value: some Encodable) throws {
        begin()
        try writer.write(value)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        writer.refuse()
        return JSONTreeEncoder(at: .root).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.refuse()
        return JSONTreeEncoder(at: .root).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        writer.refuse()
        return JSONTreeEncoder(at: .root)
    }
}

/// Appends one value that is no container, or that is encoded by another type.
struct JSONTextScalar: SingleValueEncodingContainer {
    let writer: JSONTextWriter
    let depth: Int

    var codingPath: [any CodingKey] { [] }

    private func put(_ value: Int64) {
        writer.beginScalar(at: depth)
        writer.append(value)
    }

    private func put(_ value: UInt64) {
        writer.beginScalar(at: depth)
        writer.append(value)
    }

    func encodeNil() {
        writer.beginScalar(at: depth)
        writer.appendNull()
    }
    func encode(_ value: Bool) {
        writer.beginScalar(at: depth)
        writer.append(value)
    }
    func encode(_ value: String) {
        writer.beginScalar(at: depth)
        writer.append(value)
    }
    func encode(_ value: Int) { put(Int64(value)) }
    func encode(_ value: Int8) { put(Int64(value)) }
    func encode(_ value: Int16) { put(Int64(value)) }
    func encode(_ value: Int32) { put(Int64(value)) }
    func encode(_ value: Int64) { put(value) }
    func encode(_ value: UInt) { put(UInt64(value)) }
    func encode(_ value: UInt8) { put(UInt64(value)) }
    func encode(_ value: UInt16) { put(UInt64(value)) }
    func encode(_ value: UInt32) { put(UInt64(value)) }
    func encode(_ value: UInt64) { put(value) }
    func encode(_ value: Double) throws { throw JSONTextWriter.Unfit() }
    func encode(_ value: Float) throws { throw JSONTextWriter.Unfit() }
    func encode(_ value: some Encodable) throws {
        writer.beginScalar(at: depth)
        try writer.write(value)
    }
}
