package import Canonical

/// A line of a gateway's books. Lines are only added; the last line about a payment counts.
package enum BookEntry: Sendable, Hashable {
    /// The current state of a payment.
    case payment(BookedPayment)
    /// A request arrived for the nth time, counted from 1, with the merchant account it names and its planted fault.
    case call(gateway: StandInGateway, request: String, times: Int, account: String?, fault: String?)
    /// An account's batch was closed; the next one has this number.
    case batch(gateway: StandInGateway, account: String, next: Int)
    /// A request was refused as a duplicate of this payment.
    case repeated(gateway: StandInGateway, payment: String)

    /// The entry as a line of NDJSON.
    package var line: JSONValue {
        get throws {
            switch self {
            case .payment(let payment):
                var object: JSONObject = ["entry": "payment"]
                for member in try JSONValueEncoder().encode(payment).object?.members ?? [:] {
                    object[member.key] = member.value
                }
                return .object(object)
            case .call(let gateway, let request, let times, let account, let fault):
                var object: JSONObject = [
                    "entry": "call", "gateway": .string(gateway.rawValue), "request": .string(request),
                    "times": .number(JSONNumber(Int64(times))),
                ]
                object.set("account", account)
                object.set("fault", fault)
                return .object(object)
            case .batch(let gateway, let account, let next):
                return [
                    "entry": "batch", "gateway": .string(gateway.rawValue), "account": .string(account),
                    "next": .number(JSONNumber(Int64(next))),
                ]
            case .repeated(let gateway, let payment):
                return ["entry": "repeated", "gateway": .string(gateway.rawValue), "payment": .string(payment)]
            }
        }
    }

    /// Appends the line with its line end.
    package func append(to bytes: inout [UInt8]) throws {
        try line.append(to: &bytes)
        bytes.append(0x0A)
    }

    /// - Throws: `UnreadableBooks`, with the line's number, for an invalid line.
    init(_ line: JSONValue, number: Int) throws(UnreadableBooks) {
        let gateway = line["gateway"]?.string.flatMap(StandInGateway.init)
        switch (line["entry"]?.string, gateway) {
        case ("payment", _?):
            do {
                self = .payment(try JSONValueDecoder().decode(BookedPayment.self, from: line))
            } catch {
                throw UnreadableBooks(line: number)
            }
        case ("call", let gateway?):
            guard let request = line["request"]?.string, let times = line["times"]?.int64, times > 0 else {
                throw UnreadableBooks(line: number)
            }
            self = .call(
                gateway: gateway,
                request: request,
                times: Int(times),
                account: line["account"]?.string,
                fault: line["fault"]?.string
            )
        case ("batch", let gateway?):
            guard let account = line["account"]?.string, let next = line["next"]?.int64, next > 0 else {
                throw UnreadableBooks(line: number)
            }
            self = .batch(gateway: gateway, account: account, next: Int(next))
        case ("repeated", let gateway?):
            guard let payment = line["payment"]?.string else { throw UnreadableBooks(line: number) }
            self = .repeated(gateway: gateway, payment: payment)
        default: throw UnreadableBooks(line: number)
        }
    }
}

/// A line that does not belong to a gateway's books.
package struct UnreadableBooks: Error, Hashable {
    /// Counted from 1.
    package let line: Int
}
