import Canonical
import Foundation
import Operations
import Payments
import Testing

@testable import Projections

/// Each kind of receipt, in each copy and form, compared with a reviewed file. `DAYBOOK_WRITE_GOLDEN=1` rewrites the
/// files and fails the test.
@Suite struct ReceiptGoldenTests {
    private static let isWriting = ProcessInfo.processInfo.environment["DAYBOOK_WRITE_GOLDEN"] == "1"
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    private func forms(_ sample: ReceiptSample, _ copy: ReceiptCopy) throws -> [(name: String, text: String)] {
        let texts = [32, 40, 48].map { width in
            let text = ReceiptText.render(sample.receipt, copy: copy, width: width, tipLine: sample.tipLine)
            return (name: "\(width).txt", text: text)
        }
        return texts + [
            (name: "html", text: ReceiptPage.render(sample.receipt, copy: copy, tipLine: sample.tipLine)),
            (name: "json", text: try ReceiptJSON(sample.receipt, copy: copy).jsonValue().text + "\n"),
        ]
    }

    @Test(arguments: ReceiptSample.all, ReceiptCopy.allCases)
    func receiptsAreUnchanged(_ sample: ReceiptSample, _ copy: ReceiptCopy) throws {
        for form in try forms(sample, copy) {
            let (text, style) = Self.separated(form.text)
            try compare(text, with: "\(sample.name)-\(copy.rawValue).\(form.name)")
            // All pages share one stylesheet.
            if let style { try compare(style, with: "page.css") }
        }
    }

    @Test(arguments: ReceiptSample.all, ReceiptCopy.allCases)
    func aStoredReceiptHasTheSameDocument(_ sample: ReceiptSample, _ copy: ReceiptCopy) throws {
        let stored = try StoredReceipt(sample.receipt)
        #expect(try stored.receipt() == sample.receipt)
        let document = try ReceiptDocument(stored)
        #expect(document.version == sample.receipt.version && document.position == sample.receipt.position)
        #expect(try document.json(copy, proof: nil) == ReceiptJSON(sample.receipt, copy: copy).jsonValue())
    }

    /// A page without its stylesheet, and the stylesheet; nil for forms that have none.
    private static func separated(_ text: String) -> (text: String, style: String?) {
        guard let start = text.firstRange(of: "<style>"), let end = text.firstRange(of: "</style>") else {
            return (text, nil)
        }
        let style = text[start.upperBound..<end.lowerBound]
        return (String(text[..<start.upperBound] + text[end.lowerBound...]), String(style))
    }

    private func compare(_ text: String, with name: String) throws {
        let file = Self.folder.appending(path: name)
        if Self.isWriting {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("\(name) was written; look at the difference")
            return
        }
        let known = try String(contentsOf: file, encoding: .utf8)
        #expect(Array(text.utf8) == Array(known.utf8), "\(name)")
    }

    /// The width counts columns, not characters.
    @Test(arguments: ReceiptSample.all, ReceiptCopy.allCases)
    func noLineIsWiderThanItsPaper(_ sample: ReceiptSample, _ copy: ReceiptCopy) {
        for width in [32, 40, 48] {
            let text = ReceiptText.render(sample.receipt, copy: copy, width: width, tipLine: sample.tipLine)
            #expect(text.split(separator: "\n").allSatisfy { $0.printedWidth <= width })
        }
    }

    @Test func everyKindHasASample() {
        let kinds = Set(ReceiptSample.all.map(\.receipt.kind))
        #expect(kinds == Set(Receipt.Kind.allCases))
    }

    /// No form of the customer's copy shows more of a card number than its last four digits.
    @Test(arguments: ReceiptSample.all)
    func theCustomersCopyHasFourDigits(_ sample: ReceiptSample) throws {
        for form in try forms(sample, .customer) {
            #expect(!form.text.contains("411111"), "\(form.name)")
            #expect(!form.text.contains("tokenDigest"))
        }
    }

    /// A page has only the renderer's own tags, whatever text a document contains, and loads nothing external.
    @Test(arguments: ReceiptSample.all, ReceiptCopy.allCases)
    func aPageContainsOnlyOurMarkup(_ sample: ReceiptSample, _ copy: ReceiptCopy) {
        let page = ReceiptPage.render(sample.receipt, copy: copy, tipLine: sample.tipLine)
        let tags = Set(page.matches(of: /<\/?([a-z0-9]+)/).map { String($0.output.1) })
        let ours: Set = [
            "html", "head", "meta", "title", "style", "body", "main", "h1", "p", "section", "dl", "div", "dt", "dd",
            "bdi", "span", "strong",
        ]
        #expect(tags.subtracting(ours) == [])
        #expect(page.matches(of: /<style>/).count == 1)
        #expect(page.firstMatch(of: /<[^>]*\s(src|href|on[a-z]+)=/) == nil)
        #expect(!page.contains("url(") && !page.contains("@import"))
        #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\">\n"))
    }
}
