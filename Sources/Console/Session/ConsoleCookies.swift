import HTTPEdge
import HTTPTypes

/// The cookies of the console. All of them stay within it, out of reach of scripts and of other sites.
struct ConsoleCookies: Sendable {
    /// The session.
    static let session = "daybook_session"
    /// What ties the sign-in form to the browser it was sent to.
    static let form = "daybook_form"
    /// The zone in which times are shown.
    static let zone = "daybook_zone"

    private let values: [String: String]

    init(_ fields: HTTPFields) {
        var values: [String: String] = [:]
        for field in fields[values: .cookie] {
            for pair in field.split(separator: ";") {
                let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard sides.count == 2 else { continue }
                // The first of two is the one with the longer path, which is ours.
                if values[String(sides[0])] == nil { values[String(sides[0])] = String(sides[1]) }
            }
        }
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }

    /// The field that sets a cookie; one without a value is taken away.
    ///
    /// - Parameter seconds: How long it is kept.
    static func setting(_ name: String, _ value: String?, seconds: Int64, isSecure: Bool) -> HTTPField {
        let age = value == nil ? 0 : seconds
        let text =
            "\(name)=\(value ?? ""); Path=\(Address.root); Max-Age=\(age); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
        return HTTPField(name: .setCookie, value: text)
    }
}
