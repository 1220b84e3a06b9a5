import BenchReport
import DaybookTestKit
import Synchronization

/// Line e: rebuilds of read models.
extension Bench {
    mutating func rebuild() async throws {
        let url = try await stored()
        let ceiling = try await Ceilings(server: server).copy(rows: isQuick ? 100_000 : 1_000_000)
        func row(_ what: String, _ rate: Double, _ memory: Int, target: Double? = nil) -> BenchRow {
            BenchRow(
                line: "e",
                what: what,
                figure: Figure.rate(rate, "events"),
                comparison: "\(Figure.rate(ceiling, "rows")) (COPY)",
                ratio: Figure.ratio(rate, ceiling),
                memory: "\(memory) MiB",
                target: target.map { "\(Figure.rate($0, "events")): \(rate >= $0 ? "reached" : "missed")" } ?? "-"
            )
        }
        var slowest: (name: String, seconds: Double)?
        for name in models {
            let events = try await number("SELECT position FROM ledger.head", url)
            let command = try await BenchCommand.run(program, ["rebuild", name, "--database-url", url])
            let target: Double? = name == "transactions" ? 60_000 : nil
            add(row("rebuild of \(name)", Double(events) / command.seconds, command.peakMebibytes, target: target))
            if command.seconds > slowest?.seconds ?? 0 { slowest = (name, command.seconds) }
        }
        if models.count > 1, let slowest {
            let command = try await BenchCommand.run(program, ["rebuild", "--database-url", url])
            let ratio = command.seconds / slowest.seconds
            add(
                BenchRow(
                    line: "e",
                    what: "rebuild of every read model in one pass",
                    figure: Figure.seconds(command.seconds),
                    comparison: "\(Figure.seconds(slowest.seconds)) (\(slowest.name) alone)",
                    ratio: Figure.ratio(command.seconds, slowest.seconds),
                    memory: "\(command.peakMebibytes) MiB",
                    target: "1.6 times: \(ratio <= 1.6 ? "reached" : "missed")"
                )
            )
        }
        guard models.contains("transactions") else { return }
        let beside = try await rebuildBesideAppends(url)
        add(row("rebuild of transactions while payments come in", beside.rebuilt, beside.memory))
        let ratio = beside.appends / beside.undisturbed
        add(
            BenchRow(
                line: "e",
                what: "payments in while transactions is rebuilt, one a request, 1 connection",
                figure: "\(Figure.rate(beside.appends, "documents")); \(beside.latency)",
                comparison: "\(Figure.rate(beside.undisturbed, "documents")) (without the rebuild)",
                ratio: Figure.ratio(beside.appends, beside.undisturbed),
                target: "0.80: \(ratio >= 0.8 ? "reached" : "missed")"
            )
        )
    }

    private struct Beside {
        var rebuilt: Double
        var memory: Int
        var appends: Double
        var latency: String
        var undisturbed: Double
    }

    /// The same load before and during a rebuild.
    private func rebuildBesideAppends(_ url: String) async throws -> Beside {
        try await BenchService.with(program: program, at: url) { service in
            let template = RequestTemplate(
                path: "/v1/intake/bridgepay",
                type: "application/json",
                key: service.key,
                lines: [try BenchRecords.document()]
            )
            let generator = LoadGenerator(port: service.port, connections: 1)
            let first = UInt64(try await number("SELECT position FROM ledger.head", url)) + 200_000_000
            let seconds = self.seconds
            let before = try await onThread {
                var number = first
                return try generator.run(warmUp: seconds / 4, seconds: seconds) { request in
                    template.write(from: number, to: &request)
                    number += 1
                }
            }
            try before.check(recordsEach: 1)
            let isOver = Flag()
            let events = try await number("SELECT position FROM ledger.head", url)
            async let loading = onThread {
                var number = first + 100_000_000
                return try generator.run(warmUp: 0, seconds: .infinity, until: { isOver.isSet }) { request in
                    template.write(from: number, to: &request)
                    number += 1
                }
            }
            let command: BenchCommand
            do {
                command = try await BenchCommand.run(program, ["rebuild", "transactions", "--database-url", url])
            } catch {
                isOver.set()
                throw error
            }
            isOver.set()
            let during = try await loading
            try during.check(recordsEach: 1)
            let (p50, p99) = (during.quantile(0.5), during.quantile(0.99))
            let were = (before.quantile(0.5), before.quantile(0.99))
            return Beside(
                rebuilt: Double(events) / command.seconds,
                memory: command.peakMebibytes,
                appends: during.rate,
                latency: "p50 \(Figure.milliseconds(Double(p50))), p99 \(Figure.milliseconds(Double(p99))), were "
                    + "\(Figure.milliseconds(Double(were.0))), \(Figure.milliseconds(Double(were.1)))",
                undisturbed: before.rate
            )
        }.0
    }
}

/// Set by a task, read by a thread.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
