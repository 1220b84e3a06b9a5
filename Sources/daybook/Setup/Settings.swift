import ArgumentParser
import Configuration
import Foundation
import Gateways
import SystemPackage

/// Options every command takes.
struct CommonOptions: ParsableArguments {
    @Option(help: "PostgreSQL to use; without it, a private one is run. Also DATABASE_URL.")
    var databaseURL: String?

    @Option(help: "Where the private PostgreSQL and local files live. Default: .daybook")
    var dataDir: String?

    @Option(help: "Configuration file (JSON). Default: <data-dir>/config.json, if it exists.")
    var config: String?

    @Option(help: "Where archived parts of the log are. Default: <data-dir>/archive")
    var archiveDir: String?

    @Flag(help: "Print one JSON document instead of text.")
    var json = false
}

/// The options after flags, environment and configuration file have been consulted, in that order.
struct Settings: Sendable {
    /// Nil: run a private PostgreSQL.
    let databaseURL: String?
    let dataDirectory: String
    /// Where archived parts of the log are.
    let archiveDirectory: String
    let isJSON: Bool
    private let reader: ConfigReader

    init(_ options: CommonOptions) async throws {
        let environment = ProcessInfo.processInfo.environment
        let dataDirectory = options.dataDir ?? environment["DAYBOOK_DATA_DIR"] ?? ".daybook"
        let named = options.config ?? environment["DAYBOOK_CONFIG"]
        let file = named ?? dataDirectory + "/config.json"
        var providers: [any ConfigProvider] = [
            EnvironmentVariablesProvider(secretsSpecifier: .specific(["DAYBOOK_DATABASE_URL"]))
        ]
        do {
            providers.append(
                try await FileProvider<JSONSnapshot>(filePath: FilePath(file), allowMissing: named == nil)
            )
        } catch {
            throw Failure("The configuration file \(file) cannot be read.", hint: "It must be a JSON object.")
        }
        reader = ConfigReader(providers: providers)
        self.dataDirectory = dataDirectory
        archiveDirectory =
            options.archiveDir ?? reader.string(forKey: "daybook.archive.dir") ?? dataDirectory + "/archive"
        isJSON = options.json
        databaseURL =
            options.databaseURL ?? reader.string(forKey: "daybook.database.url", isSecret: true)
            ?? environment["DATABASE_URL"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A text option: the flag, else `DAYBOOK_<KEY>`, else `daybook.<key>` of the file.
    func text(_ key: String, flag: String?) -> String? {
        flag ?? reader.string(forKey: ConfigKey(["daybook"] + key.split(separator: ".").map(String.init)))
    }

    /// The gateways that can be asked about payments: `daybook.gateways` and what belongs to each.
    ///
    /// - Throws: `Failure` for the first setting that is missing or wrong; names it, never its value.
    func gateways() throws -> [GatewayConfiguration] {
        do throws(GatewayConfigurationError) {
            return try GatewayConfiguration.all(in: reader)
        } catch {
            throw Failure(
                "The gateways cannot be set up: \(error).",
                hint: "Set it in the configuration file, or as DAYBOOK_GATEWAY_... in the environment."
            )
        }
    }

    /// A whole number, from the same places.
    ///
    /// - Throws: `Failure` for what is none, or out of range.
    func integer(_ key: String, flag: Int?, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = text(key, flag: flag.map(String.init)) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let option = key.replacing(".", with: "-")
            throw Failure("--\(option) is a whole number, \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}
