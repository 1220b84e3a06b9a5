import XML

/// The reader of XML on any document: what it reads, it reads again from what is written of it.
enum XMLFuzzing {
    static func run(_ input: [UInt8]) -> String? {
        guard let tree = try? XMLTree(parsing: input) else { return nil }
        guard let again = try? XMLTree(parsing: Array(tree.xml.utf8)) else { return "a written document is not read" }
        return again.xml == tree.xml ? nil : "a written document is read as another one"
    }

    static let seeds: [[UInt8]] = [
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><s:Envelope xmlns:s=\"u\"><s:Body><r>QQ==</r></s:Body></s:Envelope>",
        "<Auth><!-- a --><GatewayMessage x='1'><![CDATA[A01 - <Approved>]]></GatewayMessage><Token/></Auth>",
        "<!DOCTYPE b [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><Auth>&b;</Auth>",
        "<a>&amp;&lt;&#65;&#x42;\r\n]] ></a>\n<?p q?>",
    ].map { Array($0.utf8) }
}
