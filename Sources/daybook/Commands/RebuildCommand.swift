import ArgumentParser
import Canonical
import Composition
import Projections

struct RebuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild",
        abstract: "Rebuild read models from the log, compare them with the live ones, and swap them in.",
        discussion: """
            Reads and appends continue during the rebuild. If the digests differ although the rules are the same, the \
            live rows stay and the exit code is 2; --force swaps nevertheless. The command runs with low priority.

            Several read models are rebuilt in one pass over the log, and take their space twice until they are \
            swapped in.

            EXAMPLES
              daybook rebuild                       all of them
              daybook rebuild transactions --force
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "\(ReadModels.all.map(\.name).joined(separator: ", ")). Default: all.")
    var names: [String] = []

    @Flag(help: "Swap even when the digests differ.")
    var force = false

    func run() async throws {
        ProcessPriority.giveWay()
        let projections = try names.isEmpty ? ReadModels.all : names.map(Self.projection)
        let isSound = try await Session.open(common) { session in
            try await session.withLedger(for: .appending, connections: 8, signing: .appendingNothing) { ledger in
                let rebuilds = projections.map {
                    ProjectionRebuild(projection: $0, pool: ledger.pool, reader: ledger.reader)
                }
                let title = projections.count == 1 ? projections[0].name : "\(projections.count, "read model")"
                let outcomes = try await ProjectionRebuild.run(rebuilds, force: force) { done, total in
                    Terminal.progress("rebuild \(title)", done, of: total)
                }
                let reports = outcomes.compactMap { try? $0.get() }
                if common.json {
                    Terminal.say(.array(reports.map(\.json)))
                } else {
                    Terminal.table(
                        ["read model", "events", "digest", "result"],
                        reports.map { [$0.name, "\($0.events)", String($0.rebuiltDigest.prefix(16)), $0.verdict] },
                        rightAligned: [1]
                    )
                }
                for (projection, outcome) in zip(projections, outcomes) {
                    guard case .failure(let error) = outcome else { continue }
                    Terminal.note("The read model \(projection.name) was not rebuilt; its live rows stay.")
                    throw error
                }
                return reports.allSatisfy { $0.liveDigest == $0.rebuiltDigest || $0.isSwapped }
            }
        }
        if !isSound { throw ExitCode(2) }
    }

    private static func projection(_ name: String) throws -> any Projection {
        guard let projection = ReadModels.named(name) else {
            let known = ReadModels.all.map(\.name).joined(separator: ", ")
            throw Failure("There is no read model \(name).", hint: "Read models: \(known).")
        }
        return projection
    }
}

extension ProjectionRebuild.Report {
    fileprivate var verdict: String {
        if liveDigest == rebuiltDigest { return "equal, swapped in" }
        return isSwapped ? "replaced" : "DIFFERS from the live one; not swapped"
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = ["name": .string(name), "events": .number(JSONNumber(events))]
        object.set("liveDigest", liveDigest)
        object["rebuiltDigest"] = .string(rebuiltDigest)
        object["equal"] = .bool(liveDigest == rebuiltDigest)
        object["swapped"] = .bool(isSwapped)
        return .object(object)
    }
}
