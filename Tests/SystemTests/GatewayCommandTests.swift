import Canonical
import DaybookTestKit
import Foundation
import Testing

/// `daybook simulate gateway` as users run it.
struct GatewayCommandTests {
    private static func start(_ daybook: Daybook, _ options: [String]) async throws -> (ServerProcess, [String: Int]) {
        let process = try await daybook.start(["simulate", "gateway", "--json"] + options)
        let line = try await process.line(startingWith: "{\"listening\"")
        let listening = try JSONValue(parsing: Array(line.utf8))["listening"]?.object ?? [:]
        var ports: [String: Int] = [:]
        for member in listening {
            guard let url = member.value.string, let port = URL(string: url)?.port else { continue }
            ports[member.key] = port
        }
        return (process, ports)
    }

    private static func ask(_ port: Int?, _ request: String) async throws -> RawResponse {
        let client = try await RawClient.connect(port: try #require(port))
        try await client.send(request)
        return try await client.readResponse()
    }

    private static func sale(_ reference: String) -> String {
        let body = """
            {"Amount":12.5,"PaymentType":"Credit","ReferenceId":"\(reference)","Tpn":"Z11NATASHA98",\
            "Authkey":"zbhRAW9N6x"}
            """
        return "POST /v2/Payment/Sale HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let summary = "GET /standin/summary HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func itServesUntilItIsStoppedAndKeepsItsBooks() async throws {
        try await Daybook.with { daybook in
            let all = ["--bridgepay", "0", "--handpoint", "0", "--dejavoo", "0", "--ipos", "0", "--books", "b.ndjson"]
            let (first, ports) = try await Self.start(daybook, all)
            #expect(Set(ports.keys) == ["bridgepay", "handpoint", "dejavoo", "ipos"])
            let sold = try await Self.ask(ports["dejavoo"], Self.sale("r1"))
            #expect(sold.body.contains("\"StatusCode\":\"0000\""))
            first.send(15)
            #expect(try await first.waitForExit() == 0)

            // Killed while running, it still knows all of them.
            let (second, again) = try await Self.start(daybook, all)
            #expect(try await Self.ask(again["dejavoo"], Self.sale("r1")).body.contains("\"StatusCode\":\"1011\""))
            #expect(try await Self.ask(again["dejavoo"], Self.sale("r2")).body.contains("\"StatusCode\":\"0000\""))
            try await second.kill()
            let (third, later) = try await Self.start(daybook, all)
            let books = try JSONValue(parsing: try await Self.ask(later["dejavoo"], Self.summary).bytes)
            #expect(books["payments"]?.int64 == 2)
            #expect(books["totals"]?[0]?["charged"]?.int64 == 2_500)
            #expect(books["refusedRepeats"]?.int64 == 1)
            third.send(2)
            #expect(try await third.waitForExit() == 0)
        }
    }

    @Test func eachGatewayHasItsSeedAndFaults() async throws {
        try await Daybook.with { daybook in
            let process = try await daybook.start([
                "simulate", "gateway", "--dejavoo", "0", "--seed", "7", "--faults", "lost=20,duplicate=5,slow=5,fail=5",
            ])
            let line = try await process.line(startingWith: "faults: ")
            #expect(line == "faults: slow=5,lost=20,duplicate=5,fail=5, seed 7, books: not kept")
            #expect(await process.standardOutput.contains("dejavoo at http://127.0.0.1:"))
            process.send(15)
            #expect(try await process.waitForExit() == 0)
        }
    }

    @Test(
        arguments: [
            ([], "Name a gateway", 64), (["--ipos", "70000"], "A port", 64),
            (["--ipos", "0", "--faults", "late=2"], "late", 64),
            (["--ipos", "0", "--slow-seconds", "31"], "--slow-seconds", 64), (["--ipos", "1"], "Cannot listen", 1),
            (["--ipos", "0", "--books", "/proc/none"], "/proc/none", 1),
        ] as [([String], String, Int32)]
    )
    func errorsNameWhatCannotBeServed(options: [String], says: String, exitCode: Int32) async throws {
        try await Daybook.with { daybook in
            // Only the superuser may use a port that is too low for others.
            if options == ["--ipos", "1"], getuid() == 0 { return }
            let result = try await daybook.run(["simulate", "gateway"] + options)
            #expect(result.exitCode == exitCode, "\(result)")
            #expect(result.standardError.contains(says), "\(result)")
        }
    }

    @Test func theSessionInItsPageWorksAsPrinted() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/simulator.md"), encoding: .utf8)
        var script = ReadmeTests.shellBlocks(in: page, under: "## Gateways").joined()
        try #require(script.contains("daybook simulate gateway"))
        for port in ["8801", "8802", "8803", "8804"] {
            script = script.replacing(port, with: "\(try await ReadmeTests.freePort())")
        }
        try await Daybook.with { daybook in
            let binary = try ServerProcess.builtProduct("daybook")
            let path = URL(filePath: binary).deletingLastPathComponent().path
            let preamble = "set -euo pipefail\nexport PATH='\(path)':$PATH\n"
            let file = try daybook.write(preamble + script + "\nwait %1\n", to: "session.sh")
            let result = try await ChildProgram.run("/usr/bin/env", ["-C", daybook.directory, "bash", file])
            #expect(result.exitCode == 0, "\(result)")
            for part in [
                "<Auth><TransactionID>a1</TransactionID>", "<Find><TransactionID>a2</TransactionID>",
                "A01 - Approved", "\"StatusCode\":\"0000\"", "\"responseCode\":200", "\"finStatus\":\"IN_PROGRESS\"",
                "\"charged\":1250", "\"doubleCharges\":[]",
            ] {
                #expect(result.standardOutput.contains(part), "\(part) is missing in\n\(result.standardOutput)")
            }
            let books = try String(contentsOfFile: daybook.directory + "/books.ndjson", encoding: .utf8)
            #expect(!books.contains("4111111111111111"))
        }
    }

    @Test func helpHasExamples() async throws {
        try await Daybook.with { daybook in
            let help = try await daybook.run("simulate", "gateway", "--help")
            #expect(help.standardOutput.contains("daybook simulate gateway --bridgepay 8801"))
            let group = try await daybook.run("simulate", "--help")
            #expect(group.standardOutput.contains("gateway") && group.standardOutput.contains("play"))
        }
    }
}
