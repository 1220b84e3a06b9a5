import Canonical

extension RecordLine {
    /// Reads a record line strictly: it accepts only the exact bytes in which a record is written.
    ///
    /// - Throws: `RecordLineError`.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) throws(RecordLineError) {
        var reader = Reader(scan: CanonicalScan(bytes))
        self.bytes = bytes
        try reader.skip("{\"position\":")
        position = try reader.integer("position", upTo: .max)
        try reader.skip(",\"id\":")
        id = try reader.uuid("id")
        try reader.skip(",\"tenant\":")
        tenant = try reader.text("tenant")
        try reader.skip(",\"stream\":")
        stream = try reader.text("stream")
        try reader.skip(",\"version\":")
        version = try reader.integer("version", upTo: .max)
        try reader.skip(",\"type\":")
        type = try reader.text("type")
        try reader.skip(",\"schema\":")
        schema = Int16(try reader.integer("schema", upTo: Int64(Int16.max)))
        try reader.skip(",\"occurredAt\":")
        occurredAt = try reader.time("occurredAt")
        try reader.skip(",\"recordedAt\":")
        recordedAt = try reader.time("recordedAt")
        try reader.skip(",\"actor\":")
        actor = try reader.text("actor")
        try reader.skip(",\"correlation\":")
        correlation = try reader.text("correlation")
        try reader.skip(",\"causation\":")
        causation = reader.scan.skip("null") ? nil : try reader.uuid("causation")
        try reader.skip(",\"claims\":")
        if reader.scan.skip("null") {
            claims = nil
            claimed = nil
        } else {
            let start = reader.scan.position
            claimed = try reader.claimed()
            claims = start..<reader.scan.position
        }
        try reader.skip(",\"data\":")
        let start = reader.scan.position
        guard reader.scan.value() else { throw reader.error("data") }
        data = start..<reader.scan.position
        try reader.skip("}")
        guard reader.scan.isAtEnd else { throw reader.error(nil) }
    }
}

private struct Reader {
    var scan: CanonicalScan

    func error(_ member: String?) -> RecordLineError { RecordLineError(member: member, offset: scan.position) }

    mutating func skip(_ text: StaticString) throws(RecordLineError) {
        guard scan.skip(text) else { throw error(nil) }
    }

    mutating func integer(_ member: String, upTo most: Int64) throws(RecordLineError) -> Int64 {
        guard let value = scan.positiveInteger(upTo: most) else { throw error(member) }
        return value
    }

    mutating func text(_ member: String) throws(RecordLineError) -> Range<Int> {
        guard let text = scan.string(), !text.hasNUL else { throw error(member) }
        return text.range
    }

    /// Reads eight, four, four, four and twelve digits.
    mutating func uuid(_ member: String) throws(RecordLineError) -> UUID128 {
        guard scan.skip("\"") else { throw error(member) }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        for index in 0..<16 {
            if index == 4 || index == 6 || index == 8 || index == 10 {
                guard scan.skip("-") else { throw error(member) }
            }
            guard let byte = scan.lowercaseHexadecimalByte() else { throw error(member) }
            if index < 8 {
                halves.high = halves.high << 8 | UInt64(byte)
            } else {
                halves.low = halves.low << 8 | UInt64(byte)
            }
        }
        guard scan.skip("\"") else { throw error(member) }
        return UUID128(high: halves.high, low: halves.low)
    }

    mutating func time(_ member: String) throws(RecordLineError) -> Timestamp {
        guard
            scan.skip("\""), let year = scan.digits(4), scan.skip("-"), let month = scan.digits(2), scan.skip("-"),
            let day = scan.digits(2), scan.skip("T"), let hour = scan.digits(2), scan.skip(":"),
            let minute = scan.digits(2),
            scan.skip(":"), let second = scan.digits(2), scan.skip("."), let microsecond = scan.digits(6),
            scan.skip("Z"),
            scan.skip("\""),
            let time = Timestamp(
                year: year,
                month: month,
                day: day,
                hour: hour,
                minute: minute,
                second: second,
                microsecond: microsecond
            )
        else { throw error(member) }
        return time
    }

    mutating func claimed() throws(RecordLineError) -> RecordLine.Claimed {
        let member = "claims"
        guard scan.skip("{\"events\":") else { throw error(member) }
        let events = Int(try integer(member, upTo: Int64(Int32.max)))
        guard scan.skip(",\"idempotency\":{") else { throw error(member) }
        var keys: [(key: UUID128, request: [UInt8])] = []
        if !scan.skip("}") {
            repeat {
                guard scan.skip("\""), let key = hexadecimal(16), scan.skip("\":\""), let request = hexadecimal(32),
                    scan.skip("\""), let id = UUID128(bytes: key), !keys.contains(where: { $0.key == id })
                else { throw error(member) }
                keys.append((id, request))
            } while scan.skip(",")
            guard scan.skip("}") else { throw error(member) }
        }
        guard scan.skip(",\"references\":[") else { throw error(member) }
        var references: [Range<Int>] = []
        if !scan.skip("]") {
            repeat { references.append(try text(member)) } while scan.skip(",")
            guard scan.skip("]") else { throw error(member) }
        }
        guard scan.skip("}"), !keys.isEmpty || !references.isEmpty else { throw error(member) }
        return RecordLine.Claimed(events: events, idempotency: keys, references: references)
    }

    private mutating func hexadecimal(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for _ in 0..<count {
            guard let byte = scan.lowercaseHexadecimalByte() else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
