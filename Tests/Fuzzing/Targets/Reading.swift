import Canonical
import Redaction
import Vendors

/// What a reader makes of an input, in full, so that two builds or two ways of reading can be compared.
package struct Reading: Sendable, CustomStringConvertible {
    package let name: String
    /// Initial inputs, made of the vendors' examples.
    package let seeds: @Sendable ([FuzzExample]) -> [[UInt8]]
    /// Acceptance and everything that was read, or the error and its place.
    package let outcome: @Sendable ([UInt8]) -> String

    package var description: String { name }

    package init(
        name: String,
        seeds: @escaping @Sendable ([FuzzExample]) -> [[UInt8]],
        outcome: @escaping @Sendable ([UInt8]) -> String
    ) {
        self.name = name
        self.seeds = seeds
        self.outcome = outcome
    }

    package static let all = [
        Reading(name: "json", seeds: { $0.map { Array($0.body.text.utf8) } }, outcome: json),
        Reading(name: "documents", seeds: { $0.map { Array($0.body.text.utf8) } }, outcome: documents),
    ]

    /// The text and the canonical bytes of the document, or the error with its offset.
    private static let json: @Sendable ([UInt8]) -> String = { input in
        do {
            let value = try JSONValue(parsing: input)
            return "\(value.text)\n\(String(decoding: value.canonicalBytes, as: UTF8.self))"
        } catch {
            return "\(error)"
        }
    }

    /// What is kept of the document, with every redaction: by the general rules, and by those of a kind of each vendor.
    /// The length of the input decides which kind.
    private static let documents: @Sendable ([UInt8]) -> String = { input in
        let parsed = try? JSONValue(parsing: input)
        var lines = [scrubbed(parsed, input, .none)]
        for adapter in VendorAdapters.all {
            let kind = adapter.kinds[input.count % adapter.kinds.count]
            lines.append(scrubbed(parsed, input, adapter.redactionSchema(for: kind)))
        }
        return lines.joined(separator: "\n")
    }

    private static func scrubbed(_ parsed: JSONValue?, _ input: [UInt8], _ schema: RedactionSchema) -> String {
        let document = Scrubber(schema: schema).scrub(
            parsed.map { UnscrubbedDocument($0) } ?? UnscrubbedDocument(unreadable: input)
        )
        let redactions = document.redactions.map { "\($0.path) \($0.rule.rawValue) \($0.action.rawValue)" }
        return "\(document.value.text) \(redactions.joined(separator: ", ")) +\(document.unlistedRedactions)"
    }

    package static let inputsPerBlock = 200

    /// The examples that are mutated.
    package func inputs(_ examples: [FuzzExample]) -> [[UInt8]] { seeds(examples).filter { $0.count <= 8_192 } }

    /// FNV-1a of the outcomes of a block of damaged inputs. In every build, a block has the same inputs.
    ///
    /// - Parameters:
    ///   - inputs: The examples. Each block begins with other ones, so that all of them are mutated.
    ///   - random: Its seed is the number of the block.
    ///   - note: Called with each input and its outcome.
    package func digest(
        ofBlock block: Int,
        of inputs: [[UInt8]],
        _ random: some RandomNumberGenerator,
        noting note: ([UInt8], String) -> Void = { _, _ in }
    ) -> String {
        var mutator = Mutator(random)
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        let start = block * Self.inputsPerBlock % inputs.count
        let inputs = Array(inputs[start...] + inputs[..<start])
        for round in 0..<Self.inputsPerBlock {
            let input = mutator.mutated(inputs[round % inputs.count], beside: inputs)
            let outcome = outcome(input)
            for byte in outcome.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            note(input, outcome)
        }
        return String(hash, radix: 16)
    }
}
