import Access
import Canonical
import DaybookTestKit
import Matching
import Testing

/// The tenant's reconciliation rules over a socket. Every answer is checked against the OpenAPI document.
@Suite struct RulesTests {
    private static let path = "/v1/reconciliation-rules"

    private func set(
        _ rules: String,
        _ more: String = "",
        key: String? = nil,
        as caller: Caller
    ) async throws -> Answer {
        var fields = ["Content-Type": "application/json"]
        if let key { fields["Idempotency-Key"] = key }
        let body = #"{"rules":\#(rules),"reason":"as agreed; 4111111111111111"\#(more)}"#
        return try await caller.send("PUT", Self.path, fields, body: body)
    }

    /// Proposes and approves rules, and reads them.
    private func agree(
        on rules: String,
        _ more: String = "",
        as caller: Caller,
        _ api: TestAPI
    ) async throws -> JSONValue {
        let approved = try await api.approve(try await set(rules, more, as: caller))
        #expect(approved.status == 201, "\(approved.body)")
        return try await api.caller([.read]).get(Self.path).json
    }

    @Test func rulesAreShownAndChanged() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            let standard = try await caller.get(Self.path).json
            #expect(standard["version"] == 0 && standard["position"] == nil && standard["changedBy"] == nil)
            #expect(try standard["rules"] == JSONValueEncoder().encode(MatchingRules()))

            let proposed = try await set(#"{"graceDays":4}"#, key: "k-1", as: caller)
            #expect(try proposed.json["change"] == "change-rules" && proposed.json["version"] == 0)
            #expect(try await caller.get(Self.path).json == standard)
            let approved = try await api.approve(proposed)
            #expect(approved.status == 201, "\(approved.body)")
            let first = try await caller.get(Self.path).json
            #expect(first["version"] == 1 && first["rules"]?["graceDays"] == 4)
            #expect(try first["rules"] == JSONValueEncoder().encode(MatchingRules(graceDays: 4)))
            #expect(first["changedBy"]?.string?.hasPrefix("key:") == true)
            #expect(first["reason"]?.string?.contains("4111111111111111") == false)
            let position = try #require(first["position"]?.int64)
            #expect(approved.fields["daybook-position"] == String(position))
            let again = try await set(#"{"graceDays":4}"#, key: "k-1", as: caller)
            #expect(try again.json == proposed.json && again.fields["idempotency-replayed"] == "true")
            #expect(try await set(#"{"graceDays":5}"#, key: "k-1", as: caller).code == "idempotency-mismatch")
            #expect(try await caller.get(Self.path).json == first)

            // A ladder from before rules had days is kept, with a remark.
            #expect(standard["remarks"] == [] && first["remarks"] == [])
            let plain = #"{"name":"old-sum","keys":["rrn"],"choice":"sum"}"#
            let days =
                #"{"name":"sum","keys":["rrn"],"choice":"sum","days":9},{"name":"id","keys":["gateway-id"],"choice":"in-order"}"#
            let old = try await agree(on: #"{"ladder":[\#(plain),\#(days)]}"#, as: caller, api)
            #expect(old["remarks"]?.array?.map { $0["rule"] } == ["old-sum"], "\(old)")
            #expect(old["remarks"]?[0]?["code"] == "without-days")
            #expect(try await caller.get(Self.path).json == old)
            #expect(try await agree(on: #"{"graceDays":4}"#, as: caller, api)["version"] == 3)

            // An expected version must match. Rules left out get their standard values.
            let late = try await set("{}", #","expectedVersion":0"#, as: caller)
            #expect(late.status == 409 && late.code == "version-conflict", "\(late.body)")
            #expect(try late.json["actualVersion"] == 3)
            let second = try await agree(on: #"{"silentDays":0}"#, #","expectedVersion":3"#, as: caller, api)
            #expect(second["version"] == 4 && second["rules"]?["graceDays"] == 2, "\(second)")

            // Rules can be set as they are shown, and read at a past position.
            let shown = try #require(try await caller.get(Self.path).json["rules"])
            #expect(try await agree(on: shown.text, as: caller, api)["rules"] == shown)
            #expect(try await caller.get("\(Self.path)?as_of_position=\(position)").json == first)
            #expect(try await caller.get("\(Self.path)?as_of_position=0").json == standard)
            #expect(try await caller.get("\(Self.path)?as_of=2000-01-01T00:00:00Z").json == standard)
            let feed = try await caller.get("/v1/events?type=ReconciliationRulesChanged").json["items"]?.array ?? []
            #expect(feed.count == 5 && !feed.contains { $0.text.contains("4111111111111111") })
            let stranger = try await api.caller([.read], tenant: "other")
            #expect(try await stranger.get(Self.path).json == standard)
            #expect(try await set("{}", as: stranger).status == 403)
        }
    }

    /// The next run examines everything with the new rules; later runs examine what has changed.
    @Test func theNextRunIsWhole() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            func run() async throws -> JSONValue { try await caller.send("POST", "/v1/reconciliations").json }
            func digest() async throws -> JSONValue? { try await caller.get(Self.path).json["digest"] }
            _ = try await agree(on: "{}", as: caller, api)
            #expect(try await run()["since"] == 0)
            let second = try await run()
            #expect(second["since"] != 0)
            let standard = try await digest()
            #expect(second["rules"] == standard)
            _ = try await agree(on: #"{"graceDays":9}"#, as: caller, api)
            let changed = try await digest()
            #expect(changed != standard)
            let third = try await run()
            #expect(third["since"] == 0 && third["rules"] == changed)
            let fourth = try await run()
            #expect(fourth["since"] != 0)
        }
    }

    /// Of two approvals at once, one is recorded: the other is for rules that are no longer in force, or for a
    /// proposal that was replaced.
    @Test func concurrentChangesDoNotOverwriteEachOther() async throws {
        try await TestAPI.serve { api in
            let callers = [try await api.caller([.reconcile]), try await api.caller([.reconcile])]
            for version in 0..<3 {
                let proposed = try await set(#"{"graceDays":\#(version + 3)}"#, as: callers[0])
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<2 { group.addTask { try await api.approve(proposed).status } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.sorted() == [201, 409])
            }
            let first = try await set(#"{"graceDays":9}"#, as: callers[0])
            let second = try await set(#"{"graceDays":8}"#, as: callers[1])
            #expect(try await api.approve(first).code == "proposal-replaced")
            #expect(try await api.approve(second).status == 201)
            #expect(try await api.approve(second).code == "not-proposed")
        }
    }

    /// Every change of rules needs two persons, whatever the scopes of one.
    @Test func oneOperatorChangesNoRule() async throws {
        try await TestAPI.serve { api in
            let scopes: Set<Scope> = [.read, .reconcile, .admin]
            let ann = try await api.caller(scopes, holder: "Ann")
            let keys: [(String?, String)] = [
                ("ann", "own-proposal"), (" ANN ", "own-proposal"), (nil, "unknown-holder"), ("root", "unknown-holder"),
                ("A\u{200B}nn", "unknown-holder"),
            ]
            for rules in [
                #"{"fees":[{"currency":"USD","basisPoints":1,"tolerance":1000000000000000}]}"#, #"{"graceDays":366}"#,
                #"{"lateDays":366}"#, #"{"expiryDays":3660}"#, #"{"silentDays":0}"#, "{}",
                #"{"approvals":[{"currency":"USD","above":0}]}"#,
            ] {
                let id = try #require(try await set(rules, as: ann).json["id"]?.string)
                for (holder, code) in keys {
                    let other = try await api.caller(scopes, holder: holder)
                    let refused = try await other.send(
                        "POST",
                        "/v1/proposals/\(id)/approve",
                        ["Content-Type": "application/json"],
                        body: #"{"reason":"mine"}"#
                    )
                    #expect(refused.status == 409 && refused.code == code, "\(refused.body)")
                }
            }
            #expect(try await ann.get(Self.path).json["version"] == 0)
        }
    }

    @Test func aProposalIsRejectedOnce() async throws {
        try await TestAPI.serve { api in
            let ann = try await api.caller([.read, .reconcile])
            let proposed = try await set(#"{"graceDays":4}"#, as: ann)
            let id = try #require(try proposed.json["id"]?.string)
            let listed = try await ann.get("/v1/proposals").json["proposals"]?.array ?? []
            #expect(try listed == [proposed.json])
            let fields = ["Content-Type": "application/json", "Idempotency-Key": "r-1"]
            func reject() async throws -> Answer {
                try await ann.send("POST", "/v1/proposals/\(id)/reject", fields, body: #"{"reason":"a slip"}"#)
            }
            #expect(try await reject().status == 201)
            #expect(try await reject().fields["idempotency-replayed"] == "true")
            #expect(try await api.approve(proposed).code == "not-proposed")
            #expect(try await ann.get("/v1/proposals").json["proposals"] == [])
            let unknown = "/v1/proposals/0198c1c2-6a00-7000-8000-000000000999/approve"
            #expect(try await ann.send("POST", unknown, fields, body: #"{"reason":"x"}"#).status == 404)
        }
    }

    private static func ladder(_ rule: String) -> String { #"{"ladder":[\#(rule)]}"# }
    private static func deposits(_ rule: String) -> String { #"{"deposits":[\#(rule)]}"# }
    private static func postings(_ rules: String) -> String { #"{"postings":[\#(rules)]}"# }
    private static let plain = #"{"name":"a","keys":["rrn"],"choice":"unique"}"#

    private static let refused: [(rules: String, code: String, pointer: String)] = [
        ("[]", "invalid-rules", ""), ("null", "invalid-rules", ""), (#"{"grace":1}"#, "invalid-rules", ""),
        (#"{"ladder":{}}"#, "invalid-rules", "/ladder"), (#"{"ladder":[]}"#, "no-rules", "/ladder"),
        (
            #"{"ladder":[\#(Array(repeating: plain, count: 65).joined(separator: ","))]}"#, "too-many-rules", "/ladder"
        ),
        (ladder("1"), "invalid-rules", "/ladder/0"),
        (ladder(#"{"keys":["rrn"],"choice":"unique"}"#), "invalid-rules", "/ladder/0"),
        (ladder("\(plain),\(plain)"), "repeated-rule-name", "/ladder/1/name"),
        (ladder(plain.replacing(#""a""#, with: #""A b""#)), "invalid-rule-name", "/ladder/0/name"),
        (ladder(plain.replacing(#""a""#, with: #""by-hand""#)), "invalid-rule-name", "/ladder/0/name"),
        (ladder(plain.replacing(#""a""#, with: #""related-id""#)), "invalid-rule-name", "/ladder/0/name"),
        (ladder(plain.replacing(#""a""#, with: #""4111111111111111""#)), "card-data", "/ladder/0/name"),
        (ladder(plain.replacing(#"["rrn"]"#, with: "[]")), "no-keys", "/ladder/0/keys"),
        (ladder(plain.replacing(#"["rrn"]"#, with: #"["rrn","pan"]"#)), "unknown-key", "/ladder/0/keys/1"),
        (ladder(plain.replacing(#"["rrn"]"#, with: #"["rrn","rrn"]"#)), "repeated-key", "/ladder/0/keys/1"),
        (ladder(plain.replacing(#"["rrn"]"#, with: #"["merchant"]"#)), "keys-too-wide", "/ladder/0/keys"),
        (ladder(#"{"name":"a","keys":["merchant"],"choice":"total"}"#), "keys-too-wide", "/ladder/0/keys"),
        (ladder(plain.replacing("unique", with: "any")), "unknown-choice", "/ladder/0/choice"),
        (ladder(plain.dropLast() + #","days":-1}"#), "days-out-of-range", "/ladder/0/days"),
        (ladder(plain.dropLast() + #","days":367}"#), "days-out-of-range", "/ladder/0/days"),
        (ladder(plain.dropLast() + #","days":1.5}"#), "days-out-of-range", "/ladder/0/days"),
        (ladder(plain.dropLast() + #","days":99999999999999999999}"#), "days-out-of-range", "/ladder/0/days"),
        (ladder(plain.dropLast() + #","days":"1"}"#), "invalid-rules", "/ladder/0/days"),
        (ladder(plain.dropLast() + #","tolerance":-1}"#), "tolerance-out-of-range", "/ladder/0/tolerance"),
        (ladder(plain.dropLast() + #","tolerance":1000000001}"#), "tolerance-out-of-range", "/ladder/0/tolerance"),
        (
            ladder(#"{"name":"a","keys":["rrn"],"choice":"in-order","tolerance":1}"#), "not-applicable",
            "/ladder/0/tolerance"
        ),
        (#"{"graceDays":-1}"#, "days-out-of-range", "/graceDays"),
        (#"{"graceDays":367}"#, "days-out-of-range", "/graceDays"),
        (#"{"lateDays":9223372036854775807}"#, "days-out-of-range", "/lateDays"),
        (#"{"silentDays":3000000}"#, "days-out-of-range", "/silentDays"),
        (#"{"expiryDays":0}"#, "days-out-of-range", "/expiryDays"),
        (#"{"fees":[{"currency":"XYZ","basisPoints":1}]}"#, "unknown-currency", "/fees/0/currency"),
        (#"{"fees":[{"currency":"USD"}]}"#, "invalid-rules", "/fees/0"),
        (#"{"fees":[{"currency":"USD","basisPoints":10001}]}"#, "amount-out-of-range", "/fees/0/basisPoints"),
        (#"{"fees":[{"currency":"USD","basisPoints":1,"fixed":-1}]}"#, "amount-out-of-range", "/fees/0/fixed"),
        (
            #"{"fees":[{"currency":"USD","basisPoints":1,"tolerance":-1}]}"#, "tolerance-out-of-range",
            "/fees/0/tolerance"
        ),
        (#"{"fees":[{"currency":"USD","basisPoints":1,"brand":"\u0000"}]}"#, "invalid-rules", "/fees/0/brand"),
        (
            #"{"fees":[{"currency":"USD","basisPoints":1,"brand":"V"},{"currency":"USD","basisPoints":2,"brand":"v"}]}"#,
            "repeated-entry", "/fees/1"
        ),
        (#"{"approvals":[{"currency":"usd","above":1}]}"#, "unknown-currency", "/approvals/0/currency"),
        (#"{"approvals":[{"currency":"USD","above":-1}]}"#, "amount-out-of-range", "/approvals/0/above"),
        (
            #"{"approvals":[{"currency":"USD","above":1},{"currency":"USD","above":2}]}"#, "repeated-entry",
            "/approvals/1"
        ),
        (deposits(#"{"name":"a","keys":[],"choice":"sum"}"#), "no-keys", "/deposits/0/keys"),
        (deposits(#"{"name":"a","keys":[],"choice":"unique"}"#), "no-keys", "/deposits/0/keys"),
        (
            deposits(#"{"name":"a","keys":["trace"],"choice":"payouts-of-day"}"#), "not-applicable",
            "/deposits/0/keys"
        ),
        (
            deposits(#"{"name":"a","keys":["trace"],"choice":"unique","days":1000000}"#), "days-out-of-range",
            "/deposits/0/days"
        ),
        (postings(#"{"name":"a","type":"other"}"#), "invalid-rules", "/postings/0"),
        (
            postings(#"{"name":"carried-over","type":"other","account":"fees"}"#), "invalid-rule-name",
            "/postings/0/name"
        ),
        (postings(#"{"name":"a","type":"sale","account":"fees"}"#), "unknown-type", "/postings/0/type"),
        (postings(#"{"name":"a","type":"other","account":"cash"}"#), "unknown-account", "/postings/0/account"),
        (postings(#"{"name":"a","type":"other","account":"suspense"}"#), "unknown-account", "/postings/0/account"),
        (
            postings(#"{"name":"a","type":"other","account":"rounding","part":"x"}"#), "not-applicable",
            "/postings/0/part"
        ),
        (
            postings(#"{"name":"a","type":"other","account":"fees"},{"name":"a","type":"other","account":"fees"}"#),
            "repeated-rule-name", "/postings/1/name"
        ),
        (
            postings(#"{"name":"a","type":"other","account":"fees","part":"4111111111111111"}"#), "card-data",
            "/postings/0/part"
        ),
        (#"{"explainedTypes":["sale"]}"#, "unknown-type", "/explainedTypes/0"),
        (#"{"explainedTypes":["fee","adjustment"]}"#, "not-applicable", "/explainedTypes/1"),
        (#"{"explainedTypes":["reserve-release","reserve-release"]}"#, "repeated-entry", "/explainedTypes/1"),
        (#"{"explainedTypes":"fee"}"#, "invalid-rules", "/explainedTypes"),
        (#"{"depositAccounts":["a","a"]}"#, "repeated-entry", "/depositAccounts/1"),
        (#"{"depositAccounts":["4111111111111111"]}"#, "card-data", "/depositAccounts/0"),
    ]

    @Test func invalidRulesAreRefusedByName() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile])
            let refused = Self.refused + Self.refusedCalendars + Self.refusedContracts
            for (rules, code, pointer) in refused {
                let answer = try await set(rules, as: caller)
                #expect(answer.status == 422 && answer.code == code, "\(rules.prefix(200)): \(answer.body)")
                #expect(try answer.json["pointer"]?.string == "/rules" + pointer, "\(rules.prefix(200))")
            }
            #expect(Set(refused.map(\.code)) == Set(RulesProblem.Code.allCases.map(\.rawValue)))
            let fields = ["Content-Type": "application/json"]
            for body in [
                "", "[]", "{}", #"{"rules":{}}"#, #"{"rules":{},"reason":""}"#, #"{"rules":{},"reason":" "}"#,
                #"{"rules":{},"reason":"x","expectedVersion":-1}"#, #"{"rules":{},"reason":"x","other":1}"#,
            ] {
                #expect(try await caller.send("PUT", Self.path, fields, body: body).status == 400, "\(body)")
            }
            #expect(try await api.events().isEmpty)
        }
    }

    /// An operator who needs approvals must not set their limit.
    @Test func onlyAnAdministratorSetsTheLimitOfApprovals() async throws {
        let limits = #"{"approvals":[{"currency":"USD","above":100}]}"#
        try await TestAPI.serve { api in
            let (clerk, admin) = (try await api.caller([.read, .reconcile]), try await api.caller([.read, .admin]))
            let refused = try await set(limits, as: clerk)
            #expect(refused.status == 403 && refused.code == "insufficient-scope")
            let proposed = try await set(limits, as: admin)
            let id = try #require(try proposed.json["id"]?.string)
            let approval = try await clerk.send(
                "POST",
                "/v1/proposals/\(id)/approve",
                ["Content-Type": "application/json"],
                body: #"{"reason":"x"}"#
            )
            #expect(approval.status == 403 && approval.code == "insufficient-scope", "\(approval.body)")
            #expect(try await api.approve(proposed).status == 201)
            // The clerk may change other rules, but must not leave out the limits.
            let same = #"{"graceDays":4,"approvals":[{"currency":"USD","above":100}]}"#
            #expect(try await set(same, as: clerk).status == 202)
            #expect(try await set(#"{"graceDays":4}"#, as: clerk).status == 403)
        }
    }

    /// Rules at their bounds are accepted, and runs with them succeed.
    @Test func rulesAtTheirBoundsAreAccepted() async throws {
        let rule = #"{"name":"a","keys":["rrn","merchant"],"choice":"unique","days":366,"tolerance":1000000000}"#
        let fee = #"{"currency":"USD","basisPoints":10000,"fixed":1000000000000000,"tolerance":1000000000000000}"#
        let same =
            #""depositAccounts":["DE77"],"approvals":[{"currency":"USD","above":1000000000000000}],"explainedTypes":[],"#
            + Self.calendarAtItsBounds + "," + Self.contractAtItsBounds
        let deposit = #"{"name":"b","keys":[],"choice":"unique","days":366}"#
        let posting = #"{"name":"c","type":"other","rawType":"Fee","format":"adyen","account":"fees","part":"x"}"#
        try await TestAPI.serve { api in
            let caller = try await api.caller([.read, .reconcile, .admin])
            for days in [(0, 1), (366, 3660)] {
                let bounds =
                    #""graceDays":\#(days.0),"lateDays":\#(days.0),"silentDays":\#(days.0),"expiryDays":\#(days.1)"#
                let rules =
                    #"{"ladder":[\#(rule)],"deposits":[\#(deposit)],"fees":[\#(fee)],"postings":[\#(posting)],\#(same),\#(bounds)}"#
                let reported = try await agree(on: rules, as: caller, api)
                #expect(reported["rules"]?["expiryDays"]?.int64 == Int64(days.1))
                #expect(try await caller.send("POST", "/v1/reconciliations").status == 201)
            }
            _ = try await agree(on: #"{"deposits":[]}"#, as: caller, api)
            #expect(try await caller.send("POST", "/v1/reconciliations").status == 201)
        }
    }
}
