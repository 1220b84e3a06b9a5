import Payments
import Testing

/// Every code of the tables of a vendor's document is played within 20,000 payments. The tables are the rows that
/// readers of the documents listed; the simulator has its own.
@Suite struct TableTests {
    @Test(arguments: Vendor.allCases)
    func everyCodeIsPlayed(_ vendor: Vendor) throws {
        let document = try DocumentRows.of(vendor)
        let words = try PlayedWords(vendor, for: document)
        var missing: [String] = []
        for row in document.rows where row.what == "code" {
            guard let index = row.sample, document.samples.indices.contains(index) else { continue }
            if !words.has(row, document.samples[index]) { missing.append("\(row.row) (\(row.at))") }
        }
        #expect(missing.isEmpty, "\(missing.count) of \(vendor): \(missing.joined(separator: "; "))")
    }
}
