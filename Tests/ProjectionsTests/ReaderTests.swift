import Canonical
import Composition
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

/// The read model of card readers, from their own streams and from payments.
@Suite("Readers")
struct ReaderTests {
    private static let reader = ReaderReference(vendor: .handpoint, serial: "0123")
    private static let noon = Timestamp(rfc3339: "2026-03-01T12:00:00Z") ?? Timestamp(microsecondsSince1970: 0)

    private static func event(
        _ name: DeviceEvent.Name,
        _ code: String? = nil,
        _ message: String? = nil,
        details: [Detail]? = nil,
        minutes: Int64 = 0,
        change: (inout DeviceReport) -> Void = { _ in }
    ) -> DeviceEvent {
        var report = DeviceReport(
            reader: reader,
            response: Response(code: code, message: message),
            details: details,
            at: .instant(noon.adding(microseconds: minutes * 60_000_000))
        )
        change(&report)
        return DeviceEvent(name, report)
    }

    private static let story: [DeviceEvent] = [
        event(.readerConnected) {
            $0.identity = ReaderIdentity(model: "HiLite", versions: [Detail("firmware", "1.7"), Detail("sdk", "3.1")])
        },
        event(.readerBatteryReported, minutes: 1) {
            $0.battery = 41
            $0.isCharging = false
        },
        event(.readerErrorReported, "0007", "Card error", minutes: 2),
        event(.readerErrorReported, "0009", "Timeout", minutes: 3),
        event(.readerErrorReported, "0007", "Card error again", minutes: 4),
        event(.readerUpdateFound, details: [Detail("module", "EMVL2")], minutes: 5),
        event(.readerUpdateFound, details: [Detail("module", "SVPP")], minutes: 6),
        event(.readerUpdated, details: [Detail("module", "EMVL2")], minutes: 7) {
            $0.identity = ReaderIdentity(versions: [Detail("firmware", "1.8")])
        },
        event(.readerUpdateFailed, "E1", "no network", details: [Detail("module", "SVPP")], minutes: 8),
        event(.readerDisconnected, minutes: 9),
    ]

    @Test("A reader's view is folded from its events")
    func folding() throws {
        var view = ReaderView(Self.reader, at: Self.noon, position: 1)
        for (index, event) in Self.story.enumerated() {
            view.fold(
                event,
                of: nil,
                isOpen: false,
                at: event.report.at?.instant ?? Self.noon,
                position: Int64(index) + 1
            )
        }
        #expect(view.isConnected == false)
        #expect(view.model == "HiLite")
        #expect(view.versions == [Detail("firmware", "1.8"), Detail("sdk", "3.1")])
        #expect(view.battery == 41 && view.isCharging == false)
        #expect(view.faults.map(\.kind) == ["0007", "0009", "E1"])
        #expect(view.faults.map(\.count) == [2, 1, 1])
        #expect(view.faults[0].message == "Card error again")
        #expect(view.updates.map(\.name) == ["EMVL2", "SVPP"])
        #expect(view.updates.map(\.status) == [.done, .failed])
        #expect(!view.isUpdateDue)
        #expect(view.events == 10 && view.firstPosition == 1 && view.lastPosition == 10)
        #expect(view.lastSeen.microseconds(since: view.firstSeen) == 9 * 60_000_000)
        let stored = try JSONValueEncoder().encode(view)
        #expect(try JSONValueDecoder().decode(ReaderView.self, from: stored) == view)
    }

    @Test("Only certain details name an update, and a finished update without a name completes all that were due")
    func unnamedUpdates() {
        var view = ReaderView(Self.reader, at: Self.noon, position: 1)
        for event in [
            Self.event(.readerUpdateFound, "0005", details: [Detail("CancelAllowed", "false")]),
            Self.event(.readerUpdateFound, details: [Detail("module", "SVPP")]),
        ] { view.fold(event, of: nil, isOpen: false, at: Self.noon, position: 2) }
        #expect(view.updates.map(\.name) == [nil, "SVPP"] && view.isUpdateDue)
        let done = Self.event(.readerUpdated, nil, "Success", details: [Detail("TransactionType", "HOST_INIT")])
        view.fold(done, of: nil, isOpen: false, at: Self.noon, position: 3)
        #expect(view.updates.map(\.name) == [nil] && view.updates.map(\.status) == [.done])
        #expect(!view.isUpdateDue)
    }

    @Test("Completing one of two updates leaves the other due")
    func oneOfTwo() {
        var view = ReaderView(Self.reader, at: Self.noon, position: 1)
        for (name, update) in [
            (DeviceEvent.Name.readerUpdateFound, "svppFirmware"), (.readerUpdateFound, "iccConfig"),
            (.readerUpdated, "iccConfig"),
        ] {
            let details = [Detail("update", update), Detail("version", "1.2")]
            view.fold(Self.event(name, details: details), of: nil, isOpen: false, at: Self.noon, position: 2)
        }
        #expect(view.updates.map(\.name) == ["svppFirmware", "iccConfig"])
        #expect(view.updates.map(\.status) == [.due, .done] && view.isUpdateDue)
    }

    @Test("A reader that is up to date has nothing due, and nothing that failed")
    func upToDate() {
        var view = ReaderView(Self.reader, at: Self.noon, position: 1)
        for (name, details) in [
            (DeviceEvent.Name.readerUpdateFound, [Detail("update", "svppFirmware")]),
            (.readerUpdateFailed, [Detail("update", "iccConfig")]),
            (.readerUpdated, [Detail("update", "nfcConfig")]), (.readerStateChanged, [.noUpdatesDue]),
        ] {
            view.fold(Self.event(name, details: details), of: nil, isOpen: false, at: Self.noon, position: 2)
        }
        #expect(view.updates.map(\.name) == ["nfcConfig"] && !view.isUpdateDue)
    }

    @Test("A check of some components leaves the updates of others due")
    func partlyUpToDate() {
        var view = ReaderView(Self.reader, at: Self.noon, position: 1)
        for (name, details) in [
            (.readerUpdateFound, [Detail("update", "svppFirmware")]),
            (.readerUpdateFound, [Detail("update", "iccConfig")]), (.readerUpdateFailed, []),
            (.readerUpdateFailed, [Detail("update", "nfcConfig")]), (.readerUpdated, [Detail("update", "stFirmware")]),
            (.readerStateChanged, [Detail(Detail.componentUpToDate, "svppFirmware")]),
        ] as [(DeviceEvent.Name, [Detail])] {
            view.fold(Self.event(name, details: details), of: nil, isOpen: false, at: Self.noon, position: 2)
        }
        let updates = view.updates.map { "\($0.name ?? "-") \($0.status)" }
        #expect(updates == ["iccConfig due", "nfcConfig failed", "stFirmware done"])
    }

    @Test("Hostile readers cannot exhaust memory")
    func bounds() {
        var view = ReaderView(Self.reader, at: Self.noon, position: 1)
        for number in 0..<1_000 {
            let details = [Detail("module", "\(number)")]
            for event in [
                Self.event(.readerErrorReported, "\(number)"), Self.event(.readerUpdateFound, details: details),
            ] { view.fold(event, of: nil, isOpen: false, at: Self.noon, position: 2) }
        }
        #expect(view.faults.count == ReaderView.longestList)
        #expect(view.updates.count == ReaderView.longestList)
        #expect(view.updates.last?.name == "999")
    }

    @Test("A reader is busy from the first event on a payment until its outcome")
    func payments() async throws {
        try await Following.with { following in
            let payment = UUID128(high: 1, low: 2)
            let stream = StreamName.transaction(payment)
            try await following.append(
                Self.story.prefix(2).map(ReaderStreamEvent.report),
                StreamName.reader(Self.reader)
            )
            try await following.append([TransactionEvent.device(Self.event(.cardRequested, minutes: 20))], stream)
            try await following.catchUp(["readers"])
            let busy = try #require(try await following.readers.reader(Self.reader, of: "acme"))
            #expect(busy.payment?.transaction == payment.description)
            #expect(busy.payments == 1 && busy.battery == 41)
            #expect(try await following.readers.readers(of: "acme", matching: .busy, limit: 10).count == 1)

            let declined = Verdict(evidence: .reader, response: Response(code: "05"))
            try await following.append([TransactionEvent.declined(declined)], stream)
            try await following.append([TransactionEvent.device(Self.event(.cardRemoved, minutes: 21))], stream)
            try await following.catchUp(["readers"])
            let idle = try #require(try await following.readers.reader(Self.reader, of: "acme"))
            #expect(idle.payment == nil && idle.payments == 1 && idle.state?.event == "CardRemoved")
            #expect(try await following.readers.reader(Self.reader, of: "other") == nil)
            #expect(try await following.readers.readers(of: "acme", matching: .busy, limit: 10).isEmpty)
            // However the log is cut, the rows are the same.
            let live = try await following.digest("readers")
            _ = try await following.rebuild("readers", force: true)
            #expect(try await following.digest("readers") == live)
        }
    }

    @Test("A payment with an outcome keeps no reader busy, under any of the reader's names")
    func twoNames() async throws {
        try await Following.with { following in
            let payment = UUID128(high: 1, low: 2)
            let stream = StreamName.transaction(payment)
            let other = ReaderReference(vendor: .handpoint, serial: "4567")
            try await following.append([TransactionEvent.device(Self.event(.cardRequested))], stream)
            try await following.catchUp(["readers"])
            let renamed = Self.event(.cardRemoved) { $0.reader = other }
            try await following.append([TransactionEvent.device(renamed)], stream)
            try await following.catchUp(["readers"])
            #expect(try await following.readers.readers(of: "acme", matching: .busy, limit: 10).count == 2)
            let declined = Verdict(evidence: .reader, response: Response(code: "05"))
            try await following.append([TransactionEvent.declined(declined)], stream)
            try await following.catchUp(["readers"])
            #expect(try await following.readers.readers(of: "acme", matching: .busy, limit: 10).isEmpty)
            let payments = try await following.readers.readers(of: "acme", limit: 10).map(\.payments)
            #expect(payments == [1, 1])
        }
    }

    private static func report(
        _ serial: String,
        _ names: ReaderNames?,
        _ name: DeviceEvent.Name = .readerErrorReported
    ) -> DeviceEvent {
        let reader = ReaderReference(vendor: .youtransactor, serial: serial)
        return DeviceEvent(name, DeviceReport(reader: reader, names: names, response: Response(code: "E")))
    }

    @Test("One terminal is one reader under its Bluetooth identifier, its name and its serial number, in any order")
    func names() async throws {
        let id = "5A0F4D1E-0B4C-4E0B-9D6A-2F6E1B7C0077"
        let reports = [
            Self.report("YT-Touch 0077", ReaderNames(name: "YT-Touch 0077")),
            Self.report(id, ReaderNames(identifier: id, name: "YT-Touch 0077")),
            Self.report("31420077", ReaderNames(serial: "31420077", name: "YT-Touch 0077")),
            Self.report("31420077", nil),
        ]
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
            try await Following.with { following in
                for index in order {
                    let event = reports[index]
                    let reader = try #require(event.report.reader)
                    try await following.append([ReaderStreamEvent.report(event)], StreamName.reader(reader))
                    try await following.catchUp(["readers"])
                }
                let all = try await following.readers.readers(of: "acme", limit: 10)
                #expect(all.map(\.reader.serial) == ["31420077"] && all.first?.events == 4)
                #expect(all.first?.faults.map(\.count) == [4])
                for serial in ["31420077", id, "YT-Touch 0077"] {
                    let reader = ReaderReference(vendor: .youtransactor, serial: serial)
                    #expect(try await following.readers.reader(reader, of: "acme") == all.first)
                }
                let live = try await following.digest("readers")
                _ = try await following.rebuild("readers", force: true)
                #expect(try await following.digest("readers") == live)
            }
        }
    }

    @Test("Two serial numbers stay two readers, and a shared name leads to the one that had it last")
    func sharedName() async throws {
        try await Following.with { following in
            for serial in ["1001", "1002"] {
                let event = Self.report(serial, ReaderNames(serial: serial, name: "counter"))
                let reader = try #require(event.report.reader)
                try await following.append([ReaderStreamEvent.report(event)], StreamName.reader(reader))
                try await following.catchUp(["readers"])
            }
            let all = try await following.readers.readers(of: "acme", limit: 10)
            #expect(all.map(\.reader.serial) == ["1002", "1001"])
            let counter = ReaderReference(vendor: .youtransactor, serial: "counter")
            #expect(try await following.readers.reader(counter, of: "acme")?.reader.serial == "1002")
        }
    }

    @Test("A reader that reports after the outcome counts as part of the payment, once")
    func reportedAfterwards() async throws {
        try await Following.with { following in
            let stream = StreamName.transaction(UUID128(high: 1, low: 3))
            let declined = Verdict(evidence: .reader, response: Response(code: "05"))
            try await following.append([TransactionEvent.declined(declined)], stream)
            let removed = TransactionEvent.device(Self.event(.cardRemoved, minutes: 1))
            try await following.append([removed], stream)
            try await following.append([TransactionEvent.device(Self.event(.cardRequested))], stream)
            try await following.catchUp(["readers"])
            let view = try #require(try await following.readers.reader(Self.reader, of: "acme"))
            #expect(view.payments == 1 && view.payment == nil && view.events == 2)
        }
    }

    @Test("Lists are filtered and paged")
    func lists() async throws {
        try await Following.with { following in
            for number in 0..<5 {
                let reader = ReaderReference(
                    vendor: number % 2 == 0 ? .handpoint : .youtransactor,
                    serial: "R \(number)"
                )
                let name: DeviceEvent.Name = number < 2 ? .readerUpdateFound : .readerConnected
                let event = DeviceEvent(name, DeviceReport(reader: reader))
                try await following.append([ReaderStreamEvent.report(event)], StreamName.reader(reader))
            }
            try await following.catchUp(["readers"])
            let all = try await following.readers.readers(of: "acme", limit: 10)
            #expect(all.count == 5)
            #expect(all.map(\.firstPosition) == [5, 4, 3, 2, 1])
            #expect(
                try await following.readers.readers(of: "acme", matching: .of(.youtransactor), limit: 10).count == 2
            )
            #expect(try await following.readers.readers(of: "acme", matching: .updateDue, limit: 10).count == 2)
            let first = try await following.readers.readers(of: "acme", limit: 2)
            let last = first[1]
            let rest = try await following.readers.readers(
                of: "acme",
                after: (last.firstPosition, StreamName.named(last.reader)),
                limit: 10
            )
            #expect(first + rest == all)
        }
    }
}

extension Following {
    func append(_ events: [some LedgerEvent], _ stream: String) async throws {
        let proposed = try events.map { event in
            ProposedEvent(
                id: UUIDv7Generator(clock: log.clock).next(),
                type: event.type,
                schema: event.schema,
                occurredAt: log.clock.now(),
                actor: "test",
                correlation: "test",
                data: try event.data().text
            )
        }
        _ = try await log.sequencer.append(
            AppendItem(tenant: "acme", stream: stream, expected: .any, events: proposed)
        )
    }

    fileprivate func digest(_ name: String) async throws -> String {
        let projection = try #require(ReadModels.named(name))
        return try await ProjectionStore(projection: projection, pool: log.pool).digest()
    }
}

extension ReaderFilter {
    fileprivate static var busy: ReaderFilter {
        var filter = ReaderFilter()
        filter.isBusy = true
        return filter
    }

    fileprivate static var updateDue: ReaderFilter {
        var filter = ReaderFilter()
        filter.isUpdateDue = true
        return filter
    }

    fileprivate static func of(_ vendor: Vendor) -> ReaderFilter {
        var filter = ReaderFilter()
        filter.vendor = vendor
        return filter
    }
}
