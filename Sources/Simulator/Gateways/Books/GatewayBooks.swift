import Canonical
import Payments

/// The gateways' own records of their payments: the truth that a ledger is compared with.
///
/// Pure: the caller takes the added entries and stores them.
package struct GatewayBooks: Sendable {
    /// In the order they were made.
    package private(set) var payments: [BookedPayment] = []
    private var repeats: [StandInGateway: Int] = [:]
    private var byID: [Name: Int] = [:]
    private var byReference: [Name: [Int]] = [:]
    private var byInvoice: [Name: [Int]] = [:]
    private var batches: [Name: Int] = [:]
    private var calls: [Name: Int] = [:]
    private var accountCalls: [Name: Int] = [:]
    private var added: [BookEntry] = []

    private struct Name: Hashable {
        let gateway: StandInGateway
        let text: String
    }

    package init() {}

    /// Reads books from their lines.
    ///
    /// A last line without a line end was being written when the writer ended, and its call was never answered: it is
    /// skipped.
    ///
    /// - Throws: `UnreadableBooks`.
    package init(ndjson bytes: [UInt8]) throws(UnreadableBooks) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        for (index, line) in lines.enumerated() where !line.isEmpty {
            guard let json = try? JSONValue(parsing: Array(line)) else { throw UnreadableBooks(line: index + 1) }
            apply(try BookEntry(json, number: index + 1))
        }
    }

    /// The entries added since the last call.
    package mutating func takeAdded() -> [BookEntry] {
        defer { added = [] }
        return added
    }

    private mutating func add(_ entry: BookEntry) {
        apply(entry)
        added.append(entry)
    }

    private mutating func apply(_ entry: BookEntry) {
        switch entry {
        case .payment(let payment):
            let id = Name(gateway: payment.gateway, text: payment.id)
            if let position = byID[id] { return payments[position] = payment }
            byID[id] = payments.count
            byReference[Name(gateway: payment.gateway, text: payment.reference), default: []].append(payments.count)
            if let invoice = payment.invoice {
                byInvoice[Name(gateway: payment.gateway, text: invoice), default: []].append(payments.count)
            }
            payments.append(payment)
        case .call(let gateway, let request, let times, let account, _):
            calls[Name(gateway: gateway, text: request)] = times
            if let account { accountCalls[Name(gateway: gateway, text: account), default: 0] += 1 }
        case .batch(let gateway, let account, let next): batches[Name(gateway: gateway, text: account)] = next
        case .repeated(let gateway, _): repeats[gateway, default: 0] += 1
        }
    }

    // MARK: Writing

    /// Records a payment or its new state.
    mutating func write(_ payment: BookedPayment) { add(.payment(payment)) }

    /// Counts a request, from 1.
    mutating func count(
        _ request: String,
        of account: String?,
        at gateway: StandInGateway,
        fault: (_ times: Int) -> String?
    ) -> Int {
        let times = (calls[Name(gateway: gateway, text: request)] ?? 0) + 1
        add(.call(gateway: gateway, request: request, times: times, account: account, fault: fault(times)))
        return times
    }

    mutating func noteRepeat(of payment: BookedPayment) {
        add(.repeated(gateway: payment.gateway, payment: payment.id))
    }

    /// Closes an account's batch: captured payments are settled and can only be refunded.
    ///
    /// - Returns: The settled payments, refunds included. If there are none, it is empty and the batch stays open.
    mutating func settle(_ account: String, at gateway: StandInGateway) -> [BookedPayment] {
        let open = payments.filter {
            $0.gateway == gateway && $0.account == account && $0.state == .captured && !$0.isSettled
        }
        guard !open.isEmpty else { return [] }
        let settled = open.map { payment in
            var payment = payment
            payment.isSettled = true
            return payment
        }
        for payment in settled { write(payment) }
        add(.batch(gateway: gateway, account: account, next: batch(of: account, at: gateway) + 1))
        return settled
    }

    /// Closes the batches of every account of a gateway.
    package mutating func settleAll(at gateway: StandInGateway) -> [BookedPayment] {
        var seen: Set<String> = []
        let accounts = payments.filter { $0.gateway == gateway }.map(\.account).filter { seen.insert($0).inserted }
        return accounts.flatMap { settle($0, at: gateway) }
    }

    // MARK: Reading

    /// The number of the open batch, from 1.
    func batch(of account: String, at gateway: StandInGateway) -> Int {
        batches[Name(gateway: gateway, text: account)] ?? 1
    }

    /// The next number for ids.
    var nextNumber: Int { payments.count + 1 }

    package func payment(_ id: String, at gateway: StandInGateway) -> BookedPayment? {
        byID[Name(gateway: gateway, text: id)].map { payments[$0] }
    }

    package func payments(reference: String, at gateway: StandInGateway) -> [BookedPayment] {
        (byReference[Name(gateway: gateway, text: reference)] ?? []).map { payments[$0] }
    }

    package func payments(invoice: String, at gateway: StandInGateway) -> [BookedPayment] {
        (byInvoice[Name(gateway: gateway, text: invoice)] ?? []).map { payments[$0] }
    }

    /// The number of requests refused as duplicates of a payment.
    package func refusedRepeats(at gateway: StandInGateway? = nil) -> Int {
        gateway.map { repeats[$0] ?? 0 } ?? repeats.values.reduce(0, +)
    }

    /// The number of requests that named each merchant account, by account. Only BridgeComm's are counted.
    package func requests(at gateway: StandInGateway) -> [String: Int] {
        var requests: [String: Int] = [:]
        for (name, count) in accountCalls where name.gateway == gateway { requests[name.text] = count }
        return requests
    }

    /// The number of times that this request arrived.
    package func timesAsked(_ request: String, at gateway: StandInGateway) -> Int {
        calls[Name(gateway: gateway, text: request)] ?? 0
    }
}
