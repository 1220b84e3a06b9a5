import Canonical
import Payments
import Statements
import Testing

/// Third-party files, with figures calculated by hand. Skipped if the files are not available.
@Suite(.enabled(if: ThirdParty.isThere)) struct ThirdPartyFileTests {
    @Test func adyenBatchWithoutPayoutSumsToZero() throws {
        let bytes = try ThirdParty.bytes("adyen_settlement_detail_report_batch_238.csv")
        let reading = try Reading(.adyenSettlement, bytes)
        #expect(reading.lines.map(\.net) == [45_433_199, -9, -45_433_190])
        #expect(reading.lines.map(\.type) == [.transfer, .fee, .transfer])
        #expect(reading.lines.map(\.line) == [2, 3, 4])
        let balance = try #require(reading.control("batch-balance"))
        #expect(balance.scope == "batch 238 USD")
        #expect(balance.computed == 0 && balance.holds)
        #expect(reading.failing.isEmpty)
        #expect(reading.lines[0].occurredAt == Timestamp(rfc3339: "2022-02-21T23:24:23Z"))
    }

    @Test func grrcnSummaryFootsAndTrailerDoesNot() throws {
        let reading = try Reading(.amexGRRCN, ThirdParty.bytes("amex_AMEX_SAMPLE.GRRCN_Delimited__US__v2.01.txt"))
        #expect(reading.failing == ["file-records"])
        let records = try #require(reading.control("file-records"))
        #expect(records.stated == 155 && records.computed == 6)
        let net = try #require(reading.control("payment-net"))
        #expect(net.stated == 2675 && net.holds)
        #expect(reading.control("submission-gross")?.stated == 2756)
        let sale = try #require(reading.lines.first { $0.type == .capture })
        #expect(sale.gross == 2756 && sale.currency == .eur && sale.role == .part)
        #expect(sale.references[.lastFour] == "4009")
        #expect(sale.references[.invoice] == "60482")
        #expect(sale.references[.authCode] == "168208")
        let batch = try #require(reading.lines.first { $0.type == .batch })
        #expect(batch.fees == [LineFee(.discount, -81)] && batch.net == 2675 && batch.group == sale.group)
        #expect(reading.lines.first { $0.type == .payout }?.net == -2675)
    }

    @Test func bai2TotalsAndCountsHold() throws {
        let reading = try Reading(.bai2, ThirdParty.bytes("moov_bai2_sample1.txt"))
        #expect(reading.failing.isEmpty)
        #expect(reading.control("file-total")?.computed == 1_280_000)
        #expect(reading.control("file-groups")?.computed == 1)
        #expect(reading.control("file-records")?.computed == 27)
        #expect(reading.control("group-records")?.computed == 25)
        #expect(reading.controls.filter { $0.name == "account-total" }.map(\.computed) == [834_000, 446_000])
        #expect(reading.controls.filter { $0.name == "account-records" }.map(\.computed) == [14, 9])
        #expect(reading.controls.filter { $0.name == "total-credits" }.map(\.computed) == [208_500, 111_500])
        #expect(reading.controls.filter { $0.name == "total-debits" }.map(\.computed) == [208_500, 111_500])
        #expect(reading.lines.count == 17)
        #expect(reading.lines.allSatisfy { $0.currency.alpha == "CAD" && $0.side == .bank })
        #expect(reading.lines.reduce(0) { $0 + ($1.net ?? 0) } == 0)
        #expect(reading.lines[0].references[.text] == "RETURNED CHEQUE")
        #expect(reading.lines[0].valueDay?.description == "2006-03-16")
    }

    @Test func bai2WithoutAFileHeaderIsRefused() throws {
        let bytes = try ThirdParty.bytes("moov_bai2_error.txt")
        let error = #expect(throws: StatementProblem.self) { try Reading(.bai2, bytes) }
        #expect(error?.code == .unknownRecord && error?.line == 1)
    }

    @Test func camtEntriesAndBalancesFoot() throws {
        let reading = try Reading(.camt053, ThirdParty.bytes("oca_camt053_txdtls.xml"))
        #expect(reading.failing.isEmpty)
        let closing = try #require(reading.control("closing-balance"))
        #expect(closing.stated == 7_944_315 && closing.computed == 7_944_315 && closing.currency?.alpha == "CHF")
        #expect(reading.control("entry-details")?.computed == 348_300)
        #expect(reading.control("batch-transactions")?.computed == 2)
        #expect(reading.lines.map(\.net) == [218_700, 129_600])
        #expect(reading.lines.map(\.line) == [79, 144])
        #expect(Set(reading.lines.map(\.group)).count == 1)
        #expect(reading.lines[0].references[.invoice] == "302388292000011111111111111")
        #expect(reading.lines[0].references[.account] == "CH1111000000123456789")
        #expect(reading.lines[0].valueDay?.description == "2017-03-23")
        #expect(reading.sections.first?.opening == 7_596_015)
    }

    @Test func camtNotificationHasNoBalances() throws {
        let reading = try Reading(.camt054, ThirdParty.bytes("oca_camt054_001_04.xml"))
        #expect(reading.failing.isEmpty && reading.control("closing-balance") == nil)
        #expect(reading.lines.map(\.net) == [500])
        #expect(reading.lines.first?.references[.endToEnd] == "ENDTOENDID-01")
        #expect(reading.lines.first?.rawType == "PMNT/RCDT/ATXN")
    }

    @Test func paypalRowsFootAndBalancesFollow() throws {
        let reading = try Reading(.paypalActivity, ThirdParty.bytes("paypal_statement_en.csv"))
        #expect(reading.failing.isEmpty)
        #expect(reading.lines.count == 19)
        #expect(reading.control("rows-that-foot")?.computed == 19)
        let halves = reading.controls.filter { $0.name == "conversion-halves" }
        #expect(halves.map(\.scope) == [1, 3, 5, 7].map { "transaction TID\($0)" })
        let euros = try #require(reading.control("balances-that-follow", scope: "rows in EUR"))
        let dollars = try #require(reading.control("balances-that-follow", scope: "rows in USD"))
        #expect(euros.computed == 7 && dollars.computed == 10)
        #expect(reading.lines.filter { $0.type == .sale }.reduce(0) { $0 + ($1.gross ?? 0) } == 2_201_080)
        #expect(reading.lines[0].occurredAt == Timestamp(rfc3339: "2018-09-05T04:15:11Z"))
        // One row uses another clock.
        #expect(reading.lines[15].occurredAt == Timestamp(rfc3339: "2018-09-27T17:16:12Z"))
    }

    @Test func eprawDummyIsReadAndDoesNotFoot() throws {
        let reading = try Reading(.amexEPRAW, ThirdParty.bytes("amex_paxmex_dummy_epraw_raw"))
        #expect(reading.control("file-records")?.holds == true)
        let payment = try #require(reading.control("payment-amount"))
        #expect(payment.scope == "payment 066M1416" && payment.stated == 2_261_243 && payment.computed == 0)
        let row = try #require(reading.control("detail-net"))
        #expect(row.stated == 1_261_243 && row.computed == 2_237_957)
        #expect(reading.notes.contains { $0.code == .unchecked && $0.detail.contains("066M6956") })
        #expect(reading.lines.map(\.type) == [.payout, .batch])
        #expect(reading.lines[1].fees == [LineFee(.discount, -22_548), LineFee(.service, -738)])
        #expect(reading.lines[1].bookedDay?.description == "2013-03-06")
    }

    @Test(arguments: [
        ("adyen_settlement_detail_report_batch_238.csv", StatementFormat.adyenSettlement),
        ("amex_AMEX_SAMPLE.GRRCN_Delimited__US__v2.01.txt", .amexGRRCN),
        ("amex_paxmex_dummy_epraw_raw", .amexEPRAW), ("moov_bai2_sample1.txt", .bai2),
        ("oca_camt053_txdtls.xml", .camt053), ("oca_camt054_001_04.xml", .camt054),
        ("paypal_statement_en.csv", .paypalActivity),
    ])
    func filesAreRecognisedAndReadInPieces(_ name: String, _ format: StatementFormat) throws {
        let bytes = try ThirdParty.bytes(name)
        #expect(StatementFormat.recognise(bytes) == format)
        let whole = try Reading(format, bytes).items
        for piece in [1, 13, 500] { #expect(try Reading(format, bytes, piece: piece).items == whole) }
    }
}
