package import Canonical
package import Payments

/// One wallet checkout, as its events so far tell it.
package struct CheckoutView: Sendable, Hashable, Codable {
    /// How far it came. Events arrive in any order, so of two ends the one further down stands: whatever else was told,
    /// a checkout that was completed was paid.
    package enum Status: String, Sendable, Hashable, Codable, CaseIterable {
        case open
        /// The token was given back unused.
        case released
        case expired
        case blocked
        case cancelled
        case completed

        fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// What was told last.
    package struct State: Sendable, Hashable, Codable {
        package var event: String
        package var response: Response
        package var at: Timestamp
    }

    /// The most payments, and the most details, that are kept of one checkout.
    package static let longestList = 64

    /// The digest of its token, as in the name of its stream.
    package var id: String
    package var vendor: Vendor
    package var status = Status.open
    package var state: State?
    /// What was last said to be due.
    package var amounts: Amounts?
    /// The payments on whose streams it is told of, in the order they were told.
    package var transactions: [String] = []
    /// Offers, tenders and whatever else was told of it, each once.
    package var details: [Detail] = []
    /// How often something was refused.
    package var failures = 0
    package var events = 0
    package var firstSeen: Timestamp
    package var lastSeen: Timestamp
    package var firstPosition: Int64
    package var lastPosition: Int64

    init(_ id: String, vendor: Vendor, at: Timestamp, position: Int64) {
        self.id = id
        self.vendor = vendor
        firstSeen = at
        lastSeen = at
        firstPosition = position
        lastPosition = position
    }

    /// - Parameters:
    ///   - payment: The payment on whose stream it stands; nil where it stands on its own.
    ///   - at: The clock of the vendor, else of whoever sent it.
    mutating func fold(_ event: CheckoutEvent, of payment: UUID128?, at: Timestamp, position: Int64) {
        let report = event.report
        events += 1
        lastPosition = position
        firstSeen = min(firstSeen, at)
        lastSeen = max(lastSeen, at)
        state = State(event: event.type, response: report.response, at: at)
        amounts = report.amounts ?? amounts
        if let payment, !transactions.contains(payment.description), transactions.count < Self.longestList {
            transactions.append(payment.description)
        }
        for detail in report.details ?? [] where details.count < Self.longestList && !details.contains(detail) {
            details.append(detail)
        }
        let reported: Status =
            switch event.name {
            case .checkoutCompleted: .completed
            case .checkoutCancelled: .cancelled
            case .checkoutTokenBlocked: .blocked
            case .checkoutTokenExpired: .expired
            case .checkoutTokenReleased: .released
            default: .open
            }
        if reported.rank > status.rank { status = reported }
        if event.name == .checkoutFailed || event.name == .checkoutTokenInUse { failures += 1 }
    }

    /// The JSON form of a checkout.
    package var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "vendor": .string(vendor.rawValue), "status": .string(status.rawValue),
        ]
        if let state {
            object["state"] = [
                "event": .string(state.event), "response": state.response.json, "at": .string(state.at.rfc3339),
            ]
        }
        if let amounts { object["amounts"] = amounts.json }
        object["transactions"] = .array(transactions.map(JSONValue.string))
        object["details"] = .array(details.map { ["name": .string($0.name), "value": .string($0.value)] })
        object["failures"] = .number(.init(Int64(failures)))
        object["events"] = .number(.init(Int64(events)))
        object.set("firstSeen", firstSeen)
        object.set("lastSeen", lastSeen)
        object["firstPosition"] = .number(.init(firstPosition))
        object["lastPosition"] = .number(.init(lastPosition))
        return .object(object)
    }
}
