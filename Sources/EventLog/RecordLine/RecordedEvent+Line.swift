extension RecordedEvent {
    /// Reads a record line, without its line feed; nil when the bytes are not one.
    package init?(recordLine bytes: [UInt8]) {
        let event: RecordedEvent? = bytes.withUnsafeBufferPointer { buffer in
            guard let line = try? RecordLine(buffer) else { return nil }
            return RecordedEvent(line)
        }
        guard let event else { return nil }
        self = event
    }

    private init(_ line: RecordLine) {
        self.init(
            position: line.position,
            id: line.id,
            tenant: line.text(line.tenant),
            stream: line.text(line.stream),
            version: line.version,
            type: line.text(line.type),
            schema: Int(line.schema),
            occurredAt: line.occurredAt,
            recordedAt: line.recordedAt,
            actor: line.text(line.actor),
            correlation: line.text(line.correlation),
            causation: line.causation,
            claims: line.claims.map { String(decoding: line[$0], as: UTF8.self) },
            data: String(decoding: line[line.data], as: UTF8.self)
        )
    }
}
