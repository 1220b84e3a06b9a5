import Canonical
import DaybookTestKit
import Payments
import Postgres
import Testing

@testable import Projections

/// The texts by which a search finds a payment, against their plain definition.
@Suite struct PaymentIdentifierTests {
    @Test func everyNameIsFoundWholeAndByItsWords() {
        var random = SeededGenerator.forTest()
        let words = [
            "", " ", "a", "B2", "Ärger", "İstanbul", "e\u{301}", "\t", "\r\n", "\u{A0}", "\u{85}", "漢字", "\"q\"", "\\",
            "x\u{0}y", "sha256:", "sale", "Visa", "0119", "MERCHANT", "\u{1C}", ",", "{}",
            String(repeating: "Long ", count: 300),
        ]
        func name() -> String? {
            let count = Int.random(in: 0...4, using: &random)
            if count == 0 { return nil }
            return (0..<count).map { _ in words.randomElement(using: &random)! }
                .joined(separator: Bool.random(using: &random) ? " " : "")
        }
        for _ in 0..<2_000 {
            var state = TransactionState()
            state.identity.reference = name()
            state.identity.merchant = name()
            state.identity.device = name()
            state.identity.cardReader = name().map { ReaderReference(vendor: .handpoint, serial: $0) }
            state.references.gatewayTransaction = name()
            state.references.clerk = name()
            state.card = CardPresentation()
            state.card?.brand = name()
            state.linked = [name(), name()].compactMap(\.self)
            let batches = [name(), name()].compactMap { $0?.storable }
            expectPlain(state, batches)
        }
    }

    @Test func manyNamesAreFound() {
        var state = TransactionState()
        state.identity.reference = (0..<200).map { "W\($0 % 150)" }.joined(separator: " ")
        state.linked = (0..<400).map { "Stream/\($0 % 300)" }
        expectPlain(state, (0..<90).map { "\($0 % 80)" })
    }

    private func expectPlain(_ state: TransactionState, _ batches: [String]) {
        let list = PaymentIdentifiers.list(of: state, in: batches)
        #expect(list.bytes == PostgresListText(plain(state, batches)).bytes)
    }

    private func plain(_ state: TransactionState, _ batches: [String]) -> [String] {
        let names = [
            state.identity.reference, state.identity.merchant, state.identity.terminal, state.identity.device,
            state.identity.cardReader?.serial, state.references.gatewayTransaction, state.references.invoice,
            state.references.authorizationCode, state.references.retrievalReference,
            state.references.vendorTransaction, state.references.hostTransaction, state.references.merchant,
            state.references.terminal, state.references.clerk, state.references.tipRecipient, state.card?.lastFour,
            state.card?.brand,
        ]
        var found: [String] = []
        var seen: Set<[UInt8]> = []
        func add(_ name: some StringProtocol) {
            if !name.isEmpty, seen.insert(Array(name.utf8)).inserted { found.append(String(name)) }
        }
        for name in names.compactMap({ $0?.storable }) + batches {
            let name = name.lowercased()
            add(name)
            for word in name.split(whereSeparator: \.isWhitespace) { add(word) }
        }
        for batch in batches { add(batch) }
        for stream in state.linked { add(stream.storable.lowercased()) }
        return found
    }
}
