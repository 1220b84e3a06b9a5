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
        var chosen: [String] = []
        for name in names where !chosen.contains(name) { chosen.append(name) }
        let projections = try chosen.isEmpty ? ReadModels.all : chosen.map(Self.projection)
        let isSound = try await Session.open(common) { session in
            try await session.withLedger(for: .appending, connections: 8, signing: .appendingNothing) { ledger in
                let rebuilds = projections.map {
                    ProjectionRebuild(projection: $0, pool: ledger.pool, reader: ledger.reader)
                }
                let title = projections.count == 1 ? projections[0].name : "\(projections.count, "read model")"
                let outcomes = try await ProjectionRebuild.run(rebuilds, force: force) { done, total in
                    Terminal.progress("rebuild \(title)", done, of: total)
                }
                Self.show(outcomes, of: projections.map(\.name), asJSON: common.json)
                let reports = outcomes.compactMap { try? $0.get() }
                let failures = outcomes.count - reports.count
                if outcomes.count == 1 { _ = try outcomes[0].get() }
                if failures > 0 {
                    throw Failure(
                        "\(failures) of \(projections.count, "read model") were not rebuilt; their live rows stay.",
                        hint: "Remove the causes above, and rebuild them again."
                    )
                }
                return reports.allSatisfy { $0.liveDigest == $0.rebuiltDigest || $0.isSwapped }
            }
        }
        if !isSound { throw ExitCode(2) }
    }

    private static func show(
        _ outcomes: [Result<ProjectionRebuild.Report, any Error>],
        of names: [String],
        asJSON isJSON: Bool
    ) {
        func reason(_ error: any Error) -> String {
            switch error {
            case let error as UnappliedEvent:
                "the event at position \(error.position) cannot be applied: \(error.reason)"
            case is RebuildInterrupted: "another process moved the rebuilt rows"
            default: String(reflecting: type(of: error))
            }
        }
        let lines: [(json: JSONValue, cells: [String])] = zip(names, outcomes).map { name, outcome in
            switch outcome {
            case .success(let report):
                let cells = [name, "\(report.events)", String(report.rebuiltDigest.prefix(16)), report.verdict]
                return (report.json, cells)
            case .failure(let error):
                let json: JSONObject = ["name": .string(name), "failure": .string(reason(error))]
                return (.object(json), [name, "", "", "FAILED: \(reason(error))"])
            }
        }
        if isJSON {
            Terminal.say(.array(lines.map(\.json)))
        } else {
            let head = ["read model", "events", "digest", "result"]
            Terminal.table(head, lines.map(\.cells), rightAligned: [1])
        }
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
