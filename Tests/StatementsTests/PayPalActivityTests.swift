import Canonical
import Payments
import Statements
import Testing

/// PayPal's downloads in other languages, and rows whose words are misleading. All files are made up.
@Suite struct PayPalActivityTests {
    private static let spanish = """
        Fecha,Hora,Zona horaria,Descripción,Divisa,Bruto ,Comisión ,Neto,Saldo,Id. de transacción,Nombre,Id. de factura,\
        Id. de referencia de trans.
        3/1/2026,11:05:56,Europe/Madrid,Pago exprés,EUR,"1.049,37","-1,78","1.047,59","1.047,59",T1,Ana,F1,
        4/1/2026,12:00:00,Europe/Madrid,Reembolso de pago,EUR,"-49,37","0,00","-49,37","998,22",T2,Ana,F1,T1
        5/1/2026,12:00:00,Europe/Madrid,Retirada general,EUR,"-998,22","0,00","-998,22","0,00",T3,,,

        """

    @Test func payPalInOtherLanguages() throws {
        #expect(StatementFormat.recognise(Array(Self.spanish.utf8)) == .paypalActivity)
        let reading = try Reading(.paypalActivity, Self.spanish)
        #expect(reading.failing.isEmpty && reading.notes.isEmpty)
        #expect(reading.lines.map(\.type) == [.sale, .refund, .payout])
        #expect(reading.lines.map(\.net) == [104_759, -4937, -99_822])
        #expect(reading.lines.map { $0.day?.description } == ["2026-01-03", "2026-01-04", "2026-01-05"])
        #expect(reading.lines[1].references[.related] == "T1" && reading.lines[1].references[.invoice] == "F1")
        let german = """
            "Datum","Uhrzeit","Zeitzone","Name","Typ","Status","Währung","Brutto","Gebühr","Netto","Transaktionscode",\
            "Zugehöriger Transaktionscode","Guthaben","Auswirkung auf Guthaben"
            "03.01.2026","09:00:00","CET","Eva","Handyzahlung","Abgeschlossen","EUR","10,00","-0,50","9,50","T1","","9,50","Haben"
            "03.01.2026","09:30:00","CET","Eva","Rückzahlung","Abgeschlossen","EUR","-10,00","0,00","-10,00","T2","T1","-0,50","Soll"
            "04.01.2026","09:30:00","CET","Jo","Allgemeine Zahlung","Ausstehend","EUR","7,00","0,00","7,00","T3","","-0,50","Memo"

            """
        let second = try Reading(.paypalActivity, german)
        #expect(second.failing.isEmpty && second.lines.map(\.type) == [.sale, .refund, .balance])
        #expect(second.lines[0].day?.description == "2026-01-03")
        let latin = german.unicodeScalars.map { UInt8($0.value) }
        #expect(try Reading(.paypalActivity, latin).lines.map(\.net) == second.lines.map(\.net))
    }

    /// A withdrawal leaves the balance while it is being transferred to the bank, and its exchange covers it
    /// afterwards.
    @Test func pendingWithdrawalsOfPayPal() throws {
        let rows = """
            Date,Time,TimeZone,Name,Type,Status,Currency,Gross,Fee,Net,Transaction ID,Reference Txn ID,Balance
            29/12/2025,07:00:00,PST,Ann,General Payment,Completed,USD,100,0,100,T1,,100
            30/12/2025,07:00:00,PST,,General Withdrawal,Pending,EUR,-80,0,-80,T2,,-80
            30/12/2025,07:00:00,PST,,General Currency Conversion,Completed,USD,-100,0,-100,T3,T2,0
            30/12/2025,07:00:00,PST,,General Currency Conversion,Completed,EUR,80,0,80,T4,T2,0

            """
        let reading = try Reading(.paypalActivity, rows)
        #expect(reading.failing.isEmpty, "\(reading.failing)")
        #expect(reading.lines.map(\.type) == [.sale, .payout, .conversion, .conversion])
        #expect(reading.control("balances-that-follow", scope: "rows in EUR")?.computed == 1)
    }

    @Test func exchangesOfPayPalThatReferToEachOther() throws {
        let header = "Date,Type,Currency,Gross,Fee,Net,Transaction ID,Reference Txn ID\n"
        let rows = [
            "2026-01-30,User Initiated Currency Conversion,USD,-50,0,-50,T2,T3",
            "2026-01-30,User Initiated Currency Conversion,EUR,43.34,0,43.34,T3,T2",
        ]
        for order in [rows, rows.reversed()] {
            let reading = try Reading(.paypalActivity, header + order.joined(separator: "\n"))
            #expect(reading.failing.isEmpty && reading.controls.filter { $0.name == "conversion-halves" }.count == 1)
        }
        let half = try Reading(.paypalActivity, header + rows[0])
        #expect(half.failing == ["conversion-halves"])
    }

    @Test(arguments: [
        ("Payment Hold", "-5.00", LineType.reserve), ("Payment Release", "5.00", .reserveRelease),
        ("Release of General Hold", "5.00", .reserveRelease), ("Website Payment", "-5.00", .withdrawal),
        ("Cancellation of Hold for Dispute Resolution", "5.00", .reserveRelease), ("Website Payment", "5.00", .sale),
    ])
    func typesOfPayPal(_ description: String, _ amount: String, _ type: LineType) throws {
        let header = "Date,Type,Currency,Gross,Fee,Net,Transaction ID\n"
        let reading = try Reading(.paypalActivity, header + "2026-01-30,\(description),USD,\(amount),0,\(amount),T1\n")
        #expect(reading.lines.map(\.type) == [type] && reading.lines[0].net == (amount.hasPrefix("-") ? -500 : 500))
    }
}
