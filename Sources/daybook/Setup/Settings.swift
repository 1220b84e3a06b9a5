import ArgumentParser
import Canonical
import Configuration
import EventLog
import Foundation
import Gateways
import Payments
import Replay
import ReplayRules

/// The options of commands that use a ledger.
struct CommonOptions: ParsableArguments {
    @Option(help: "The PostgreSQL database. Default: a private one. Also DATABASE_URL.")
    var databaseURL: String?

    @Option(help: "The directory of the private PostgreSQL and of local files. Default: .daybook")
    var dataDir: String?

    @Option(help: "Configuration file (JSON). Default: <data-dir>/config.json, if it exists.")
    var config: String?

    @Option(help: "The directory of archived parts of the log. Default: <data-dir>/archive")
    var archiveDir: String?

    @Flag(help: "Print one JSON document instead of text.")
    var json = false
}

/// The options of commands that use local files and no ledger.
struct LocalOptions: ParsableArguments {
    @Option(help: "The directory of local files. Default: .daybook")
    var dataDir: String?

    @Option(help: "Configuration file (JSON). Default: <data-dir>/config.json, if it exists.")
    var config: String?

    @Flag(help: "Print one JSON document instead of text.")
    var json = false
}

/// The options, read from flags, environment and configuration file, in that order.
struct Settings: Sendable {
    /// Nil: run a private PostgreSQL.
    let databaseURL: String?
    let dataDirectory: String
    /// The directory of archived parts of the log.
    let archiveDirectory: String
    let isJSON: Bool
    private let reader: ConfigReader

    init(_ options: CommonOptions) async throws {
        try self.init(
            dataDirectory: options.dataDir,
            file: options.config,
            archiveDirectory: options.archiveDir,
            databaseURL: options.databaseURL,
            isJSON: options.json
        )
    }

    init(_ options: LocalOptions) throws {
        try self.init(dataDirectory: options.dataDir, file: options.config, isJSON: options.json)
    }

    private init(
        dataDirectory: String?,
        file: String?,
        archiveDirectory: String? = nil,
        databaseURL: String? = nil,
        isJSON: Bool
    ) throws {
        let environment = ProcessInfo.processInfo.environment
        let dataDirectory = dataDirectory ?? environment["DAYBOOK_DATA_DIR"] ?? ".daybook"
        let named = file ?? environment["DAYBOOK_CONFIG"]
        let file = named ?? dataDirectory + "/config.json"
        let given = KnownSettings.values(of: environment)
        let (written, types) = try Self.values(ofFile: file, mayBeMissing: named == nil)
        let all = written.merging(given) { $1 }
        let kinds = Dictionary(
            uniqueKeysWithValues: all.compactMap { key, value in
                key.hasPrefix("gateway.") && key.hasSuffix(".kind")
                    ? (String(key.dropFirst("gateway.".count).dropLast(".kind".count)), value) : nil
            }
        )
        let gateways = all["gateways"] ?? ""
        try KnownSettings.check(written, types: types, isFile: true, gateways: gateways, kinds: kinds)
        try KnownSettings.check(given, isFile: false, gateways: gateways, kinds: kinds)
        let values = all.map { key, value in
            (
                AbsoluteConfigKey(["daybook"] + key.split(separator: ".").map(String.init), context: [:]),
                ConfigValue(.string(value), isSecret: true)
            )
        }
        reader = ConfigReader(provider: InMemoryProvider(values: Dictionary(uniqueKeysWithValues: values)))
        self.dataDirectory = dataDirectory
        self.archiveDirectory =
            archiveDirectory ?? reader.string(forKey: "daybook.archive.dir") ?? dataDirectory + "/archive"
        self.isJSON = isJSON
        self.databaseURL =
            databaseURL ?? reader.string(forKey: "daybook.database.url", isSecret: true)
            ?? environment["DATABASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The values of the configuration file; none if it is missing.
    private static func values(
        ofFile path: String,
        mayBeMissing: Bool
    ) throws -> (values: [String: String], types: [String: KnownSettings.FileType]) {
        if mayBeMissing, !FileManager.default.fileExists(atPath: path) { return ([:], [:]) }
        guard let data = FileManager.default.contents(atPath: path), let file = try? JSONValue(parsing: Array(data))
        else { throw Failure("The configuration file \(path) cannot be read.", hint: "It must be a JSON object.") }
        return try KnownSettings.values(of: file)
    }

    /// A text option: the flag, else `DAYBOOK_<KEY>`, else `daybook.<key>` of the file.
    func text(_ key: String, flag: String?) -> String? {
        flag ?? reader.string(forKey: ConfigKey(["daybook"] + key.split(separator: ".").map(String.init)))
    }

    /// A setting that is on or off. In the file it is a truth value.
    func flag(_ key: String) -> Bool { ["on", "true"].contains(text(key, flag: nil)) }

    /// The gateways that Daybook can query: `daybook.gateways` and the settings of each.
    ///
    /// - Throws: `Failure` for the first missing or invalid setting. The message names it, never its value.
    func gateways() throws -> [GatewayConfiguration] {
        do throws(GatewayConfigurationError) {
            return try GatewayConfiguration.all(in: reader)
        } catch {
            throw Failure(
                "The gateways cannot be configured: \(error).",
                hint: "Set it in the configuration file, or as DAYBOOK_GATEWAY_... in the environment."
            )
        }
    }

    /// The options for planning and executing replays: `daybook.replay.*`, and `daybook.vault.key`.
    ///
    /// - Throws: `Failure` for the first invalid setting. The message names it, never its value.
    func replaying() throws -> ReplayOptions {
        var options = ReplayOptions()
        options.policy.items = Int64(try integer("replay.policy.items", flag: nil, in: 0...1_000) ?? 0)
        options.policy.limits = try limits("replay.policy.limits")
        options.policy.daily = try limits("replay.policy.daily")
        options.overrides = (text("replay.rules", flag: nil) ?? "").split(separator: ";").map(String.init)
        if let unread = options.overrides.lazy.map({ $0.prefix { $0 != "=" } }).first(where: { !RuleBook.reads($0) }) {
            throw Failure(
                "daybook.replay.rules: nothing reads the rule \(unread).",
                hint: "docs/replay.md lists the rules and their bounds."
            )
        }
        let gateways = try gateways()
        options.queriesOnlyStandIns = !gateways.isEmpty && gateways.allSatisfy(\.isStandIn)
        do {
            _ = try RuleBook(
                asOf: SystemClock().now(),
                overriding: options.overrides,
                queriesOnlyStandIns: options.queriesOnlyStandIns
            )
        } catch {
            throw Failure("daybook.replay.rules: \(error).", hint: "docs/replay.md lists the rules and their bounds.")
        }
        options.concurrent = try integer("replay.concurrent", flag: nil, in: 1...64) ?? options.concurrent
        options.leaseSeconds = Int64(
            try integer("replay.lease.seconds", flag: nil, in: 2...600) ?? Int(options.leaseSeconds)
        )
        if let text = reader.string(forKey: "daybook.vault.key", isSecret: true) {
            guard let key = Data(base64Encoded: text), key.count == 32 else {
                throw Failure(
                    "daybook.vault.key is not 32 bytes in base64.",
                    hint: "head -c 32 /dev/urandom | base64"
                )
            }
            options.vaultKey = Array(key)
        }
        return options
    }

    /// Amounts by currency.
    private func limits(_ key: String) throws -> [ReplayPolicy.Limit] {
        var limits: [ReplayPolicy.Limit] = []
        for part in (text(key, flag: nil) ?? "").split(separator: ",") {
            let pair = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2, let most = Int64(pair[1]), most >= 0, let currency = Currency(alpha: pair[0]),
                !limits.contains(where: { $0.currency == currency.alpha })
            else {
                throw Failure(
                    "daybook.\(key) is a list such as USD:10000,EUR:5000, in minor units, each currency once."
                )
            }
            limits.append(ReplayPolicy.Limit(currency: currency.alpha, most: most))
        }
        return limits
    }

    /// What synchronous replication has to be like.
    ///
    /// - Throws: `Failure` for another word than `named` or `any`.
    func standbys() throws -> DurabilitySettings.Standbys {
        guard let text = text("replication", flag: nil) else { return .unspecified }
        guard let standbys = DurabilitySettings.Standbys(rawValue: text), standbys != .unspecified else {
            throw Failure("daybook.replication must be named or any.")
        }
        return standbys
    }

    /// A whole number, from the same places.
    ///
    /// - Throws: `Failure` for a text that is not a whole number, or is out of range.
    func integer(_ key: String, flag: Int?, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = text(key, flag: flag.map(String.init)) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let option = key.replacing(".", with: "-")
            throw Failure("--\(option) is a whole number, \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}
