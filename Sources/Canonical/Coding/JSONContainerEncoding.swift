/// Fills an object in the order of the calls.
struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let box: JSONObjectBox
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.codingPath }

    private func put(_ value: Int64, _ key: Key) { box[key.stringValue] = .value(.number(JSONNumber(value))) }
    private func put(_ value: UInt64, _ key: Key) { box[key.stringValue] = .value(.number(JSONNumber(value))) }

    func encodeNil(forKey key: Key) { box[key.stringValue] = .value(.null) }
    func encode(_ value: Bool, forKey key: Key) { box[key.stringValue] = .value(.bool(value)) }
    func encode(_ value: String, forKey key: Key) { box[key.stringValue] = .value(.string(value)) }
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
    func encode(_ value: Double, forKey key: Key) throws {
        throw EncodingError.floatingPoint(Double.self, at: trail.appending(key))
    }
    func encode(_ value: Float, forKey key: Key) throws {
        throw EncodingError.floatingPoint(Float.self, at: trail.appending(key))
    }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        box[key.stringValue] = try JSONTreeEncoder.encode(value, at: trail.appending(key))
    }

    /// Returns the same container when called twice for a key.
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = if case .object(let box)? = box[key.stringValue] { box } else { JSONObjectBox() }
        box[key.stringValue] = .object(nested)
        return KeyedEncodingContainer(JSONKeyedEncoding<NestedKey>(box: nested, trail: trail.appending(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = if case .array(let box)? = box[key.stringValue] { box } else { JSONArrayBox() }
        box[key.stringValue] = .array(nested)
        return JSONUnkeyedEncoding(box: nested, trail: trail.appending(key))
    }

    func superEncoder() -> any Encoder { superEncoder(at: PlaceKey.superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(at: key) }

    private func superEncoder(at key: any CodingKey) -> any Encoder {
        let encoder = JSONTreeEncoder(at: trail.appending(key))
        box[key.stringValue] = .encoder(encoder)
        return encoder
    }
}

/// Fills an array.
struct JSONUnkeyedEncoding: UnkeyedEncodingContainer {
    let box: JSONArrayBox
    let trail: CodingTrail

    var codingPath: [any CodingKey] { trail.codingPath }
    var count: Int { box.slots.count }
    private var place: CodingTrail { trail.appending(PlaceKey(index: count)) }

    private func put(_ value: JSONValue) { box.slots.append(.value(value)) }
    private func put(_ value: Int64) { put(.number(JSONNumber(value))) }
    private func put(_ value: UInt64) { put(.number(JSONNumber(value))) }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
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
    func encode(_ value: Double) throws { throw EncodingError.floatingPoint(Double.self, at: place) }
    func encode(_ value: Float) throws { throw EncodingError.floatingPoint(Float.self, at: place) }
    func encode(_ value: some Encodable) throws {
        box.slots.append(try JSONTreeEncoder.encode(value, at: place))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = JSONKeyedEncoding<NestedKey>(box: JSONObjectBox(), trail: place)
        box.slots.append(.object(nested.box))
        return KeyedEncodingContainer(nested)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = JSONUnkeyedEncoding(box: JSONArrayBox(), trail: place)
        box.slots.append(.array(nested.box))
        return nested
    }

    func superEncoder() -> any Encoder {
        let encoder = JSONTreeEncoder(at: place)
        box.slots.append(.encoder(encoder))
        return encoder
    }
}
