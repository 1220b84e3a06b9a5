package import Canonical
import Crypto
import Payments
import Projections

/// A self-contained HTML page of a reconciliation report, suitable for print.
package enum ReportPage {
    /// The policy that lets a browser apply the page's style and nothing else.
    package static let contentSecurityPolicy =
        "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static let style = """
        body{font:11pt/1.4 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#111;background:#fff}
        h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
        table{border-collapse:collapse;width:100%}
        th,td{padding:.25rem .5rem;border-bottom:1px solid #bbb;text-align:left}
        td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
        tr.total td{font-weight:bold;border-top:2px solid #111}
        @media print{body{margin:0;max-width:none}table{page-break-inside:avoid}}
        """

    private static var digest: String { ReceiptPage.base64(SHA256.hash(data: Array(style.utf8))) }

    /// - Parameters:
    ///   - now: The time at which the page is made.
    ///   - isPast: Whether the report is of an earlier position.
    package static func render(
        _ report: ReconciliationReport,
        _ scope: ReportScope,
        now: Timestamp,
        isPast: Bool = false
    ) -> String {
        var page = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Reconciliation</title>
            <style>\(style)</style>
            </head>
            <body>
            <main>
            <h1>Reconciliation</h1>
            <p>\(ReceiptPage.escaped(scope.sentence)). As of position \(report.position)\
            \(isPast ? ", \(report.now.rfc3339)" : ""). Days begin at \(report.days.cutoff) in the zone \
            \(ReceiptPage.escaped(report.days.zone.name)). Made \(now.rfc3339)\
            \(report.covers.map { ", covers the log up to position \($0)" } ?? ", before the first run").</p>

            """
        page += table(
            "Does it add up?",
            [
                "currency", "processors", "ledger", "unexplained difference", "not examined", "suspense",
                "open exceptions in suspense",
            ],
            report.balances.map { row($0, isCompared: report.suspense != nil) },
            numbers: 1
        )
        let shares = ["currency", "state", "count", "amount"]
        page += table("Processors: payments by state", shares, report.processor.map(row), numbers: 2)
        page += table("Ledger: payments by state", shares, report.ledger.map(row), numbers: 2)
        page += table(
            "Processors' accounts",
            ["currency", "lines", "count", "gross", "fees kept", "moved"],
            report.account.map(row),
            numbers: 2
        )
        page += table(
            "Payouts, and lines of banks",
            ["currency", "side", "state", "count", "amount"],
            report.deposits.map(row),
            numbers: 3
        )
        page += table(
            "Exceptions",
            [
                "class", "currency", "< 2 days", "< 8 days", "< 31 days", "older", "open", "amount", "no merchant",
                "resolved",
            ],
            report.exceptions.map(row),
            numbers: 2
        )
        return page + "</main>\n</body>\n</html>\n"
    }

    /// - Parameter isCompared: False if the report has no suspense.
    private static func row(_ balance: ReconciliationReport.Balance, isCompared: Bool) -> [String] {
        let figures = [balance.processor, balance.ledger, balance.difference]
        let suspended = [balance.suspense, balance.openExceptions]
        return [balance.currency] + figures.map { money($0, balance.currency) } + [String(balance.unexamined)]
            + suspended.map { isCompared ? money($0, balance.currency) : "not compared" }
    }

    private static func row(_ line: ReconciliationReport.AccountLine) -> [String] {
        let figures = [line.gross, line.fees, line.amount]
        return [line.currency, line.kind.rawValue, String(line.count)] + figures.map { money($0, line.currency) }
    }

    private static func row(_ coverage: DepositCoverage) -> [String] {
        let amount = money(coverage.amount, coverage.currency)
        return [coverage.currency, coverage.side.rawValue, coverage.state.rawValue, String(coverage.count), amount]
    }

    private static func row(_ share: ReconciliationReport.ExceptionShare) -> [String] {
        let ages = share.ages.map { String($0) }
        let amount = share.currency.map { money(share.openAmount, $0) } ?? ""
        return [share.exceptionClass, share.currency ?? ""] + ages + [
            String(share.open), amount, String(share.unattributed), String(share.resolved),
        ]
    }

    private static func row(_ share: ReconciliationReport.Share) -> [String] {
        [share.currency, share.state.rawValue, String(share.count), money(share.amount, share.currency)]
    }

    private static func money(_ value: Int64?, _ currency: String) -> String {
        guard let value else { return "beyond 64 bits" }
        guard let known = Currency(alpha: currency) else { return String(value) }
        return Money(value, known).decimalText
    }

    /// - Parameter numbers: The index of the first column with numbers.
    private static func table(_ title: String, _ headings: [String], _ rows: [[String]], numbers: Int) -> String {
        func cells(_ texts: [String], _ tag: String) -> String {
            var cells = ""
            for (index, text) in texts.enumerated() {
                let kind = index >= numbers ? " class=\"n\"" : ""
                cells += "<\(tag)\(kind)>\(ReceiptPage.escaped(text))</\(tag)>"
            }
            return cells
        }
        var body = "<p>Nothing.</p>\n"
        if !rows.isEmpty {
            body = "<table>\n<thead><tr>\(cells(headings, "th"))</tr></thead>\n<tbody>\n"
            for row in rows { body += "<tr>\(cells(row, "td"))</tr>\n" }
            body += "</tbody>\n</table>\n"
        }
        return "<h2>\(ReceiptPage.escaped(title))</h2>\n" + body
    }
}

extension ReportScope {
    /// The scope in words.
    package var sentence: String {
        let days =
            switch (from, to) {
            case (nil, nil): "All days"
            case (let from?, nil): "From \(from)"
            case (nil, let to?): "Up to \(to)"
            case (let from?, let to?): from == to ? "\(from)" : "\(from) to \(to)"
            }
        return days + (merchant.map { ", merchant \($0)" } ?? ", all merchants")
    }
}
