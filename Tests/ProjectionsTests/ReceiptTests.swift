import Canonical
import DaybookTestKit
import EventLog
import Payments
import Testing

@testable import Projections

@Suite struct ReceiptTests {
    /// A receipt with every field.
    private static func full(_ text: String = "x") -> Receipt {
        var card = Samples.card("Visa")
        card.entryMethod = text
        card.applicationLabel = text
        card.applicationIdentifier = "A0000000031010"
        card.terminalVerificationResults = "8000008000"
        card.transactionStatusInformation = "6800"
        card.issuerApplicationData = "06010A03A00000"
        card.requiresSignature = true
        var state = TransactionState(
            folding: Samples.sale(1340, tip: 100, batch: Samples.batch("7"), card: card)
        )
        state.references.merchant = text
        state.references.invoice = text
        state.references.authorizationCode = text
        state.references.gatewayTransaction = text
        state.verdicts.gateway?.response = Response(code: text, message: text)
        return Receipt(state, transaction: Samples.id(1), firstSeen: Timestamp(microsecondsSince1970: 0))
    }

    private static let hostile = [
        "", "x", String(repeating: "long ", count: 60), "two\nlines\r\n\u{b}\u{c}\u{85}\u{2028}\u{2029}",
        "\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m", "\u{0}\u{8}\u{7f}\u{ad}", "\u{202e}desrever\u{2066}\u{200f}",
        "\u{200b}\u{200d}\u{feff}\u{e0041}", "\u{301}\u{301}\u{301}",
        "e\u{301}\u{1F468}\u{200D}\u{1F469}\u{1F1FA}\u{1F1F8}",
        "\u{e000}\u{378}", "\u{a0}\u{3000}\u{2003}", String(repeating: "東京タワー", count: 20), "x銀聯カード",
        String(repeating: "한국 \u{1112}\u{1161}\u{11ab} ", count: 9),
        String(repeating: "\u{1F355}\u{2764}\u{FE0F}", count: 30),
    ]

    @Test(arguments: Array(24...80), ReceiptText.Copy.allCases)
    func noLineIsWiderThanThePaper(width: Int, copy: ReceiptText.Copy) {
        for text in Self.hostile {
            let printed = ReceiptText.render(Self.full(text), copy: copy, width: width)
            #expect(printed.hasSuffix("\n"))
            for line in printed.split(separator: "\n", omittingEmptySubsequences: false) {
                #expect(line.printedWidth <= width, "\(line)")
            }
        }
    }

    @Test(
        "Ideographs and emoji take two columns, combining marks none",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("東京", 4), ("ﾄｳｷｮｳ", 5), ("ＡＢ", 4), ("한글", 4),
            ("\u{1112}\u{1161}\u{11ab}", 2), ("€£¥", 3), ("שלום", 4), ("مرحبا", 5), ("\u{1F1FA}\u{1F1F8}", 2),
            ("\u{1F468}\u{200D}\u{1F469}", 2), ("\u{2764}\u{FE0F}", 2), ("\u{2764}", 1), ("\u{301}", 1), ("。、", 4),
            ("\u{20000}", 2),
        ]
    )
    func columns(_ text: String, _ width: Int) {
        #expect(text.printedWidth == width)
        #expect(String(text.fitting(width)) == text)
        #expect(text.fitting(max(0, width - 1)).printedWidth <= max(0, width - 1) || width == 0)
    }

    @Test func documentsCannotControlThePrinter() {
        for text in Self.hostile {
            for scalar in ReceiptText.render(Self.full(text), copy: .merchant).unicodeScalars where scalar != "\n" {
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
                    Issue.record("U+\(String(scalar.value, radix: 16)) is printed")
                default: break
                }
            }
        }
        let printed = ReceiptText.render(Self.full("a\nTOTAL 0.01\u{1b}[A"), copy: .customer, width: 60)
        #expect(printed.contains("a TOTAL 0.01?[A"))
    }

    @Test func widthsAreClampedToTheRange() {
        let receipt = Self.full()
        #expect(ReceiptText.render(receipt, copy: .customer, width: 1) == Self.render(receipt, 24))
        #expect(ReceiptText.render(receipt, copy: .customer, width: .max) == Self.render(receipt, 80))
        #expect(ReceiptText.render(receipt, copy: .customer, width: .min) == Self.render(receipt, 24))
    }

    private static func render(_ receipt: Receipt, _ width: Int) -> String {
        ReceiptText.render(receipt, copy: .customer, width: width)
    }

    @Test func theWholeReceiptHasThisText() {
        let printed = ReceiptText.render(Self.full(), copy: .merchant, width: 32)
        #expect(
            printed == """
                              SALE
                --------------------------------
                Merchant                       x
                Terminal                   tpn-1
                Invoice                        x
                Date     1970-01-01 00:00:00 UTC
                Batch                          7
                --------------------------------
                Card                        Visa
                Number          411111******1111
                Entry                          x
                --------------------------------
                Application                    x
                AID               A0000000031010
                TVR                   8000008000
                TSI                         6800
                IAD               06010A03A00000
                --------------------------------
                Auth code                      x
                Response                       x
                Reference                      x
                Transaction
                  01970000-0000-7000-8000-000000
                  000001
                --------------------------------
                Tip                     1.00 USD
                TOTAL                  13.40 USD
                --------------------------------
                            CAPTURED

                x_______________________________
                           SIGNATURE
                         MERCHANT COPY

                """
        )
    }

    @Test func onlyTheMerchantsCopyIsSigned() {
        let receipt = Self.full()
        #expect(!Self.render(receipt, 40).contains("SIGNATURE"))
        #expect(Self.render(receipt, 40).contains("CUSTOMER COPY"))
        #expect(ReceiptText.render(receipt, copy: .merchant).contains("SIGNATURE"))
        var withPIN = receipt
        withPIN.verification = .pin
        let printed = ReceiptText.render(withPIN, copy: .merchant)
        #expect(printed.contains("VERIFIED BY PIN"))
        #expect(!printed.contains("SIGNATURE"))
    }

    @Test func aReceiptIsReadBackAsItWasMade() async throws {
        try await Following.with { following in
            let start = Timestamp(microsecondsSince1970: 1_767_225_600_000_000)
            let facts = Samples.sale(1340, tip: 100, card: Samples.card("Visa"))
            for (offset, fact) in facts.enumerated() {
                // One at a time: the time of the first event remains, because none of the documents has a time.
                try await following.log.record(
                    [fact],
                    about: Samples.id(1),
                    occurredAt: start.adding(microseconds: Int64(offset))
                )
                try await following.catchUp(["receipts"])
            }
            let state = TransactionState(folding: facts)
            let stored = try #require(try await following.receipts.receipt(of: Samples.id(1), tenant: "acme"))
            #expect(stored == Receipt(state, transaction: Samples.id(1), firstSeen: start, position: 4))
            #expect(stored.at == .instant(start))
            #expect(stored.total == Samples.usd(1340))
            #expect(try await following.receipts.receipt(of: Samples.id(2), tenant: "acme") == nil)
        }
    }
}
