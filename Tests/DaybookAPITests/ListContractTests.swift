import Canonical
import Composition
import DaybookTestKit
import Operations
import Projections
import Tables
import Testing

/// Every list of the registry against the OpenAPI document.
@Suite struct ListContractTests {
    private let contract: Contract

    init() throws { contract = try Contract.published.get() }

    /// Parameters that every list may have, beside its filters.
    private static let common: Set<String> = ["limit", "cursor", "columns", "dialect", "min_position"]

    /// The table of a list without filters.
    private func table(_ list: any LedgerList) throws -> Table {
        var reader = ParameterReader([], path: list.pathExamples)
        return try list.request(reading: &reader).table
    }

    private func operation(_ path: String) throws -> Contract.Operation {
        let template = "/v1/" + ListPath(path).route
        return try #require(contract.operations.first { $0.method == "GET" && $0.template == template }, "\(template)")
    }

    @Test func everyPathIsARouteWithTheFiltersOfItsList() throws {
        #expect(Set(Lists.all.map(\.name)).count == Lists.all.count)
        for list in Lists.all {
            for path in list.paths {
                let parameters = try operation(path).parameters(contract)
                let names = Set(parameters.filter { $0["in"]?.string == "query" }.compactMap { $0["name"]?.string })
                let filters = Set(list.filterNames).subtracting(ListPath(path).names)
                #expect(names.subtracting(Self.common) == filters, "\(path)")
                #expect(names.contains("as_of") == list.isAvailableInThePast, "\(path)")
                #expect(names.contains("limit") == (list.pageSize != nil), "\(path)")
                #expect(names.contains("cursor") == (list.pageSize != nil), "\(path)")
                #expect(names.contains("min_position") == !list.readModels.isEmpty, "\(path)")
                #expect(names.isSuperset(of: ["columns", "dialect"]), "\(path)")
            }
        }
    }

    @Test func everyReadModelExists() {
        for list in Lists.all {
            for name in list.readModels { #expect(ReadModels.named(name) != nil, "\(list.name): \(name)") }
        }
    }

    @Test func everyColumnIsAMemberOfTheItems() throws {
        for list in Lists.all {
            let content = try operation(list.paths[0]).document["responses"]?["200"]?["content"]
            let item = try #require(content?["application/x-ndjson"]?["x-itemSchema"], "\(list.name)")
            for column in try table(list).columns {
                for path in column.paths { #expect(has(path[...], item), "\(list.name): \(column.name)") }
            }
        }
        let plain = contract.document["components"]?["schemas"]?["Batch"] ?? .null
        #expect(!has(["misspelt"], plain) && has(["status"], plain))
    }

    /// Whether a schema has a member at a path.
    private func has(_ path: ArraySlice<String>, _ schema: JSONValue) -> Bool {
        guard let schema = contract.deref(schema) else { return false }
        guard let name = path.first else { return true }
        if let member = schema["properties"]?[name] { return has(path.dropFirst(), member) }
        let choices = ["allOf", "oneOf", "anyOf"].flatMap { schema[$0]?.array ?? [] }
        if choices.contains(where: { has(path, $0) }) { return true }
        if let items = schema["items"] { return has(path, items) }
        if let others = schema["additionalProperties"], others.object != nil { return has(path.dropFirst(), others) }
        return false
    }
}

extension Column {
    /// The paths that the column reads.
    fileprivate var paths: [[String]] {
        switch kind {
        case .currency(let places): places.map { $0 + ["currency"] }
        case .minor, .decimal: [path + ["value"]]
        case .each(let member): [path + [member]]
        case .plain, .count, .json: [path]
        }
    }
}
