import Canonical
import Payments

enum JSONReply {
    private static let limits = JSONLimits(maximumBytes: 1 << 20, maximumDepth: 32)

    /// - Throws: `malformed` for anything but one object.
    static func object(_ body: [UInt8]) throws(GatewayFailure) -> JSONObject {
        let value: JSONValue
        do throws(JSONParseError) {
            // The byte order mark is not part of the text.
            let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
            value = try JSONValue(parsing: text, limits: limits)
        } catch {
            throw GatewayFailure(.malformed, "The answer is not JSON.")
        }
        guard let object = value.object else { throw GatewayFailure(.malformed, "The answer is not a JSON object.") }
        return object
    }
}

extension Money {
    /// The amount in major units as a JSON number: `12.30`.
    var jsonFigure: JSONValue { .number(JSONNumber(literal: decimalText) ?? 0) }
}

extension JSONObject {
    /// Sets a member; does nothing without a value.
    mutating func set(_ name: String, _ value: JSONValue?) {
        if let value { self[name] = value }
    }
}
