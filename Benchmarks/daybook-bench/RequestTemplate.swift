import Canonical

/// A request with records that differ only in digits, which are overwritten in place.
struct RequestTemplate {
    /// A digit of the record's number.
    static let digit = "\u{1}"
    /// A digit of the previous record's number, which this record follows up.
    static let earlierDigit = "\u{2}"
    /// A digit of the number of five related records.
    static let groupDigit = "\u{3}"

    private struct Slot {
        let end: Int
        let width: Int
        /// The index of the record in the request.
        let record: Int
        let divisor: UInt64
    }

    private var bytes: [UInt8]
    private var slots: [Slot] = []
    let records: Int

    /// - Parameter lines: The records, without line ends. A run of `digit` becomes a number.
    init(path: String, type: String, key: String, lines: [String]) {
        let body = lines.joined(separator: "\n")
        let head = """
            POST \(path) HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(key)\r\nContent-Type: \(type)\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n
            """
        bytes = Array((head + body).utf8)
        records = lines.count
        var record = 0
        var position = head.utf8.count
        while position < bytes.count {
            let byte = bytes[position]
            if byte == 0x0A { record += 1 }
            guard (1...3).contains(byte) else {
                position += 1
                continue
            }
            let start = position
            while position < bytes.count, bytes[position] == byte { position += 1 }
            slots.append(
                Slot(
                    end: position,
                    width: position - start,
                    record: byte == 2 ? record - 1 : record,
                    divisor: byte == 3 ? 5 : 1
                )
            )
        }
    }

    /// Writes the request; its first record has this number.
    func write(from number: UInt64, to request: inout [UInt8]) {
        if request.count != bytes.count { request = bytes }
        request.withUnsafeMutableBufferPointer { request in
            for slot in slots {
                var rest = (number + UInt64(slot.record)) / slot.divisor
                for offset in 1...slot.width {
                    request[slot.end - offset] = UInt8(0x30 + rest % 10)
                    rest /= 10
                }
            }
        }
    }
}

/// The records to send.
enum BenchRecords {
    /// Documents of the vendors' manuals. Each is a new payment, except that one of five is a capture of the
    /// authorisation before it.
    static func documents(_ count: Int) throws -> [String] {
        let sales = try ["MSR sale", "EMV sale", "MSR sale", "Authorisation", "Capture with tip"].map(bridgePay)
        return (0..<count).map { sales[$0 % sales.count] }
    }

    /// One document, which is a new payment each time.
    static func document() throws -> String { try bridgePay("MSR sale") }

    private static func bridgePay(_ title: String) throws -> String {
        let all = try JSONValue(parsing: EmbeddedFiles.documents_json).array ?? []
        guard let record = all.first(where: { $0["title"]?.string == title })?["record"],
            let id = record["body"]?["BridgeCommResponse"]?["gatewayTransactionID"]?.string,
            let invoice = record["body"]?["BridgeCommResponse"]?["transactionID"]?.string
        else { throw LoadFailure("there is no sample \(title)") }
        let sign = title == "Capture with tip" ? RequestTemplate.earlierDigit : RequestTemplate.digit
        let number = String(repeating: sign, count: 9)
        return record.text.replacing("\"\(id)\"", with: "\"\(number)\"")
            .replacing("\"\(invoice)\"", with: "\"\(number)\"").replacing("MCC7754741020", with: "MC\(number)")
    }

    /// Events with 400 bytes of data, five in a stream, each with its own key.
    ///
    /// - Parameter count: 1, or a multiple of five.
    static func events(_ count: Int) -> [String] {
        let number = String(repeating: RequestTemplate.digit, count: 12)
        let group = String(repeating: RequestTemplate.groupDigit, count: 12)
        let data = BenchPayload.text(number: number)
        return (0..<count).map { index in
            let stream = count == 1 ? "\"bench/\(number)\",\"expectedVersion\":0" : "\"bench/\(group)\""
            let version = count == 1 ? "" : ",\"expectedVersion\":\(index % 5)"
            return """
                {"stream":\(stream)\(version),"idempotencyKey":"k-\(number)","events":\
                [{"type":"Measured","schema":1,"occurredAt":"2026-01-02T03:04:05.000006Z","data":\(data)}]}
                """
        }
    }
}

/// The data of an event: 400 bytes, similar to a payment.
enum BenchPayload {
    static func text(number: String) -> String {
        let filler = """
            {"id":"\(number)","amounts":{"total":{"value":1340,"currency":"USD"},"tip":{"value":100,"currency":"USD"},\
            "tax":{"value":200,"currency":"USD"}},"evidence":"gateway","response":{"code":"00","message":\
            "APPROVAL DSC380"},"references":{"gatewayTransaction":"\(number)","authorizationCode":"DSC380",\
            "terminal":"PPB01","merchant":"320001"},"note":"
            """
        let left = 400 - filler.utf8.count - 2
        return filler + String(repeating: "x", count: max(0, left)) + "\"}"
    }
}
