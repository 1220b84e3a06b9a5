package import Canonical
package import Logging

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes one line for every log event, and scrubs every variable part first.
///
/// Line ends and control characters are escaped, so that no value can forge another line.
package struct ScrubbingLogHandler: LogHandler {
    package enum Format: Sendable, Hashable {
        /// One JSON object per line.
        case json
        /// Readable text.
        case text
    }

    package var metadata: Logger.Metadata = [:]
    package var logLevel = Logger.Level.info
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let format: Format
    private let scrubber: any LogScrubber
    private let clock: any WallClock
    private let sink: @Sendable ([UInt8]) -> Void

    /// The largest number of characters kept of a message or value.
    private static let valueLimit = 4096

    /// - Parameter sink: receives every line with its line end; by default the standard error stream.
    package init(
        label: String,
        format: Format,
        scrubber: any LogScrubber,
        clock: any WallClock = SystemClock(),
        sink: @escaping @Sendable ([UInt8]) -> Void = Self.standardError
    ) {
        self.label = label
        self.format = format
        self.scrubber = scrubber
        self.clock = clock
        self.sink = sink
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var values = event.metadata ?? [:]
        if let provided = metadataProvider?.get() { values.merge(provided) { given, _ in given } }
        // Not merged: mostly there is nothing to add, and then nothing is copied.
        for (key, value) in metadata where values[key] == nil { values[key] = value }
        // The type only: the text of an error may contain anything.
        if let error = event.error { values["error_type"] = .string(String(reflecting: type(of: error))) }
        let message = scrubbed(event.message.description)
        var line: [UInt8]
        switch format {
        case .json:
            for name in Self.members {
                if let value = values.removeValue(forKey: name) { values["metadata.\(name)"] = value }
            }
            line = jsonLine(event.level, message, values.sorted { $0.key < $1.key })
        case .text:
            let fields = values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) }
            let pairs = fields.map { " \(Self.escaped($0))=\($1.text)" }.joined()
            let level = event.level.rawValue.uppercased()
            line = Array("\(clock.now().rfc3339) \(level) \(label): \(Self.escaped(message))\(pairs)".utf8)
        }
        line.append(0x0A)
        sink(line)
    }

    /// The members of every line.
    private static let members = ["time", "level", "logger", "message"]

    /// One JSON object, written without building it first: there is a line for every request.
    private func jsonLine(
        _ level: Logger.Level,
        _ message: String,
        _ fields: [(key: String, value: Logger.Metadata.Value)]
    ) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(512)
        func begin(_ name: String) {
            line.append(line.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            JSONValue.appendQuoted(name, to: &line)
            line.append(UInt8(ascii: ":"))
        }
        func write(_ name: String, _ text: String) {
            begin(name)
            JSONValue.appendQuoted(text, to: &line)
        }
        write("time", clock.now().rfc3339)
        write("level", level.rawValue)
        write("logger", label)
        write("message", message)
        for (name, value) in fields {
            switch value {
            case .string(let text): write(name, scrubbed(text))
            case .stringConvertible(let value): write(name, scrubbed(value.description))
            case .array, .dictionary:
                begin(name)
                json(value).append(to: &line)
            }
        }
        line.append(UInt8(ascii: "}"))
        return line
    }

    private func json(_ value: Logger.Metadata.Value) -> JSONValue {
        switch value {
        case .string(let text): .string(scrubbed(text))
        case .stringConvertible(let value): .string(scrubbed(value.description))
        case .array(let values): .array(values.map(json))
        case .dictionary(let values):
            // The keys of a dictionary are distinct, as the object requires.
            .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) }) ?? JSONObject())
        }
    }

    /// The text, scrubbed before it is shortened: half a card number would no longer be recognised.
    private func scrubbed(_ text: String) -> String {
        let clean = scrubber.scrub(text)
        // Characters are counted only where there are more bytes than that.
        let isShort = clean.utf8.count <= Self.valueLimit || clean.count <= Self.valueLimit
        return isShort ? clean : clean.prefix(Self.valueLimit) + "..."
    }

    private static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isUnsafe(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Control characters, and the two line ends that Unicode adds.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    /// One call per line, so that the lines of two threads do not mix.
    package static let standardError: @Sendable ([UInt8]) -> Void = { line in
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
            // The error cannot be reported anywhere.
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }
}
