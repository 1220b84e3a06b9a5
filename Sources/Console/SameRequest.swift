import Operations

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

    /// The place without some parameters.
    func without(_ names: String...) -> ViewPlace {
        var rest = self
        rest.query.removeAll { names.contains($0.name) }
        return rest
    }

    /// The query without what selects a page of a list.
    var filters: [(name: String, value: String)] { without("limit", "cursor").query }
    var limit: Int? { self["limit"].flatMap { Int($0) } }
    var pairs: [(String, String)] { query.map { ($0.name, $0.value) } }

    /// A segment of the path, escaped for an address.
    func segment(_ name: String) -> String { Address.segment(path[name] ?? "") }
}

extension SameRequest {
    /// A page of a list. Ids in its path are filters of the command.
    ///
    /// - Parameter query: The filters.
    init(
        _ list: any LedgerList,
        _ query: [(name: String, value: String)],
        limit: Int,
        cursor: String? = nil,
        tenant: String
    ) {
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let paths = list.paths.map(ListPath.init).filter { $0.names.allSatisfy { value($0) != nil } }
        let path = paths.max { $0.names.count < $1.names.count } ?? ListPath(list.name)
        var paging: [(name: String, value: String)] = []
        // A list without pages has no limit.
        if list.pageSize != nil { paging.append((name: "limit", value: "\(limit)")) }
        if let cursor { paging.append((name: "cursor", value: cursor)) }
        self.init(
            Address.path(
                "/v1/\(path.filled { Address.segment(value($0) ?? "") })",
                (query.filter { !path.names.contains($0.name) } + paging).map { ($0.name, $0.value) }
            ),
            ["list", list.name] + query.map { "\($0.name)=\($0.value)" } + Self.options(paging)
                + ["--tenant=\(tenant)"]
        )
    }

    /// A request that has its own command.
    ///
    /// - Parameters:
    ///   - query: The parameters of the API, which are options of the command.
    ///   - names: Arguments of the command that may look like options.
    init(
        _ path: String,
        _ query: [(name: String, value: String)] = [],
        accept: String? = nil,
        command: [String],
        named names: [String] = [],
        tenant: String
    ) {
        self.init(
            Address.path(path, query.map { ($0.name, $0.value) }),
            accept: accept,
            command + Self.options(query) + ["--tenant=\(tenant)"] + (names.isEmpty ? [] : ["--"] + names)
        )
    }

    /// Parameters of the API as options of a command: `card_brand` is `--card-brand`.
    private static func options(_ query: [(name: String, value: String)]) -> [String] {
        query.map { "--\($0.name.replacing("_", with: "-"))=\($0.value)" }
    }
}
