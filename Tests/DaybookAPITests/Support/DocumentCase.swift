import Canonical
import Foundation

/// Documents of one vendor, and what a back office must see afterwards. Written by readers of the vendor's document who
/// knew nothing of the ledger's code.
struct DocumentCase: Decodable, Sendable {
    struct Merchant: Decodable, Sendable {
        var timeZone: String
        var cutoff: String?
    }

    /// What must hold of one answer of the ledger.
    struct Expectation: Decodable, Sendable {
        enum Subject: String, Decodable, Sendable {
            case intake, transaction, transactions, receipt, anomalies, reader, batch, checkout, doubts, totals
        }

        enum Comparison: String, Decodable, Sendable {
            case `is`, isNot, isNothing, isOneOf, isNoneOf, contains, lacks, count, listed, raises, raisesNone
        }

        var at: Subject
        /// The payment's reference, the reader's serial number, or the day, if there are several.
        var of: String?
        /// The member, with points between the names.
        var path: String?
        var must: Comparison
        var value: JSONValue?
        var why: String?
    }

    var id: String
    var why: String
    var merchant: Merchant?
    var documents: [JSONValue]
    var expect: [Expectation]

    /// - Throws: The errors of reading the file.
    static func all(of vendor: String) throws -> [DocumentCase] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "DocumentCases/\(vendor).json"))
        return try JSONValueDecoder().decode([DocumentCase].self, from: JSONValue(parsing: [UInt8](data)))
    }
}
