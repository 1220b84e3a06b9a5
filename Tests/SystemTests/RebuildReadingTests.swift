import Canonical
import DaybookTestKit
import Testing

extension UnderLoad {
    @Suite struct RebuildReadingTests {
        private static let simulation = [
            "simulate", "--merchants", "4", "--terminals", "8", "--transactions", "300", "--days", "2",
            "--faults", "all=0.02", "--json",
        ]

        /// Simulated traffic of a day arrives, clients read all the time, and every read model is rebuilt and swapped
        /// in repeatedly: no read fails, and no client gets an older answer than it got before.
        @Test func readersAreNotAffectedByARebuildUnderLoad() async throws {
            try await Daybook.withDatabase { plain, _ in
                let key = try await plain.key()
                let daybook = plain.with(key: key)
                let server = try await daybook.serve()
                let client = server.client(key)
                let url = "http://127.0.0.1:\(server.port)"

                let readings = try await withThrowingTaskGroup(of: [JSONValue].self) { group in
                    let load = Load(daybook, url)
                    group.addTask { try await load.play() }
                    // Some data to read, and a moment that all read models have passed.
                    var payments = JSONValue.null
                    repeat {
                        payments = try await client.get("/v1/transactions?limit=100")
                    } while payments["items"]?.array?.isEmpty != false
                    let payment = try #require(payments["items"]?[0])
                    let past = try #require(payment["lastPosition"]?.int64)
                    let readings = try await ContinuousReading.all(of: payment, asOf: past, client)
                    for reading in readings { group.addTask { await reading.run() } }
                    group.addTask {
                        defer { for reading in readings { reading.stop() } }
                        // A small read model, whose rebuild ends before the traffic does, although it pauses during
                        // appends.
                        var reports = try await daybook.json("rebuild", "readers").array ?? []
                        await load.endAfterMore()
                        repeat {
                            reports += try await daybook.json("rebuild").array ?? []
                        } while await !load.isOver
                        return reports
                    }
                    var reports: [JSONValue] = []
                    for try await result in group { reports += result }
                    try await expectSwapped(reports, at: client)
                    return readings
                }
                for reading in readings {
                    #expect(reading.faults == [], "\(reading.target)")
                    #expect(reading.count > 0, "\(reading.target)")
                }
                #expect(try await server.stop() == 0)
            }
        }

        private func expectSwapped(_ reports: [JSONValue], at client: APIClient) async throws {
            for report in reports {
                #expect(report["equal"]?.bool == true && report["swapped"]?.bool == true, "\(report.text)")
            }
            // The first rebuild ended before the traffic did.
            let first = try #require(reports.first?["events"]?.int64)
            let models = try await client.get("/v1/projections")["items"]?.array ?? []
            #expect(Set(reports.compactMap { $0["name"] }) == Set(models.compactMap { $0["name"] }))
            let head = models.compactMap { $0["position"]?.int64 }.max() ?? 0
            #expect(first > 0 && first < head)
        }

        /// The simulated traffic: continues until the first rebuild has ended, and a while longer, however slow either
        /// of them is.
        private actor Load {
            private let daybook: Daybook
            private let url: String
            private(set) var isOver = false
            private var mayEnd = false

            init(_ daybook: Daybook, _ url: String) {
                self.daybook = daybook
                self.url = url
            }

            func endAfterMore() { mayEnd = true }

            func play() async throws -> [JSONValue] {
                defer { isOver = true }
                var seed = 23
                var isLast: Bool
                repeat {
                    isLast = mayEnd
                    let result = try await daybook.run(
                        RebuildReadingTests.simulation + ["--seed", "\(seed)", "--url", url]
                    )
                    guard result.succeeded else { throw TestKitError("simulate: \(result)") }
                    seed += 1
                } while !isLast
                return []
            }
        }
    }
}

extension ContinuousReading {
    /// Clients of the lists, of one payment, and of current and past totals.
    fileprivate static func all(
        of payment: JSONValue,
        asOf past: Int64,
        _ client: APIClient
    ) async throws -> [ContinuousReading] {
        let id = payment["id"]?.string ?? ""
        @Sendable func ages(_ item: JSONValue, _ members: [String]) -> [String: Int64] {
            let name = item["id"]?.string ?? item["name"]?.string ?? ""
            var ages: [String: Int64] = [:]
            for member in members { ages["\(member) of \(name)"] = item[member]?.int64 }
            return ages
        }
        func list(_ members: [String]) -> @Sendable (JSONValue) -> [String: Int64] {
            { page in
                (page["items"]?.array ?? []).reduce(into: [:]) { all, item in
                    all.merge(ages(item, members)) { max($0, $1) }
                }
            }
        }
        // An answer about a past moment never changes.
        let totals = "/v1/totals?by=merchant&as_of_position=\(past)"
        let then = try await client.get(totals)
        return [
            ContinuousReading("/v1/transactions?limit=100", client, ages: list(["version", "lastPosition"])),
            ContinuousReading("/v1/transactions/\(id)", client) { ages($0, ["version", "lastPosition"]) },
            ContinuousReading("/v1/batches?limit=100", client, ages: list(["lastPosition"])),
            ContinuousReading("/v1/projections", client, ages: list(["position"])),
            ContinuousReading("/v1/totals?by=merchant,brand", client) { _ in [:] },
            ContinuousReading(totals, client) { ["what was so": $0 == then ? 1 : 0] },
        ]
    }
}

extension Daybook {
    /// The same, with a key for commands that call a server.
    fileprivate func with(key: String) -> Daybook {
        var daybook = self
        daybook.environment["DAYBOOK_KEY"] = key
        return daybook
    }
}
