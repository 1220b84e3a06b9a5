package import Canonical

/// The names of a family of events that share one payload type.
package protocol ReportName: RawRepresentable<String>, CaseIterable, Sendable, Hashable {
    associatedtype Report: Codable, Sendable, Hashable
}

/// An event of a family that shares one payload type: a name and a report. One about a reader, a checkout or a card moves no
/// money, and is recorded in a payment's stream if it happens during the payment, and otherwise in the stream of the reader
/// or checkout.
package struct ReportEvent<Kind: ReportName>: LedgerEvent {
    package typealias Name = Kind

    package var name: Kind
    package var report: Kind.Report

    package init(_ name: Kind, _ report: Kind.Report) {
        self.name = name
        self.report = report
    }

    package var type: String { name.rawValue }

    package var schema: Int { 1 }

    package var payload: any Encodable { report }

    package init(type: String, schema: Int, data: JSONValue) throws {
        guard schema == 1, let name = Kind(rawValue: type) else { throw UnknownEvent(type: type, schema: schema) }
        self.name = name
        report = try JSONValueDecoder().decode(Kind.Report.self, from: data)
    }
}

/// The events of a stream that records reports: `reader/<vendor>/<serial>`, `checkout/<digest>`.
package enum JournalEvent<Report: LedgerEvent>: LedgerEvent {
    /// A vendor document arrived; the events after it in the same append were read from it.
    case documentReceived(DocumentReceived)
    case report(Report)
    case anomalyRaised(Anomaly)

    package var type: String {
        switch self {
        case .documentReceived: JournalName.documentReceived.rawValue
        case .report(let event): event.type
        case .anomalyRaised: JournalName.anomalyRaised.rawValue
        }
    }

    package var schema: Int { 1 }

    package var payload: any Encodable {
        switch self {
        case .documentReceived(let received): received
        case .report(let event): event.payload
        case .anomalyRaised(let anomaly): anomaly
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        guard schema == 1 else { throw UnknownEvent(type: type, schema: schema) }
        switch JournalName(rawValue: type) {
        case .documentReceived?: self = .documentReceived(try JSONValueDecoder().decode(from: data))
        case .anomalyRaised?: self = .anomalyRaised(try JSONValueDecoder().decode(from: data))
        case nil: self = .report(try Report(type: type, schema: schema, data: data))
        }
    }
}

/// The event names that every report stream has.
package enum JournalName: String, Sendable, Hashable, CaseIterable {
    case documentReceived = "DocumentReceived"
    case anomalyRaised = "AnomalyRaised"
}

package typealias ReaderStreamEvent = JournalEvent<DeviceEvent>
package typealias CheckoutStreamEvent = JournalEvent<CheckoutEvent>

extension JSONValueDecoder {
    fileprivate func decode<Value: Decodable>(from data: JSONValue) throws -> Value {
        try decode(Value.self, from: data)
    }
}

/// A further value in a report, under the vendor's name for it.
package struct Detail: Sendable, Hashable, Codable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
