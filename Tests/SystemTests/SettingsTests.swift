import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import Testing

/// Settings are understood, or a command does not start and names the one that is not.
@Suite("Settings") struct SettingsTests {
    private static let gateway = [
        "DAYBOOK_GATEWAYS": "hp", "DAYBOOK_GATEWAY_HP_KIND": "handpoint",
        "DAYBOOK_GATEWAY_HP_URL": "http://127.0.0.1:9",
        "DAYBOOK_GATEWAY_HP_API_KEY": "k-1", "DAYBOOK_GATEWAY_HP_TENANT": "acme",
        "DAYBOOK_GATEWAY_HP_ACCOUNTS": "1640013848",
    ]

    static let variables: [(name: String, value: String, named: String)] = [
        ("DAYBOOK_LISTENS", "127.0.0.1:0", "daybook.listens"),
        ("DAYBOOK_RECONCILE_EVRY", "5", "daybook.reconcile.evry"),
        ("DAYBOOK_UPLOADS", "many", "daybook.uploads"),
        ("DAYBOOK_CONSOLE_REQUIRES_TLS", "maybe", "daybook.console.requires.tls"),
        ("DAYBOOK_GATEWAY_HP_PASSWORD", "p-7731", "daybook.gateway.hp.password"),
        ("DAYBOOK_GATEWAY_HP_TPN", "816012345678", "daybook.gateway.hp.tpn"),
        ("DAYBOOK_GATEWAY_HP_MERCHANTS", "m-1", "daybook.gateway.hp.merchants"),
        ("DAYBOOK_GATEWAY_HP_REVERSALS", "sometimes", "daybook.gateway.hp.reversals"),
        ("DAYBOOK_GATEWAY_HP_CONCURRENT", "four", "daybook.gateway.hp.concurrent"),
        ("DAYBOOK_GATEWAY_WEB_URL", "http://127.0.0.1:9", "daybook.gateway.web.url"),
        ("DAYBOOK_REPLAY_RULES", "window.duplicate.helcim=600", "window.duplicate.helcim"),
        ("DAYBOOK_REPLAY_RULES", "iso.5=retry", "iso.5"), ("DAYBOOK_REPLAY_POLICY", "5", "daybook.replay.policy"),
    ]

    @Test("A variable that nothing reads, or of another type, is named", arguments: variables)
    func variable(_ name: String, _ value: String, _ named: String) async throws {
        try await Daybook.withDatabase { daybook, url in
            _ = try await daybook.key()
            let environment = Self.gateway.merging(["DATABASE_URL": url, name: value]) { $1 }
            let other = Daybook(directory: daybook.directory, environment: environment)
            let result = try await other.run("replay", "status")
            #expect(result.exitCode == 1 && result.standardError.contains(named), "\(result)")
            #expect(!result.standardError.contains("p-7731"))
        }
    }

    static let files: [(text: String, named: String)] = [
        (#"{"daybook":{"listens":"127.0.0.1:0"}}"#, "daybook.listens"),
        (#"{"listen":"127.0.0.1:0"}"#, "listen"), (#"{"daybook":{"log.key.file":"x"}}"#, "daybook.log.key.file"),
        (#"{"daybook":{"data":{"dir":"x"}}}"#, "daybook.data.dir"),
        (#"{"daybook":{"listens":{}}}"#, "daybook.listens"), (#"{"daybook":{"uploads":"2"}}"#, "daybook.uploads"),
        (#"{"daybook":{"listen":7}}"#, "daybook.listen"), (#"{"daybook":{"listen":["x"]}}"#, "daybook.listen"),
        (#"{"daybook":{"console":{"requires":{"tls":"on"}}}}"#, "daybook.console.requires.tls"),
        (#"{"daybook":{"uploads":true}}"#, "daybook.uploads"), (#"{"daybook":{"uploads":1.5}}"#, "daybook.uploads"),
        (#"{"daybook":{"listen":null}}"#, "daybook.listen"),
        (#"{"daybook":{"gateways":[1]}}"#, "daybook.gateways"), (#"{"daybook":[]}"#, "daybook"), ("[]", "JSON object"),
        (#"{"daybook":{"gateway":{"hp":{"kind":"handpoint"}}}}"#, "daybook.gateway.hp.kind"),
    ]

    @Test("A member of the file that nothing reads, or of another type, is named", arguments: files)
    func file(_ text: String, _ named: String) async throws {
        try await Daybook.withDatabase { daybook, _ in
            let file = try daybook.write(text, to: "settings.json")
            let result = try await daybook.run("doctor", "--config", file)
            #expect(result.exitCode == 1 && result.standardError.contains(named), "\(result)")
        }
    }

    @Test("Numbers, truth values and lists may have their own type in the file")
    func types() async throws {
        try await Daybook.withDatabase { daybook, _ in
            _ = try await daybook.key()
            let text = """
                {"daybook": {"uploads": 2, "console": {"requires": {"tls": true}}, "gateways": ["hp"], "gateway": {"hp": {
                  "kind": "handpoint", "url": "http://127.0.0.1:9", "api": {"key": "k-1"}, "tenant": "acme",
                  "accounts": ["1640013848", "2"], "reversals": false, "concurrent": 2}}}}
                """
            let file = try daybook.write(text, to: "settings.json")
            let result = try await daybook.run("replay", "status", "--config", file)
            #expect(result.succeeded, "\(result)")
            let doctor = try await daybook.run("doctor", "--config", file)
            #expect(doctor.exitCode == 2, "nothing listens at the gateway's port")
            let row = "handpoint at 127.0.0.1, 2 accounts of acme: No connection came about. (not-connected)"
            #expect(doctor.standardOutput.contains(row), "\(doctor)")
        }
    }

    @Test("A truth value has its effect, in the file and in the environment", arguments: ["on", "true", "off", nil])
    func flags(_ value: String?) async throws {
        try await Daybook.withDatabase { daybook, _ in
            var other = daybook
            if let value {
                other.environment["DAYBOOK_CONSOLE_REQUIRES_TLS"] = value
            } else {
                let text = #"{"daybook": {"console": {"requires": {"tls": true}}}}"#
                other.environment["DAYBOOK_CONFIG"] = try daybook.write(text, to: "settings.json")
            }
            let server = try await other.serve()
            let page = try await server.client(nil).send(HTTPRequest(method: "GET", target: "/console/sign-in"))
            let cookie = try #require(page.fields["set-cookie"], "\(page.status)")
            #expect(cookie.contains("; Secure") == (value != "off"), "\(cookie)")
            #expect(try await server.stop() == 0)
        }
    }

    @Test("Variables of tests and of clients are no settings")
    func otherVariables() async throws {
        try await Daybook.withDatabase { daybook, _ in
            _ = try await daybook.key()
            var other = daybook
            for name in ["KEY", "PG_BIN", "TEST_SEED", "WRITE_GOLDEN", "SOAK_EVENTS", "PROOF_PAYMENTS", "SCREENSHOTS"] {
                other.environment["DAYBOOK_\(name)"] = "1"
            }
            let result = try await other.run("replay", "status")
            #expect(result.exitCode == 0, "\(result)")
        }
    }

    @Test("The list of settings has what the code reads, and the documents have the list")
    func list() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let known = try Set(
            text("Sources/daybook/Setup/KnownSettings.swift").matches(of: /Setting\("([a-z.]+)"/).map { String($0.1) }
        )
        var read: Set<String> = ["data.dir", "config"]
        let folder = root.appending(path: "Sources/daybook")
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        for file in files where file.hasSuffix(".swift") && !file.hasSuffix("KnownSettings.swift") {
            let code = try text("Sources/daybook/\(file)")
            read.formUnion(code.matches(of: /forKey: "daybook\.([a-z.]+)"/).map { String($0.1) })
            read.formUnion(
                code.matches(of: /(?:ettings\.text|ettings\.integer|integer|limits|text)\(\s*"([a-z.]+)", flag/).map {
                    String($0.1)
                }
            )
            read.formUnion(code.matches(of: /(?:limits|settings\.flag)\("([a-z.]+)"\)/).map { String($0.1) })
        }
        // The list of gateways is read with their settings.
        read.insert("gateways")
        #expect(read == known, "\(read.symmetricDifference(known).sorted())")
        let documents = try ["README.md", "docs/gateways.md", "docs/replay.md", "docs/console.md"].map(text).joined()
        for name in known {
            let variable = "DAYBOOK_" + name.uppercased().replacing(".", with: "_")
            let isDocumented = documents.contains("daybook.\(name)") || documents.contains(variable)
            #expect(isDocumented || name.hasPrefix("replay.policy."), "\(name)")
        }
    }
}
