import Canonical
import Gateways

/// Every key of the configuration that Daybook reads. A key that is not listed is refused, so that a misspelled one is
/// noticed.
enum KnownSettings {
    /// The keys after `daybook.`, except those of gateways.
    static let own: [Setting] = [
        Setting("database.url", .secret, "the PostgreSQL to use instead of a private one"),
        Setting("archive.dir", .text, "folder of archived parts of the log"),
        Setting("listen", .text, "address of `serve`"),
        Setting("log.key", .text, "file of the key that signs checkpoints"),
        Setting("witness.file", .text, "file that `serve` appends every checkpoint to"),
        Setting("witness.url", .text, "the remote witness that cosigns the checkpoints of `serve`"),
        Setting("witness.key", .text, "the key of the remote witness, or a file with it"),
        Setting("witness.listen", .text, "address of `witness`"),
        Setting("witness.state.dir", .text, "folder of the checkpoints that `witness` has cosigned"),
        Setting("witness.signing.key", .text, "file of the key with which `witness` cosigns"),
        Setting("witness.logs", .list, "the public keys of the logs that `witness` serves"),
        Setting("replication", .text, "synchronous standbys: `named` must be set by name, `any` allows a wildcard"),
        Setting("reconcile.every", .number(0...10_080), "minutes between reconciliations; 0: on request only"),
        Setting("uploads", .number(0...64), "statement files that `serve` accepts at a time"),
        Setting("console.requires.tls", .flag, "whether the console's cookie needs TLS on any host"),
        Setting("gateways", .list, "the names of the gateways"),
        Setting("vault.key", .secret, "32 bytes in base64 that seal card tokens"),
        Setting("replay.policy.items", .number(0...1_000), "items of a plan that needs no second holder"),
        Setting("replay.policy.limits", .list, "amounts of a plan that needs no second holder"),
        Setting("replay.policy.daily", .list, "amounts of such plans in 24 hours"),
        Setting("replay.rules", .text, "overrides of written rules, separated by semicolons"),
        Setting("replay.concurrent", .number(1...64), "items executed at a time"),
        Setting("replay.lease.seconds", .number(2...600), "time after which another server takes over items"),
    ]

    /// Keys that are read from the environment alone, because they say where the file is.
    static let ofEnvironment: [Setting] = [
        Setting("data.dir", .text, "folder of the private PostgreSQL"),
        Setting("config", .text, "the configuration file"),
    ]

    /// Variables that are no settings: a client's key, PostgreSQL's programs, and those of tests.
    private static let variables = ["DAYBOOK_KEY", "DAYBOOK_APPROVER_KEY", "DAYBOOK_PG_BIN", "DAYBOOK_SCREENSHOTS"]
    private static let testPrefixes = ["TEST_", "WRITE_", "SOAK_", "PROOF_", "FUZZ"].map { "DAYBOOK_" + $0 }

    /// The values of the environment, by the key after `daybook.`.
    static func values(of environment: [String: String]) -> [String: String] {
        var values: [String: String] = [:]
        for (name, value) in environment where name.hasPrefix("DAYBOOK_") {
            guard !variables.contains(name), !testPrefixes.contains(where: { name.hasPrefix($0) }) else { continue }
            values[name.dropFirst("DAYBOOK_".count).lowercased().replacing("_", with: ".")] = value
        }
        return values
    }

    /// The values of a file, by the key after `daybook.`.
    ///
    /// - Throws: `Failure` for a value that has the type of no setting, and for keys beside `daybook`.
    static func values(of file: JSONValue) throws -> (values: [String: String], types: [String: FileType]) {
        var values: [String: String] = [:]
        var kinds: [String: FileType] = [:]
        func add(_ value: JSONValue, _ path: [String]) throws {
            switch value {
            case .object(let object) where object.isEmpty && !path.isEmpty:
                values[path.joined(separator: ".")] = ""
                kinds[path.joined(separator: ".")] = .object
            case .object(let object):
                for (name, value) in object.members.map({ ($0.key, $0.value) }) { try add(value, path + [name]) }
            case .string(let text): values[path.joined(separator: ".")] = text
            case .bool(let flag):
                values[path.joined(separator: ".")] = flag ? "on" : "off"
                kinds[path.joined(separator: ".")] = .flag
            case .number(let number):
                values[path.joined(separator: ".")] = number.literal
                kinds[path.joined(separator: ".")] = .number
            case .array(let items):
                let texts = items.compactMap(\.string)
                guard texts.count == items.count else { throw mistake(path.joined(separator: "."), "a list of texts") }
                values[path.joined(separator: ".")] = texts.joined(separator: ",")
                kinds[path.joined(separator: ".")] = .list
            case .null: throw mistake(path.joined(separator: "."), "a value")
            }
        }
        guard let whole = file.object else { throw Failure("The configuration file is not a JSON object.") }
        for (name, value) in whole.members.map({ ($0.key, $0.value) }) {
            guard name == "daybook" else {
                throw Failure("There is no setting \(name).", hint: "All settings are members of daybook.")
            }
            guard value.object != nil else { throw Failure("daybook is a JSON object of settings.") }
            try add(value, [])
        }
        return (values, kinds)
    }

    /// The type of a value in the file, other than a text.
    enum FileType {
        case flag, number, list, object
    }

    /// The expected form of a value; nil if it has it.
    private static func objection(to value: String, of type: FileType?, isFile: Bool, _ setting: Setting) -> String? {
        guard isFile else { return setting.objection(to: value) }
        return switch (setting.kind, type) {
        case (.text, nil), (.secret, nil), (.list, nil), (.list, .list?): nil
        case (.flag, .flag?), (.number, .number?): setting.objection(to: value)
        case (.flag, _): "true or false"
        case (.number, _): "a number"
        case (.text, _), (.secret, _): "a text"
        case (.list, _): "a list of texts"
        }
    }

    /// Checks that every key is read by something, and has a value of its type.
    ///
    /// - Throws: `Failure` for the first other one. The message names it, never its value.
    static func check(
        _ values: [String: String],
        types: [String: FileType] = [:],
        isFile: Bool,
        gateways: String,
        kinds: [String: String]
    ) throws {
        let names = Set(gateways.split(separator: ",").map { $0.filter { $0 != " " } })
        let known = own + (isFile ? [] : ofEnvironment)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            if let setting = known.first(where: { $0.name == key }) {
                if let expected = objection(to: value, of: types[key], isFile: isFile, setting) {
                    throw mistake(key, expected)
                }
                continue
            }
            let parts = key.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, parts[0] == "gateway" else { throw unknown(key) }
            guard names.contains(parts[1]) else {
                throw Failure("There is no gateway for daybook.\(key).", hint: "daybook.gateways lists the names.")
            }
            guard let setting = GatewayConfiguration.settings.first(where: { $0.name == parts[2] }) else {
                throw unknown(key)
            }
            if let kind = kinds[parts[1]], !setting.gateways.contains(where: { $0.rawValue == kind }),
                GatewayConfiguration.Kind(rawValue: kind) != nil
            {
                throw Failure(
                    "A gateway of the kind \(kind) has no setting daybook.\(key).",
                    hint: "docs/gateways.md lists the settings of each kind."
                )
            }
            if let expected = objection(to: value, of: types[key], isFile: isFile, setting) {
                throw mistake(key, expected)
            }
        }
    }

    private static func unknown(_ key: String) -> Failure {
        let variable = "DAYBOOK_" + key.uppercased().replacing(".", with: "_")
        return Failure(
            "There is no setting daybook.\(key) (\(variable)).",
            hint: "README.md, docs/gateways.md and docs/replay.md list the settings."
        )
    }

    private static func mistake(_ key: String, _ expected: String) -> Failure {
        Failure("daybook.\(key) must be \(expected).")
    }
}
