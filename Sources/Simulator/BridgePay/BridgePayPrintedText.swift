import Canonical

/// The printed text of PayGuardian's objects, which some apps send: a line `name: value` for each property under the
/// name of the object, as in the guide's examples.
enum BridgePayPrintedText {
    /// `BPNPayment`.
    static func payment(_ response: JSONObject, _ receipt: JSONObject?) -> String {
        let answer = "BPNPayment.BridgeCommResponse:\n\(properties(response))"
        return receipt.map { "\(answer)\n\n\(self.receipt($0))\n" } ?? "\(answer)\n"
    }

    static func receipt(_ receipt: JSONObject) -> String { "BPNPayment.BPNReceipt:\n\(properties(receipt))" }

    /// The properties without the name of their object.
    static func properties(_ object: JSONObject) -> String {
        object.members.map { member in
            let value = member.value.string ?? ""
            return value.isEmpty ? "\(member.key):" : "\(member.key): \(value)"
        }.joined(separator: "\n")
    }

    /// `NSError`, on three lines.
    static func error(domain: String, code: String, _ text: String) -> String {
        "Error Domain= \(domain)\nCode= \(code) \"\(text)\"\nUserInfo= {NSLocalizedDescription=\(text)}"
    }
}
