import Canonical
import Payments

/// `statusCode` and `status` of a response, and their meaning.
struct HeftStatus {
    /// The vendor's code and text.
    let response: Response
    /// Nil if there is no code and the text is not the vendor's, or belongs to several codes.
    let status: HandpointStatus?
    let exception: HandpointException?
    let anomalies: [Anomaly]
    /// The meaning of the text alone, if several codes share it.
    private let byText: CodeMeaning?

    init(_ details: HandpointDetails) throws {
        let text = try details.body.text("status")
        let message = try details.text("statusmessage")
        let error = try details.text("errormessage")
        let written = details.body.value("statuscode") ?? details.xml?.value("statuscode")
        let code = Self.code(written)
        var found: HandpointStatus?
        var anomalies: [Anomaly] = []
        var byText: CodeMeaning?
        if let code {
            found = HandpointStatus.of(code)
            if found == nil {
                anomalies.append(Anomaly(.unknownValue, "statusCode: \(code) is not a status of the card reader"))
            }
        } else {
            if written != nil { anomalies.append(Anomaly(.malformedField, "statusCode: a number is expected")) }
            let candidates = [message, text].compactMap { $0.map(HandpointStatus.saying) }.first { !$0.isEmpty } ?? []
            if candidates.count == 1 { found = candidates.first }
            let meanings = Set(candidates.map(\.meaning))
            if meanings.count == 1 { byText = meanings.first ?? nil }
        }
        status = found
        exception = text.flatMap(HandpointException.init(text:))
        response = Response(code: code.map(HandpointStatus.code) ?? found?.code, message: message ?? error ?? text)
        self.anomalies = anomalies
        self.byText = byText
    }

    /// True if the response has a code or a message.
    var isThere: Bool { response.code != nil || response.message != nil }

    /// The meaning for a payment that ends with it; nil if it has none.
    var meaning: CodeMeaning? { status?.meaning ?? exception?.meaning ?? byText }

    /// A number is the code itself; a text of four digits is the hexadecimal form of the vendor's tables.
    ///
    /// - Returns: Nil if the value is absent or not a number.
    private static func code(_ value: JSONValue?) -> Int? {
        switch value {
        case .number(let number): return Int(number.literal)
        case .string(let text):
            let digits = text.lowercased().hasPrefix("0x") ? text.dropFirst(2) : text[...]
            let isHexadecimal = digits.utf8.count < text.utf8.count || text.utf8.count == 4
            return isHexadecimal && digits.utf8.count <= 4 ? Int(digits, radix: 16) : Int(text)
        default: return nil
        }
    }
}
