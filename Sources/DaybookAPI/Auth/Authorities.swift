import Access
import HTTPEdge
import HTTPTypes
package import Operations

extension API {
    /// Every route that changes the ledger. A route authorizes by the first row with its name; a further row has the
    /// permission that some of its requests need. `docs/trust.md` contains the table.
    package static let authorities: [Authority] = [
        rows(
            .moves,
            .decideReplays,
            .aboveLimit,
            [
                "POST /v1/replays/{id}/approve": "agrees to a plan",
                "POST /v1/replays/{id}/start": "executes an approved plan",
                "POST /v1/replays/{id}/resume": "executes the rest of a paused plan",
            ]
        ),
        rows(
            .moves,
            .sendDocuments,
            .never,
            ["POST /v1/intake/{vendor}": "records a vendor's document; a reversal may become due"]
        ),
        rows(
            .moves,
            .sendEvents,
            .never,
            ["POST /v1/events": "records events of a till; a reversal may become due"]
        ),
        rows(
            .moves,
            .sendEvidence,
            .never,
            ["POST /v1/events": "records evidence of a gateway or of settlement; a reversal may become due"]
        ),
        rows(
            .moves,
            .reconcile,
            .never,
            ["POST /v1/doubts/{id}/query": "queries the gateway; a reversal may become due"]
        ),
        rows(
            .concludes,
            .reconcile,
            .always,
            [
                "POST /v1/doubts/{id}/end": "proposes the outcome of a doubt by testimony",
                "POST /v1/proposals/{id}/approve": "agrees to a proposal",
                "POST /v1/statements/{id}/withdraw": "proposes to withdraw a statement",
                "PUT /v1/reconciliation-rules": "proposes rules for matching",
                "POST /v1/disputes/{id}/close": "proposes the outcome of a dispute",
                "POST /v1/exceptions/{id}/approve": "agrees to a proposed resolution",
            ]
        ),
        rows(
            .concludes,
            .changeApprovalLimits,
            .always,
            [
                "PUT /v1/reconciliation-rules": "proposes other approval limits",
                "POST /v1/proposals/{id}/approve": "agrees to other approval limits",
            ]
        ),
        rows(
            .concludes,
            .reconcile,
            .aboveLimit,
            ["POST /v1/exceptions/{id}/resolve": "resolves an exception, or proposes it"]
        ),
        rows(.concludes, .importStatements, .never, ["POST /v1/statements": "imports a statement"]),
        rows(
            .concludes,
            .reconcile,
            .never,
            [
                "POST /v1/reconciliations": "matches lines with movements",
                "POST /v1/exceptions/{id}/reopen": "withdraws a resolution",
            ]
        ),
        rows(
            .no,
            .record,
            .never,
            ["PUT /v1/transactions/{id}/card-token": "stores the card token of an own payment"]
        ),
        rows(
            .no,
            .record,
            .always,
            ["PUT /v1/transactions/{id}/card-token": "stores the card token of another sender's payment"]
        ),
        rows(
            .no,
            .record,
            .never,
            ["POST /v1/transactions/{id}/receipt/prints": "records a printed receipt"]
        ),
        rows(.no, .planReplays, .never, ["POST /v1/replays": "plans a replay"]),
        rows(
            .no,
            .decideReplays,
            .never,
            [
                "POST /v1/replays/{id}/reject": "rejects a plan",
                "POST /v1/replays/{id}/pause": "pauses a plan",
                "POST /v1/replays/{id}/stop": "ends a plan",
            ]
        ),
        rows(
            .no,
            .reconcile,
            .never,
            [
                "POST /v1/proposals/{id}/reject": "rejects a proposal",
                "POST /v1/exceptions/{id}/assign": "assigns an exception",
                "POST /v1/exceptions/{id}/note": "records a note",
                "POST /v1/exceptions/{id}/reject": "rejects a proposed resolution",
                "POST /v1/disputes/{id}/describe": "records reason code and deadline of a dispute",
                "POST /v1/disputes/{id}/represent": "records evidence sent against a chargeback",
                "POST /v1/periods": "closes a merchant's day, and locks it and earlier ones in the journal",
                "POST /v1/periods/{id}/reopen": "reopens a day",
                "POST /v1/journal-exports": "exports the journal for accounting software",
                "PUT /v1/chart": "names the accounts of later exports",
            ]
        ),
        rows(
            .no,
            .acknowledgeAnomalies,
            .never,
            ["POST /v1/anomalies/{id}/acknowledge": "acknowledges an anomaly"]
        ),
        rows(.no, .describeMerchants, .never, ["PUT /v1/merchants/{merchant}": "describes a merchant"]),
    ].flatMap { $0 }

    private static let permissions = Dictionary(
        authorities.map { ($0.route, $0.permission) },
        uniquingKeysWith: { first, _ in first }
    )

    private static func rows(
        _ money: Authority.Money,
        _ permission: Permission,
        _ secondPerson: Authority.SecondPerson,
        _ routes: KeyValuePairs<String, String>
    ) -> [Authority] {
        routes.map { route, effect in
            Authority(
                route: route,
                effect: effect,
                money: money,
                permission: permission,
                secondPerson: secondPerson
            )
        }
    }

    /// The principal of a request to a route that changes the ledger, if its key has the permission in the table.
    ///
    /// - Throws: `insufficient-scope`.
    func authorized(_ request: Request) throws(Problem) -> Principal {
        guard let permission = Self.permissions["\(request.method.rawValue) \(request.template)"] else {
            throw .internal
        }
        return try principal(request, permission.scopes)
    }
}
