import Canonical
import Payments
import Testing

@Suite("Stored events keep their shape")
struct GoldenTests {
    @Test("Transaction events")
    func transactions() throws {
        try check(Samples.transactions, "transaction-events", types: TransactionEvent.Name.allCases.map(\.rawValue))
    }

    @Test("Batch events")
    func batches() throws {
        try check(Samples.batches, "batch-events", types: BatchEvent.Name.allCases.map(\.rawValue))
    }

    @Test("Tenant events")
    func tenants() throws {
        try check(Samples.tenants, "tenant-events", types: TenantEvent.Name.allCases.map(\.rawValue))
    }

    @Test("Reports of readers, checkouts and cards")
    func reports() throws {
        try check(Samples.devices, "device-events", types: DeviceEvent.Name.allCases.map(\.rawValue))
        try check(Samples.checkouts, "checkout-events", types: CheckoutEvent.Name.allCases.map(\.rawValue))
        try check(Samples.values, "value-events", types: ValueEvent.Name.allCases.map(\.rawValue))
    }

    @Test("Calls to gateways")
    func gateways() throws {
        try check(Samples.gateways, "gateway-events", types: GatewayEvent.Name.allCases.map(\.rawValue))
        for event in Samples.gateways.map(\.full) {
            #expect(try TransactionEvent(type: event.type, schema: 1, data: event.data()) == .gateway(event))
        }
        // Only the ledger records these events.
        #expect(Set(TransactionEvent.reportedTypes).isDisjoint(with: GatewayEvent.Name.allCases.map(\.rawValue)))
    }

    @Test("Card tokens")
    func cardTokens() throws {
        try check(Samples.cardTokens, "card-token-events", types: CardTokenEvent.Name.allCases.map(\.rawValue))
        for event in Samples.cardTokens.map(\.full) {
            let read = try TransactionEvent(type: event.type, schema: 1, data: event.data())
            #expect(read == .cardToken(event) && read.type == event.type)
            // The event changes nothing of a payment except the version of its stream.
            var state = TransactionState(folding: Samples.transactions.map(\.full))
            let before = state
            Lifecycle.evolve(&state, read)
            state.version = before.version
            #expect(state == before)
        }
        // Only the ledger records these events.
        #expect(Set(TransactionEvent.reportedTypes).isDisjoint(with: CardTokenEvent.Name.allCases.map(\.rawValue)))
    }

    @Test("Disputes")
    func disputes() throws {
        try check(Samples.disputes, "dispute-events", types: DisputeEvent.Name.allCases.map(\.rawValue))
        for event in Samples.disputes.map(\.full) {
            let read = try TransactionEvent(type: event.type, schema: 1, data: event.data())
            #expect(read == .dispute(event) && read.type == event.type)
        }
        // Only the ledger records these events.
        #expect(Set(TransactionEvent.reportedTypes).isDisjoint(with: DisputeEvent.Name.allCases.map(\.rawValue)))
    }

    @Test("A report can be read from every stream that may contain it")
    func journals() throws {
        for event in Samples.devices.map(\.full) {
            let data = try event.data()
            let inPayment = try TransactionEvent(type: event.type, schema: 1, data: data)
            #expect(inPayment == .device(event) && inPayment.type == event.type)
            let inJournal = try ReaderStreamEvent(type: event.type, schema: 1, data: data)
            #expect(inJournal == .report(event) && inJournal.type == event.type)
            #expect(throws: UnknownEvent(type: event.type, schema: 1)) {
                try CheckoutStreamEvent(type: event.type, schema: 1, data: data)
            }
        }
        for event in Samples.checkouts.map(\.full) {
            #expect(try TransactionEvent(type: event.type, schema: 1, data: event.data()) == .checkout(event))
            #expect(try CheckoutStreamEvent(type: event.type, schema: 1, data: event.data()) == .report(event))
        }
        for event in Samples.values.map(\.full) {
            #expect(try TransactionEvent(type: event.type, schema: 1, data: event.data()) == .value(event))
        }
        let types = TransactionEvent.types
        #expect(Set(types).count == types.count)
    }

    private func check<Event: LedgerEvent>(_ pairs: [Pair<Event>], _ name: String, types: [String]) throws {
        let events = pairs.flatMap { [($0.full, "full"), ($0.minimal, "minimal")] }
        let samples = try events.map { try GoldenFile.Sample($0.0, $0.1) }
        // Each event type has its samples under its stored name.
        for extent in ["full", "minimal"] {
            #expect(samples.filter { $0.extent == extent }.map(\.type) == types)
        }
        let file = GoldenFile(name)
        if GoldenFile.isWriting { return try file.write(samples) }
        let lines = try file.lines()
        try #require(lines.count == samples.count)
        for ((event, _), (sample, line)) in zip(events, zip(samples, lines)) {
            #expect(Array(line.utf8) == Array(sample.line.utf8), "\(sample.type), \(sample.extent)")
            // Reads the data in the file, not the data that was just encoded.
            let stored = try JSONValue(parsing: line.utf8)
            let data = try #require(stored["data"])
            let read = try Event(
                type: #require(stored["type"]?.string),
                schema: Int(#require(stored["schema"]?.int64)),
                data: data
            )
            #expect(read == event)
            #expect(try read.data().text == data.text)
            #expect(try read.text() == data.text)
            // Nothing that is recorded for every payment needs its JSON as values first.
            func isWritten(_ payload: some Encodable) -> Bool { JSONTextEncoder().written(payload) != nil }
            let isWrittenInOnePass = isWritten(read.payload)
            #expect(isWrittenInOnePass, "\(event.type)")
        }
    }

    @Test("A full sample has every optional part, a minimal one has none")
    func extents() {
        func check(_ pairs: [Pair<some LedgerEvent>]) {
            for pair in pairs {
                #expect(Optionals(in: pair.full).absent == [], "\(pair.full.type)")
                #expect(Optionals(in: pair.minimal).present == [], "\(pair.minimal.type)")
            }
        }
        #expect(Optionals(in: Samples.batch.full).present == ["/account", "/number"])
        #expect(Optionals(in: Samples.batch.minimal).absent == ["/account", "/number"])
        check(Samples.transactions)
        check(Samples.batches)
        check(Samples.tenants)
        check(Samples.devices)
        check(Samples.checkouts)
        check(Samples.values)
        check(Samples.gateways)
        check(Samples.cardTokens)
    }

    @Test(
        "Unknown types and schemas have another error than unreadable data",
        arguments: [
            ("Captured", 2), ("Captured", 0), ("Captured", -1), ("captured", 1), ("", 1), ("Captured ", 1),
            ("SomethingNew", 1), ("BatchClosed", 2), ("KeyIssued", 2),
        ]
    )
    func unknown(_ type: String, _ schema: Int) {
        let unknown = UnknownEvent(type: type, schema: schema)
        #expect(throws: unknown) { try TransactionEvent(type: type, schema: schema, data: [:]) }
        #expect(throws: unknown) { try BatchEvent(type: type, schema: schema, data: [:]) }
        #expect(throws: unknown) { try TenantEvent(type: type, schema: schema, data: [:]) }
    }

    @Test("An event type of one stream is unknown to the other streams")
    func otherStreams() throws {
        let captured = try #require(Samples.transactions.first { $0.full.type == "Captured" }).full
        let data = try captured.data()
        #expect(throws: UnknownEvent(type: "Captured", schema: 1)) {
            try BatchEvent(type: "Captured", schema: 1, data: data)
        }
        #expect(throws: UnknownEvent(type: "Captured", schema: 1)) {
            try TenantEvent(type: "Captured", schema: 1, data: data)
        }
    }

    @Test("Data without the expected shape is refused", arguments: [[:], [], .null, ["id": 1], "text"] as [JSONValue])
    func malformed(_ data: JSONValue) {
        #expect(throws: DecodingError.self) { try TransactionEvent(type: "Captured", schema: 1, data: data) }
        #expect(throws: DecodingError.self) { try BatchEvent(type: "BatchClosed", schema: 1, data: data) }
        #expect(throws: DecodingError.self) { try TenantEvent(type: "IntakeRefused", schema: 1, data: data) }
    }
}

/// The optional properties found in a value, at any depth, by name.
private struct Optionals {
    var present: [String] = []
    var absent: [String] = []

    init(in value: Any) { visit(Mirror(reflecting: value), "") }

    private mutating func visit(_ mirror: Mirror, _ path: String) {
        // A vendor's document may contain nulls.
        if mirror.subjectType == JSONValue.self { return }
        for child in mirror.children {
            let inner = Mirror(reflecting: child.value)
            let name = child.label.map { "\(path)/\($0)" } ?? path
            if inner.displayStyle == .optional {
                if inner.children.isEmpty { absent.append(name) } else { present.append(name) }
            }
            visit(inner, name)
        }
    }
}
