package import Canonical
package import Payments

/// One card reader or terminal, folded from its events.
package struct ReaderView: Sendable, Hashable, Codable {
    /// One kind of error, with a count.
    package struct Fault: Sendable, Hashable, Codable {
        /// The vendor's code, else the vendor's text.
        package var kind: String
        package var message: String?
        package var count: Int
        package var lastAt: Timestamp
        package var lastPosition: Int64
    }

    /// An update of the reader's software or configuration.
    package struct Update: Sendable, Hashable, Codable {
        package enum Status: String, Sendable, Hashable, Codable, CaseIterable {
            case due, done, failed
        }
        /// The updated component, as the vendor names it; nil when the vendor does not name it.
        package var name: String?
        package var status: Status
        /// Whether the vendor demands it; nil if it does not say.
        package var isMandatory: Bool?
        package var at: Timestamp
        package var position: Int64
    }

    /// The last event and response about the reader.
    package struct State: Sendable, Hashable, Codable {
        package var event: String
        package var response: Response
        package var at: Timestamp
    }

    /// The payment in progress on the reader.
    package struct Payment: Sendable, Hashable, Codable {
        package var transaction: String
        package var since: Timestamp
    }

    /// The most kinds of errors, and the most updates, kept for one reader.
    package static let longestList = 64

    package var reader: ReaderReference
    /// How well `reader` identifies it.
    private(set) var role = ReaderNames.Role.name
    /// Its other names, each with its role.
    package private(set) var names: [Detail] = []
    package var isConnected: Bool?
    package var state: State?
    package var model: String?
    /// Versions by component, in the order in which the components were first reported.
    package var versions: [Detail] = []
    /// In percent.
    package var battery: Int?
    package var isCharging: Bool?
    /// Whether the reader holds the result of a payment that the app has not fetched; nil if it never reported that.
    package var holdsResult: Bool?
    package var firstSeen: Timestamp
    package var lastSeen: Timestamp
    package var payment: Payment?
    /// The number of payments that the reader took part in.
    package var payments = 0
    /// The newest of those payments.
    private var lastPayment: String?
    package var faults: [Fault] = []
    package var updates: [Update] = []
    package var events = 0
    package var firstPosition: Int64
    package var lastPosition: Int64

    init(_ reader: ReaderReference, at: Timestamp, position: Int64) {
        self.reader = reader
        firstSeen = at
        lastSeen = at
        firstPosition = position
        lastPosition = position
    }

    /// True while an update was found and not installed.
    package var isUpdateDue: Bool { updates.contains { $0.status == .due } }

    /// True while a mandatory update was found and not installed, also if its installation failed.
    package var isMandatoryUpdateDue: Bool { updates.contains { $0.status != .done && $0.isMandatory == true } }

    /// - Parameters:
    ///   - payment: The payment whose stream holds the event; nil for an event on the reader's own stream.
    ///   - isOpen: True while that payment has no outcome.
    ///   - at: The time by the device's clock, else by the sender's.
    mutating func fold(_ event: DeviceEvent, of payment: UUID128?, isOpen: Bool, at: Timestamp, position: Int64) {
        let report = event.report
        events += 1
        lastPosition = position
        firstSeen = min(firstSeen, at)
        lastSeen = max(lastSeen, at)
        state = State(event: event.type, response: report.response, at: at)
        model = report.identity?.model ?? model
        for version in report.identity?.versions ?? [] { learn(version) }
        battery = report.battery ?? battery
        isCharging = report.isCharging ?? isCharging
        for detail in report.details ?? [] { note(result: detail) }
        if let payment {
            count(payment)
            if isOpen, !isBusy(with: payment) {
                self.payment = Payment(transaction: payment.description, since: at)
            }
        }
        if let details = report.details { clearUpdates(details) }
        switch event.name {
        case .readerConnected: isConnected = true
        case .readerDisconnected: isConnected = false
        case .readerErrorReported: count(report.response, at: at, position: position)
        case .readerUpdateFound: note(.due, report, at: at, position: position)
        case .readerUpdated: note(.done, report, at: at, position: position)
        case .readerUpdateFailed:
            note(.failed, report, at: at, position: position)
            count(report.response, at: at, position: position)
        default: break
        }
    }

    /// Records another name of the reader.
    mutating func know(_ name: String, as role: ReaderNames.Role) {
        let known = Detail(role.rawValue, name)
        guard name != reader.serial, !names.contains(known), names.count < Self.longestList else { return }
        names.append(known)
    }

    /// Records that `reader` is known in this role.
    mutating func raise(_ role: ReaderNames.Role) { self.role = max(self.role, role) }

    /// Takes over everything that was reported under another name.
    mutating func take(_ other: ReaderView) {
        let isLater = other.lastPosition > lastPosition
        // The digest of a name, in the name of a stream, is not shown.
        if !other.reader.serial.hasPrefix("sha256") { know(other.reader.serial, as: other.role) }
        for name in other.names { ReaderNames.Role(rawValue: name.name).map { know(name.value, as: $0) } }
        isConnected = isLater ? other.isConnected ?? isConnected : isConnected ?? other.isConnected
        state = isLater ? other.state ?? state : state ?? other.state
        model = isLater ? other.model ?? model : model ?? other.model
        battery = isLater ? other.battery ?? battery : battery ?? other.battery
        isCharging = isLater ? other.isCharging ?? isCharging : isCharging ?? other.isCharging
        holdsResult = isLater ? other.holdsResult ?? holdsResult : holdsResult ?? other.holdsResult
        for version in other.versions where isLater || !versions.contains(where: { $0.name == version.name }) {
            learn(version)
        }
        firstSeen = min(firstSeen, other.firstSeen)
        lastSeen = max(lastSeen, other.lastSeen)
        payment = isLater ? other.payment ?? payment : payment ?? other.payment
        payments += other.payments - (lastPayment != nil && lastPayment == other.lastPayment ? 1 : 0)
        lastPayment = isLater ? other.lastPayment ?? lastPayment : lastPayment ?? other.lastPayment
        for fault in other.faults {
            if let index = faults.firstIndex(where: { $0.kind == fault.kind }) {
                let count = faults[index].count + fault.count
                if fault.lastPosition > faults[index].lastPosition { faults[index] = fault }
                faults[index].count = count
            } else if faults.count < Self.longestList {
                faults.append(fault)
            }
        }
        updates = (updates + other.updates).sorted { $0.position < $1.position }
        // The newest status of each update counts.
        updates = updates.enumerated().filter { index, update in
            !updates[(index + 1)...].contains { $0.name == update.name }
        }.map(\.element)
        events += other.events
        firstPosition = min(firstPosition, other.firstPosition)
        lastPosition = max(lastPosition, other.lastPosition)
    }

    func isBusy(with transaction: UUID128) -> Bool { payment?.transaction == transaction.description }

    /// Ends the payment in progress, because it has an outcome.
    mutating func finish(_ transaction: UUID128, position: Int64) {
        guard isBusy(with: transaction) else { return }
        payment = nil
        lastPosition = position
    }

    private mutating func count(_ payment: UUID128) {
        guard lastPayment != payment.description else { return }
        lastPayment = payment.description
        payments += 1
    }

    private mutating func note(result detail: Detail) {
        switch detail.name {
        case "TransactionResultPending": holdsResult = detail.value == "true"
        case "pendingResult": holdsResult = detail.value != "none"
        default: break
        }
    }

    private mutating func learn(_ version: Detail) {
        if let index = versions.firstIndex(where: { $0.name == version.name }) {
            versions[index] = version
        } else if versions.count < Self.longestList {
            versions.append(version)
        }
    }

    private mutating func count(_ response: Response, at: Timestamp, position: Int64) {
        let kind = response.code ?? response.message ?? "unknown"
        if let index = faults.firstIndex(where: { $0.kind == kind }) {
            faults[index].count += 1
            faults[index].message = response.message ?? faults[index].message
            faults[index].lastAt = at
            faults[index].lastPosition = position
        } else if faults.count < Self.longestList {
            faults.append(
                Fault(kind: kind, message: response.message, count: 1, lastAt: at, lastPosition: position)
            )
        }
    }

    /// Removes what a check for updates covered and no longer found. A failure without a name is over after any check.
    private mutating func clearUpdates(_ details: [Detail]) {
        let isComplete = details.contains(.noUpdatesDue)
        let components = details.filter { $0.name == Detail.componentUpToDate }.map(\.value)
        guard isComplete || !components.isEmpty else { return }
        updates.removeAll { update in
            guard update.status != .done else { return false }
            return isComplete || update.name.map { components.contains($0) } ?? (update.status == .failed)
        }
    }

    /// The names of the details that name the updated component.
    private static let updateNames = ["update", "module"]

    /// Records the newest status of an update. A finished update also removes an update without a name. A finished
    /// update without a name removes every update that is not done.
    private mutating func note(_ status: Update.Status, _ report: DeviceReport, at: Timestamp, position: Int64) {
        let name = report.details?.first { Self.updateNames.contains($0.name) }?.value
        let reported = report.details?.first { $0.name == "mandatory" }.map { $0.value == "true" }
        // A failure may leave out what the check has reported.
        let isMandatory = reported ?? updates.last { $0.name == name && $0.status != .done }?.isMandatory
        updates.removeAll { update in
            if update.name == name { return true }
            return status == .done && (update.name == nil || name == nil && update.status != .done)
        }
        updates.append(Update(name: name, status: status, isMandatory: isMandatory, at: at, position: position))
        if updates.count > Self.longestList { updates.removeFirst() }
    }
}
