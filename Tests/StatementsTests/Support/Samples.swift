import Statements

/// A file of every format, written for these tests. Amounts, names and numbers are made up.
enum Samples {
    static let all: [(format: StatementFormat, text: String)] = [
        (.adyenSettlement, AdyenTests.header + AdyenTests.documented), (.amexEPRAW, epraw), (.amexGRRCN, grrcn),
        (.bai2, bai2), (.camt053, camt053), (.camt054, camt054), (.iposgoSettlement, iposgo), (.spinBatch, spin),
        (.bridgepayTransactions, bridgepay), (.bridgepayTransactions, bridgepayJSON), (.stripePayout, stripe),
        (.squarePayout, square), (.paypalActivity, paypal), (.valitorClearing, valitor), (.daybookCSV, daybook),
    ]

    // MARK: American Express

    private static func pad(_ fields: [(Int, String)]) -> String {
        var bytes = [UInt8](repeating: 0x20, count: 450)
        for (position, text) in fields {
            for (offset, byte) in text.utf8.enumerated() { bytes[position - 1 + offset] = byte }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A payment of 100.00 less 3.00, a chargeback of 20.00 and a fee of 1.50: 75.50.
    static let eprawRecords = [
        pad([(1, "DFHDR012020261200000042MY SHOP")]),
        pad([
            (1, "1111111111"), (11, "0000000000"), (31, "2026"), (35, "020A0001"), (43, "100"), (46, "2026021"),
            (53, "0000000755{"), (64, "00000000{"), (73, "021000021"), (82, "0000000000012345 "),
        ]),
        pad([
            (1, "1111111111"), (11, "2222222222"), (21, "STORE 7"), (31, "2026"), (35, "020A0001"), (43, "210"),
            (46, "2026018"), (53, "2026019"), (60, "000167"), (66, "0000001000{"), (77, "00000030{"), (86, "000000{"),
            (100, "0000000970{"), (153, "0000B"),
        ]),
        pad([
            (1, "1111111111"), (11, "2222222222"), (31, "2026"), (35, "020A0001"), (43, "220"), (46, "2026010"),
            (53, "2026019"), (60, "000150"), (66, "0000000200{"), (77, "00000200}"), (86, "00000000{"),
            (95, "000000{"), (109, "00000200}"), (144, "CARD 371449635398431 DISPUTED"),
        ]),
        pad([
            (1, "1111111111"), (11, "2222222222"), (31, "2026"), (35, "020A0001"), (43, "250"), (46, "2026019"),
            (216, "00000015}"), (225, "STATEMENT FEE"),
        ]),
        pad([(1, "DFTRL012020261200000042MY SHOP"), (44, "00000000000000000000000000000000000000"), (84, "0000006")]),
    ]

    static let epraw = eprawRecords.joined(separator: "\n") + "\n"

    static let grrcn = """
        "HEADER","20260120","113207","0000000031","GRRCN","MY SHOP","2.01"
        "SUMMARY","1111111111","002","020A0001","20260121","USD",""," 000000000007551"," 000000000010001",\
        " 000000000000300"," 000000000000000","-000000000002150"," 000000000000000"," 000000000000000","12345","","",""
        "SUBMISSION","1111111111","002","020A0001","20260121","USD","2222222222","20260118","20260119","000000000000167",\
        "USD","",""," 000000000010001"," 000000000010001"," 000000000000300"," 000000000000000"," 000000000000000",\
        " 000000000009701","","","0000002","","","","","","","",""," 000000000010001"," 000000000000000"
        "TRANSACTN","1111111111","002","020A0001","20260121","USD","2222222222","20260118","20260119","000000000000167",\
        "USD","7","INV-1","","371449XXXXX8431",""," 000000000010001"," 000000000006001","20260118","171512",\
        "002391206015076","168208","T1","5812","","P60LG7C3734Z7G000000NWX"
        "TRANSACTN","1111111111","002","020A0001","20260121","USD","2222222222","20260118","20260119","000000000000167",\
        "USD","7","INV-2","","371449XXXXX8431",""," 000000000010001"," 000000000004000","20260118","181512",\
        "002391206015077","168209","T1","5812","","P60LG7C3734Z7G000000NWY"
        "CHARGEBACK","1111111111","002","020A0001","20260121","USD","2222222222","20260110","7","INV-0","",\
        "371449XXXXX8431","","20260119","000000000000150","USD","CB77","","DISPUTED","-000000000002000",\
        " 000000000000000"," 000000000000000"," 000000000000000","-000000000002000"
        "FEEREVENUE","1111111111","020A0001","20260121","USD","2222222222","7","-000000000000150","STATEMENT FEE",\
        " 000000000000000","",""
        "TRAILER","0000000031","0000000008"

        """

    // MARK: Banks

    static let bai2 = """
        01,021000021,MYSHOP,260121,0600,42,80,1,2/
        02,MYSHOP,021000021,1,260120,,USD,2/
        03,0012345,USD,010,100000,,,015,113050,,/
        88,100,15550,2,,400,2500,1,/
        16,142,7550,V,260121,,AMX020A0001,INV-9,AMEX SETTLEMENT 12/16 PART/
        16,165,8000,S,8000,0,0,BK2,CR2,CARD DEPOSIT
        88,BATCH 243
        16,698,2500,0,BK3,,FEES/
        49,249150,7/
        98,249150,1,9/
        99,249150,1,11/

        """

    static func camt(_ version: String, _ message: String, _ part: String, balances: Bool) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <c:Document xmlns:c="urn:iso:std:iso:20022:tech:xsd:\(version)">
         <c:\(message)>
          <c:GrpHdr><c:MsgId>M1</c:MsgId><c:CreDtTm>2026-01-21T06:00:00Z</c:CreDtTm></c:GrpHdr>
          <c:\(part)>
           <c:Id>S1</c:Id>
           <c:Acct><c:Id><c:IBAN>DE02120300000000202051</c:IBAN></c:Id><c:Ccy>EUR</c:Ccy></c:Acct>
           \(balances ? balance("OPBD", "1000.00") + balance("CLBD", "1141.50") : "")
           <c:TxsSummry>
            <c:TtlNtries><c:NbOfNtries>2</c:NbOfNtries><c:Sum>160.50</c:Sum>
             <c:TtlNetNtry><c:Amt>141.50</c:Amt><c:CdtDbtInd>CRDT</c:CdtDbtInd></c:TtlNetNtry></c:TtlNtries>
            <c:TtlCdtNtries><c:NbOfNtries>1</c:NbOfNtries><c:Sum>151.00</c:Sum></c:TtlCdtNtries>
           </c:TxsSummry>
           <c:Ntry>
            <c:NtryRef>N1</c:NtryRef><c:Amt Ccy="EUR">151.00</c:Amt><c:CdtDbtInd>CRDT</c:CdtDbtInd>
            <c:Sts><c:Cd>BOOK</c:Cd></c:Sts>
            <c:BookgDt><c:Dt>2026-01-20</c:Dt></c:BookgDt><c:ValDt><c:DtTm>2026-01-21T00:00:00+01:00</c:DtTm></c:ValDt>
            <c:BkTxCd><c:Domn><c:Cd>PMNT</c:Cd><c:Fmly><c:Cd>MCRD</c:Cd><c:SubFmlyCd>POSP</c:SubFmlyCd></c:Fmly></c:Domn></c:BkTxCd>
            <c:NtryDtls>
             <c:Btch><c:NbOfTxs>2</c:NbOfTxs><c:TtlAmt Ccy="EUR">151.00</c:TtlAmt></c:Btch>
             <c:TxDtls><c:Refs><c:EndToEndId>E1</c:EndToEndId></c:Refs><c:Amt Ccy="EUR">100.00</c:Amt>
              <c:CdtDbtInd>CRDT</c:CdtDbtInd><c:RmtInf><c:Ustrd>Auszahlung f&#252;r &amp; 4111 1111 1111 1111</c:Ustrd></c:RmtInf></c:TxDtls>
             <c:TxDtls><c:Refs><c:EndToEndId>E2</c:EndToEndId></c:Refs><c:Amt Ccy="EUR">51.00</c:Amt>
              <c:CdtDbtInd>CRDT</c:CdtDbtInd></c:TxDtls>
            </c:NtryDtls>
           </c:Ntry>
           <c:Ntry>
            <c:Amt Ccy="EUR">9.50</c:Amt><c:CdtDbtInd>DBIT</c:CdtDbtInd><c:Sts>BOOK</c:Sts>
            <c:BookgDt><c:Dt>2026-01-20</c:Dt></c:BookgDt>
            <c:BkTxCd><c:Prtry><c:Cd>FEE 1</c:Cd></c:Prtry></c:BkTxCd>
            <c:AddtlNtryInf><![CDATA[Fees & more]]></c:AddtlNtryInf>
           </c:Ntry>
          </c:\(part)>
         </c:\(message)>
        </c:Document>

        """
    }

    private static func balance(_ code: String, _ amount: String) -> String {
        """
        <c:Bal><c:Tp><c:CdOrPrtry><c:Cd>\(code)</c:Cd></c:CdOrPrtry></c:Tp><c:Amt Ccy="EUR">\(amount)</c:Amt>\
        <c:CdtDbtInd>CRDT</c:CdtDbtInd><c:Dt><c:Dt>2026-01-20</c:Dt></c:Dt></c:Bal>
        """
    }

    static let camt053 = camt("camt.053.001.08", "BkToCstmrStmt", "Stmt", balances: true)
    static let camt054 = camt("camt.054.001.08", "BkToCstmrDbtCdtNtfctn", "Ntfctn", balances: false)

    // MARK: Gateways and processors

    static func spinTransaction(_ label: String, _ amount: String, _ number: Int, code: String = "0") -> String {
        """
        {"Spin_Response":{"RefId":"\(number)88041","AuthCode":"DSC\(number)","PNRef":"40090750027\(number)",\
        "TransNum":"\(number)","ResultCode":"\(code)","Message":"\(code == "0" ? "APPROVED" : "DECLINED")",\
        "ExtData":{"Amount":"\(amount)","BatchNum":"0243","AcntLast4":"5859","RRN":"40090750027\(number)",\
        "TraceNum":"\(number)","HostTxnId":"12345678901234\(number)","txnId":"0000043377\(number)","TxnType":"1",\
        "TotalAmt":"\(amount)","txnLabel":"\(label)","DateTime":"2026012017353\(number)"}},"Tpn":"794524937054"}
        """
    }

    static let iposgo =
        [
            spinTransaction("Sale", "13.40", 1), spinTransaction("Sale", "20.00", 2),
            spinTransaction("Refund", "$3.40", 3), spinTransaction("Sale", "9.99", 4, code: "5"),
            spinTransaction("Void", "20.00", 5),
            """
            {"transaction_title":"settlements","Tpn":"794524937054","transaction_type":7,"batch_no":243,\
            "timeStamp":"20260120234620","transaction_id":"84566476174593705420241219114620",\
            "status":"BATCH SETTLED","statusCode":"00",
            "SettleDetails":[{"Application":"Credit","HostStatus":"00","TransactionsReports":{"TransactionsCount":3,\
            "SaleAmount":33.4,"ReturnAmount":3.4,"VoidAmount":20.0,"AuthAmount":0.0,"TotalAmount":30.000000000000004}}]}
            """,
        ].joined(separator: "\n") + "\n"

    static let spin = """
        {"GeneralResponse":{"ResultCode":"0","StatusCode":"0000","Message":"Approved"},"Tpn":"794524937054",
         "BatchNumber":"243","SettleDetails":[
          {"Application":"Credit","HostStatus":"00","TransactionsReports":{"TransactionsCount":3,"SaleAmount":33.4,
           "ReturnAmount":3.4,"VoidAmount":20,"AuthAmount":0,"TotalAmount":30}},
          {"Application":"Debit","HostStatus":"05","TransactionsReports":{"TransactionsCount":0,"SaleAmount":0,
           "ReturnAmount":0,"VoidAmount":0,"AuthAmount":0,"TotalAmount":1}}]}

        """

    static let bridgepay = """
        GatewayTransID,TransactionType,TransactionStatus,SettlementStatus,AuthorizedAmount,SettleAmount,RemainingAmount,\
        BatchId,BatchDateTime,VoidIndicator,LastFour,EntryModeId,InvoiceNumber,AuthorizationCode,CardType,TransactionDateTime
        214971801,Sale,Confirmed,Settled,600,600,600,77,1/20/2026 11:00:00 PM,False,9269,T2,12345,471130,Visa,\
        1/20/2026 1:39:46 PM
        214971802,Sale-Auth,Open,Unsettled,5000,0,0,,,False,9269,T2,12346,471131,Visa,2026-01-20 13:40:00.987
        214971803,Refund,Confirmed,Settled,250,250,0,77,1/20/2026 11:00:00 PM,False,9269,T2,12345,471132,Visa,1/20/2026
        214971804,Sale,Voided,Unsettled,700,0,0,,,True,0009,KD,12347,471133,Mastercard,1/20/2026 2:00 PM

        """

    static let bridgepayJSON = """
        {"Transactions":[
         {"GatewayTransID":"214971801","TransactionType":"Sale","TransactionStatus":"Confirmed",
          "SettlementStatus":"Settled","AuthorizedAmount":600,"SettleAmount":600,"BatchId":"77","LastFour":"9269",
          "InvoiceNumber":"12345","AuthorizationCode":"471130","CardType":"Visa","CurrencyCode":"840",
          "TransactionDateTime":"2026-01-20T13:39:46Z"},
         {"GatewayTransID":"214971805","TransactionType":"Novel","AuthorizedAmount":"100","SettleAmount":"0"}]}

        """

    static let stripe = """
        automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,created,available_on,currency,\
        gross,fee,net,reporting_category,source_id,charge_id,payment_intent_id,card_brand,card_last4,description
        po_1,2026-01-21 00:00:00,txn_1,2026-01-18 10:00:00,2026-01-18 05:00:00,2026-01-20 00:00:00,usd,10.00,0.59,9.41,\
        charge,ch_1,ch_1,pi_1,Visa,4242,"Order 1, with a comma"
        po_1,2026-01-21 00:00:00,txn_2,2026-01-19 10:00:00,2026-01-19 05:00:00,2026-01-20 00:00:00,usd,-4.00,0.00,-4.00,\
        refund,re_1,ch_1,pi_1,Visa,4242,
        po_1,2026-01-21 00:00:00,txn_3,2026-01-20 10:00:00,2026-01-20 05:00:00,2026-01-20 00:00:00,usd,-5.41,0.00,-5.41,\
        payout,po_1,,,,,STRIPE PAYOUT

        """

    static let square = """
        {"payout":{"id":"po_1","status":"PAID","location_id":"L1","created_at":"2026-01-20T02:00:00Z",
          "amount_money":{"amount":9420,"currency":"USD"},"arrival_date":"2026-01-21"}}
        {"payout_entries":[
          {"id":"poe_1","payout_id":"po_1","effective_at":"2026-01-19T18:25:34-08:00","type":"CHARGE",
           "gross_amount_money":{"amount":15000,"currency":"USD"},"fee_amount_money":{"amount":480,"currency":"USD"},
           "net_amount_money":{"amount":14520,"currency":"USD"},"type_charge_details":{"payment_id":"pay_1"}},
          {"id":"poe_2","payout_id":"po_1","effective_at":"2026-01-19T19:25:34Z","type":"REFUND",
           "gross_amount_money":{"amount":-5000,"currency":"USD"},"fee_amount_money":{"amount":0,"currency":"USD"},
           "net_amount_money":{"amount":-5000,"currency":"USD"},
           "type_refund_details":{"payment_id":"pay_1","refund_id":"ref_1"}},
          {"id":"poe_3","payout_id":"po_1","effective_at":"2026-01-19T20:25:34Z","type":"DEPOSIT_FEE",
           "gross_amount_money":{"amount":-100,"currency":"USD"},"net_amount_money":{"amount":-100,"currency":"USD"}}]}

        """

    static let paypal = """
        "Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","Transaction ID","Reference Txn ID",\
        "Invoice Number","Balance"
        "1/27/2026","09:00:00","PST","Ann","Express Checkout Payment","Completed","USD","1,000.00","-30.30","969.70","T1",\
        "","361","969.70"
        "1/28/2026","09:00:00","PST","","General Currency Conversion","Completed","USD","-969.70","0.00","-969.70","T2",\
        "T4","","0.00"
        "1/28/2026","09:00:00","PST","","General Currency Conversion","Completed","EUR","890.00","0.00","890.00","T3","T4",\
        "","890.00"
        "1/28/2026","09:00:00","PST","","General Withdrawal - Bank Account","Completed","EUR","-890.00","0.00","-890.00",\
        "T4","","","0.00"
        "1/28/2026","10:00:00","PST","Bob","Mobile Payment","Pending","EUR","5.00","0.00","5.00","T5","","","0.00"

        """

    /// The document's example, with a refund of 5.00 in a second batch.
    static let valitor = """
        903520012014-03-2005.55.50901otfTEST3.3.1
        962345670710100112345678902014-03-20Merchant Name 25byteslongMerchant CityIS5999840
        05V450744******0016 0000000025508402014-03-2098765440796700012017
        97234567071010011234567890000001000000000002550
        962345670710100112345678912014-03-20Merchant Name 25byteslongMerchant CityIS5999840
        05V450744******0016   0000000025508402014-03-2098765440796700012017
        06V450744******0016 0000000005008402014-03-2098765540796700012018
        97234567071010011234567891000002000000000003050
        98352001000002

        """

    static let daybook = """
        type,currency,gross,fee,net,occurred_at,day,processor_id,rrn,auth_code,invoice,terminal,batch,last_four,balance,count
        capture,USD,10.00,-0.30,9.70,2026-01-20T10:00:00Z,,P1,400907500271,A1,INV-1,T1,7,4242,9.70,
        refund,USD,-4.00,0.00,-4.00,,2026-01-20,P2,,,INV-1,T1,7,************1111,5.70,
        capture,JPY,1200,-36,1164,,2026-01-20,P3,,,"INV 2, second",T1,7,4242,,
        total,USD,6.00,-0.30,5.70,,,,,,,,,,,2

        """
}
