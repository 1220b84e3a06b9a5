import Canonical
import Foundation
import Payments
import Simulator
import Statements

/// Runs a simulation from its first day to its last: plays it, sends the documents and writes the files.
struct Trading: Sendable {
    let plan: SimulationPlan
    /// Nil: nothing is sent.
    let client: APIClient?
    /// True when only the result may go to standard output.
    let isJSON: Bool

    struct Report: Sendable {
        var plan: SimulationPlan
        var truth: TruthFile
        /// Empty when none were requested.
        var statements: [StatementFile] = []
        var planted: PlantedFaults
        var traffic = TrafficReport()
        var sent = 0
        var isSent: Bool
    }

    /// - Throws: `Failure`.
    func run(
        documentsTo documents: String?,
        truthTo truth: String?,
        statements directory: String? = nil
    ) async throws -> Report {
        var simulation = Simulation(plan)
        let output = try documents.map(LineOutput.init)
        var traffic = TrafficReport()
        var sent = 0
        let progress = Progress(of: plan.transactions)
        if let client { try await describe(simulation.merchants, to: client) }
        while let deliveries = simulation.nextDay() {
            for delivery in deliveries {
                try output?.write([
                    "at": .string(delivery.at.rfc3339), "vendor": .string(delivery.document.vendor.rawValue),
                    "record": delivery.document.record,
                ])
            }
            sent += deliveries.count
            if let client {
                await progress.begin(deliveries.count, upTo: simulation.payments.count { $0.tellsAgain == nil })
                traffic.add(try await Traffic(client: client).send(deliveries) { await progress.add($0) })
            }
        }
        try output?.close()
        var file = TruthFile(simulation)
        let written = try directory.map { directory in
            let written = try SimulatedStatements(plan, file)
            file.add(written)
            for statement in written.files { try statement.write(to: directory) }
            return written.files
        }
        if let truth {
            let output = try LineOutput(truth)
            try output.write(TruthFile.head(plan))
            for line in try file.lines() { try output.write(line) }
            try output.close()
        }
        return Report(
            plan: plan,
            truth: file,
            statements: written ?? [],
            planted: simulation.planted,
            traffic: traffic,
            sent: sent,
            isSent: client != nil
        )
    }
}

extension Trading {
    /// Sets the zones of the merchants that have one. The key needs the scope reconcile for it.
    private func describe(_ merchants: [Merchant], to client: APIClient) async throws {
        do {
            for merchant in merchants {
                guard let zone = merchant.zone else { continue }
                _ = try await client.patiently {
                    try await client.put(
                        "/v1/merchants/\(merchant.id)",
                        ["zone": .string(zone), "reason": "simulated merchant"]
                    )
                }
            }
        } catch let error as APIClient.Refused {
            throw Failure(error)
        } catch let error as APIClient.Unreachable {
            throw Failure(error, at: client.base)
        }
    }
}

extension StatementFile {
    /// - Throws: `Failure` when it cannot be written.
    fileprivate func write(to directory: String) throws {
        let path = URL(filePath: directory, directoryHint: .isDirectory).appending(path: name)
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(bytes).write(to: path, options: .atomic)
        } catch {
            throw Failure("The file \(path.path) cannot be written.")
        }
    }
}

/// The progress in payments, computed from the share of the day's documents that are sent. A payment that is reported
/// again under another reference counts once.
private actor Progress {
    private let total: Int
    private var shown = 0
    private var before = 0
    private var after = 0
    private var documents = 1
    private var done = 0

    init(of total: Int) { self.total = total }

    func begin(_ documents: Int, upTo payments: Int) {
        before = after
        after = payments
        self.documents = max(1, documents)
        done = 0
    }

    func add(_ count: Int) {
        done += count
        let payments = min(before + (after - before) * done / documents, total)
        // Days after the last payment have documents, too.
        guard payments > shown else { return }
        shown = payments
        Terminal.progress("payments", Int64(payments), of: Int64(total))
    }
}

/// A file of JSON lines that gets its name only when it is complete.
struct LineOutput {
    private let path: String
    private let handle: FileHandle

    /// - Throws: `Failure` when the file cannot be created.
    init(_ path: String) throws {
        self.path = path
        let partial = path + ".partial"
        guard FileManager.default.createFile(atPath: partial, contents: nil),
            let handle = FileHandle(forWritingAtPath: partial)
        else { throw Failure("The file \(path) cannot be written.") }
        self.handle = handle
    }

    func write(_ line: JSONValue) throws {
        do {
            try handle.write(contentsOf: Data(line.canonicalBytes + [0x0A]))
        } catch {
            throw Failure("The file \(path) cannot be written.")
        }
    }

    func close() throws {
        do {
            try handle.close()
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.moveItem(atPath: path + ".partial", toPath: path)
        } catch {
            throw Failure("The file \(path) cannot be written.")
        }
    }
}

extension Trading.Report {
    /// True when the ledger recorded every document.
    var isAccepted: Bool { traffic.refused.isEmpty && traffic.serverErrors.isEmpty }

    var json: JSONValue {
        var faults: JSONObject = [:]
        for fault in Fault.allCases {
            guard let occasions = planted.occasions[fault] else { continue }
            faults[fault.rawValue] = [
                "occasions": .number(.init(Int64(occasions))),
                "planted": .number(.init(Int64(planted.happened[fault] ?? 0))),
            ]
        }
        var object: JSONObject = [
            "simulation": TruthFile.head(plan), "payments": .number(.init(Int64(truth.payments.count))),
            "batches": .number(.init(Int64(truth.batches.count))), "deliveries": .number(.init(Int64(sent))),
            "faults": .object(faults),
        ]
        if isSent { object["traffic"] = traffic.json }
        if !statements.isEmpty {
            object["statements"] = .array(
                statements.map {
                    [
                        "name": .string($0.name), "format": .string($0.format.rawValue),
                        "lines": .number(.init(Int64($0.lines))),
                    ]
                }
            )
            object["discrepancies"] = .number(.init(Int64(truth.discrepancies.count)))
        }
        return .object(object)
    }

    /// The simulated days, which differ from the days of the run.
    private var played: String {
        func day(_ number: Int) -> String {
            String(plan.firstDay.adding(microseconds: Int64(number) * 86_400_000_000).rfc3339.prefix(10))
        }
        return plan.days == 1 ? "on \(day(0))" : "from \(day(0)) to \(day(plan.days - 1))"
    }

    func show(_ path: String) {
        let ofPayments = truth.payments.reduce(0) { $0 + $1.documents }
        Terminal.say(
            "\(truth.payments.count, "payment") at \(plan.terminals, "terminal") of \(plan.merchants, "merchant") \(played): "
                + "\(sent, "document")\(isSent ? " sent" : ""), "
                + "\(ofPayments) of payments, \(sent - ofPayments) of terminals, batches and repeats"
        )
        let rows = plan.vendors.map { vendor -> [String] in
            let payments = truth.payments.filter { $0.vendor == vendor }
            let missing = payments.filter { $0.evidence == .missing }
            var nets: [String: Int64] = [:]
            for payment in payments { nets[payment.currency, default: 0] += payment.net }
            return [
                vendor.rawValue, "\(payments.count)", "\(payments.reduce(0) { $0 + $1.documents })",
                "\(payments.filter { !$0.faults.isEmpty }.count)", "\(missing.count)",
                nets.sorted { $0.key < $1.key }.map { MoneyText($0.value, $0.key).text }.joined(separator: ", "),
            ]
        }
        Terminal.table(
            ["vendor", "payments", "documents", "with faults", "evidence lost", "net"],
            rows,
            rightAligned: [1, 2, 3, 4, 5]
        )
        if isSent {
            Terminal.say(
                "duplicate documents: \(traffic.repeats); retries: \(traffic.retries); redactions: \(traffic.redactions)"
            )
            for (code, count) in traffic.refused.sorted(by: { $0.key < $1.key }) {
                Terminal.say("refused: \(count) \(code)")
            }
            for (code, count) in traffic.serverErrors.sorted(by: { $0.key < $1.key }) {
                Terminal.say("server errors: \(count) \(code)")
            }
        }
        if !statements.isEmpty {
            let planted = truth.discrepancies.count { $0.isPlanted }
            Terminal.say(
                "\(statements.count, "statement") with \(statements.reduce(0) { $0 + $1.lines }, "line"); to find: "
                    + "\(planted, "planted discrepancy", "planted discrepancies"), and \(truth.discrepancies.count - planted) of the payments"
            )
        }
        Terminal.say("the truth is in \(path)")
    }
}

extension Score {
    /// The maximum number of mismatches that are printed.
    private static let shown = 20

    func show() {
        Terminal.say("\(payments, "payment"), \(batches, "batch", "batches"), \(days, "day") of merchants")
        Terminal.table(
            ["", "right", "claimed", "actual", "precision", "recall"],
            measures.map { name, measure in
                [
                    name, "\(measure.right)", "\(measure.claimed)", "\(measure.actual)",
                    Measure.text(measure.precision), Measure.text(measure.recall),
                ]
            },
            rightAligned: [1, 2, 3, 4, 5]
        )
        Terminal.table(
            ["", "", "payments", "right", "missed"],
            groups.map { [$0.kind, $0.name, "\($0.payments)", "\($0.right)", "\($0.payments - $0.right)"] },
            rightAligned: [2, 3, 4]
        )
        let aspects = Dictionary(grouping: mismatches, by: \.aspect).map { "\($0.key.rawValue) \($0.value.count)" }
        if !aspects.isEmpty { Terminal.say("mismatches: " + aspects.sorted().joined(separator: ", ")) }
        for mismatch in mismatches.prefix(Self.shown) {
            Terminal.say(
                "! \(mismatch.subject): \(mismatch.aspect.rawValue): \(mismatch.expected), the ledger has "
                    + "\(mismatch.found) (\(mismatch.why))"
            )
        }
        if mismatches.count > Self.shown {
            Terminal.say("and \(mismatches.count - Self.shown) more; --json lists them")
        }
        Terminal.say(isClean ? "the ledger matches the truth" : "\(mismatches.count, "mismatch", "mismatches")")
    }
}
