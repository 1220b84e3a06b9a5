import ArgumentParser
import Canonical
import Composition
import EventLog
import Projections

struct RebuildCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Build every read model again, twice, and print the number of events; the second time is counted."
    )

    @Argument(help: "The database.")
    var url: String

    func work() async throws {
        let ledger = MeasuredLedger.open(url)
        try await ledger.run(for: .appending) {
            for name in ["start", "rebuild"] {
                let rebuilds = ReadModels.all.map {
                    ProjectionRebuild(projection: $0, pool: ledger.pool, reader: ledger.reader)
                }
                for outcome in try await ProjectionRebuild.run(rebuilds) {
                    let report = try outcome.get()
                    guard report.isSwapped else { throw RebuildDiffers(name: report.name) }
                }
                Meter.mark(name)
            }
            MeasuredLedger.say(["events": .number(JSONNumber(try await ledger.reader.head()))])
        }
    }
}

/// The rebuilt rows of a read model differ from the live ones.
struct RebuildDiffers: Error {
    let name: String
}
