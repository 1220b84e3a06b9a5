import Canonical
import Payments
import Vendors

/// One reader that receives arbitrary input from a fuzzer.
///
/// Vendors come from `VendorAdapters.all`, so that a new adapter and its new kinds are fuzzed without a change here.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    package let name: String
    /// Reads the input, and returns the property that did not hold; nil if all did.
    package let run: @Sendable ([UInt8]) -> String?
    /// Initial inputs, made of the vendors' examples.
    package let seeds: @Sendable ([FuzzExample]) -> [[UInt8]]

    package var description: String { name }

    package static let all: [FuzzTarget] =
        [
            FuzzTarget(name: "tlv", run: TLVFuzzing.run, seeds: TLVFuzzing.seeds),
            FuzzTarget(name: "redaction", run: RedactionFuzzing.run, seeds: { $0.map { Array($0.body.text.utf8) } }),
            FuzzTarget(name: "xml", run: XMLFuzzing.run, seeds: { _ in XMLFuzzing.seeds }),
        ]
        + VendorAdapters.all.flatMap { adapter in
            [DocumentForm.json, .text].map { form in
                let fuzzing = DocumentFuzzing(adapter: adapter, form: form)
                return FuzzTarget(
                    name: "\(adapter.vendor.rawValue)-\(form.rawValue)",
                    run: { fuzzing.run($0) },
                    seeds: { fuzzing.seeds($0) }
                )
            }
        }

    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
