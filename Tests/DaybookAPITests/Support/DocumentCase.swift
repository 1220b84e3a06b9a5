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
            /// The JSON of the merchant's copy.
            case receiptData
            /// The totals by tender.
            case tenders
            /// The events of the payment, and all events of the tenant. The path begins with their type, or `*`.
            case timeline, log
            /// The items of a replay plan for the payment. The path may begin with the operation to resubmit.
            case replay
            /// What a search for `of` finds.
            case search
            /// Everything that is stored or shown, as one text.
            case kept
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
        /// The place in `words` of what this expectation tries.
        var tries: Int?
    }

    /// The reason why some of the words cannot be tried.
    struct NotTried: Decodable, Sendable {
        /// The place in `words`.
        var words: Int
        var reason: String
    }

    var id: String
    var why: String
    var merchant: Merchant?
    var documents: [JSONValue]
    var expect: [Expectation]
    /// What must be seen, in words that name no member of an answer.
    var words: [String]?
    var notTried: [NotTried]?

    /// The words that no expectation tries and that have no reason for it.
    var untried: [String] {
        let named = Set(expect.compactMap(\.tries) + (notTried ?? []).map(\.words))
        return (words ?? []).enumerated().filter { !named.contains($0.offset) }.map(\.element)
    }

    /// - Throws: The errors of reading the file.
    static func all(of vendor: String) throws -> [DocumentCase] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "DocumentCases/\(vendor).json"))
        return try JSONValueDecoder().decode([DocumentCase].self, from: JSONValue(parsing: [UInt8](data)))
    }
}
