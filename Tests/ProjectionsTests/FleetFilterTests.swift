import Canonical
import DaybookTestKit
import EventLog
import Payments
import Testing

@testable import Projections

/// The filters of the list of readers that compare readers with the fleet.
@Suite("Fleet filters")
struct FleetFilterTests {
    /// The changes to a filter, and the numbers of the readers that it finds.
    private static let fleet: [(@Sendable (inout ReaderFilter) -> Void, [Int])] = [
        ({ $0.batteryBelow = 20 }, [1]), ({ $0.batteryBelow = 19 }, []), ({ $0.isCharging = true }, [2]),
        ({ $0.isCharging = false }, [1]), ({ $0.hasErrors = true }, [3]), ({ $0.hasErrors = false }, [0, 1, 2, 4]),
        ({ $0.error = "0031" }, [3]), ({ $0.error = "0009" }, []), ({ $0.holdsResult = true }, [4]),
        ({ $0.holdsResult = false }, [0, 1, 2, 3]), ({ $0.isUnlikeFleet = true }, [2]),
        ({ $0.isUnlikeFleet = false }, [0, 1, 3, 4]), ({ $0.notSeenSince = noon }, [0]),
    ]

    @Test("Readers with a mandatory update that is not installed are found")
    func mandatoryUpdates() async throws {
        try await Following.with { following in
            func report(_ number: Int, _ name: DeviceEvent.Name, _ details: [Detail]) async throws {
                let reader = ReaderReference(vendor: .youtransactor, serial: "\(number)")
                let event = DeviceEvent(name, DeviceReport(reader: reader, details: details))
                try await following.append([ReaderStreamEvent.report(event)], StreamName.reader(reader))
            }
            let firmware = Detail("update", "svppFirmware")
            let (mandatory, optional) = (Detail("mandatory", "true"), Detail("mandatory", "false"))
            try await report(0, .readerUpdateFound, [firmware, optional])
            try await report(1, .readerUpdateFound, [firmware, mandatory])
            try await report(2, .readerUpdateFound, [firmware, mandatory])
            try await report(2, .readerUpdated, [firmware, mandatory])
            try await report(3, .readerUpdateFound, [firmware, mandatory])
            try await report(3, .readerUpdateFailed, [firmware])
            try await report(4, .readerUpdateFound, [firmware, mandatory])
            try await report(4, .readerStateChanged, [Detail(Detail.componentUpToDate, "iccConfig")])
            try await report(5, .readerUpdateFound, [firmware, mandatory])
            try await report(5, .readerStateChanged, [Detail(Detail.componentUpToDate, "svppFirmware")])
            try await report(6, .readerUpdateFound, [firmware])
            try await following.catchUp(["readers"])
            for (isDue, numbers) in [(true, [1, 3, 4]), (false, [0, 2, 5, 6])] {
                var filter = ReaderFilter()
                filter.isMandatoryUpdateDue = isDue
                let found = try await following.readers.readers(of: "acme", matching: filter, limit: 10)
                #expect(found.compactMap { Int($0.reader.serial) }.sorted() == numbers)
            }
        }
    }

    @Test("The fleet is filtered by charge, errors, held results, versions and last report")
    func fleetFilters() async throws {
        try await Following.with { following in
            for number in 0..<5 {
                let reader = ReaderReference(vendor: .handpoint, serial: "\(number)")
                var report = DeviceReport(reader: reader, at: .instant(noon))
                report.identity = ReaderIdentity(
                    model: "HiLite",
                    versions: [Detail("firmware", number == 2 ? "1.7" : "1.8")]
                )
                var name = DeviceEvent.Name.readerConnected
                switch number {
                case 0: report.at = .instant(noon.adding(microseconds: -1))
                case 1: (report.battery, report.isCharging) = (19, false)
                case 2: (report.battery, report.isCharging) = (80, true)
                case 3:
                    name = .readerErrorReported
                    report.response = Response(code: "0031", message: "battery")
                default: report.details = [Detail("TransactionResultPending", "true")]
                }
                let event = ReaderStreamEvent.report(DeviceEvent(name, report))
                try await following.append([event], StreamName.reader(reader))
            }
            try await following.catchUp(["readers"])
            for (change, numbers) in Self.fleet {
                var filter = ReaderFilter()
                change(&filter)
                let found = try await following.readers.readers(of: "acme", matching: filter, limit: 10)
                #expect(found.compactMap { Int($0.reader.serial) }.sorted() == numbers)
            }
        }
    }
}

private let noon = Timestamp(rfc3339: "2026-03-01T12:00:00Z") ?? Timestamp(microsecondsSince1970: 0)
