import DaybookTestKit
import Foundation
import Testing

/// The commands of the tutorial.
struct ReadmeTests {
    @Test func theSessionInTheReadmeWorksAsWritten() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "docs/tutorial.md"), encoding: .utf8)
        let blocks = Self.shellBlocks(in: readme, under: "## A session")
        let printed = Self.blocks(in: readme, under: "## A session", fence: "```text")
        #expect(blocks.count >= 3 && printed.count >= 3)
        let script = blocks.joined().split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("swift build ") && !$0.hasPrefix("export PATH=") }.joined(separator: "\n")
        #expect(script.contains("127.0.0.1:8080"))

        try await Daybook.with { daybook in
            let port = try await Self.freePort()
            let binary = try ServerProcess.builtProduct("daybook")
            let preamble =
                "set -euo pipefail\nexport PATH='\(URL(filePath: binary).deletingLastPathComponent().path)':$PATH\n"
            // After `kill` the job ends; its status is the exit status of `serve`.
            let text = preamble + script.replacing(":8080", with: ":\(port)") + "\nwait %1\n"
            let file = try daybook.write(text, to: "session.sh")
            let result = try await ChildProgram.run(
                "/usr/bin/env",
                ["-u", "DATABASE_URL", "-u", "DAYBOOK_DATABASE_URL", "-C", daybook.directory, "bash", file]
            )
            #expect(result.exitCode == 0, "\(result.standardError)")
            for part in [
                "\"transaction\"", "authorized", "7.50 USD", "MERCHANT COPY", "AuthorizationApproved", "private server",
                "100 payments at 20 terminals", "the ledger matches the truth",
            ] {
                #expect(result.standardOutput.contains(part), "\(part) is missing in\n\(result.standardOutput)")
            }
            #expect(!result.standardOutput.contains("is dropped"))
            Self.expect(printed.map { $0.replacing(":8080", with: ":\(port)") }, in: result.standardOutput)
        }
    }

    @Test func theSessionWithAGatewayInTheReadmeWorksAsPrinted() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "docs/tutorial.md"), encoding: .utf8)
        var script = Self.shellBlocks(in: readme, under: "## A session with a gateway").joined()
        let printed = Self.blocks(in: readme, under: "## A session with a gateway", fence: "```")
        try #require(script.contains("simulate gateway") && printed.count >= 2)
        for port in ["8080", "8801", "8802"] {
            script = script.replacing(port, with: "\(try await Self.freePort())")
        }
        try await Daybook.with { daybook in
            let directory = URL(filePath: try ServerProcess.builtProduct("daybook")).deletingLastPathComponent().path
            // Jobs that remain after a line fails would keep the test waiting for the end of its output.
            let preamble = """
                set -euo pipefail
                trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
                export PATH='\(directory)':$PATH

                """
            let file = try daybook.write(preamble + script + "\nwait\n", to: "gateway.sh")
            let result = try await ChildProgram.run(
                "/usr/bin/env",
                ["-u", "DATABASE_URL", "-u", "DAYBOOK_DATABASE_URL", "-C", daybook.directory, "bash", file]
            )
            #expect(result.exitCode == 0, "\(result.standardError)")
            Self.expect(printed, in: result.standardOutput)
        }
    }

    /// Expects each printed line in the output.
    private static func expect(_ printed: [String], in output: String) {
        let lines = output.split(separator: "\n").map(words)
        for line in printed.joined().split(separator: "\n") {
            #expect(lines.contains { words(line, standIn: $0) }, "\(line) is not printed:\n\(output)")
        }
    }

    /// The words of a line, with one space between them.
    private static func words(_ line: Substring) -> String {
        line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether a line of output has the words of a printed one in order; `...` matches anything.
    private static func words(_ printed: Substring, standIn line: String) -> Bool {
        var rest = line[...]
        for part in words(printed).components(separatedBy: "...") {
            let part = part.trimmingCharacters(in: .whitespaces)
            guard !part.isEmpty else { continue }
            guard let place = rest.range(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }

    @Test func theEvidenceInTheReadmeWorksAsWritten() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "docs/tutorial.md"), encoding: .utf8)
        let script = Self.shellBlocks(in: readme, under: "## Evidence").joined()
        try #require(script.contains("ops/verify-export"))
        try await Daybook.with { daybook in
            let directory = URL(filePath: try ServerProcess.builtProduct("daybook")).deletingLastPathComponent().path
            let preamble = """
                set -euo pipefail
                export PATH='\(directory)':$PATH REPOSITORY='\(root.path)'
                daybook keys create --tenant acme --scopes documents
                echo '{"kind": "Spin_Response", "body": {}}' | daybook intake - --vendor dejavoo || test $? = 2

                """
            let file = try daybook.write(preamble + script, to: "proof.sh")
            let result = try await ChildProgram.run(
                "/usr/bin/env",
                ["-u", "DATABASE_URL", "-u", "DAYBOOK_DATABASE_URL", "-C", daybook.directory, "bash", file]
            )
            _ = try await daybook.run("db", "stop", "--force", "--data-dir", "copy")
            #expect(result.exitCode == 0, "\(result.standardError)")
            let sound = result.standardOutput.components(separatedBy: "nothing is wrong").count - 1
            #expect(sound == 3, "\(result.standardOutput)")
        }
    }

    static func shellBlocks(in text: String, under heading: String) -> [String] {
        blocks(in: text, under: heading, fence: "```sh")
    }

    /// The blocks under a heading that begin with a line such as "```sh".
    static func blocks(in text: String, under heading: String, fence: String) -> [String] {
        var blocks: [String] = []
        var isThere = false
        var isBlock = false
        var isOurs = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("## "), !isBlock { isThere = line == heading }
            if isBlock {
                if line == "```" {
                    isBlock = false
                } else if isOurs {
                    blocks[blocks.count - 1] += line + "\n"
                }
            } else if line.hasPrefix("```") {
                isBlock = true
                isOurs = isThere && line == fence
                if isOurs { blocks.append("") }
            }
        }
        return blocks
    }

    /// A free port: requested from the system and released.
    static func freePort() async throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        guard result == 0 else { throw TestKitError("no free port: \(errno)") }
        return Int(in_port_t(bigEndian: address.sin_port))
    }
}
