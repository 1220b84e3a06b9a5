/// The planted faults of line r: one of a hundred payments has a fault, of every class of exceptions in turn.
enum PlantedFault: Int, CaseIterable {
    case missingAtProcessor, missingInLedger, amountDiffers, currencyDiffers, statusDiffers, duplicateAtProcessor,
        duplicateInLedger, unmatchedDeposit, batchOutOfBalance, feeDiffers, late, chargebackWithoutSale,
        expiredAuthorization, inDoubtResolved

    static func of(_ number: Int) -> PlantedFault? {
        number % 100 == 0 ? PlantedFault(rawValue: number / 100 % allCases.count) : nil
    }

    /// The class of the exception.
    var name: String {
        switch self {
        case .missingAtProcessor: "missing-at-processor"
        case .missingInLedger: "missing-in-ledger"
        case .amountDiffers: "amount-differs"
        case .currencyDiffers: "currency-differs"
        case .statusDiffers: "status-differs"
        case .duplicateAtProcessor: "duplicate-at-processor"
        case .duplicateInLedger: "duplicate-in-ledger"
        case .unmatchedDeposit: "unmatched-deposit"
        case .batchOutOfBalance: "batch-out-of-balance"
        case .feeDiffers: "fee-differs"
        case .late: "late"
        case .chargebackWithoutSale: "chargeback-without-sale"
        case .expiredAuthorization: "expired-authorization"
        case .inDoubtResolved: "in-doubt-resolved"
        }
    }

    /// Whether line and movement match in the end; for a doubt, after the line resolved it.
    var isMatched: Bool {
        switch self {
        case .missingAtProcessor, .missingInLedger, .amountDiffers, .currencyDiffers, .statusDiffers,
            .batchOutOfBalance,
            .expiredAuthorization:
            false
        case .duplicateAtProcessor, .duplicateInLedger, .unmatchedDeposit, .feeDiffers, .late, .chargebackWithoutSale,
            .inDoubtResolved:
            true
        }
    }
}

/// A processor's lines and as many captures, with planted differences.
struct ReconcileWorld {
    static let header = "type,currency,gross,fee,processor_id,day,role,terminal,batch,payout\n"
    /// The fee of every sale in dollars, 2 %.
    static let rules = #"{"fees":[{"currency":"USD","basisPoints":200,"tolerance":1}]}"#
    static let bankMapping = #"{"side":"bank"}"#
    /// A deposit for the processor's last payout, which advances the bank's days.
    static let bank = "type,currency,gross,day,end_to_end\ndeposit,USD,5.00,2026-03-09,paid\n"

    let count: Int

    static func cents(_ number: Int) -> Int { 1000 + number % 9000 }

    static func decimal(_ cents: Int) -> String {
        let (whole, rest) = (cents.magnitude / 100, cents.magnitude % 100)
        return "\(cents < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// The processor's file and its number of lines.
    func statement() -> (text: String, lines: Int) {
        var text = Self.header
        var lines = 0
        func line(
            _ type: String,
            _ cents: Int,
            _ id: String,
            currency: String = "USD",
            fee: Int? = nil,
            day: Int = 1,
            rest: String = ",,,"
        ) {
            text +=
                "\(type),\(currency),\(Self.decimal(cents)),\(fee.map(Self.decimal) ?? ""),\(id),2026-03-0\(day),\(rest)\n"
            lines += 1
        }
        for number in 0..<count {
            let (cents, id) = (Self.cents(number), "g-\(number)")
            let fee = -cents / 50
            func sale(_ cents: Int, fee: Int? = fee, currency: String = "USD", day: Int = 1) {
                line("sale", cents, id, currency: currency, fee: fee, day: day)
            }
            switch PlantedFault.of(number) {
            case .missingAtProcessor, .expiredAuthorization: continue
            case .amountDiffers: sale(cents + 1)
            case .currencyDiffers: sale(cents, fee: nil, currency: "EUR")
            case .duplicateAtProcessor:
                sale(cents)
                sale(cents)
            case .feeDiffers: sale(cents, fee: fee - 100)
            case .late: sale(cents, day: 8)
            case .chargebackWithoutSale:
                sale(cents)
                line("chargeback", -cents, "c-\(number)")
            case .unmatchedDeposit:
                sale(cents)
                line("payout", -cents, "", rest: ",,,po-\(number)")
            case .batchOutOfBalance: line("batch", cents + 1, "", rest: "total,t-\(number),7,")
            case .missingInLedger, .statusDiffers, .duplicateInLedger, .inDoubtResolved, nil: sale(cents)
            }
        }
        // The processor's file ends with a later line and a payout.
        line("payout", -500, "", day: 8, rest: ",,,paid")
        line("sale", 100, "g-\(count)", fee: -2, day: 9)
        return (text, lines)
    }

    /// Documents of the payments in doubt for `daybook intake`, because only a recorded payment can be resolved.
    var doubts: String {
        stride(from: 0, to: count, by: 100).filter { PlantedFault.of($0) == .inDoubtResolved }.map { number in
            let amount = Self.decimal(Self.cents(number))
            return """
                {"kind":"BPNPayment","occurredAt":"2026-03-01T12:00:00Z","idempotencyKey":"doubt-\(number)","body":{\
                "BPNPaymentRequest":{"invoiceNumber":"i-\(number)","amount":"\(amount)",\
                "transactionType":"TRANSACTION_TYPE_SALE"},\
                "BridgeCommResponse":{"transactionID":"i-\(number)","requestType":"004","responseCode":"2",\
                "responseDescription":"Request Failed","gatewayTransactionID":"g-\(number)",\
                "gatewayMessage":"E02 - Network Unavailable","gatewayResult":"30022","originalAmount":"$\(amount)",\
                "ISOCurrencyCode":"USD","ISOTransactionDate":"2026-03-01 12:00:00.00"}}}

                """
        }.joined()
    }

    /// The other movements, written directly into the read model; line e measures the usual way.
    var movements: String {
        let kinds = PlantedFault.allCases.count
        func `is`(_ faults: PlantedFault...) -> String {
            "k IN (\(faults.map { String($0.rawValue) }.joined(separator: ", ")))"
        }
        let none = `is`(.statusDiffers, .expiredAuthorization)
        func id(_ number: String) -> String {
            "('00000000-0000-8000-8000-' || lpad(to_hex(\(number)), 12, '0'))::uuid"
        }
        return """
            WITH planted AS (
                SELECT i, CASE WHEN i < \(count) AND i % 100 = 0 THEN i / 100 % \(kinds) END AS k
                FROM generate_series(0, \(count)) AS i
            )
            INSERT INTO read_movements.movements (tenant, transaction, line, position, type, status, currency, amount,
                occurred_at, day, gateway_id, terminal, batch)
            SELECT 'bench', CASE WHEN again THEN \(id("i + \(count) + 1")) ELSE \(id("i")) END,
                CASE WHEN \(none) THEN '' ELSE 'capture:sale' END, 0, CASE WHEN \(none) THEN 'none' ELSE 'sale' END,
                CASE WHEN \(`is`(.statusDiffers)) THEN 'declined' WHEN \(`is`(.expiredAuthorization)) THEN 'authorized'
                    ELSE 'settled' END,
                'USD', CASE WHEN i = \(count) THEN 100 ELSE 1000 + i % 9000 END, day, day,
                CASE WHEN \(`is`(.batchOutOfBalance)) THEN NULL ELSE 'g-' || i END,
                CASE WHEN \(`is`(.batchOutOfBalance)) THEN 't-' || i END,
                CASE WHEN \(`is`(.batchOutOfBalance)) THEN '7' END
            FROM (
                SELECT i, k, false AS again, CASE WHEN i = \(count) THEN DATE '2026-03-09'
                    WHEN \(`is`(.expiredAuthorization)) THEN DATE '2026-01-05' ELSE DATE '2026-03-01' END AS day
                FROM planted
                UNION ALL SELECT i, k, true, DATE '2026-03-01' FROM planted WHERE \(`is`(.duplicateInLedger))
            ) t WHERE NOT coalesce(\(`is`(.missingInLedger, .inDoubtResolved)), false)
            """
    }

    // MARK: The truth

    /// Every planted exception, by class and number of the payment.
    var exceptions: Set<String> {
        Set(
            stride(from: 0, to: count, by: 100).compactMap { number in
                PlantedFault.of(number).map { "\($0.name) \(number)" }
            }
        )
    }

    /// The number of lines matched with the movement of the same number.
    var matched: Int {
        count + 1 - stride(from: 0, to: count, by: 100).count { PlantedFault.of($0).map { !$0.isMatched } ?? false }
    }

    /// Found exceptions, named as in `exceptions`: the open ones, and the doubts that a line has resolved.
    static let found = """
        SELECT x.class || ' ' || coalesce(split_part(coalesce(l.processor_id, l.terminal, l.payout), '-', 2),
            ('x' || right(x.transaction::text, 12))::bit(48)::int8::text)
        FROM read_reconciliation.exceptions x
        LEFT JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
        WHERE x.status = 'open' OR x.class = 'in-doubt-resolved' AND x.status = 'cleared'
        """

    /// Links between a line and a movement of the same number.
    static let rightLinks = """
        SELECT count(*) FROM read_reconciliation.links k JOIN read_statements.lines l USING (tenant)
        JOIN read_movements.movements m ON m.tenant = k.tenant AND m.transaction = k.transaction AND m.line = k.movement
        WHERE k.until IS NULL AND l.id = k.line AND m.gateway_id = l.processor_id
        """
}
