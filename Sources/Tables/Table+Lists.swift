// The tables of the ledger's lists. Column names are part of the contract: columns are added, never renamed.
extension Table {
    /// Both columns of an amount.
    private static func money(_ name: String, _ path: String...) -> [Column] {
        var columns = [Column(name, as: .minor), Column("\(name)_decimal", as: .decimal)]
        for index in columns.indices { columns[index].path = path }
        return columns
    }

    package static let transactions: Table = {
        let amounts = [
            ("requested", "requested"), ("authorized", "authorized"), ("captured", "captured"), ("tip", "tip"),
            ("refunded", "refunded"), ("charged_back", "chargedBack"), ("remaining", "remaining"),
            ("settled", "settled"), ("due", "due"), ("credited", "credited"),
        ]
        let parts = ["base", "tax", "fee", "cashback"]
        let places = amounts.map { ["amounts", $0.1] }
        var columns = [
            Column("id", "id"), Column("version", "version"), Column("status", "status"),
            Column("operation", "operation"), Column("vendor", "vendor"), Column("reference", "reference"),
            Column("merchant", "merchant"), Column("terminal", "terminal"), Column("device", "device"),
            Column("tender", "tender"), Column("currency", as: .currency(places)),
        ]
        columns += amounts.flatMap { money($0.0, "amounts", $0.1) }
        columns += parts.flatMap { money($0, "breakdown", $0) }
        columns += [
            Column("card_brand", "card", "brand"), Column("last4", "card", "lastFour"),
            Column("entry", "card", "entryMethod"), Column("auth_code", "references", "authorizationCode"),
            Column("rrn", "references", "retrievalReference"), Column("invoice", "references", "invoice"),
            Column("gateway_id", "references", "gatewayTransaction"),
            Column("vendor_id", "references", "vendorTransaction"), Column("in_doubt", "inDoubt"),
            Column("anomalies", "anomalies", as: .each("kind")), Column("occurred_at", "occurredAt"),
            Column("recorded_at", "recordedAt"), Column("first_position", "firstPosition"),
            Column("last_position", "lastPosition"),
        ]
        return Table(name: "transactions", columns: columns)
    }()

    /// Batches. `totals` and `net` have the sums by kind as JSON, since a batch may have several currencies.
    package static let batches = Table(
        name: "batches",
        columns: [
            Column("id", "id"), Column("vendor", "vendor"), Column("account", "account"), Column("number", "number"),
            Column("status", "status"), Column("opened_at", "openedAt"), Column("closed_at", "closedAt"),
            Column("requested", "requested"), Column("settlement", "settlement"), Column("net", "net", as: .json),
            Column("totals", "totals", as: .json), Column("host", "host", as: .json),
        ] + money("difference", "difference") + [
            Column("currency", as: .currency([["difference"]])), Column("first_position", "firstPosition"),
            Column("last_position", "lastPosition"),
        ]
    )

    package static let members = Table(
        name: "members",
        columns: [
            Column("transaction", "transaction"), Column("line", "line"), Column("type", "type"),
            Column("brand", "brand"), Column("currency", as: .currency([["amount"]])),
        ] + money("amount", "amount") + money("tip", "tip") + money("voided", "voided")
            + [Column("evidence", "evidence")]
    )

    package static let readers = Table(
        name: "readers",
        columns: [
            Column("vendor", "vendor"), Column("serial", "serial"), Column("connected", "connected"),
            Column("model", "model"), Column("battery", "battery"), Column("charging", "charging"),
            Column("state", "state", "event"), Column("state_at", "state", "at"),
            Column("payment", "payment", "transaction"), Column("payments", "payments"),
            Column("errors", "errors", as: .count), Column("updates", "updates", as: .each("status")),
            Column("events", "events"), Column("first_seen", "firstSeen"), Column("last_seen", "lastSeen"),
            Column("first_position", "firstPosition"), Column("last_position", "lastPosition"),
        ]
    )

    package static let checkouts = Table(
        name: "checkouts",
        columns: [
            Column("id", "id"), Column("vendor", "vendor"), Column("status", "status"),
            Column("state", "state", "event"), Column("state_at", "state", "at"),
            Column("currency", as: .currency([["amounts", "total"]])),
        ] + money("due", "amounts", "total") + [
            Column("transactions", "transactions", as: .json), Column("details", "details", as: .json),
            Column("failures", "failures"), Column("events", "events"), Column("first_seen", "firstSeen"),
            Column("last_seen", "lastSeen"), Column("first_position", "firstPosition"),
            Column("last_position", "lastPosition"),
        ]
    )

    package static let statements = Table(
        name: "statements",
        columns: [
            Column("id", "id"), Column("format", "format"), Column("side", "side"), Column("name", "name"),
            Column("status", "status"), Column("digest", "digest"), Column("bytes", "bytes"), Column("lines", "lines"),
            Column("repeated_lines", "repeatedLines"), Column("controls", "controls"),
            Column("failed_controls", "failedControls"), Column("first_day", "firstDay"), Column("last_day", "lastDay"),
            Column("totals", "totals", as: .json), Column("imported_at", "importedAt"),
            Column("imported_by", "importedBy"), Column("first_position", "firstPosition"),
            Column("last_position", "lastPosition"), Column("withdrawn_at", "withdrawal", "at"),
            Column("withdrawn_by", "withdrawal", "by"), Column("withdrawal_reason", "withdrawal", "reason"),
            Column("replaces", "replaces"),
        ]
    )

    package static let statementLines = Table(
        name: "statement-lines",
        columns: [
            Column("number", "number"), Column("id", "id"), Column("line", "line"), Column("repeated", "repeated"),
            Column("type", "type"), Column("raw_type", "rawType"), Column("role", "role"),
            Column("group", "group"), Column("currency", as: .currency([["amount"], ["gross"], ["net"]])),
        ] + money("gross", "gross") + money("fees", "fees") + money("net", "net") + money("amount", "amount") + [
            Column("paid_currency", as: .currency([["paid"]]))
        ] + money("paid", "paid") + [
            Column("at", "at"), Column("day", "day"), Column("booked_day", "bookedDay"),
            Column("value_day", "valueDay"),
            Column("status", "status"),
        ]
            + [
                "processor_id", "related_id", "rrn", "auth_code", "trace", "arn", "invoice", "merchant", "terminal",
                "batch",
                "last_four", "brand", "payout", "bank_reference", "account", "text",
            ].map { Column($0, "references", $0) }
    )

    package static let controls = Table(
        name: "controls",
        columns: [
            Column("kind", "kind"), Column("name", "name"), Column("scope", "scope"), Column("stated", "stated"),
            Column("computed", "computed"), Column("currency", "currency"), Column("holds", "holds"),
            Column("line", "line"),
        ]
    )

    package static let runs = Table(
        name: "reconciliations",
        columns: [
            "id", "status", "position", "covers", "since", "horizon", "began_at", "began_by", "completed_position",
            "completed_at", "matched", "unmatched", "raised", "cleared", "deposits_matched",
            "deposits_unmatched", "failed_position", "failed_at", "failure", "rules",
        ].map { name in
            let words = name.split(separator: "_")
            return Column(
                name,
                words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
            )
        }
    )

    package static let matches = Table(
        name: "matches",
        columns: [
            Column("line", "line"), Column("transaction", "transaction"), Column("movement", "movement"),
            Column("match", "match"), Column("rule", "rule"), Column("position", "position"),
            Column("ended_position", "endedPosition"),
            Column("statement", "statement"), Column("number", "number"), Column("day", "day"),
            Column("currency", as: .currency([["lineAmount"], ["ledgerAmount"]])),
        ] + money("line_amount", "lineAmount") + money("ledger_amount", "ledgerAmount")
    )

    package static let exceptions = Table(
        name: "exceptions",
        columns: [
            Column("id", "id"), Column("class", "class"), Column("status", "status"), Column("day", "day"),
            Column("merchant", "merchant"), Column("terminal", "terminal"), Column("line", "line"),
            Column("transaction", "transaction"), Column("movement", "movement"),
            Column("currency", as: .currency([["amount"], ["lineAmount"], ["ledgerAmount"]])),
        ] + money("amount", "amount") + money("line_amount", "lineAmount") + money("ledger_amount", "ledgerAmount") + [
            Column("age_seconds", "ageSeconds"), Column("assignee", "assignee"),
            Column("resolution", "resolution", "kind"), Column("proposed_by", "proposal", "by"),
            Column("reopenings", "reopenings"), Column("candidates", "candidates", as: .json),
            Column("first_at", "firstAt"), Column("first_position", "firstPosition"),
            Column("last_position", "lastPosition"), Column("version", "version"),
        ]
    )

    package static let replays = Table(
        name: "replays",
        columns: [
            Column("id", "id"), Column("status", "status"), Column("filter", "filter"), Column("reason", "reason"),
            Column("planner", "planner", "name"), Column("planned_at", "plannedAt"), Column("expires_at", "expiresAt"),
            Column("items", "items"), Column("to_attempt", "progress", "toAttempt"),
            Column("attempted", "progress", "attempted"), Column("ended", "progress", "ended"),
            Column("totals", "totals", as: .json), Column("approver", "approval", "approver", "name"),
            Column("first_position", "firstPosition"), Column("last_position", "lastPosition"),
            Column("version", "version"),
        ]
    )

    package static let replayItems = Table(
        name: "replay-items",
        columns: [
            Column("number", "number"), Column("transaction", "transaction"), Column("operation", "operation"),
            Column("disposition", "disposition"), Column("until", "until"), Column("rule", "rule"),
            Column("currency", as: .currency([["amount"]])),
        ] + money("amount", "amount") + [
            Column("evidence", "evidence", as: .json), Column("instead", "instead"),
            Column("reference", "attempt", "reference"), Column("end", "end", "end"), Column("end_rule", "end", "rule"),
            Column("detail", "end", "detail"), Column("payment_status", "payment", "status"),
            Column("in_doubt", "payment", "inDoubt"), Column("version", "version"),
        ]
    )

    package static let periods = Table(
        name: "periods",
        columns: [
            Column("id", "id"), Column("merchant", "merchant"), Column("day", "day"), Column("status", "status"),
            Column("zone", "zone"), Column("cutoff", "cutoff"), Column("position", "position"), Column("at", "at"),
            Column("by", "by"), Column("reason", "reason"), Column("totals", "totals", as: .json),
            Column("carried", "carried", as: .json),
        ]
    )

    package static let deposits = Table(
        name: "deposits",
        columns: [
            Column("line", "line"), Column("side", "side"), Column("state", "state"), Column("type", "type"),
            Column("day", "day"), Column("reference", "reference"), Column("merchant", "merchant"),
            Column("account", "account"), Column("currency", "currency"),
        ] + money("amount", "amount") + [Column("statement", "statement"), Column("position", "position")]
    )

    package static let paidLines = Table(
        name: "paid-lines",
        columns: [
            Column("line", "line"), Column("bucket", "bucket"), Column("type", "type"), Column("role", "role"),
            Column("day", "day"), Column("processor_id", "processorID"),
            Column("currency", as: .currency([["amount"], ["gross"], ["fees"]])),
        ] + money("gross", "gross") + money("fees", "fees") + money("amount", "amount") + [
            Column("statement", "statement"), Column("transactions", "explanations", as: .each("transaction")),
            Column("exceptions", "exceptions", as: .each("class")),
        ]
    )

    package static let report = Table(
        name: "reconciliation-report",
        columns: [
            Column("section", "section"), Column("side", "side"), Column("name", "name"),
            Column("currency", "currency"), Column("count", "count"), Column("open", "open"),
            Column("unattributed", "unattributed"), Column("resolved", "resolved"), Column("unexamined", "unexamined"),
        ] + ["amount", "gross", "fees", "processor", "ledger", "difference"].flatMap { money($0, $0) }
            + money("open_amount", "openAmount") + money("resolved_amount", "resolvedAmount")
    )

    package static let events = Table(
        name: "events",
        columns: [
            Column("position", "position"), Column("id", "id"), Column("stream", "stream"),
            Column("version", "version"), Column("type", "type"), Column("schema", "schema"),
            Column("occurred_at", "occurredAt"), Column("recorded_at", "recordedAt"), Column("actor", "actor"),
            Column("correlation", "correlation"), Column("causation", "causation"), Column("data", "data", as: .json),
        ]
    )

    package static let anomalies = Table(
        name: "anomalies",
        columns: [
            Column("id", "id"), Column("position", "position"), Column("state", "state"), Column("kind", "kind"),
            Column("explanation", "explanation"), Column("related", "related", as: .json), Column("stream", "stream"),
            Column("transaction", "transaction"), Column("batch", "batch"), Column("vendor", "vendor"),
            Column("merchant", "merchant"), Column("terminal", "terminal"), Column("occurred_at", "occurredAt"),
            Column("recorded_at", "recordedAt"), Column("acknowledged_by", "acknowledgement", "by"),
            Column("acknowledged_at", "acknowledgement", "at"), Column("reason", "acknowledgement", "reason"),
            Column("cleared_position", "clearedPosition"),
        ]
    )

    package static let inDoubt = Table(
        name: "in-doubt",
        columns: [
            Column("transaction", "transaction"), Column("status", "status"), Column("vendor", "vendor"),
            Column("merchant", "merchant"), Column("terminal", "terminal"), Column("reference", "reference"),
            Column("occurred_at", "occurredAt"), Column("age_seconds", "ageSeconds"),
            Column("currency", as: .currency([["atRisk"]])),
        ] + money("at_risk", "atRisk")
    )

    package static let doubts = Table(
        name: "doubts",
        columns: [
            Column("transaction", "transaction"), Column("status", "status"), Column("vendor", "vendor"),
            Column("merchant", "merchant"), Column("terminal", "terminal"), Column("reference", "reference"),
            Column("occurred_at", "occurredAt"), Column("age_seconds", "ageSeconds"),
            Column("currency", as: .currency([["atRisk"]])),
        ] + money("at_risk", "atRisk") + [
            Column("what", "doubt", "what"), Column("event", "doubt", "event"), Column("code", "doubt", "code"),
            Column("message", "doubt", "message"), Column("gateways", "gateways", as: .json),
            Column("asked", "asked"), Column("last_asked_at", "lastAsk", "at"),
            Column("last_answer", "lastAsk", "answer"), Column("next_at", "nextAt"),
            Column("attention", "attention", "rule"), Column("person_needed", "attention", "isNeeded"),
        ]
    )

    package static let merchants = Table(
        name: "merchants",
        columns: ["merchant", "zone", "cutoff", "reason", "position", "by", "at"].map { Column($0, $0) }
    )

    package static let duplicates = Table(
        name: "duplicates",
        columns: [
            Column("later", "later", "transaction"), Column("later_status", "later", "status"),
            Column("later_at", "later", "occurredAt"), Column("later_reference", "later", "reference"),
            Column("earlier", "earlier", "transaction"), Column("earlier_status", "earlier", "status"),
            Column("earlier_at", "earlier", "occurredAt"), Column("earlier_reference", "earlier", "reference"),
            Column("gap_seconds", "gapSeconds"), Column("brand", "brand"), Column("last4", "lastFour"),
            Column("currency", as: .currency([["amount"]])),
        ] + money("amount", "amount") + [
            Column("vendor", "vendor"), Column("merchant", "merchant"), Column("terminal", "terminal"),
        ]
    )

    package static let changes: Table = {
        func side(_ name: String) -> [Column] {
            money("\(name)_amount", name, "amount") + money("\(name)_tip", name, "tip")
                + money("\(name)_voided", name, "voided")
        }
        return Table(
            name: "changes",
            columns: [
                Column("transaction", "transaction"), Column("line", "line"), Column("change", "change"),
                Column("currency", as: .currency([["after", "amount"], ["before", "amount"]])),
            ] + side("before") + side("after")
        )
    }()

    package static let periodChanges = Table(
        name: "period-changes",
        columns: [
            Column("kind", "kind"), Column("change", "change"), Column("transaction", "transaction"),
            Column("line", "line"), Column("movement", "movement"), Column("statement_line", "statementLine"),
            Column("type", "type"), Column("exception", "exception"), Column("class", "class"),
            Column("currency", as: .currency([["after", "amount"], ["before", "amount"]])),
            Column("before_status", "before", "status"), Column("before_rule", "before", "rule"),
        ] + money("before_amount", "before", "amount") + money("before_voided", "before", "voided") + [
            Column("after_status", "after", "status"), Column("after_rule", "after", "rule"),
        ] + money("after_amount", "after", "amount") + money("after_voided", "after", "voided")
    )

    /// - Parameter keys: The keys of the totals: the column name and the member name of each.
    package static func totals(by keys: [(name: String, member: String)]) -> Table {
        let sums = [("captured", "captured"), ("refunded", "refunded"), ("credited", "credited"), ("voided", "voided")]
        return Table(
            name: "totals",
            columns: keys.filter { $0.name != "currency" }.map { Column($0.name, $0.member) }
                + [Column("currency", "currency")]
                + sums.flatMap { [Column("\($0.0)_count", "\($0.1)Count")] + money($0.0, $0.1) }
                + money("tip", "tip") + money("net", "net")
        )
    }
}
