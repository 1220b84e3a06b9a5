import Canonical
import Payments
import ReplayRules
import Testing

/// The treatment of every vendor code for a resubmission.
@Suite struct VendorCodeTests {
    private struct Row: Sendable {
        var space: String
        var treatment: Treatment
        var codes: String

        init(_ space: String, _ treatment: Treatment, _ codes: String) {
            self.space = space
            self.treatment = treatment
            self.codes = codes
        }
    }

    private static let rows: [Row] = [
        Row("bridgepay.message", .posted, "A01 A02 A07 A08 A09 A12 A60 A61 A62"),
        Row("bridgepay.message", .postedInPart, "A05"),
        Row("bridgepay.message", .reversed, "A03 A06"),
        Row("bridgepay.message", .enquire, "A10 A11 E02 E09 X02 C01 C02 C03 C04 C05 C06"),
        Row("bridgepay.message", .call, "A04 D01 D24 D26 D30"),
        Row("bridgepay.message", .retryLater, "D03"),
        Row("bridgepay.message", .retry, "D17"),
        Row("bridgepay.message", .never, "D04 D10 D11 D25 D31 D32 X01 X04"),
        Row("bridgepay.message", .fix, "D05 D08 D16 D28 D35"),
        Row("bridgepay.message", .bind, "D09"),
        Row("bridgepay.result", .posted, "00000"),
        Row("bridgepay.result", .postedInPart, "00001"),
        Row("bridgepay.result", .enquire, "20002 20003 20004 30022 80001 80007 99999"),
        Row("bridgepay.result", .ambiguous, "80003"),
        Row("bridgepay.result", .notPosted, "800011"),
        Row("bridgepay.result", .fix, "10000 10001 10026 10099 30026"),
        Row("bridgepay.result", .call, "10033 30028 30032 30041 30048 30072 80005 80006 80008"),
        Row("bridgepay.result", .reversed, "10042"),
        Row("bridgepay.result", .retryLater, "30033"),
        Row("bridgepay.result", .retry, "30043"),
        Row("bridgepay.result", .never, "30034 30049"),
        Row("bridgepay.result", .bind, "30036"),
        Row("handpoint.financial", .enquire, "UNDEFINED PROCESSED IN_PROGRESS"),
        Row("handpoint.financial", .posted, "AUTHORISED APPROVED REFUNDED CAPTURED"),
        Row("handpoint.financial", .postedInPart, "PARTIAL_APPROVAL"),
        Row("handpoint.financial", .call, "DECLINED FAILED"),
        Row("handpoint.financial", .never, "CANCELLED"),
        Row("handpoint.result", .enquire, "0 3"),
        Row("handpoint.result", .posted, "1"),
        Row("handpoint.result", .call, "2 4"),
        Row("handpoint.result", .never, "5"),
        Row("handpoint.result", .postedInPart, "6"),
        Row("dejavoo.host", .call, "R02 R03 R04 R05 R06 R07 R08 R09 R10 R12 R99"),
        Row("dejavoo.spin", .posted, "0000"),
        Row("dejavoo.spin", .enquire, "1001 1004 1005 1006"),
        Row("dejavoo.spin", .call, "1002 1003"),
        Row("dejavoo.spin", .fix, "1007 1008 1009 1010 1013"),
        Row("dejavoo.spin", .bind, "1011"),
        Row("dejavoo.spin", .never, "1012"),
        Row("dejavoo.result", .posted, "0"),
        Row("dejavoo.result", .call, "1"),
        Row("dejavoo.result", .enquire, "2"),
        Row("dejavoo.transact", .posted, "200"),
        Row("dejavoo.transact", .call, "400"),
        Row("youtransactor.terminal", .posted, "approved"),
        Row("youtransactor.terminal", .never, "cancelled"),
        Row("youtransactor.terminal", .fix, "unsupportedCard"),
        Row("youtransactor.terminal", .enquire, "error errorDisconnect errorShuttingDown"),
        Row(
            "youtransactor.terminal",
            .call,
            """
            declined cardWaitFailed nfcOutcomeTryOtherInterface nfcOutcomeEndApplication nfcOutcomeFailed \
            errorWrongActivatedReader errorMissingRequiredCryptogram errorWrongCryptogramValue errorWrongNfcOutcome
            """
        ),
        Row("youtransactor.nfc", .posted, "36"),
        Row("youtransactor.nfc", .enquire, "3E"),
        Row("youtransactor.nfc", .never, "3A"),
        Row("youtransactor.nfc", .call, "31 3F 37 38"),
        Row("youtransactor.host", .enquire, "98"),
        Row("paydiant.payment", .posted, "200 202 210 220 230"),
        Row("paydiant.payment", .postedInPart, "204 212"),
        Row("paydiant.payment", .call, "201 211 241 340 369 371 379 380 389 500 510 549"),
        Row("paydiant.payment", .retryLater, "203"),
        Row("paydiant.payment", .bind, "240 798"),
        Row("paydiant.payment", .fix, "250 299 370 550 599"),
        Row("paydiant.payment", .enquire, "205 209 213 219 221 229 231 239 242 249 600 619 620 639"),
        Row("paydiant.call", .call, "400 401 404 420 510"),
        Row("paydiant.call", .never, "402 416"),
        Row("paydiant.call", .fix, "403 406 410 504 505"),
        Row("paydiant.call", .retryLater, "405"),
        Row("paydiant.call", .enquire, "409 417 422 500 501 502"),
    ]

    @Test func everyCode() throws {
        let book = try standardBook()
        for row in Self.rows {
            for code in row.codes.split(separator: " ") {
                #expect(book.rule(row.space, String(code))?.treatment == row.treatment, "\(row.space) \(code)")
            }
        }
        let reported = Set(Self.rows.flatMap { row in row.codes.split(separator: " ").map { "\(row.space).\($0)" } })
        let own = book.rules.filter { rule in
            Self.rows.contains { $0.space == rule.record.space } && rule.record.text == nil
                && rule.record.through == nil
        }
        // The table above has every code of these spaces in the book, except ranges and codes with a text.
        #expect(own.map(\.id).filter { !reported.contains($0) } == [])
    }

    @Test(arguments: [
        ("bridgepay.result", "90000"), ("bridgepay.result", "100000"), ("paydiant.payment", "300"),
        ("paydiant.payment", "640"), ("paydiant.call", "511"), ("dejavoo.host", "R1"), ("handpoint.financial", "X"),
    ])
    func codesWithoutATable(space: String, code: String) throws {
        #expect(try standardBook().rule(space, code) == nil)
    }

    /// The same code with another text has another meaning.
    @Test(arguments: [
        ("05", "DO NOT HONOR", Disposition.Name.resubmit), ("05", "No existing host", .needsPerson),
        ("05", "FEES N/A PROFILE", .needsPerson), ("05", "STMT/TXN INPRGRS", .needsPerson),
        ("05", "NO ORIGINAL TXN", .needsPerson), ("14", "INVALID YEAR", .needsPerson),
        ("14", "INVALID MONTH", .needsPerson), ("91", "ISSUER UNAVAILABLE", .resubmit),
        ("91", "HOST NO RESPONSE", .waitUntil), ("28", "NO REPLY", .waitUntil), ("R02", "RISK FLAGGED", .needsPerson),
    ])
    func dejavoosCodesAreReadWithTheirText(code: String, text: String, expected: Disposition.Name) throws {
        var evidence = declinedSale(message: text, vendor: .dejavoo)
        evidence.answers[0].read(code, of: .dejavoo)
        let ruling = classify(evidence, at: sentAt.after(2 * day), book: try standardBook())
        #expect(ruling.disposition.name == expected, "\(ruling)")
    }

    /// An app error under an issuer's code is not the issuer's answer, not even for Visa.
    @Test func anErrorOfTheAppIsNoDecline() throws {
        var evidence = declinedSale(message: "INVALID YEAR", vendor: .dejavoo, scheme: .visa)
        evidence.answers[0].read("14", of: .dejavoo)
        let ruling = classify(evidence, at: sentAt.after(2 * day), book: try standardBook())
        #expect(ruling.rule == "dejavoo.host.14.invalid-year")
    }

    /// 505 is an expired card for a call, or an issuer's refusal of a payment; an event keeps only the number.
    @Test func paydiantHasTwoTablesInOneField() throws {
        var evidence = declinedSale(vendor: .paydiant)
        evidence.answers[0].read("505", of: .paydiant)
        #expect(evidence.answers[0].codes.count == 2)
        let book = try standardBook()
        #expect(classify(evidence, at: sentAt.after(2 * day), book: book).disposition == .needsPerson)
        // A code that one table knows is known.
        evidence.answers[0].codes = []
        evidence.answers[0].read("203", of: .paydiant)
        let ruling = classify(evidence, at: sentAt.after(2 * day), book: book)
        #expect(ruling.disposition == .resubmit && ruling.rule == "paydiant.payment.203")
        // In one of the tables the outcome is unknown: that one decides.
        evidence.answers[0].codes = []
        evidence.answers[0].read("502", of: .paydiant)
        #expect(classify(evidence, at: sentAt.after(2 * day), book: book).rule == "lookup")
    }

    @Test(arguments: [
        (Vendor.bridgepay, Evidence.gateway, "D01", "bridgepay.message"),
        (.bridgepay, .gateway, "20002", "bridgepay.result"),
        (.youtransactor, .reader, "declined", "youtransactor.terminal"),
        (.youtransactor, .gateway, "98", "youtransactor.host"), (.dejavoo, .gateway, "1004", "dejavoo.spin"),
        (.dejavoo, .gateway, "2", "dejavoo.result"), (.dejavoo, .gateway, "R02", "dejavoo.host"),
        (.handpoint, .reader, "0016", "handpoint.status"),
    ])
    func codesBelongToHostOrTerminal(vendor: Vendor, by: Evidence, code: String, space: String) {
        var answer = AnswerEvidence(position: 1, at: sentAt, operation: .sale, by: by, outcome: .declined)
        answer.read(code, of: vendor)
        let expected = AnswerCode(space, code, restIsIssuers: space.hasSuffix(".host"))
        #expect(answer.codes == [expected] && answer.answer == nil)
        var issuers = AnswerEvidence(position: 1, at: sentAt, operation: .sale, by: .gateway, outcome: .declined)
        issuers.read("51", of: .youtransactor)
        #expect(issuers.answer == "51" && issuers.codes.isEmpty)
    }
}
