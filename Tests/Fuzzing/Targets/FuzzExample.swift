package import Canonical
import Foundation
package import Payments

/// A document of a vendor from the fixtures of the adapters' tests.
package struct FuzzExample: Sendable {
    package let vendor: Vendor
    package let kind: String
    package let body: JSONValue

    /// Every fixture below a directory with one folder per vendor, in the order of their names.
    package static func all(below directory: String) -> [FuzzExample] {
        let root = URL(fileURLWithPath: directory)
        return Vendor.allCases.flatMap { examples(of: $0, in: root.appendingPathComponent($0.rawValue)) }
    }

    private static func examples(of vendor: Vendor, in folder: URL) -> [FuzzExample] {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        var examples: [FuzzExample] = []
        for file in files.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) where file.pathExtension == "json"
        {
            guard let data = try? Data(contentsOf: file), let json = try? JSONValue(parsing: data),
                let kind = json["kind"]?.string, let body = json["body"]
            else { continue }
            examples.append(FuzzExample(vendor: vendor, kind: kind, body: body))
        }
        return examples
    }

    /// The files of one folder, in the order of their names.
    package static func files(in directory: String) -> [[UInt8]] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().compactMap { name in
            FileManager.default.contents(atPath: "\(directory)/\(name)").map { Array($0) }
        }
    }

    /// Writes inputs as files, and makes the folder.
    package static func write(_ inputs: [[UInt8]], into directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (index, input) in inputs.enumerated() {
            try Data(input).write(to: URL(fileURLWithPath: "\(directory)/seed-\(index)"))
        }
    }
}
