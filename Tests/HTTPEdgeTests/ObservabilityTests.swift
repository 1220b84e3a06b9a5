import Canonical
import DaybookTestKit
import HTTPEdge
import Logging
import Metrics
import Synchronization
import Testing

@Suite struct ObservabilityTests {
    private struct SecretError: Error, CustomStringConvertible {
        var description: String { "4111111111111111" }
    }

    private func line(_ format: ScrubbingLogHandler.Format, _ log: (Logger) -> Void) -> String {
        let written = Mutex<[UInt8]>([])
        let scrubber = FunctionScrubber { $0.replacing("4111111111111111", with: "[card]") }
        log(
            Logger(label: "test") { label in
                ScrubbingLogHandler(label: label, format: format, scrubber: scrubber, clock: ManualClock()) { bytes in
                    written.withLock { $0 += bytes }
                }
            }
        )
        return written.withLock { String(decoding: $0, as: UTF8.self) }
    }

    @Test func everyValueIsScrubbed() {
        let text = line(.json) { logger in
            logger.info(
                "paid by 4111111111111111",
                metadata: [
                    "a": "4111111111111111", "b": .stringConvertible(4_111_111_111_111_111),
                    "c": ["x 4111111111111111"], "d": ["e": "4111111111111111"], "time": "mine",
                ]
            )
        }
        #expect(
            text == #"{"time":"2026-01-01T00:00:00.000000Z","level":"info","logger":"test","message":"paid by [card]","#
                + #""a":"[card]","b":"[card]","c":["x [card]"],"d":{"e":"[card]"},"metadata.time":"mine"}"# + "\n"
        )
    }

    @Test func anErrorShowsItsTypeOnly() {
        let text = line(.json) { $0.error("failed", error: SecretError()) }
        #expect(text.contains("SecretError"))
        #expect(!text.contains("[card]"))
        #expect(!text.contains("4111"))
    }

    @Test(arguments: [ScrubbingLogHandler.Format.json, .text])
    func valuesCannotForgeLogLines(_ format: ScrubbingLogHandler.Format) {
        let text = line(format) { $0.info("a\r\nb\u{2028}c\u{85}", metadata: ["k\n": "v\nw\u{1B}[2J"]) }
        #expect(text.filter(\.isNewline).count == 1 || format == .json)
        #expect(text.utf8.filter { $0 == 0x0A || $0 == 0x0D || $0 == 0x1B }.count == 1)
        #expect(text.hasSuffix("\n"))
    }

    @Test func theWholeValueIsScrubbedBeforeItIsShortened() {
        let padding = String(repeating: "x", count: 4090)
        #expect(!line(.text) { $0.info("\(padding)4111111111111111") }.contains("411"))
    }

    @Test func metricsAreWrittenForPrometheus() {
        let registry = MetricsRegistry()
        let counter = Counter(label: "requests.total", dimensions: [("route", "/a\"b\n\\")], factory: registry)
        counter.increment(by: 2)
        Counter(label: "requests.total", dimensions: [("route", "/a\"b\n\\")], factory: registry).increment()
        Gauge(label: "depth", factory: registry).record(3)
        let timer = Timer(label: "wait_seconds", dimensions: [("k", "v")], factory: registry)
        timer.recordMilliseconds(20)
        timer.recordSeconds(60)
        let lines = registry.text.split(separator: "\n").map(String.init)
        #expect(lines.contains("# TYPE requests_total counter"))
        #expect(lines.contains(#"requests_total{route="/a\"b\n\\"} 3"#))
        #expect(lines.contains("# TYPE depth gauge"))
        #expect(lines.contains("depth 3.0"))
        #expect(lines.contains("# TYPE wait_seconds histogram"))
        #expect(lines.contains(#"wait_seconds_bucket{k="v",le="0.01"} 0"#))
        #expect(lines.contains(#"wait_seconds_bucket{k="v",le="0.025"} 1"#))
        #expect(lines.contains(#"wait_seconds_bucket{k="v",le="30.0"} 1"#))
        #expect(lines.contains(#"wait_seconds_bucket{k="v",le="+Inf"} 2"#))
        #expect(lines.contains(#"wait_seconds_sum{k="v"} 60.02"#))
        #expect(lines.contains(#"wait_seconds_count{k="v"} 2"#))
    }

    @Test func aMetricCannotGrowWithoutBound() {
        let registry = MetricsRegistry(seriesLimit: 2)
        for value in 1...5 {
            Counter(label: "c", dimensions: [("v", String(value))], factory: registry).increment()
        }
        #expect(
            registry.text == "# TYPE c counter\nc{overflow=\"true\"} 3\nc{v=\"1\"} 1\nc{v=\"2\"} 1\n"
        )
        Gauge(label: "c", factory: registry).record(1)
        #expect(!registry.text.contains("gauge"))
    }
}
