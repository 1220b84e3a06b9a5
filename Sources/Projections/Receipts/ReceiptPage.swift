import Crypto
package import Payments

/// A self-contained HTML page of a receipt, for screens, screen readers, printer rolls of 58 and 80 mm, and sheets.
package enum ReceiptPage {
    /// The page of a copy.
    ///
    /// - Parameter tipLine: Whether to print a line for a tip if one can still be added.
    package static func render(_ receipt: Receipt, copy: ReceiptCopy, tipLine: Bool = false) -> String {
        let layout = ReceiptLayout(receipt, copy: copy, tipLine: tipLine)
        var page = Page()
        page.line("<!doctype html>")
        page.line("<html lang=\"en\">")
        page.line("<head>")
        page.line("<meta charset=\"utf-8\">")
        page.line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        page.line("<title>\(escaped(layout.title.capitalizedFirst)), \(copy.rawValue) copy</title>")
        page.line("<style>\(style)</style>")
        page.line("</head>")
        page.line("<body>")
        page.line("<main>")
        page.line("<h1>\(escaped(layout.title))</h1>")
        if let mark = layout.mark { page.line("<p class=\"mark\"><strong>\(escaped(mark))</strong></p>") }
        for group in layout.groups { page.list(group) }
        page.list(layout.amounts, name: "amounts")
        if !layout.blanks.isEmpty {
            page.line("<section aria-label=\"To be filled in\">")
            for label in layout.blanks {
                page.line("<p class=\"blank\"><span>\(escaped(label))</span><span class=\"rule\"></span></p>")
            }
            page.line("</section>")
        }
        page.line("<section aria-label=\"Result\">")
        for statement in layout.statements { page.line("<p class=\"statement\">\(escaped(statement))</p>") }
        page.line("</section>")
        if layout.isSigned {
            page.line("<p class=\"blank sign\"><span class=\"rule\"></span></p>")
            page.line("<p class=\"statement\">SIGNATURE</p>")
        }
        page.line("<p class=\"statement\">\(escaped(layout.footer))</p>")
        page.line("</main>")
        page.line("</body>")
        page.line("</html>")
        return page.text
    }

    /// The policy that lets a browser apply the page's style and nothing else.
    package static let contentSecurityPolicy =
        "default-src 'none'; style-src 'sha256-\(base64(SHA256.hash(data: Array(style.utf8))))'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// The text escaped for element content and attribute values.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private struct Page {
        var text = ""

        mutating func line(_ line: String) { text += line + "\n" }

        /// Label and value pairs. Screen readers read each pair as one line.
        mutating func list(_ group: ReceiptLayout.Group, name: String? = nil) {
            guard !group.lines.isEmpty else { return }
            line("<section aria-label=\"\(escaped(group.heading))\">")
            line("<dl\(name.map { " class=\"\($0)\"" } ?? "")>")
            for pair in group.lines {
                let row = pair.isStrong ? "<div class=\"strong\">" : "<div>"
                // Text from a document keeps its own direction and does not affect other text.
                line("\(row)<dt>\(escaped(pair.label))</dt><dd><bdi>\(escaped(pair.value))</bdi></dd></div>")
            }
            line("</dl>")
            line("</section>")
        }
    }

    package static func base64(_ bytes: some Sequence<UInt8>) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bytes = Array(bytes)
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = (group + Array(repeating: 0, count: 3 - group.count)).reduce(0) { $0 << 8 | Int($1) }
            for place in 0..<4 {
                text += place <= group.count ? String(alphabet[bits >> (18 - 6 * place) & 63]) : "="
            }
        }
        return text
    }

    /// On a roll, the page is as wide as the paper; on a sheet, it is a centred column.
    private static let style = """
        :root{color-scheme:light}
        *{box-sizing:border-box}
        body{margin:0;background:#fff;color:#000;font:16px/1.4 system-ui,"Segoe UI",Roboto,Arial,sans-serif}
        main{max-width:24rem;margin:1rem auto;padding:1rem;border:1px solid #767676}
        h1{margin:0 0 .5rem;font-size:1.25em;text-align:center}
        p{margin:.25rem 0}
        section{border-top:1px dashed #000;padding:.4rem 0;break-inside:avoid}
        dl{margin:0}
        dl div{display:flex;gap:1em;justify-content:space-between}
        dt{flex:none}
        dd{margin:0;text-align:right;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
        .strong{font-weight:bold;font-size:1.15em}
        .mark,.statement{text-align:center}
        .blank{display:flex;gap:.5em;align-items:flex-end;height:2.4em}
        .rule{flex:1;border-bottom:1px solid #000}
        .sign{height:4em}
        @page{margin:0}
        @media print{main{max-width:none;margin:0;padding:2mm;border:0}body{font-size:9pt}}
        @media print and (max-width:64mm){body{font-size:7.5pt;line-height:1.25}main{padding:1mm}}
        @media print and (min-width:120mm){body{font-size:11pt}main{max-width:110mm;margin:15mm auto}}
        """
}

extension String {
    /// `SALE COMPLETION` as `Sale completion`.
    fileprivate var capitalizedFirst: String { prefix(1) + dropFirst().lowercased() }
}
