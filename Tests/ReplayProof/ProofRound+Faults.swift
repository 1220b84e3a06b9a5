import Canonical
import DaybookTestKit
import Foundation
import HTTPRequests
import PostgresCluster

extension ProofRound {
    // MARK: Clocks

    /// Sets the clock of a server forward or back while it works, until it has noticed, and then right again.
    mutating func jump(_ server: Int, bySeconds seconds: Int) async throws {
        note("the clock of server \(server) jumps by \(seconds) s")
        try clocks[server].jump(toSeconds: seconds)
        try await clockDiffers(server) { abs($0) > Double(abs(seconds)) / 2 }
        if seconds > 0 {
            let ahead = try await report(to: server)
            if ahead.code != "clock-ahead" {
                outcome.complain("a server whose clock is ahead answers \(ahead.status) \(ahead.code ?? "")")
            }
        }
        try clocks[server].jump(toSeconds: 0)
        try await clockDiffers(server) { abs($0) < 2 }
        outcome.jumps += 1
    }

    private mutating func clockDiffers(_ server: Int, _ isExpected: (Double) -> Bool) async throws {
        let since = ContinuousClock.now
        while !(await ProofClock.difference(at: servers[server].port).map(isExpected) ?? false) {
            guard ContinuousClock.now - since < Self.waitLimit else {
                return outcome.complain("server \(server) does not notice its clock")
            }
            try await pause()
        }
    }

    /// Records an event with one server that is no part of a payment.
    private func report(to server: Int) async throws -> (status: Int, code: String?) {
        let record: JSONValue = [
            "stream": "proof/clock",
            "events": [["type": "Reported", "schema": 1, "occurredAt": "2026-01-02T08:00:00Z", "data": [:]]],
        ]
        let answer = try await APIClient(port: servers[server].port, key: tenants[0].api.app).send(
            HTTPRequest(
                method: "POST",
                target: "/v1/events",
                fields: [("Content-Type", "application/json")],
                body: record.canonicalBytes
            )
        )
        return (answer.status, (try? JSONValue(parsing: answer.body))?["code"]?.string)
    }

    // MARK: Restores

    /// Copies the database's files while it is stopped.
    ///
    /// - Returns: The directory of the copy.
    mutating func backUp() async throws -> String {
        let copy = daybook.directory + "/backup"
        witnessed = witness()
        try await cluster.stop(evenIfInUse: true)
        try await Self.replace(copy, by: try await files())
        await (try await cluster.start()).release()
        note("backed up the database")
        return copy
    }

    private func witness() -> String? {
        try? String(contentsOfFile: daybook.directory + "/witness.txt", encoding: .utf8)
    }

    private func files() async throws -> String {
        guard let home = await cluster.status().home else { throw TestKitError("the cluster has no directory") }
        return home + "/data"
    }

    private static func replace(_ target: String, by source: String) async throws {
        for command in [["rm", "-rf", target], ["cp", "-a", source, target]] {
            let result = try await ChildProgram.run("/usr/bin/env", command)
            guard result.succeeded else { throw TestKitError("\(command): \(result)") }
        }
    }

    /// Kills the database and restores the backup. Nothing is appended and no gateway is called until the log is
    /// adopted: not by the servers that run, nor by a server that starts.
    mutating func restore(_ backup: String) async throws {
        // Only a checkpoint from after the backup shows that the log lost its end.
        let asked = ContinuousClock.now
        while witness() == witnessed {
            guard ContinuousClock.now - asked < Self.waitLimit else {
                return outcome.complain("no checkpoint is made after the backup")
            }
            try await pause()
        }
        try await PostgresProcesses(of: cluster).kill()
        try await Self.replace(try await files(), by: backup)
        await (try await cluster.start()).release()
        note("restored the backup")

        for server in servers.indices { try await contradicted(server) }
        let before = try await requests()
        try await servers[1].process.kill()
        try await start(1)
        for server in servers.indices { try await contradicted(server) }
        let after = try await requests()
        if before != after { outcome.complain("gateways were called on a contradicted log: \(before), \(after)") }

        let adopted = try await daybook.run("log", "adopt", "--reason", "the proof restored a backup", "--json")
        guard adopted.succeeded else { throw TestKitError("log adopt: \(adopted)") }
        outcome.restores += 1
        let since = ContinuousClock.now
        for server in servers.indices {
            while try await report(to: server).status != 201 {
                guard ContinuousClock.now - since < Self.waitLimit else {
                    return outcome.complain("server \(server) does not notice the adoption")
                }
                try await pause()
            }
        }
        note("adopted the log")
    }

    /// Waits until a server refuses to append because of the lost events.
    private mutating func contradicted(_ server: Int) async throws {
        let since = ContinuousClock.now
        while true {
            let answer = try? await report(to: server)
            if let answer, answer.status == 503, answer.code == "log-contradicted" { return }
            if let answer, answer.status < 500 {
                return outcome.complain("server \(server) answers \(answer.status) on a log that lost its end")
            }
            guard ContinuousClock.now - since < Self.waitLimit else {
                return outcome.complain("server \(server) does not notice that the log lost its end")
            }
            try await pause()
        }
    }

    private func requests() async throws -> [Int64] {
        var counts: [Int64] = []
        for tenant in tenants { counts.append(try await gateway.requests(of: tenant.account)) }
        return counts
    }

    // MARK: Tenants

    /// The second tenant's documents name the first one's account and invoices. No call about them is made.
    mutating func askForOtherAccounts() async throws {
        let (owner, other) = (tenants[0], tenants[1])
        let before = try await gateway.requests(of: owner.account)
        for number in 1...20 {
            let payment = try await other.recordDoubt(
                "foreign-\(number)",
                invoice: "\(owner.prefix.uppercased())\(number)",
                "12.50",
                account: owner.account
            )
            let answer = try await servers[0].client(other.api.planner).send(
                HTTPRequest(method: "POST", target: "/v1/doubts/\(payment)/query")
            )
            if answer.text.contains("\"approved\"") || answer.text.contains("authorizationCode") {
                outcome.complain("\(other.name) learns of another tenant's payment: \(answer.text)")
            }
            let payload: JSONValue = [
                "filter": ["transactions": [.string(payment)]], "reason": "an attempt on another account",
            ]
            _ = try await other.api.json("POST", "/v1/replays", payload, also: [400, 409, 422])
        }
        outcome.foreignRequests = try await gateway.requests(of: owner.account) - before
        if outcome.foreignRequests != 0 {
            outcome.complain("\(outcome.foreignRequests) calls of \(other.name) reached the account of \(owner.name)")
        }
        try await other.api.each("/v1/events?type=GatewayCallSent") { event in
            if event["data"]?["account"]?.string != other.account { outcome.complain("a foreign call: \(event.text)") }
        }
    }
}
