import HTTPEdge
import HTTPTypes

/// The cookies of the console: limited to its path, and not readable by scripts or other sites.
struct ConsoleCookies: Sendable {
    /// The token of the session.
    static let session = "daybook_session"
    /// The token that binds the sign-in form to the browser that received it.
    static let form = "daybook_form"
    /// The time zone in which times are shown.
    static let zone = "daybook_zone"

    private let values: [String: String]

    init(_ fields: HTTPFields) {
        var values: [String: String] = [:]
        for field in fields[values: .cookie] {
            for pair in field.split(separator: ";") {
                let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                guard sides.count == 2 else { continue }
                // The first of two cookies has the longer path, which is the path of the console.
                if values[String(sides[0])] == nil { values[String(sides[0])] = String(sides[1]) }
            }
        }
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }

    /// The header field that sets a cookie, or removes it if there is no value.
    ///
    /// - Parameter seconds: The lifetime of the cookie.
    static func setting(_ name: String, _ value: String?, seconds: Int64, isSecure: Bool) -> HTTPField {
        let age = value == nil ? 0 : seconds
        let text =
            "\(name)=\(value ?? ""); Path=\(Address.root); Max-Age=\(age); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
        return HTTPField(name: .setCookie, value: text)
    }
}
