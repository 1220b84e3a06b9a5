import Access
import Canonical
import Composition
import DaybookAPI
import DaybookTestKit
import HTTPEdge
import HTTPTypes
import Journal
import Matching
import Operations
import Payments
import Postgres
import Projections
import Redaction
import ReplayRules
import Statements
import Testing
import Vendors

/// Compares the OpenAPI document with the code, without a server.
@Suite struct ContractTests {
    let contract: Contract

    init() throws { contract = try Contract.published.get() }

    private func schema(_ name: String) throws -> JSONValue {
        try #require(contract.document["components"]?["schemas"]?[name])
    }

    @Test func theSchemaCheckerKnowsEveryKeyword() throws {
        let judge = JSONSchema(document: contract.document)
        var found = 0
        func walk(_ value: JSONValue, _ path: String) {
            for (key, member) in value.object?.members.map({ ($0.key, $0.value) }) ?? [] {
                if key == "schema" || key == "x-itemSchema" {
                    found += 1
                    #expect(judge.unknownKeywords(in: member, at: path) == [])
                } else if key == "schemas", path == "/components" {
                    for schema in member.object?.members ?? [:] {
                        found += 1
                        #expect(judge.unknownKeywords(in: schema.value, at: schema.key) == [])
                    }
                } else if key == "$ref" {
                    #expect(judge.resolve(member) != nil, "\(path)")
                } else if key != "example" {
                    walk(member, "\(path)/\(key)")
                }
            }
            for element in value.array ?? [] { walk(element, path) }
        }
        walk(contract.document, "")
        #expect(found > 100)
    }

    @Test func everyExampleIsValid() throws {
        let judge = JSONSchema(document: contract.document)
        var found = 0
        func walk(_ value: JSONValue) {
            if let example = value["example"], let schema = value["schema"] {
                found += 1
                if let items = value["x-itemSchema"] {
                    for line in example.string?.split(separator: "\n") ?? [] {
                        let json = (try? JSONValue(parsing: String(line))) ?? .null
                        #expect(judge.faults(of: json, by: items) == [])
                    }
                } else {
                    #expect(judge.faults(of: example, by: schema) == [])
                }
            } else if let example = value["example"] {
                found += 1
                #expect(judge.faults(of: example, by: value) == [])
            }
            for member in value.object?.members ?? [:] where member.key != "example" { walk(member.value) }
            for element in value.array ?? [] { walk(element) }
        }
        walk(contract.document)
        #expect(found > 40)
    }

    @Test func theOperationsAreTheRoutes() throws {
        let ledger = Ledger(configuration: PostgresConfiguration(connectionString: ""), logger: TestLog.logger)
        let api = API(ledger: ledger, readiness: Readiness(), logger: TestLog.logger, metrics: { "" })
        let routes = api.router().routes.map { "\($0.method.rawValue) \($0.template.replacing("...}", with: "}"))" }
        #expect(Set(routes) == Set(contract.operations.map { "\($0.method) \($0.template)" }))
        #expect(Set(routes).count == routes.count)
        let names = contract.operations.compactMap { $0.document["operationId"]?.string }
        #expect(Set(names).count == routes.count)
    }

    @Test func theNamesAreThoseOfTheCode() throws {
        func names(_ schema: JSONValue?) -> Set<String> { Set(schema?["enum"]?.strings ?? []) }
        func properties(_ name: String, _ member: String) throws -> Set<String> {
            names(try schema(name)["properties"]?[member])
        }
        #expect(names(try schema("Vendor")) == Set(Vendor.allCases.map(\.rawValue)))
        #expect(names(try schema("TransactionStatus")) == Set(TransactionStatus.allCases.map(\.rawValue)))
        #expect(names(try schema("BatchStatus")) == Set(BatchState.Status.allCases.map(\.rawValue)))
        #expect(names(try schema("Operation")) == Set(Operation.allCases.map(\.rawValue)))
        #expect(names(try schema("Outcome")) == Set(Outcome.allCases.map(\.rawValue)))
        #expect(names(try schema("Evidence")) == Set(Evidence.allCases.map(\.rawValue)))
        #expect(names(try schema("AnomalyKind")) == Set(Anomaly.Kind.allCases.map(\.rawValue)))
        #expect(names(try schema("AnomalyState")) == Set(AnomalyView.State.allCases.map(\.rawValue)))
        #expect(try properties("Redaction", "rule") == Set(RedactedPlace.Rule.allCases.map(\.rawValue)))
        #expect(try properties("Redaction", "action") == Set(RedactedPlace.Action.allCases.map(\.rawValue)))
        let refusals = Set(Vendors.Refusal.Code.allCases.map(\.rawValue))
        #expect(try properties("IntakeRefusal", "code").isSuperset(of: refusals))
        let scopes = contract.operations.flatMap(\.alternatives).flatMap { $0 }
        #expect(Set(scopes).isSubset(of: Scope.allCases.map(\.rawValue)))
    }

    /// Each code has one status, and every code of the program is listed.
    @Test func everyCodeHasItsStatus() throws {
        var statuses: [String: Set<Int64>] = [:]
        for name in ["Problem", "Refusal"] {
            for choice in try schema(name)["allOf"]?[1]?["oneOf"]?.array ?? [] {
                let status = try #require(choice["properties"]?["status"]?["const"]?.int64)
                let code = choice["properties"]?["code"]
                for code in (code?["enum"]?.strings ?? []) + [code?["const"]?.string].compactMap({ $0 }) {
                    statuses[code, default: []].insert(status)
                }
            }
        }
        #expect(statuses.values.allSatisfy { $0.count == 1 })
        for refusal in HTTPEdge.GateRefusal.allCases { #expect(statuses[refusal.rawValue] == [Int64(refusal.status)]) }
        for refusal in Vendors.Refusal.Code.allCases { #expect(statuses[refusal.rawValue] == [422]) }
    }

    @Test func everyKindOfEventHasAShape() throws {
        let choices = try #require(schema("Event")["allOf"]?[1]?["oneOf"]?.array)
        let shaped = choices.flatMap { choice -> [String] in
            let type = choice["properties"]?["type"]
            return (type?["enum"]?.strings ?? []) + [type?["const"]?.string].compactMap { $0 }
        }
        #expect(shaped.sorted() == (try schema("EventType")["enum"]?.strings.sorted()))
    }

    /// The feed carries every event type of the log.
    @Test func theEventTypesAreThoseOfTheLog() throws {
        func names<Name: CaseIterable & RawRepresentable<String>>(_: Name.Type) -> [String] {
            Name.allCases.map(\.rawValue)
        }
        let known =
            TransactionEvent.types + names(BatchEvent.Name.self) + names(JournalName.self)
            + names(TenantEvent.Name.self) + names(StatementEvent.Name.self) + names(ReconciliationEvent.Name.self)
            + names(ExceptionEvent.Name.self) + names(PeriodEvent.Name.self) + names(ReplayEvent.Name.self)
            + names(ProposalEvent.Name.self) + names(ExportEvent.Name.self) + names(ChartEvent.Name.self)
        let published = try #require(schema("EventType")["enum"]?.strings)
        #expect(Set(published) == Set(known))
        #expect(Set(published).count == published.count)
    }
}

extension Contract.Operation {
    /// The required scopes: one list for each alternative, none for an open operation.
    var alternatives: [[String]] {
        (document["security"]?.array ?? []).compactMap { $0["key"]?.strings }
    }

    /// The parameters, with references resolved.
    func parameters(_ contract: Contract) -> [JSONValue] {
        (document["parameters"]?.array ?? []).compactMap { contract.deref($0) }
    }

    /// The path, with an example for each parameter.
    func examplePath(_ contract: Contract) -> String {
        parameters(contract).filter { $0["in"]?.string == "path" }.reduce(template) { path, parameter in
            path.replacing("{\(parameter["name"]?.string ?? "")}", with: parameter["example"]?.plainText ?? "")
        }
    }
}

extension JSONValue {
    /// A scalar as it is written in a path or a query.
    var plainText: String { string ?? text }
}
