/// The request of the API and the command that give the same answer as a view of the console.
struct SameRequest: Sendable, Hashable {
    /// The target of a `GET`.
    var call: String
    /// The media type to accept, if it is not JSON.
    var accept: String?
    /// The words of the command after `daybook`.
    var words: [String]

    init(_ call: String, accept: String? = nil, _ words: [String]) {
        self.call = call
        self.accept = accept
        self.words = words
    }

    /// The command, quoted for a shell.
    var commandLine: String { (["daybook"] + words).map(Self.quoted).joined(separator: " ") }

    /// The request, as the page shows it.
    var request: String { "GET \(call)" + (accept.map { " (Accept: \($0))" } ?? "") }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._~=/:+,@%".utf8.contains(byte)
            }
        }
        return isPlain && !word.isEmpty && !word.hasPrefix("~")
            ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }

    var value: PageValue { .members(["request": .text(request), "command": .text(commandLine)]) }
}

/// The place of a view: the segments and the query of its address, with all defaults filled in.
struct ViewPlace: Sendable {
    /// The path segments, by their names in the route's template.
    var path: [String: String] = [:]
    /// The query as the API reads it, with times as instants.
    var query: [(name: String, value: String)] = []
    var tenant: String

    subscript(name: String) -> String? {
        get { query.first { $0.name == name }?.value }
        set {
            query.removeAll { $0.name == name }
            if let newValue { query.append((name, newValue)) }
        }
    }

    /// A segment of the path, escaped for an address.
    func segment(_ name: String) -> String { Address.segment(path[name] ?? "") }
}

/// The views of the console, by their routes. `equivalents(at:)` lists the requests and commands with the same answer.
enum ConsoleView: String, Sendable, CaseIterable {
    case day = "/console"
    case transactions = "/console/transactions"
    case transaction = "/console/transactions/{id}"
    case receipt = "/console/transactions/{id}/receipt"
    case history = "/console/transactions/{id}/replay-history"
    case batches = "/console/batches"
    case batch = "/console/batches/{id}"
    case checkouts = "/console/checkouts"
    case checkout = "/console/checkouts/{id}"
    case statements = "/console/statements"
    case statement = "/console/statements/{id}"
    case reconciliation = "/console/reconciliation"
    case run = "/console/reconciliation/runs/{id}"
    case rules = "/console/reconciliation/rules"
    case exceptions = "/console/exceptions"
    case exception = "/console/exceptions/{id}"
    case periods = "/console/periods"
    case period = "/console/periods/{id}"
    case merchants = "/console/merchants"
    case merchant = "/console/merchants/{merchant}"
    case readers = "/console/readers"
    case reader = "/console/readers/{vendor}/{serial}"
    case inDoubt = "/console/in-doubt"
    case doubt = "/console/in-doubt/{id}"
    case replays = "/console/replays"
    case replay = "/console/replays/{id}"
    case duplicates = "/console/duplicates"
    case anomalies = "/console/anomalies"
    case anomaly = "/console/anomalies/{id}"
    case events = "/console/events"
    case event = "/console/events/{position}"
    case proof = "/console/events/{position}/proof"
    case logKey = "/console/log-key"
    case system = "/console/system"
    case search = "/console/search"

    /// The number of items on a page of a list, unless the request gives another.
    var pageSize: Int {
        switch self {
        case .events, .readers, .statement: 100
        case .batch: 200
        default: 50
        }
    }

    static let timelineLimit = 500
    static let openBatchLimit = 10
    static let changesLimit = 50
    static let controlsLimit = 50
    static let runsLimit = 10
    /// The most exceptions that a page of something else counts or lists.
    static let exceptionsLimit = 100
    static let matchesLimit = 50

    func equivalents(at place: ViewPlace) -> [SameRequest] {
        let tenant = "--tenant=\(place.tenant)"
        func list(_ name: String, _ filters: [(String, String)], _ limit: Int, cursor: String? = nil) -> SameRequest {
            let paging = [("limit", "\(limit)")] + (cursor.map { [("cursor", $0)] } ?? [])
            return SameRequest(
                Address.path("/v1/\(name)", filters + paging),
                ["list", name] + filters.map { "\($0.0)=\($0.1)" } + Self.options(paging) + [tenant]
            )
        }
        func page(_ name: String) -> SameRequest {
            var place = place
            let limit = place["limit"].flatMap { Int($0) } ?? pageSize
            let cursor = place["cursor"]
            place["limit"] = nil
            place["cursor"] = nil
            return list(name, place.query, limit, cursor: cursor)
        }
        func worklist(_ name: String) -> SameRequest {
            var place = place
            if place["limit"] == nil { place["limit"] = "\(pageSize)" }
            return SameRequest(
                Address.path("/v1/\(name)", place.query),
                [name] + Self.options(place.query) + [tenant]
            )
        }
        let id = place.path["id"] ?? ""
        switch self {
        case .day:
            var rest = place
            rest["day"] = nil
            let day = place["day"] ?? ""
            return [
                SameRequest(
                    Address.path("/v1/days/\(Address.segment(day))", rest.query),
                    ["day", day] + Self.options(rest.query) + [tenant]
                ),
                list("batches", [("status", "open")], Self.openBatchLimit), Self.projections,
                list(
                    "exceptions",
                    [("open", "true")] + (place["merchant"].map { [("merchant", $0)] } ?? []),
                    Self.exceptionsLimit
                ),
            ]
        case .transactions: return [page("transactions")]
        case .transaction:
            var stream = [("stream", "transaction/\(id)")]
            if let position = place["up_to"] { stream.append(("up_to", position)) }
            var past = place
            past["up_to"] = nil
            let about = [("transaction", id)] + (place["up_to"].map { [("as_of_position", $0)] } ?? [])
            return [
                SameRequest(
                    Address.path("/v1/transactions/\(place.segment("id"))", past.query),
                    ["show", id] + Self.options(past.query) + [tenant]
                ),
                list("events", stream, Self.timelineLimit), Self.receipt(place, [("copy", "customer")] + past.query),
                list("matches", about, Self.matchesLimit), list("exceptions", about, Self.exceptionsLimit),
            ]
        case .receipt: return [Self.receipt(place, place.query)]
        case .batches: return [page("batches")]
        case .batch:
            var past = place
            past["cursor"] = nil
            past["changes"] = nil
            let path = "/v1/batches/\(place.segment("id"))"
            let limit = [("limit", "\(pageSize)")] + (place["cursor"].map { [("cursor", $0)] } ?? [])
            let members = SameRequest(
                Address.path("\(path)/members", past.query + limit),
                ["list", "members", "batch=\(id)"] + past.query.map { "\($0.name)=\($0.value)" } + Self.options(limit)
                    + [tenant]
            )
            let changes = SameRequest(
                Address.path("\(path)/changes", [("limit", "\(Self.changesLimit)")]),
                ["changes", "--batch=\(id)", "--limit=\(Self.changesLimit)", tenant]
            )
            return [
                SameRequest(Address.path(path, past.query), ["batch", id] + Self.options(past.query) + [tenant]),
                members,
            ] + (place["changes"] == nil ? [] : [changes])
        case .checkouts: return [page("checkouts")]
        case .checkout:
            return [SameRequest("/v1/checkouts/\(place.segment("id"))", ["checkout", tenant, "--", id])]
        case .statements: return [page("statements")]
        case .statement:
            return [SameRequest("/v1/statements/\(place.segment("id"))", ["statement", "show", id, tenant])]
                + Self.parts(ofStatement: place)
        case .reconciliation:
            return [
                SameRequest(
                    Address.path("/v1/reconciliation-report", place.query),
                    ["reconcile", "report"] + Self.options(place.query) + [tenant]
                ),
                list("reconciliations", [], Self.runsLimit),
            ]
        case .rules:
            return [
                SameRequest(
                    Address.path("/v1/reconciliation-rules", place.query),
                    ["reconcile", "rules"] + Self.options(place.query) + [tenant]
                )
            ]
        case .run:
            return [
                SameRequest(
                    "/v1/reconciliations/\(place.segment("id"))",
                    ["reconcile", "runs", id, tenant]
                ), list("matches", [("made_by", id)], Self.matchesLimit),
                list("matches", [("ended_by", id)], Self.matchesLimit),
                list("exceptions", [("raised_by", id)], Self.exceptionsLimit),
                list("exceptions", [("cleared_by", id)], Self.exceptionsLimit),
            ]
        case .exceptions: return [page("exceptions")]
        case .exception:
            guard let position = place["as_of_position"] else {
                return [
                    SameRequest(
                        "/v1/exceptions/\(place.segment("id"))",
                        ["reconcile", "exceptions", id, tenant]
                    )
                ]
            }
            return [
                SameRequest(
                    Address.path("/v1/exceptions/\(place.segment("id"))", [("as_of_position", position)]),
                    ["reconcile", "exceptions", id, "--as-of-position=\(position)", tenant]
                )
            ]
        case .periods: return [page("periods")]
        case .period:
            let (merchant, day) = (place.path["merchant"] ?? "", place.path["day"] ?? "")
            return [
                SameRequest("/v1/periods/\(place.segment("id"))", ["reconcile", "period", id, tenant]),
                SameRequest(
                    Address.path(
                        "/v1/periods/\(place.segment("id"))/changes",
                        [("limit", "\(Self.changesLimit)")]
                    ),
                    [
                        "reconcile", "close", "--changes", "--limit=\(Self.changesLimit)", tenant, "--", merchant, day,
                    ]
                ),
            ]
        case .merchants: return [page("merchants")]
        case .merchant:
            var rest = place
            rest["day"] = nil
            let day = place["day"] ?? ""
            return [
                SameRequest(
                    "/v1/merchants/\(place.segment("merchant"))",
                    ["merchants", tenant, "--", place.path["merchant"] ?? ""]
                ),
                SameRequest(
                    Address.path("/v1/days/\(Address.segment(day))", rest.query),
                    ["day", day] + Self.options(rest.query) + [tenant]
                ),
            ]
        case .readers: return [page("readers")]
        case .reader:
            return [
                SameRequest(
                    "/v1/readers/\(place.segment("vendor"))/\(place.segment("serial"))",
                    ["reader", tenant, "--", place.path["vendor"] ?? "", place.path["serial"] ?? ""]
                )
            ]
        case .inDoubt:
            var place = place
            if place["limit"] == nil { place["limit"] = "\(pageSize)" }
            let options = Self.options(place.query.filter { $0.name != "needs_person" }.map { ($0.name, $0.value) })
            // The command has two flags for this filter.
            let flags = place["needs_person"].map { [$0 == "true" ? "--needs-person" : "--no-needs-person"] } ?? []
            return [
                SameRequest(
                    Address.path("/v1/doubts", place.query),
                    ["resolve", "list"] + options + flags + [tenant]
                )
            ]
        case .doubt:
            return [
                SameRequest(
                    Address.path("/v1/doubts/\(place.segment("id"))", place.query),
                    ["resolve", "show", id] + Self.options(place.query) + [tenant]
                )
            ]
        case .replays: return [page("replays")]
        case .replay:
            var items = place
            let limit = items["limit"] ?? "\(pageSize)"
            items["limit"] = nil
            let cursor = items["cursor"]
            items["cursor"] = nil
            let paging = [("limit", limit)] + (cursor.map { [("cursor", $0)] } ?? [])
            return [
                SameRequest("/v1/replays/\(place.segment("id"))", ["replay", "status", id, tenant]),
                SameRequest(
                    Address.path("/v1/replays/\(place.segment("id"))/items", items.query + paging),
                    ["list", "replay-items", "replay=\(id)"] + items.query.map { "\($0.name)=\($0.value)" }
                        + Self.options(paging) + [tenant]
                ),
            ]
        case .history:
            let until = (place["as_of_position"] ?? place["as_of"]).map { ["--until=\($0)"] } ?? []
            let operation = place["operation"].map { ["--operation=\($0)"] } ?? []
            let others = (place["what_if"] ?? "").split(separator: ";").map { "--what-if=\($0)" }
            return [
                SameRequest(
                    Address.path("/v1/transactions/\(place.segment("id"))/replay-history", place.query),
                    ["replay", "show", id] + until + operation + others + [tenant]
                )
            ]
        case .duplicates: return [worklist("duplicates")]
        case .anomalies: return [worklist("anomalies")]
        case .anomaly: return [SameRequest("/v1/anomalies/\(place.segment("id"))", ["anomalies", id, tenant])]
        case .events: return [page("events")]
        case .event:
            let position = place.segment("position")
            return [SameRequest("/v1/events/\(position)", ["event", position, tenant])]
        case .proof:
            let position = place.segment("position")
            return [SameRequest("/v1/events/\(position)/proof", ["event", position, "--proof", tenant])]
        case .logKey: return [SameRequest("/v1/log/key", accept: "text/plain", ["keys", "log", "--show"])]
        case .system: return [SameRequest("/v1/log", ["log"]), Self.projections]
        case .search:
            let sought = place["q"] ?? ""
            return [SameRequest(Address.path("/v1/search", [("q", sought)]), ["find", tenant, "--", sought])]
        }
    }

    /// The controls and the lines of a statement, each from its own cursor on.
    private static func parts(ofStatement place: ViewPlace) -> [SameRequest] {
        func part(
            _ path: String,
            _ list: String,
            _ filters: [(String, String)],
            _ limit: Int,
            _ cursor: String?
        ) -> SameRequest {
            let paging = [("limit", "\(limit)")] + (cursor.map { [("cursor", $0)] } ?? [])
            return SameRequest(
                Address.path("/v1/statements/\(place.segment("id"))/\(path)", filters + paging),
                ["list", list, "statement=\(place.path["id"] ?? "")"] + filters.map { "\($0.0)=\($0.1)" }
                    + options(paging) + ["--tenant=\(place.tenant)"]
            )
        }
        let holds = place["holds"].map { [("holds", $0)] } ?? []
        return [
            part("controls", "controls", holds, controlsLimit, place["controls"]),
            part("lines", "statement-lines", [], ConsoleView.statement.pageSize, place["cursor"]),
        ]
    }

    private static let projections = SameRequest("/v1/projections", ["projections"])

    private static func receipt(_ place: ViewPlace, _ query: [(String, String)]) -> SameRequest {
        SameRequest(
            Address.path("/v1/transactions/\(place.segment("id"))/receipt", query),
            accept: "text/plain",
            ["receipt", place.path["id"] ?? ""] + options(query) + ["--tenant=\(place.tenant)"]
        )
    }

    /// Parameters of the API as options of a command: `card_brand` is `--card-brand`.
    private static func options(_ query: [(String, String)]) -> [String] {
        query.map { "--\($0.0.replacing("_", with: "-"))=\($0.1)" }
    }
}
