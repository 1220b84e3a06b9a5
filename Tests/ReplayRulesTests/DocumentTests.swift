import Foundation
import ReplayRules
import Testing

/// The documentation page contains the same rules as the rule files.
@Suite struct DocumentTests {
    private static func page() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/replay.md"), encoding: .utf8)
    }

    @Test func everyRuleIsOnThePage() throws {
        let page = try Self.page()
        let lines = page.split(separator: "\n").map(String.init)
        for rule in try standardBook().rules {
            let record = rule.record
            switch record.space {
            case "limit": #expect(lines.contains { $0.hasPrefix("| `\(record.id)` |") }, "\(record.id)")
            case "iso", "mastercard.advice":
                let code = record.code ?? ""
                #expect(lines.contains { $0.hasPrefix("| \(code) | \(record.meaning) |") }, "\(record.id)")
            case "visa":
                let code = record.code ?? ""
                let row = lines.first { $0.hasPrefix("| \(code) |") && $0.hasSuffix(" |") }
                #expect(row?.contains("| \(record.value)") == true, "\(record.id)")
            default:
                #expect(page.contains("`\(record.space)`") && page.contains(record.code ?? "?"), "\(record.id)")
            }
        }
    }

    @Test func everyRefusalAndDispositionIsOnThePage() throws {
        let page = try Self.page()
        for name in Disposition.Name.allCases { #expect(page.contains("`\(name.rawValue)`")) }
        for refusal in ReplayRefusal.allCases where refusal != .unknownItem && refusal != .notActionable {
            #expect(page.contains("`\(refusal.rawValue)`"), "\(refusal)")
        }
    }
}
