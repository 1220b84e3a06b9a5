import BenchReport
import Testing

@Suite struct ProgramReportTests {
    /// Printed by wrk 4.1.0 with `--latency`.
    private static let wrk = """
        Running 2s test @ http://127.0.0.1:40123
          1 threads and 32 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency     2.10ms    1.33ms  20.12ms   93.69%
            Req/Sec    15.63k     1.02k   17.20k    86.54%
          Latency Distribution
             50%  635.91us
             75%    2.49ms
             90%    3.70ms
             99%    1.20s 
          31262 requests in 2.00s, 17.76MB read
        Requests/sec:  15628.53
        Transfer/sec:      8.88MB
        """

    @Test func readsTheRateAndTheLatenciesOfWrk() throws {
        let report = try WrkReport(parsing: Self.wrk)
        #expect(report.rate == 15628.53)
        #expect(report.p50Microseconds == 635.91)
        #expect(report.p99Microseconds == 1_200_000)
        #expect(report.failures == 0)
    }

    @Test func countsFailedRequestsOfWrk() throws {
        let errors = """
              Socket errors: connect 1, read 20, write 3, timeout 4
              Non-2xx or 3xx responses: 500
            Requests/sec:
            """
        let report = try WrkReport(parsing: Self.wrk.replacing("Requests/sec:", with: errors))
        #expect(report.failures == 528)
    }

    @Test(arguments: ["Requests/sec", "99%", "1.20s"])
    func refusesAReportOfWrkThatLacksAFigure(_ part: String) {
        #expect(throws: ReportFailure.self) { try WrkReport(parsing: Self.wrk.replacing(part, with: "")) }
    }

    /// Printed by pgbench 15.
    private static let pgbench = """
        transaction type: insert.sql
        number of clients: 8
        duration: 2 s
        number of transactions actually processed: 9274
        number of failed transactions: 0 (0.000%)
        latency average = 1.725 ms
        initial connection time = 11.220 ms
        tps = 4637.480123 (without initial connection time)
        """

    @Test func readsTheRateAndTheLatencyOfPgbench() throws {
        let report = try PgbenchReport(parsing: Self.pgbench)
        #expect(report.rate == 4637.480123)
        #expect(report.latencyMicroseconds == 1725)
    }

    @Test func refusesAReportOfPgbenchWithoutARate() {
        #expect(throws: ReportFailure.self) { try PgbenchReport(parsing: Self.pgbench.replacing("tps", with: "rate")) }
    }
}
