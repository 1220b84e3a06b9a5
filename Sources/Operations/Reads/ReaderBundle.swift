package import Canonical
package import Composition
import EventLog
package import Payments
import Projections

/// Everything about one reader that its vendor's support needs, of a limited time: the reader with its versions, errors
/// and updates, and the events about it in the order of the log. It has what the log has: no card data.
package struct ReaderBundle: Sendable {
    /// The most events of a bundle.
    package static let mostEvents = 5_000
    /// The most bytes of its events.
    package static let mostBytes = 16 << 20
    /// The most events of payments that are read to find those about the reader.
    static let mostRead: Int64 = 50_000
    /// The time of a bundle whose beginning is not given, in microseconds.
    static let standardMicroseconds: Int64 = 86_400_000_000

    package var reader: ReaderJSON
    package var from: Timestamp
    /// Nil for all that is recorded by now.
    package var to: Timestamp?
    /// By position.
    private(set) var events: [RecordedEvent] = []
    private var byteCount = 0

    init(_ reader: ReaderJSON, from: Timestamp, to: Timestamp?) {
        self.reader = reader
        self.from = from
        self.to = to
    }

    /// - Throws: `bundle-too-large`.
    fileprivate mutating func add(_ event: RecordedEvent) throws(Refusal) {
        byteCount += event.data.utf8.count
        guard events.count < Self.mostEvents, byteCount <= Self.mostBytes else { throw .bundleTooLarge }
        events.append(event)
    }

    fileprivate mutating func sort() { events.sort { $0.position < $1.position } }

    /// The name of its file.
    package var fileName: String {
        let serial = StreamName.readerName(reader.serial).replacing(":", with: "-")
        return "reader-\(reader.vendor.rawValue)-\(serial).ndjson"
    }

    /// One line about the reader, then one for each event, with its record line byte for byte.
    package func lines() throws -> [UInt8] {
        let head = BundleLineJSON(kind: .reader, from: from, to: to, reader: reader)
        var bytes = try JSONTextEncoder().bytes(of: head)
        bytes.append(0x0A)
        for event in events {
            bytes += Array(#"{"kind":"event","event":"#.utf8) + Array(event.recordLine.utf8) + Array("}\n".utf8)
        }
        return bytes
    }
}

/// One line of a bundle.
package struct BundleLineJSON: Codable, Sendable, Hashable {
    package enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
        case reader, event
    }

    package var kind: Kind
    /// The range of the bundle, by the ledger's clock; without an end it has all that was recorded by then.
    package var from: Timestamp?
    package var to: Timestamp?
    package var reader: ReaderJSON?
    package var event: EventJSON?
}

extension Refusal {
    static let bundleTooLarge = Refusal(
        kind: .unprocessable,
        code: "bundle-too-large",
        title: "The bundle is too large",
        detail: "Choose a shorter time: a bundle has at most \(ReaderBundle.mostEvents) events and "
            + "\(ReaderBundle.mostBytes >> 20) MiB."
    )
}

extension Ledger {
    /// The bundle of a reader, under any of its names; nil if there is no such reader.
    ///
    /// - Parameters:
    ///   - from: Only events recorded at this time or later; 24 hours before the end if left out.
    ///   - to: Only events recorded before this time; now if left out.
    /// - Throws: `bundle-too-large`; errors of reading.
    package func readerBundle(
        of reference: ReaderReference,
        tenant: String,
        from: Timestamp? = nil,
        to: Timestamp? = nil
    ) async throws -> ReaderBundle? {
        guard let view = try await payments.readers.reader(reference, of: tenant) else { return nil }
        let from = from ?? (to ?? clock.now()).adding(microseconds: -ReaderBundle.standardMicroseconds)
        var bundle = ReaderBundle(ReaderJSON(view), from: from, to: to)
        let names = try await payments.readers.names(of: view, tenant: tenant)
        for name in names {
            let stream = StreamName.reader(ReaderReference(vendor: view.reader.vendor, serial: name))
            try await add(stream: stream, of: tenant, to: &bundle)
        }
        let position = try await reader.position(recordedUpTo: from.adding(microseconds: -1))
        var found = try await payments.readers.payments(
            at: view,
            names: names,
            of: tenant,
            changedAfter: position,
            begunBefore: to,
            limit: ReaderBundle.mostEvents + 1
        )
        guard found.count <= ReaderBundle.mostEvents, found.reduce(0, { $0 + $1.count }) <= ReaderBundle.mostRead else {
            throw Refusal.bundleTooLarge
        }
        while !found.isEmpty {
            let piece = Array(found.prefix(50))
            found.removeFirst(piece.count)
            let streams = try await reader.prefixes(piece)
            for prefix in piece { try bundle.add(payment: streams[prefix] ?? [], at: view, names: Set(names)) }
        }
        bundle.sort()
        return bundle
    }

    /// Adds the events of a reader's own stream.
    private func add(stream: String, of tenant: String, to bundle: inout ReaderBundle) async throws {
        var filter = EventFilter()
        filter.stream = stream
        (filter.recordedFrom, filter.recordedBefore) = (bundle.from, bundle.to)
        var position: Int64 = 0
        while true {
            let events = try await reader.feed(of: tenant, matching: filter, after: position, limit: 200)
            for event in events { try bundle.add(event) }
            guard events.count == 200, let last = events.last else { return }
            position = last.position
        }
    }
}

extension ReaderBundle {
    /// Adds the reports of the reader during a payment, and the documents that contain its log. Nothing else of the
    /// payment is added.
    fileprivate mutating func add(payment: [RecordedEvent], at view: ReaderView, names: Set<String>) throws {
        var document: RecordedEvent?
        for event in payment {
            if event.type == JournalName.documentReceived.rawValue { document = event }
            // Receipts have data of the card and its holder, which are not for the vendor.
            guard let name = DeviceEventName(rawValue: event.type), name != .receiptPrinted,
                name != .signatureRequested, event.recordedAt >= from, to.map({ event.recordedAt < $0 }) ?? true
            else { continue }
            let report = try DeviceEvent(
                type: event.type,
                schema: event.schema,
                data: JSONValue(parsing: event.data.utf8)
            ).report
            if let reader = report.reader.map(StreamName.named) {
                guard reader.vendor == view.reader.vendor, names.contains(reader.serial) else { continue }
            }
            // A document with a log has no other report.
            if name == .readerLogReported, let log = document, log.version + 1 == event.version { try add(log) }
            try add(event)
        }
    }
}
