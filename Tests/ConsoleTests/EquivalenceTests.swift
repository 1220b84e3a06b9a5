import Access
import Canonical
import Composition
import DaybookAPI
import DaybookTestKit
import EventLog
import Foundation
import HTTPEdge
import HTTPTypes
import Intake
import Matching
import Merkle
import Operations
import Payments
import Projections
import Reconciliation
import Redaction
import Testing

@testable import Console

/// Every page of the console shows what the API answers and the command prints that are named at its foot.
struct EquivalenceTests {
    private static let midnight = TestDatabase.Template.tradedDay
    /// Pages without data of the ledger, and files.
    private static let noViews: Set<String> = [
        "/console/assets/{digest}/{name}", "/console/sign-in", "/console/live", WebConsole.anythingElse,
        "/console/readers/{vendor}/{serial}/bundle", "/console/journal-exports/{id}/file",
        "/console/disputes/{id}/evidence",
    ]

    @Test func everyRouteIsAViewWithACallAndACommand() async throws {
        try await TestConsole.serve { console in
            let router = try WebConsole(ledger: console.ledger).router()
            let pages = Set(router.routes.filter { $0.method == .get }.map(\.template)).subtracting(Self.noViews)
            #expect(pages == Set(ConsoleView.allCases.map(\.rawValue)))
            for view in ConsoleView.allCases {
                let path = ["id": "1", "vendor": "dejavoo", "serial": "2", "position": "3", "merchant": "4"]
                #expect(!view.equivalents(at: ViewPlace(path: path, tenant: "acme")).isEmpty, "\(view)")
            }
        }
    }

    @Test func pagesCallsAndCommandsAgree() async throws {
        let keys = LogKeys(NoteSigningKey(name: try #require(NoteKeyName("log.test"))))
        try await TestConsole.serve(on: .tradingDay, signing: EvidenceOptions(keys: keys)) { console in
            try await console.sellTwice(at: Self.midnight)
            try await console.chargeBack(at: Self.midnight)
            try await console.describe("m-1", "Asia/Tokyo", "05:00")
            try await console.describe("Smith & Sons, Bakers", "+01:00", "00:00")
            try await console.importStatement("may.csv")
            // A second file with the same lines, and a longer one.
            try await console.importStatement("may again.csv", more: 120)
            try await console.reconcile()
            try await console.workExceptions()
            try await console.planReplays(signing: EvidenceOptions(keys: keys))
            let head = try await console.ledger.reader.head()
            try await console.ledger.signing.waitForCheckpoint(of: head)
            try await withTemporaryDirectory(prefix: "dbk-same") { directory in
                let file = "\(directory)/log.key"
                try Data(keys.fileContents.utf8).write(to: URL(filePath: file))
                let commands = ViewReader(
                    console: console,
                    visitor: try await console.visitor(),
                    key: try await console.key().secret,
                    environment: ["DATABASE_URL": console.url, "DAYBOOK_LOG_KEY": file]
                )
                var addresses = try await commands.addresses()
                #expect(Set(addresses.map(\.view)) == Set(ConsoleView.allCases))
                let end = try await console.ledger.reader.head()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        guard let next = addresses.popLast() else { break }
                        group.addTask { try await commands.compare(next.view, next.address) }
                    }
                    while try await group.next() != nil {
                        guard let next = addresses.popLast() else { continue }
                        group.addTask { try await commands.compare(next.view, next.address) }
                    }
                }
                // No event was appended in between, so answers may be cached.
                #expect(try await console.ledger.reader.head() == end)
            }
        }
    }
}

/// Reads every view in three ways: page, API call, command.
private struct ViewReader: Sendable {
    let console: TestConsole
    let visitor: Browser
    let key: String
    let environment: [String: String]
    private let printed = Printed()

    init(console: TestConsole, visitor: Browser, key: String, environment: [String: String]) {
        self.console = console
        self.visitor = visitor
        self.key = key
        self.environment = environment
    }

    // MARK: Reading

    /// Returns the answer of the API.
    func call(_ request: String) async throws -> String {
        let isText = request.hasSuffix(" (Accept: text/plain)")
        let target = request.replacing(" (Accept: text/plain)", with: "").dropFirst("GET ".count)
        let client = try await RawClient.connect(port: console.port)
        await client.sendAnyway(
            "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer \(key)\r\n"
                + "Accept: \(isText ? "text/plain" : "application/json")\r\n\r\n"
        )
        let answer = try await client.readResponse()
        try #require(answer.status == 200, "\(request): \(answer.status) \(answer.body)")
        return answer.body
    }

    /// Returns the output of the command, as JSON if it offers that. A command named by several pages runs once.
    func run(_ command: String, asText: Bool) async throws -> String {
        try await printed.text(command) { try await type(command, asText: asText) }
    }

    /// Runs the command in a shell, exactly as the page shows it.
    private func type(_ command: String, asText: Bool) async throws -> String {
        let binary = try ServerProcess.builtProduct("daybook")
        let path = URL(filePath: binary).deletingLastPathComponent().path
        // Insert the options after the name of the command, before its arguments.
        let depth =
            ["statement", "reconcile", "resolve", "replay", "proposals", "dispute"].contains {
                command.hasPrefix("daybook \($0) ")
            } ? 3 : 2
        let words = command.split(separator: " ", maxSplits: depth)
        let line = asText ? command : (words.prefix(depth) + ["--json"] + words.dropFirst(depth)).joined(separator: " ")
        let variables = environment.merging(["PATH": "\(path):/usr/bin:/bin"]) { $1 }.map { "\($0.key)=\($0.value)" }
        let result = try await ChildProgram.run("/usr/bin/env", ["-i"] + variables + ["/bin/sh", "-c", line])
        // A report with open exceptions exits with 2.
        let isReport = command.hasPrefix("daybook reconcile report")
        try #require(result.exitCode == 0 || isReport && result.exitCode == 2, "\(line): \(result)")
        return result.standardOutput
    }

    // MARK: Comparing

    func compare(_ view: ConsoleView, _ address: String) async throws {
        let answer = try await visitor.get(address)
        try #require(answer.status == 200, "\(address): \(answer.status) \(answer.body)")
        let isPage = answer.fields["content-type"]?.hasPrefix("text/html") == true
        let reading = PageReading(answer.body)
        let expected = view.equivalents(at: place(view, address))
        let equivalents = isPage ? reading.equivalents : expected.map { ($0.request, $0.commandLine) }
        try #require(!equivalents.isEmpty, "\(address) does not say what is the same")
        var answers: [JSONValue] = []
        for (request, command) in equivalents {
            let isText = request.hasSuffix("(Accept: text/plain)")
            let reported = try await call(request)
            let printed = try await run(command, asText: isText)
            if isText {
                #expect(reported.trimmed == printed.trimmed, "\(request) and \(command)")
                answers.append(.string(reported))
            } else {
                let (reported, printed) = (try JSONValue(parsing: reported.utf8), try JSONValue(parsing: printed.utf8))
                #expect(reported.comparable == printed.comparable, "\(request) and \(command)")
                if let more = printed["more"]?.bool { #expect(more == (reported["next"] != nil), "\(command)") }
                answers.append(reported)
            }
        }
        if isPage {
            let figures = Figures(view, answers)
            #expect(reading.figures.sorted() == figures.figures.sorted(), "the figures of \(address)")
            #expect(reading.tiles == figures.tiles, "the tiles of \(address)")
            if let places = figures.places {
                #expect(reading.links("/console/\(places.section)/") == places.addresses, "the rows of \(address)")
            }
            for text in figures.texts {
                #expect(answer.body.contains(PageRenderer.escaped(text)), "\(address): \(text)")
            }
        } else if view == .proof {
            #expect(try JSONValue(parsing: answer.body.utf8) == answers[0], "\(address)")
        } else {
            #expect(answers[0].string == answer.body, "\(address)")
        }
    }

    /// The place of an address, for views without pages.
    private func place(_ view: ConsoleView, _ address: String) -> ViewPlace {
        let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
        var place = ViewPlace(tenant: "acme")
        for (name, value) in zip(view.rawValue.split(separator: "/"), parts[0].split(separator: "/"))
        where name.hasPrefix("{") {
            place.path[String(name.dropFirst().dropLast())] = String(value)
        }
        for pair in parts.dropFirst().joined().split(separator: "&") {
            let sides = pair.split(separator: "=").map(String.init)
            if sides.count == 2 { place.query.append((sides[0], sides[1])) }
        }
        return place
    }

    // MARK: Addresses

    /// Addresses of every view, with filters, pages and subjects of many kinds.
    func addresses() async throws -> [(view: ConsoleView, address: String)] {
        func items(_ target: String) async throws -> [JSONValue] {
            try JSONValue(parsing: try await call("GET \(target)").utf8)["items"]?.array ?? []
        }
        let head = try await console.ledger.reader.head()
        func id(_ item: JSONValue?) -> String { item?["id"]?.string ?? item?["transaction"]?.string ?? "none" }
        let payments = try await items("/v1/transactions?limit=1000")
        let batches = try await items("/v1/batches")
        let readers = try await items("/v1/readers")
        let anomalies = try await items("/v1/anomalies")
        let checkouts = try await items("/v1/checkouts")
        let statements = try await items("/v1/statements")
        let exceptions = try await items("/v1/exceptions?limit=1000")
        let periods = try await items("/v1/periods")
        let longest = statements.max { $0["lines"]?.int64 ?? 0 < $1["lines"]?.int64 ?? 0 }
        // One payment of each status, and one with each kind of movement.
        var chosen: [String: String] = [:]
        for item in payments {
            let movements = ["captures", "refunds", "chargebacks", "credit", "anomalies"].filter { item[$0] != nil }
            chosen["\(item["status"]?.string ?? "") \(movements)"] = id(item)
        }
        let number = batches.compactMap { $0["number"]?.string }.first ?? ""
        let lastFour = payments.compactMap { $0["card"]?["lastFour"]?.string }.first ?? ""
        let merchant = payments.compactMap { $0["merchant"]?.string }.first ?? ""
        var found: [(ConsoleView, [String])] = [
            (
                .day,
                [
                    "?day=2026-09-22", "?day=2026-09-22&zone=America%2FNew_York", "?day=2026-09-22&merchant=m-1",
                    "?day=2026-09-21&merchant=\(merchant)",
                ]
            ),
            (
                .transactions,
                ["", "?status=captured&limit=3", "?from=2026-09-22T12%3A00&zone=Europe%2FBerlin&vendor=bridgepay"]
            ), (.batches, ["", "?status=closed&limit=1"]), (.checkouts, ["", "?status=completed&limit=1"]),
            (.statements, ["", "?side=processor&inconsistent=true&limit=1"]), (.merchants, ["", "?limit=1"]),
            (
                .reconciliation,
                ["", "?from=2026-09-22&to=2026-09-23", "?merchant=\(merchant)", "?from=2031-01-01"]
            ),
            (
                .exceptions,
                [
                    "", "?limit=3", "?status=resolved", "?status=all&class=missing-in-ledger&currency=EUR&limit=5",
                    "?open=false&from=2026-09-22&to=2026-09-22",
                ]
            ), (.rules, ["", "?as_of_position=1"]), (.proposals, [""]), (.cashForecast, ["", "?days=30"]),
            (.disputes, ["", "?open=true&limit=1", "?status=lost"]),
            (.periods, ["", "?merchant=\(merchant)&status=closed&limit=1"]),
            (.merchant, ["/m-1?day=2026-09-22", "/m-1?zone=Europe%2FParis", "/Smith%20%26%20Sons%2C%20Bakers"]),
            (.readers, ["", "?limit=1"]), (.totals, ["", "?by=merchant&currency=USD"]), (.receivables, [""]),
            (.journal, ["", "?account=sales&limit=2"]), (.trialBalance, ["", "?by=account,part&currency=USD"]),
            (.accounts, [""]), (.accountStatement, ["sales", "bank", "fees"].map { "/\($0)/statement?limit=3" }),
            (.tips, ["", "?by=recipient,day"]), (.taxes, ["", "?by=merchant"]), (.fees, ["", "?component=processing"]),
            (.readerRates, ["", "?by=cashier&vendor=handpoint"]), (.logKey, [""]), (.exports, ["", "?format=xero"]),
            (
                .doubts,
                [
                    "", "?vendor=bridgepay&limit=1", "?needs_person=true&sort=value", "?needs_person=false",
                    "?older_than=60&limit=2",
                ]
            ), (.duplicates, ["", "?window=60&merchant=m-1"]),
            (.anomalies, ["", "?state=open&limit=2"]), (.events, ["", "?type=Captured&limit=4"]), (.system, [""]),
            (.search, ["?q=\(lastFour)&all=true", "?q=\(number)&all=true", "?q=%233&all=true", "?q=nobody%27s"]),
            (.search, [checkouts.first, statements.first].map { "?q=\(Address.segment(id($0)))&all=true" }),
        ]
        found.append((.transaction, chosen.values.map { "/" + $0 }))
        found.append((.receipt, chosen.values.prefix(1).map { "/\($0)/receipt?copy=merchant" }))
        let positions = payments.compactMap { $0["lastPosition"]?.int64 }.sorted()
        let middle = positions[positions.count / 2]
        if let old = payments.first(where: { $0["firstPosition"]?.int64 ?? .max < middle }) {
            found.append((.transaction, ["/\(id(old))?as_of_position=\(middle)"]))
        }
        found.append((.batch, batches.prefix(3).map { "/" + id($0) }))
        found.append((.batch, batches.suffix(1).map { "/\(id($0))?as_of_position=\(middle)" }))
        found.append((.batch, batches.filter { $0["closedAt"] != nil }.prefix(1).map { "/" + id($0) }))
        found.append((.anomaly, anomalies.prefix(1).map { "/" + id($0) }))
        found.append((.checkout, checkouts.prefix(2).map { "/" + Address.segment(id($0)) }))
        found.append((.statement, ["/\(id(longest))", "/\(id(longest))?holds=false"]))
        for (part, name) in [("controls", "controls"), ("lines", "cursor")] {
            let target = "/v1/statements/\(id(longest))/\(part)?limit=1"
            let next = try JSONValue(parsing: try await call("GET \(target)").utf8)["next"]?.string ?? "none"
            found.append((.statement, ["/\(id(longest))?\(name)=\(Address.segment(next))"]))
        }
        // One exception of each class and status.
        var kinds: [String: String] = [:]
        for item in exceptions {
            kinds["\(item["class"]?.string ?? "") \(item["status"]?.string ?? "")"] = "/" + id(item)
        }
        found.append((.exception, Array(kinds.values)))
        let worked = exceptions.first { $0["status"]?.string == "resolved" } ?? exceptions.first
        let raised = worked?["firstPosition"]?.int64 ?? 0
        found.append((.exception, ["/\(id(worked))?as_of_position=\(raised)"]))
        let excepted = exceptions.compactMap { $0["transaction"]?.string }.first ?? "none"
        found.append((.transaction, ["/\(excepted)", "/\(excepted)?as_of_position=\(raised)"]))
        found.append((.exceptions, ["?as_of_position=\(raised)&limit=2", "?transaction=\(excepted)&status=all"]))
        let disputes = try await items("/v1/disputes")
        found.append((.dispute, disputes.map { "/" + id($0) }))
        found.append((.period, periods.map { "/" + id($0) }))
        let runs = try await items("/v1/reconciliations")
        found.append((.run, runs.map { "/" + id($0) }))
        let sought = [id(runs.first), id(periods.first), id(worked), excepted, "214972201"]
        found.append((.search, sought.map { "?q=\($0)&all=true" }))
        let doubts = try await items("/v1/doubts?limit=1000")
        found.append((.doubt, doubts.prefix(3).map { "/" + ($0["transaction"]?.string ?? "") }))
        if let doubt = doubts.first, let position = doubt["doubt"]?["position"]?.int64 {
            let place = "/\(doubt["transaction"]?.string ?? "")"
            found.append((.doubt, ["\(place)?as_of_position=\(position)", "\(place)?as_of_position=\(position - 1)"]))
        }
        let plans = try await items("/v1/replays")
        found.append((.replays, ["", "?status=planned&limit=1"]))
        found.append((.replay, plans.map { "/" + id($0) }))
        let running = "/\(id(plans.first { $0["status"] == "running" }))"
        let page = try JSONValue(parsing: try await call("GET /v1/replays\(running)/items?limit=1").utf8)
        found.append(
            (
                .replay,
                [
                    "\(running)?disposition=resubmit&open=true",
                    "\(running)?limit=1&cursor=\(page["next"]?.string ?? "")",
                ]
            )
        )
        let planned = page["items"]?[0]?["transaction"]?.string ?? "none"
        found.append((.replays, ["?transaction=\(planned)"]))
        found.append(
            (
                .history,
                [
                    "/\(planned)/replay-history", "/\(planned)/replay-history?as_of_position=\(head - 1)",
                    "/\(excepted)/replay-history?what_if=wait.retry%3D7200%3Bwindow.void%3D60&operation=void",
                ]
            )
        )
        found.append((.event, ["/3"]))
        found.append((.proof, ["/3/proof"]))
        let names = readers.prefix(2).map { "/\($0["vendor"]?.string ?? "")/\($0["serial"]?.string ?? "")" }
        found.append((.reader, names))
        return found.flatMap { view, rests in
            rests.map { (view, view.rawValue.prefix { $0 != "{" }.trimmingSuffix("/") + $0) }
        }
    }
}

/// The figures that a page must show, computed from the API's answers: all of them and no others.
private struct Figures {
    var figures: [String] = []
    var tiles: [String] = []
    /// The addresses that the rows of a list link to, in order.
    var places: (section: String, addresses: [String])?
    /// Texts that the page must contain literally.
    var texts: [String] = []

    init(_ view: ConsoleView, _ answers: [JSONValue]) {
        let first = answers[0]
        let items = first["items"]?.array ?? []
        switch view {
        case .day:
            add(items.flatMap { [$0["count"]?.text, Wording.money($0["amount"])] })
            add((first["hours"]?.array ?? []).map { $0["count"] == 0 ? nil : $0["count"]?.text })
            for batch in answers[1]["items"]?.array ?? [] { add(batchRow: batch) }
            let lag = (answers[2]["items"]?.array ?? []).compactMap { $0["lag"]?.int64 }.max() ?? 0
            tiles =
                [first["count"], first["inDoubt"]?["count"], first["openAnomalies"]?["count"]]
                .map { $0?.text ?? "" } + [Self.counted(answers[3]), "\(lag)"]
        case .transactions:
            add(items.map { Wording.money(Self.headline($0)) })
            places = ("transactions", items.map { Address.transaction($0["id"]?.string ?? "") })
        case .transaction:
            add(amounts: first)
            texts = (answers[1]["items"]?.array ?? []).map { "event \($0["position"]?.text ?? "")<" }
            if answers.count > 2 { texts.append(answers[2].string ?? "") }
            for match in answers.count > 3 ? answers[3]["items"]?.array ?? [] : [] {
                add([match["number"]?.text, match["position"]?.text])
                add(["lineAmount", "ledgerAmount"].map { Wording.money(match[$0]) })
            }
            add((answers.count > 4 ? answers[4]["items"]?.array ?? [] : []).map { Wording.money($0["amount"]) })
        case .batches:
            for batch in items { add(batchRow: batch) }
            places = ("batches", items.map { Address.batch($0["id"]?.string ?? "") })
        case .batch:
            add((first["net"]?.array ?? []).map { Wording.money($0) })
            add([Wording.money(first["host"]?["net"]), Wording.money(first["difference"])])
            for total in first["totals"]?.array ?? [] {
                add([total["count"]?.text, Wording.money(total["amount"]), Wording.money(total["tip"])])
                add([total["voidedCount"]?.text, Wording.money(total["voided"])])
            }
            for line in answers[1]["items"]?.array ?? [] {
                add(["amount", "tip", "voided"].map { Wording.money(line[$0]) })
            }
            for change in answers.count > 2 ? answers[2]["items"]?.array ?? [] : [] {
                for side in ["before", "after"] { add(["amount", "voided"].map { Wording.money(change[side]?[$0]) }) }
            }
            var members = answers[1]["items"]?.array ?? []
            if answers.count > 2 { members += answers[2]["items"]?.array ?? [] }
            var seen: Set<String> = []
            let ids = members.compactMap { $0["transaction"]?.string }.filter { seen.insert($0).inserted }
            places = ("transactions", ids.map(Address.transaction))
        case .checkouts:
            for checkout in items { add(checkoutRow: checkout) }
            places = ("checkouts", items.map { Address.checkout($0["id"]?.string ?? "") })
        case .checkout:
            add(["events", "failures", "firstPosition", "lastPosition"].map { first[$0]?.text })
            add((first["amounts"]?.object?.members ?? [:]).map { Wording.money($0.value) })
            let payments = (first["transactions"]?.array ?? []).compactMap(\.string)
            places = ("transactions", payments.map(Address.transaction))
            texts = (first["details"]?.array ?? []).compactMap { $0["value"]?.string }
        case .statements:
            for statement in items { add(statementRow: statement) }
            places = ("statements", items.map { Address.statement($0["id"]?.string ?? "") })
        case .statement:
            add(["firstPosition", "lastPosition", "bytes", "notes"].map { first[$0]?.text })
            add(statementRow: first)
            for total in first["totals"]?.array ?? [] {
                add([total["lines"]?.text] + ["gross", "fees", "amount"].map { Wording.money(total[$0]) })
            }
            add((first["remarks"]?.array ?? []).map { $0["line"]?.text })
            for control in answers[1]["items"]?.array ?? [] {
                let figures = ["stated", "computed"].compactMap { control[$0]?.int64 }
                add(figures.map { Wording.figure($0, control["currency"]?.string) } + [control["line"]?.text])
            }
            for line in answers[2]["items"]?.array ?? [] {
                add([line["number"]?.text] + ["gross", "fees", "net"].map { Wording.money(line[$0]) })
            }
            texts = (first["remarks"]?.array ?? []).compactMap { $0["detail"]?.string }
        case .reconciliation:
            for balance in first["balances"]?.array ?? [] {
                let figures = ["processor", "ledger", "difference", "suspense", "openExceptions"]
                add(figures.map { Wording.money(balance[$0]) })
                add([balance["unexamined"]?.text])
            }
            for share in (first["processor"]?.array ?? []) + (first["ledger"]?.array ?? []) {
                add([share["count"]?.text, Wording.money(share["amount"])])
            }
            for line in first["account"]?.array ?? [] {
                add([line["count"]?.text] + ["gross", "fees", "amount"].map { Wording.money(line[$0]) })
            }
            for share in first["exceptions"]?.array ?? [] {
                add((share["ages"]?.array ?? []).map(\.text) + [share["open"]?.text, share["resolved"]?.text])
                add([share["unattributed"]?.text])
                add(["openAmount", "resolvedAmount"].map { Wording.money(share[$0]) })
            }
            for run in answers[1]["items"]?.array ?? [] { add(runRow: run) }
            texts = [first["covers"].map { "up to event \($0.text)" } ?? "no run yet"]
        case .rules:
            add(["version", "position"].map { first[$0]?.text })
            let rules = first["rules"]
            add(["graceDays", "silentDays", "lateDays", "expiryDays"].map { rules?[$0]?.text })
            for rule in rules?["ladder"]?.array ?? [] { add([rule["days"]?.text, rule["tolerance"]?.text]) }
            for rule in rules?["deposits"]?.array ?? [] { add([rule["days"]?.text]) }
            for limit in rules?["approvals"]?.array ?? [] {
                let money: JSONValue = ["value": limit["above"] ?? .null, "currency": limit["currency"] ?? .null]
                add([Wording.money(money)])
            }
            texts = (rules?["ladder"]?.array ?? []).compactMap { $0["name"]?.string }
        case .run:
            add(runRow: first)
            let some = ["position", "completedPosition", "posted"] + (first["since"] == 0 ? [] : ["since"])
            add((some + ["unposted", "depositsMatched", "depositsUnmatched"]).map { first[$0]?.text })
            for match in answers[1...2].flatMap({ $0["items"]?.array ?? [] }) {
                add([match["number"]?.text, match["endedPosition"]?.text])
                add(["lineAmount", "ledgerAmount"].map { Wording.money(match[$0]) })
            }
            for exception in answers[3...4].flatMap({ $0["items"]?.array ?? [] }) {
                add([Wording.money(exception["amount"])])
            }
            texts = ["rules", "beganBy"].compactMap { first[$0]?.string }
        case .exceptions:
            add(items.map { Wording.money($0["amount"]) })
            places = ("exceptions", items.map { Address.exception($0["id"]?.string ?? "") })
        case .exception:
            add(["amount", "expected", "lineAmount", "ledgerAmount"].map { Wording.money(first[$0]) })
            add(["firstPosition", "evidencePosition", "reopenings", "version"].map { first[$0]?.text })
            let line = first["statementLine"]
            add([line?["number"]?.text] + ["gross", "fees", "net"].map { Wording.money(line?[$0]) })
            add((first["candidates"]?.array ?? []).map { Wording.money($0["amount"]) })
            let steps = first["steps"]?.array ?? []
            add(steps.map { $0["position"]?.text })
            texts = steps.flatMap { [$0["actor"], $0["details"]?["reason"]] }.compactMap { $0?.string }
        case .disputes:
            add(items.map { Wording.money($0["amount"]) })
            places = ("disputes", items.map { Address.dispute($0["id"]?.string ?? "") })
        case .dispute:
            add([Wording.money(first["amount"]), first["representations"]?.text, first["version"]?.text])
            texts = ["chargeback", "merchant", "transaction"].compactMap { first[$0]?.string }
        case .periods:
            for period in items { add(periodRow: period) }
            places = ("periods", items.map { Address.period($0["id"]?.string ?? "") })
        case .period:
            let period = first
            add(["position", "firstPosition", "lastPosition"].map { period[$0]?.text })
            for total in period["totals"]?.array ?? [] {
                add(["captured", "tip", "refunded", "credited", "voided", "net"].map { Wording.money(total[$0]) })
                add(["capturedCount", "refundedCount", "creditedCount", "voidedCount"].map { total[$0]?.text })
            }
            for one in period["carried"]?.array ?? [] { add([one["count"]?.text, Wording.money(one["amount"])]) }
            for change in answers[1]["items"]?.array ?? [] {
                for side in ["before", "after"] { add(["amount", "voided"].map { Wording.money(change[side]?[$0]) }) }
            }
            texts = ["merchant", "day", "zone", "cutoff", "by", "reason"].compactMap { period[$0]?.string }
        case .merchants:
            add(items.map { $0["position"]?.text })
            places = ("merchants", items.map { Address.merchant($0["merchant"]?.string ?? "") })
            texts = items.flatMap { [$0["zone"], $0["cutoff"], $0["reason"]] }.compactMap { $0?.string }
        case .merchant:
            add([first["position"]?.text])
            add((answers[1]["items"]?.array ?? []).flatMap { [$0["count"]?.text, Wording.money($0["amount"])] })
            texts = ["merchant", "zone", "cutoff", "reason", "by"].compactMap { first[$0]?.string }
        case .readers:
            for reader in items { add(readerRow: reader) }
        case .accounts: add(AccountFigures.accounts(items))
        case .accountStatement: add(AccountFigures.statement(answers))
        case .receivables, .cashForecast, .tips, .taxes, .fees: add(AccountFigures.chartedList(view, items))
        case .totals, .journal, .trialBalance, .exports: add(AccountFigures.sums(items))
        case .readerRates:
            let names = ["payments", "decided", "declined", "signatures", "signatureTimeouts", "pins", "pinBypasses"]
            let rates = ["declineBasisPoints", "signatureTimeoutBasisPoints", "pinBypassBasisPoints"]
            for item in items {
                add(names.map { item[$0]?.text } + rates.map { item[$0]?.int64.map(Wording.percent(basisPoints:)) })
            }
        case .reader:
            add((first["errors"]?.array ?? []).map { $0["count"]?.text })
        case .doubts:
            add((first["totals"]?.array ?? []).flatMap { [$0["count"]?.text, Wording.money($0["atRisk"])] })
            add(items.map { Wording.money($0["atRisk"]) })
            add(items.map { $0["queries"]?.text })
            places = ("doubts", items.map { Address.doubt($0["transaction"]?.string ?? "") })
        case .doubt:
            add([Wording.money(first["atRisk"]), first["version"]?.text, first["queries"]?.text])
            add([first["doubt"]?["position"]?.text, first["reversal"]?["sent"]?.text])
        case .replays:
            for plan in items {
                add([plan["items"]?.text, plan["progress"]?["toAttempt"]?.text, plan["progress"]?["ended"]?.text])
                let worth = (plan["totals"]?.array ?? []).filter { $0["disposition"] == "resubmit" }
                    .compactMap { Wording.money($0["amount"]) }
                if !worth.isEmpty { add([worth.joined(separator: ", ")]) }
            }
            places = ("replays", items.map { Address.replay($0["id"]?.string ?? "") })
            texts = items.compactMap { $0["reason"]?.string }
        case .replay:
            add(["covers", "firstPosition", "lastPosition", "version"].map { first[$0]?.text })
            add([first["transactions"]?.array.map { "\($0.count)" }])
            add((first["totals"]?.array ?? []).flatMap { [$0["count"]?.text, Wording.money($0["amount"])] })
            add(["toAttempt", "attempted", "ended", "open"].map { first["progress"]?[$0]?.text })
            add((first["progress"]?["ends"]?.array ?? []).map { $0["count"]?.text })
            let planned = answers[1]["items"]?.array ?? []
            add(planned.flatMap { [$0["number"]?.text, Wording.money($0["amount"])] })
            texts = planned.flatMap { [$0["transaction"], $0["rule"], $0["explanation"]] }.compactMap { $0?.string }
            texts += [first["reason"], first["approval"]?["reason"]].compactMap { $0?.string }
        case .history:
            let steps = first["steps"]?.array ?? []
            for step in steps {
                add([step["position"]?.text])
                add(["requested", "authorized", "captured", "refunded"].map { Wording.money(step["state"]?[$0]) })
            }
            texts = steps.flatMap { [$0["ruling"]?["rule"], $0["whatIf"]?["rule"], $0["actor"]] }.compactMap {
                $0?.string
            }
        case .duplicates:
            add(items.map { Wording.money($0["amount"]) })
            texts = items.flatMap { [$0["later"], $0["earlier"]] }.compactMap { $0?["transaction"]?.string }
        case .anomalies:
            places = ("anomalies", items.map { Address.anomaly($0["id"]?.string ?? "") })
            texts = items.compactMap { $0["explanation"]?.string }
        case .anomaly:
            add([first["position"]?.text, first["clearedPosition"]?.text, first["acknowledgement"]?["position"]?.text])
            texts = [first["explanation"]?.string ?? ""]
        case .events:
            add(items.flatMap { [$0["position"]?.text, $0["version"]?.text] })
            places = ("events", items.map { Address.event($0["position"]?.int64 ?? 0) })
        case .event:
            texts = [first["id"], first["actor"], first["stream"]].compactMap { $0?.string }
        case .system:
            add([first["position"]?.text, first["checkpoint"]?["size"]?.text])
            add(
                (answers[1]["items"]?.array ?? []).flatMap {
                    [$0["version"], $0["position"], $0["lag"]].map { $0?.text }
                }
            )
        case .search:
            for finding in items {
                add((finding["transactions"]?.array ?? []).map { Wording.money(Self.headline($0)) })
                for batch in finding["batches"]?.array ?? [] { add(batchRow: batch) }
                for checkout in finding["checkouts"]?.array ?? [] { add(checkoutRow: checkout) }
                for statement in finding["statements"]?.array ?? [] { add(statementRow: statement) }
                for reader in finding["readers"]?.array ?? [] { add(readerRow: reader) }
                add((finding["exceptions"]?.array ?? []).map { Wording.money($0["amount"]) })
                for run in finding["runs"]?.array ?? [] { add(runRow: run) }
                for period in finding["periods"]?.array ?? [] { add(periodRow: period) }
                add((finding["events"]?.array ?? []).flatMap { [$0["position"]?.text, $0["version"]?.text] })
            }
        case .proposals: add((first["proposals"]?.array ?? []).map { $0["position"]?.text })
        case .receipt, .proof, .logKey: break
        }
    }

    /// The number of items on a page, and whether there are more.
    private static func counted(_ page: JSONValue) -> String {
        "\(page["items"]?.array?.count ?? 0)" + (page["next"] == nil ? "" : " or more")
    }

    private mutating func add(_ figures: [String?]) { self.figures += figures.compactMap(\.self) }

    private mutating func add(batchRow batch: JSONValue) {
        let totals = batch["totals"]?.array ?? []
        for name in ["count", "voidedCount"] { figures.append("\(totals.reduce(0) { $0 + ($1[name]?.int64 ?? 0) })") }
        let nets = (batch["net"]?.array ?? []).compactMap { Wording.money($0) }.joined(separator: ", ")
        if !nets.isEmpty { figures.append(nets) }
    }

    private mutating func add(checkoutRow checkout: JSONValue) {
        add([Wording.money(checkout["amounts"]?["total"]), checkout["failures"]?.text])
        figures.append("\(checkout["transactions"]?.array?.count ?? 0)")
    }

    private mutating func add(statementRow statement: JSONValue) {
        add(["lines", "repeatedLines", "controls", "failedControls"].map { statement[$0]?.text })
    }

    private mutating func add(runRow run: JSONValue) {
        add(["covers", "matched", "unmatched", "raised", "cleared"].map { run[$0]?.text })
    }

    private mutating func add(periodRow period: JSONValue) {
        let nets = (period["totals"]?.array ?? []).compactMap { Wording.money($0["net"]) }
        add([nets.isEmpty ? nil : nets.joined(separator: ", ")])
        figures.append("\((period["carried"]?.array ?? []).reduce(0) { $0 + ($1["count"]?.int64 ?? 0) })")
    }

    private mutating func add(readerRow reader: JSONValue) {
        add([reader["battery"].map { "\($0["percent"]?.text ?? $0.text) %" }, reader["payments"]?.text])
        figures.append("\((reader["errors"]?.array ?? []).reduce(0) { $0 + ($1["count"]?.int64 ?? 0) })")
    }

    /// Every amount and movement of a payment.
    private mutating func add(amounts payment: JSONValue) {
        for part in ["amounts", "breakdown"] {
            for member in payment[part]?.object?.members ?? [:] { add([Wording.money(member.value)]) }
        }
        for list in [payment["tenders"], payment["refusedTenders"], payment["offers"], payment["breakdown"]?["parts"]] {
            for one in list?.array ?? [] { add(["amount", "tip"].map { Wording.money(one[$0]) }) }
        }
        var movements: [JSONValue] = []
        for name in ["captures", "refunds", "chargebacks"] { movements += payment[name]?.array ?? [] }
        if let credit = payment["credit"] { movements.append(credit) }
        for entry in movements {
            add([Wording.money(entry["amount"]), Wording.money(entry["tip"])])
            add(
                [entry["undone"]?.bool.map { $0 ? "undone" : "" } ?? Wording.money(entry["voided"])].filter { $0 != "" }
            )
        }
    }

    /// The amount in a list: captured or credited, else authorized, else requested.
    private static func headline(_ item: JSONValue) -> JSONValue? {
        let amounts = item["amounts"]
        if let credited = amounts?["credited"] { return credited }
        if item["captures"]?.array?.isEmpty == false { return amounts?["captured"] }
        return amounts?["authorized"] ?? amounts?["requested"]
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .newlines) }
}

extension Substring {
    fileprivate func trimmingSuffix(_ suffix: String) -> String { String(hasSuffix(suffix) ? dropLast() : self) }
}

extension PageRenderer {
    /// A text, escaped as templates write it.
    fileprivate static func escaped(_ text: String) -> String {
        // A trailing `<` is not escaped.
        text.hasSuffix("<")
            ? MarkupEscaping().escapeText(String(text.dropLast())) + "<" : MarkupEscaping().escapeText(text)
    }
}
