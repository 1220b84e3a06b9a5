package import Canonical
import Composition
package import Replay
import ReplayRules
import Tables

extension Lists {
    package static let replays = ListDefinition<ReplayFilter, ReplayJSON>(
        name: "replays",
        summary: "Replay plans, newest first.",
        paths: ["replays"],
        readModels: ["replays"],
        filter: ReplayFilter.init,
        columns: { _ in planColumns },
        shown: "id,status,planned_at,items,to_attempt,ended,reason"
    ) { query, ledger in
        let found = try await ledger.replay.plans.plans(
            of: query.tenant,
            matching: query.filter,
            before: query.before,
            limit: query.limit + 1
        )
        return try Page(found, query.limit) {
            try ReplayJSON($0)
        } cursor: {
            Cursor(position: $0.firstPosition)
        }
    }

    package static let replayItems = ListDefinition<ReplayItems, ReplayItemJSON>(
        name: "replay-items",
        summary: "The items of one replay plan, by number.",
        paths: ["replays/{replay}/items"],
        readModels: ["replays"],
        filter: { query throws(Refusal) in
            ReplayItems(of: try query.requiredID("replay"), matching: try ReplayItemFilter(&query))
        },
        columns: { _ in itemColumns },
        shown: "number,transaction,operation,disposition,rule,amount_decimal,currency,end,payment_status",
        parentExists: { query, ledger in
            try await ledger.replay.plans.plan(query.filter.plan, of: query.tenant) != nil
        },
        page: { query, ledger in
            let found = try await ledger.replay.plans.items(
                of: query.filter.plan,
                tenant: query.tenant,
                matching: query.filter.filter,
                after: query.after,
                limit: query.limit + 1
            )
            return try Page(found, query.limit) {
                try ReplayItemJSON($0)
            } cursor: {
                Cursor(position: $0.number)
            }
        }
    )

    private static let planColumns = [
        Column("id", "id"), Column("status", "status"), Column("filter", "filter"), Column("reason", "reason"),
        Column("planner", "planner", "name"), Column("planned_at", "plannedAt"), Column("expires_at", "expiresAt"),
        Column("items", "items"), Column("to_attempt", "progress", "toAttempt"),
        Column("attempted", "progress", "attempted"), Column("ended", "progress", "ended"),
        Column("totals", "totals", as: .json), Column("approver", "approval", "approver", "name"),
        Column("first_position", "firstPosition"), Column("last_position", "lastPosition"),
        Column("version", "version"),
    ]

    private static let itemColumns =
        [
            Column("number", "number"), Column("transaction", "transaction"), Column("operation", "operation"),
            Column("disposition", "disposition"), Column("until", "until"), Column("rule", "rule"),
            Column("currency", as: .currency([["amount"]])),
        ] + Column.money("amount", "amount") + [
            Column("evidence", "evidence", as: .json), Column("instead", "instead"),
            Column("reference", "attempt", "reference"), Column("end", "end", "end"), Column("end_rule", "end", "rule"),
            Column("detail", "end", "detail"), Column("payment_status", "payment", "status"),
            Column("in_doubt", "payment", "inDoubt"), Column("version", "version"),
        ]
}

/// Items of one replay plan.
package struct ReplayItems: Sendable {
    package var plan: UUID128
    package var filter: ReplayItemFilter

    package init(of plan: UUID128, matching filter: ReplayItemFilter = .init()) {
        self.plan = plan
        self.filter = filter
    }
}

extension ReplayFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        status = try query.choice("status", of: ReplayStatus.self)
        transaction = try query.id("transaction", of: "a payment")
    }
}

extension ReplayItemFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        disposition = try query.choice("disposition", of: Disposition.Name.self)
        operation = try query.choice("operation", of: ReplayOperation.self)
        outcome = try query.choice("end", of: ReplayItemEnd.End.self)
        rule = try query.text("rule")
        transaction = try query.id("transaction", of: "a payment")
        isOpen = try query.flag("open")
    }
}
