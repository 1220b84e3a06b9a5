import Operations

/// The views of the console, by their routes. `equivalents(at:)` lists the requests and commands with the same answer.
enum ConsoleView: String, Sendable, CaseIterable {
    case day = "/console"
    case transactions = "/console/transactions"
    case transaction = "/console/transactions/{id}"
    case receipt = "/console/transactions/{id}/receipt"
    case history = "/console/transactions/{id}/replay-history"
    case totals = "/console/totals"
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
    case disputes = "/console/disputes"
    case dispute = "/console/disputes/{id}"
    case periods = "/console/periods"
    case period = "/console/periods/{id}"
    case merchants = "/console/merchants"
    case merchant = "/console/merchants/{merchant}"
    case readers = "/console/readers"
    case reader = "/console/readers/{vendor}/{serial}"
    case readerRates = "/console/reader-rates"
    case journal = "/console/journal"
    case trialBalance = "/console/trial-balance"
    case accounts = "/console/accounts"
    case accountStatement = "/console/accounts/{account}/statement"
    case receivables = "/console/receivables"
    case cashForecast = "/console/cash-forecast"
    case tips = "/console/tips"
    case taxes = "/console/taxes"
    case fees = "/console/fees"
    case exports = "/console/journal-exports"
    case doubts = "/console/doubts"
    case doubt = "/console/doubts/{id}"
    case proposals = "/console/proposals"
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

    /// The list that the view shows and nothing else: the one with the name of its route.
    var list: (any LedgerList)? { Lists.named(String(rawValue.dropFirst("/console/".count))) }

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
        guard let list else { return parts(at: place) }
        return [part(list, place.filters, place.limit ?? pageSize, cursor: place["cursor"], at: place)]
    }

    /// The requests and commands of a view that is not one list.
    private func parts(at place: ViewPlace) -> [SameRequest] {
        let tenant = place.tenant
        let id = place.path["id"] ?? ""
        func one(
            _ path: String,
            _ query: [(name: String, value: String)] = [],
            as command: [String],
            named names: [String] = []
        ) -> SameRequest {
            SameRequest("/v1/\(path)", query, command: command, named: names, tenant: tenant)
        }
        func part(_ list: any LedgerList, _ query: [(name: String, value: String)], _ limit: Int) -> SameRequest {
            self.part(list, query, limit, at: place)
        }
        switch self {
        case .day:
            let merchant = place.query.filter { $0.name == "merchant" }
            return [
                day(at: place), part(Lists.batches, [("status", "open")], Self.openBatchLimit), Self.projections,
                part(Lists.exceptions, [("open", "true")] + merchant, Self.exceptionsLimit),
            ]
        case .transaction:
            let past = place.without("up_to").query
            let upTo = place["up_to"].map { [(name: "up_to", value: $0)] } ?? []
            let about = [(name: "transaction", value: id)] + upTo.map { (name: "as_of_position", value: $0.value) }
            return [
                one("transactions/\(place.segment("id"))", past, as: ["show", id]),
                part(Lists.events, [("stream", "transaction/\(id)")] + upTo, Self.timelineLimit),
                receipt(place, [("copy", "customer")] + past), part(Lists.matches, about, Self.matchesLimit),
                part(Lists.exceptions, about, Self.exceptionsLimit),
            ]
        case .receipt: return [receipt(place, place.query)]
        case .history:
            let until = (place["as_of_position"] ?? place["as_of"]).map { ["--until=\($0)"] } ?? []
            let operation = place["operation"].map { ["--operation=\($0)"] } ?? []
            let others = (place["what_if"] ?? "").split(separator: ";").map { "--what-if=\($0)" }
            return [
                SameRequest(
                    Address.path("/v1/transactions/\(place.segment("id"))/replay-history", place.pairs),
                    ["replay", "show", id] + until + operation + others + ["--tenant=\(tenant)"]
                )
            ]
        case .batch:
            let past = place.without("cursor", "changes").query
            let batch = [(name: "batch", value: id)]
            return [
                one("batches/\(place.segment("id"))", past, as: ["batch", id]),
                self.part(Lists.members, batch + past, pageSize, cursor: place["cursor"], at: place),
            ] + (place["changes"] == nil ? [] : [part(Lists.changes, batch, Self.changesLimit)])
        case .checkout: return [one("checkouts/\(place.segment("id"))", as: ["checkout"], named: [id])]
        case .statement:
            let statement = [(name: "statement", value: id)]
            let holds = place.query.filter { $0.name == "holds" }
            return [
                one("statements/\(place.segment("id"))", as: ["statement", "show", id]),
                self.part(
                    Lists.controls,
                    statement + holds,
                    Self.controlsLimit,
                    cursor: place["controls"],
                    at: place
                ), self.part(Lists.statementLines, statement, pageSize, cursor: place["cursor"], at: place),
            ]
        case .accountStatement:
            let account = [(name: "account", value: place.path["account"] ?? "")]
            let statement = self.part(
                Lists.accountStatement,
                account + place.filters,
                place.limit ?? pageSize,
                cursor: place["cursor"],
                at: place
            )
            guard place["after_position"] == nil else { return [statement] }
            return [statement, part(Lists.trialBalance, [(name: "by", value: "day")] + account + place.filters, 1)]
        case .reconciliation:
            return [
                one("reconciliation-report", place.query, as: ["reconcile", "report"]),
                part(Lists.reconciliations, [], Self.runsLimit),
            ]
        case .rules: return [one("reconciliation-rules", place.query, as: ["reconcile", "rules"])]
        case .run:
            return [
                one("reconciliations/\(place.segment("id"))", as: ["reconcile", "runs", id]),
                part(Lists.matches, [("made_by", id)], Self.matchesLimit),
                part(Lists.matches, [("ended_by", id)], Self.matchesLimit),
                part(Lists.exceptions, [("raised_by", id)], Self.exceptionsLimit),
                part(Lists.exceptions, [("cleared_by", id)], Self.exceptionsLimit),
            ]
        case .exception:
            let past = place.query.filter { $0.name == "as_of_position" }
            return [one("exceptions/\(place.segment("id"))", past, as: ["reconcile", "exceptions", id])]
        case .dispute: return [one("disputes/\(place.segment("id"))", as: ["dispute", "show", id])]
        case .period:
            return [
                one("periods/\(place.segment("id"))", as: ["reconcile", "period", id]),
                part(Lists.periodChanges, [("period", id)], Self.changesLimit),
            ]
        case .merchant:
            let name = place.path["merchant"] ?? ""
            return [one("merchants/\(place.segment("merchant"))", as: ["merchants"], named: [name]), day(at: place)]
        case .reader:
            let names = [place.path["vendor"] ?? "", place.path["serial"] ?? ""]
            return [
                one("readers/\(place.segment("vendor"))/\(place.segment("serial"))", as: ["reader"], named: names)
            ]
        case .doubt: return [one("doubts/\(place.segment("id"))", place.query, as: ["resolve", "show", id])]
        case .proposals: return [one("proposals", as: ["proposals", "list"])]
        case .replay:
            let items = [(name: "replay", value: id)] + place.filters
            return [
                one("replays/\(place.segment("id"))", as: ["replay", "status", id]),
                self.part(
                    Lists.replayItems,
                    items,
                    place.limit ?? pageSize,
                    cursor: place["cursor"],
                    at: place
                ),
            ]
        case .anomaly: return [one("anomalies/\(place.segment("id"))", as: ["anomalies", id])]
        case .event: return [one("events/\(place.segment("position"))", as: ["event", place.segment("position")])]
        case .proof:
            let position = place.segment("position")
            return [one("events/\(position)/proof", as: ["event", position, "--proof"])]
        case .logKey: return [SameRequest("/v1/log/key", accept: "text/plain", ["keys", "log", "--show"])]
        case .system: return [SameRequest("/v1/log", ["log"]), Self.projections]
        case .search:
            let sought = place["q"] ?? ""
            return [
                SameRequest(Address.path("/v1/search", [("q", sought)]), ["find", "--tenant=\(tenant)", "--", sought])
            ]
        case .transactions, .totals, .batches, .checkouts, .statements, .exceptions, .periods, .merchants, .readers,
            .readerRates, .journal, .trialBalance, .accounts, .receivables, .cashForecast, .tips, .taxes, .fees,
            .exports,
            .doubts, .replays, .duplicates, .anomalies, .events, .disputes:
            return []
        }
    }

    private func part(
        _ list: any LedgerList,
        _ query: [(name: String, value: String)],
        _ limit: Int,
        cursor: String? = nil,
        at place: ViewPlace
    ) -> SameRequest {
        SameRequest(list, query, limit: limit, cursor: cursor, tenant: place.tenant)
    }

    private static let projections = SameRequest("/v1/projections", ["projections"])

    private func day(at place: ViewPlace) -> SameRequest {
        let day = place["day"] ?? ""
        return SameRequest(
            "/v1/days/\(Address.segment(day))",
            place.without("day").query,
            command: ["day", day],
            tenant: place.tenant
        )
    }

    private func receipt(_ place: ViewPlace, _ query: [(name: String, value: String)]) -> SameRequest {
        SameRequest(
            "/v1/transactions/\(place.segment("id"))/receipt",
            query,
            accept: "text/plain",
            command: ["receipt", place.path["id"] ?? ""],
            tenant: place.tenant
        )
    }
}
