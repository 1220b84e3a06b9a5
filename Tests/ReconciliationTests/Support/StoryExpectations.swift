import Canonical
import Composition
import Operations
import Postgres
import Projections
import Testing

@testable import Reconciliation

/// What a story expects beside balances and exceptions: its report, its matches, and what other reads answer.
struct StoryExpectations {
    let planted: PlantedLedger
    /// The ids of statements, payments and lines by their names in the story, such as `S1`, `T1` and `S1#2`.
    private var ids: [String: UUID128]

    init(_ planted: PlantedLedger, statements: [String: UUID128], payments: [String: UUID128]) async throws {
        self.planted = planted
        ids = statements.merging(payments) { statement, _ in statement }
        let placed = try await planted.ledger.pool.query(
            "SELECT statement, number, line FROM read_statements.placements WHERE tenant = 'acme'",
            []
        )
        for row in placed {
            let (statement, number, line) = (try row.uuid(0), try row.int64(1), try row.uuid(2))
            for (name, id) in statements where id == statement { ids["\(name)#\(number)"] = line }
        }
    }

    private func names(of id: UUID128) -> [String] { ids.filter { $0.value == id }.map(\.key).sorted() }

    /// The text with the ids in place of names in braces.
    private func filled(_ text: String) -> String {
        ids.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value.text) }
    }

    // MARK: Report

    /// The differences of a report: `balances` if suspense is what the open exceptions have there, `clean` if it is and
    /// no exception is open, and the numbers of each currency.
    static func report(_ wanted: JSONValue, in planted: PlantedLedger) async throws -> [String] {
        let answer = try await planted.ledger.report(
            of: "acme",
            ReportScope(),
            until: .now.advanced(by: .seconds(60))
        )
        let report = answer.report
        var found: [String: Int64] = [:]
        for balance in report.balances {
            let (suspense, open) = (try #require(balance.suspense), try #require(balance.openExceptions))
            found["\(balance.currency) suspense"] = suspense
            found["\(balance.currency) openExceptions"] = open
            found["\(balance.currency) difference"] = suspense - open
        }
        for share in report.exceptions {
            guard let currency = share.currency else { continue }
            found["\(currency) openCount", default: 0] += share.open
        }
        let gross = try await planted.ledger.pool.query(
            """
            SELECT currency, sum(abs(amount))::int8 FROM read_reconciliation.exceptions
            WHERE tenant = 'acme' AND status NOT IN ('cleared', 'resolved') AND currency IS NOT NULL AND amount IS NOT NULL
            GROUP BY currency
            """,
            []
        )
        for row in gross { found["\(try row.text(0)) openGross"] = try row.int64(1) }
        var numbers: [String: Int64] = [:]
        for one in wanted["numbers"]?.object?.members ?? [:] {
            for figure in one.value.object?.members ?? [:] { numbers["\(one.key) \(figure.key)"] = figure.value.int64 }
        }
        found = found.filter { $0.value != 0 }
        numbers = numbers.filter { $0.value != 0 }
        var differences: [String] = []
        if found != numbers { differences.append("report: \(found), not \(numbers)") }
        let isClean = report.isSuspenseExplained && report.exceptions.allSatisfy { $0.open == 0 }
        for (name, value) in [("balances", report.isSuspenseExplained), ("clean", isClean)]
        where wanted[name]?.bool != value {
            differences.append("report: \(name) is \(value)")
        }
        return differences
    }

    // MARK: Matches

    /// A movement as a story names it: a capture, refund or tender by its id, a chargeback by the id that its line has.
    private static let movement = """
        CASE WHEN k.movement ~ '^chargeback:[0-9a-f-]{36}' THEN (
            SELECT c.processor_id FROM read_statements.lines c
            WHERE c.tenant = k.tenant AND c.id = substr(k.movement, 12, 36)::uuid
        ) ELSE replace(regexp_replace(k.movement, '^[a-z]+:', ''), ':', ' ') END
        """

    /// The differences of all matches. An open exception that names the line and the payment relates them, too.
    func matches(_ wanted: [JSONValue]) async throws -> [String] {
        let expected = Set(
            wanted.map { one in
                ["line", "transaction", "movement"].compactMap { one[$0]?.string }.joined(separator: " ")
            }
        )
        var found: Set<String> = []
        var differences: [String] = []
        for row in try await planted.ledger.pool.query(
            """
            SELECT k.line, k.transaction, \(Self.movement) FROM read_reconciliation.links k
            WHERE k.tenant = 'acme' AND k.until IS NULL
            """,
            []
        ) {
            let payment = names(of: try row.uuid(1)).first ?? "?"
            let movement = try row.textOrNull(2) ?? "?"
            let same = names(of: try row.uuid(0)).map { "\($0) \(payment) \(movement)" }
            if expected.isDisjoint(with: same) { differences.append("matched: \(same)") }
            found.formUnion(same)
        }
        for row in try await planted.ledger.pool.query(
            """
            SELECT line, transaction FROM read_reconciliation.exceptions
            WHERE tenant = 'acme' AND status NOT IN ('cleared', 'resolved') AND line IS NOT NULL
                AND transaction IS NOT NULL
            """,
            []
        ) {
            let payment = names(of: try row.uuid(1)).first ?? "?"
            for line in names(of: try row.uuid(0)) {
                found.formUnion(expected.filter { $0.hasPrefix("\(line) \(payment) ") })
            }
        }
        return differences + expected.subtracting(found).sorted().map { "not matched: \($0)" }
    }

    // MARK: Other reads

    /// The differences of another read: the rows of `query`, which `is` lists completely; what the `proof` of a payout
    /// has, of which `is` lists some; or the state of a `transfer`.
    func other(_ wanted: JSONValue) async throws -> [String] {
        let expected = (wanted["is"]?.array ?? []).compactMap { $0.string.map(filled) }
        try #require(!expected.isEmpty)
        var found: [String] = []
        if let query = wanted["query"]?.string {
            found = try await planted.ledger.pool.query(filled(query), []).map { try $0.text(0) }
        } else if let line = ids[wanted["proof"]?.string ?? ""] {
            let proof = try #require(try await planted.deposits.proof(of: line, tenant: "acme"))
            found = ["paid \(proof.paid ?? 0)", "foots \(proof.foots)"]
            for settlement in proof.settlements {
                found += ["sum \(settlement.sum ?? 0)", "difference \(settlement.difference ?? 0)"]
                found += settlement.buckets.map { "\($0.bucket.rawValue) \($0.amount ?? 0)" }
            }
            if Set(found).isSuperset(of: expected) { return [] }
        } else if let line = ids[wanted["transfer"]?.string ?? ""] {
            let listed = try await planted.deposits.transfers(of: "acme", limit: 100)
            found = listed.filter { $0.transfer.line == line }.map(\.state.rawValue)
        }
        return found == expected ? [] : ["\(wanted["text"]?.string ?? ""): \(found), not \(expected)"]
    }
}
