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
                for projection in ReadModels.all {
                    let rebuild = ProjectionRebuild(projection: projection, pool: ledger.pool, reader: ledger.reader)
                    let report = try await rebuild.run()
                    guard report.isSwapped else { throw RebuildDiffers(name: projection.name) }
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
