import Canonical
import Payments
import Redaction

/// The rules for events that do not come from a vendor's document: which are allowed on which stream.
///
/// The read models and settlement read every event on the streams of payments and batches, and stop at one they cannot
/// read. So those streams accept only events they understand, in a form they understand; and on other streams no event
/// may have one of the names they look for.
enum StreamRules {
    /// Why an event is not allowed there.
    enum Refusal: String, Sendable, Hashable, CaseIterable {
        /// The name is not a valid stream name.
        case malformedStream = "malformed-stream"
        /// Only the ledger itself writes there.
        case reservedStream = "reserved-stream"
        /// The type belongs on another kind of stream.
        case reservedType = "reserved-type"
        /// The type is not one of this kind of stream.
        case unknownType = "unknown-event-type"
        /// The data does not have the form of the type.
        case unreadable = "unreadable-event"
        /// The event is evidence that the sender's key may not report.
        case evidenceScope = "needs-evidence-scope"
        /// The batch that the event names has another stream.
        case wrongStream = "wrong-stream"
        /// The tenant has no such statement line.
        case unknownStatementLine = "unknown-statement-line"
    }

    private enum Kind {
        case transaction, batch, reader, checkout, own
    }

    /// The events of a record that are allowed on its stream.
    struct Accepted {
        /// Whether the stream is about a payment, batch, reader or checkout, and not an integrator's own.
        let isFolded: Bool
        /// The data of each in the form in which it is stored: what the ledger reads, as the ledger writes it.
        var data: [JSONValue] = []
        /// Each event of a payment.
        var facts: [TransactionEvent] = []
    }

    /// The names of all events the ledger itself understands.
    private static let ownTypes = Set(
        TransactionEvent.types + BatchEvent.Name.allCases.map(\.rawValue) + TenantEvent.Name.allCases.map(\.rawValue)
    )
    private static let journalTypes = JournalName.allCases.map(\.rawValue)

    /// Reads the events of a record by the rules of its stream.
    ///
    /// - Parameters:
    ///   - data: The scrubbed data of each event.
    ///   - allowsEvidence: Whether the sender may report evidence of a gateway or of settlement.
    /// - Throws: `IntakeProblem` with the rule that is broken, and the place.
    static func accepted(
        _ record: EventRecord,
        data: [JSONValue],
        allowingEvidence allowsEvidence: Bool,
        tenant: String
    ) throws(IntakeProblem) -> Accepted {
        let kind = try kind(of: record.stream)
        var accepted = Accepted(isFolded: kind != .own)
        accepted.data.reserveCapacity(data.count)
        for (index, (event, data)) in zip(record.events, data).enumerated() {
            let pointer = "/events/\(index)"
            if !allowsEvidence, kind != .own, let member = ReportedEvidence.member(of: event.type, data) {
                throw refusal(
                    .evidenceScope,
                    "A till does not know this. Send it with a key that has the scope evidence, or report what the reader "
                        + "reported.",
                    "\(pointer)/\(member)"
                )
            }
            switch kind {
            case .own:
                guard !ownTypes.contains(event.type) else {
                    throw refusal(
                        .reservedType,
                        "The ledger reads events of this type only on its own streams. Choose another name.",
                        "\(pointer)/type"
                    )
                }
                accepted.data.append(data)
            case .transaction:
                let types = TransactionEvent.reportedTypes
                let known = try read(TransactionEvent.self, of: types, event, data, pointer)
                if case .outcomeResolved(let reported) = known.event,
                    reported.means == .testimony || reported.testimony != nil
                {
                    throw refusal(
                        .reservedType,
                        "An operator's testimony is recorded by `POST /v1/doubts/{id}/end`.",
                        "\(pointer)/data/means"
                    )
                }
                accepted.data.append(known.data)
                accepted.facts.append(known.event)
            case .reader:
                let types = journalTypes + DeviceEventName.allCases.map(\.rawValue)
                accepted.data.append(try read(ReaderStreamEvent.self, of: types, event, data, pointer).data)
            case .checkout:
                let types = journalTypes + CheckoutEventName.allCases.map(\.rawValue)
                accepted.data.append(try read(CheckoutStreamEvent.self, of: types, event, data, pointer).data)
            case .batch:
                let types = BatchEvent.reportedTypes
                let known = try read(BatchEvent.self, of: types, event, data, pointer)
                // The same batch must not have two streams.
                if let batch = known.event.batch, StreamName.batch(batch, of: tenant) != record.stream {
                    let right = StreamName.batch(batch, of: tenant)
                    throw refusal(.wrongStream, "The batch named in the event has the stream \(right).", "/stream")
                }
                accepted.data.append(known.data)
            }
        }
        return accepted
    }

    private static func kind(of stream: String) throws(IntakeProblem) -> Kind {
        guard isName(stream), TextScrubber().scrub(stream).text == stream else {
            throw refusal(
                .malformedStream,
                "A stream is named `category/id`: 3 to 200 ASCII letters, digits and `-_.:/`, the category in lower "
                    + "case, and nothing that could be a card number.",
                "/stream"
            )
        }
        let category = stream.prefix { $0 != "/" }
        switch category {
        case "transaction":
            guard isID(StreamName.transactionID(stream)) else { throw notAnID() }
            return .transaction
        case "batch":
            guard isID(StreamName.batchID(stream)) else { throw notAnID() }
            return .batch
        case "reader":
            guard let reader = StreamName.readerReference(stream), StreamName.reader(reader) == stream else {
                throw refusal(
                    .malformedStream,
                    "A reader's stream is named `reader/<vendor>/<serial>`; other than letters, digits and `-_.:` are "
                        + "replaced by a digest.",
                    "/stream"
                )
            }
            return .reader
        case "checkout": return .checkout
        case "statement", "reconciliation", "exception", "period", "export", "chart", "replay", "proposal", "tenant",
            "log", "ledger":
            throw refusal(.reservedStream, "Only the ledger appends to this stream.", "/stream")
        default: return .own
        }
    }

    /// Whether a name has the form `category/id`.
    private static func isName(_ stream: String) -> Bool {
        let bytes = stream.utf8
        guard (3...200).contains(bytes.count), let first = bytes.first, (0x61...0x7A).contains(first) else {
            return false
        }
        var isInCategory = true
        var idLength = 0
        for byte in bytes {
            let isLower = (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
            if isInCategory {
                if byte == 0x2F {
                    isInCategory = false
                } else if !isLower {
                    return false
                }
                continue
            }
            let isOther = (0x41...0x5A).contains(byte) || byte == 0x5F || byte == 0x2E || byte == 0x3A || byte == 0x2F
            guard isLower || isOther else { return false }
            idLength += 1
        }
        return idLength > 0
    }

    /// Whether an id is a UUID in the one form in which the ledger writes it.
    private static func isID(_ id: String?) -> Bool {
        guard let id, let uuid = UUID128(id) else { return false }
        return uuid.description == id
    }

    private static func notAnID() -> IntakeProblem {
        refusal(.malformedStream, "Payments and batches are named by a UUID in lower case.", "/stream")
    }

    private static func unknownType(_ known: [String], _ pointer: String) -> IntakeProblem {
        refusal(
            .unknownType,
            "This stream has no such events. Known types: \(known.joined(separator: ", ")).",
            "\(pointer)/type"
        )
    }

    private static func read<Known: LedgerEvent>(
        _ type: Known.Type,
        of types: [String],
        _ event: EventRecord.Event,
        _ data: JSONValue,
        _ pointer: String
    ) throws(IntakeProblem) -> (event: Known, data: JSONValue) {
        guard types.contains(event.type) else { throw unknownType(types, pointer) }
        let shape = "The data does not have the shape of its type."
        do {
            let known = try Known(type: event.type, schema: event.schema, data: data)
            let written = try known.data()
            guard written.covers(data) else {
                throw refusal(.unreadable, "The data has members its type does not have.", "\(pointer)/data")
            }
            return (known, written)
        } catch let problem as IntakeProblem {
            throw problem
        } catch let error as UnknownEvent {
            throw refusal(.unreadable, "Schema \(error.schema) of this type is unknown.", "\(pointer)/schema")
        } catch let error as DecodingError {
            throw refusal(.unreadable, shape, error.pointer(under: pointer))
        } catch {
            throw refusal(.unreadable, shape, "\(pointer)/data")
        }
    }

    /// The refusal of an event that names a statement line the tenant does not have.
    static func unknownLine(inEvent index: Int) -> IntakeProblem {
        refusal(
            .unknownStatementLine,
            "There is no such statement line.",
            "/events/\(index)/data/statementLine"
        )
    }

    private static func refusal(_ refusal: Refusal, _ detail: String, _ pointer: String) -> IntakeProblem {
        IntakeProblem(.refusedEvent(refusal.rawValue), detail, pointer: pointer)
    }
}

extension BatchEvent {
    /// The batch it is about, if it names one.
    fileprivate var batch: BatchReference? {
        switch self {
        case .batchCloseRequested(let closing), .batchClosed(let closing), .batchCloseFailed(let closing):
            closing.batch
        case .batchOutOfBalance(let imbalance): imbalance.batch
        case .batchLinked(let link): link.batch
        case .documentReceived, .anomalyRaised: nil
        }
    }
}

extension JSONValue {
    /// True when every non-null member of `other` is present here, too, so that no received fact is lost.
    fileprivate func covers(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.object(let own), .object(let theirs)):
            theirs.members.allSatisfy { member in
                member.value.isNull || own[member.key].map { $0.covers(member.value) } == true
            }
        case (.array(let own), .array(let theirs)):
            own.count == theirs.count && zip(own, theirs).allSatisfy { $0.covers($1) }
        default: true
        }
    }
}

extension DecodingError {
    /// JSON Pointer to the place where reading the data under `pointer` failed. Keys of dictionaries are left out,
    /// because the sender chose them.
    fileprivate func pointer(under pointer: String) -> String {
        let path: [any CodingKey] =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return path.reduce("\(pointer)/data") { $0 + "/" + ($1.intValue.map(String.init) ?? $1.stringValue) }
    }
}
