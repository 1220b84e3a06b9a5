import Canonical
import DaybookTestKit
import Gateways
import HTTPRequests
import Payments
import Synchronization

/// The app: sells at the gateway and records the outcomes that it knows in the ledger.
struct ProofApp: Sendable {
    let tenant: ProofTenant
    let seed: UInt64
    let note: @Sendable (String) -> Void

    struct Sold: Sendable {
        /// The payments by the references with which they were sent to the gateway.
        var payments: [String: String] = [:]
        /// The number of payments with an unknown outcome.
        var doubts = 0
    }

    private static let concurrent = 16
    /// The number of answered sales recorded with one request.
    private static let batch = 100
    static let token = "11110000000000001111"

    /// The number of sales so far.
    private final class Counter: Sendable {
        private let count = Atomic(0)
        func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }

    func sell(_ count: Int) async throws -> Sold {
        let counter = Counter()
        return try await withThrowingTaskGroup(of: Sold.self) { group in
            for worker in 0..<Self.concurrent {
                group.addTask { try await sell(count, worker: worker, counter) }
            }
            return try await group.reduce(into: Sold()) { all, some in
                all.payments.merge(some.payments) { $1 }
                all.doubts += some.doubts
            }
        }
    }

    private func sell(_ count: Int, worker: Int, _ counter: Counter) async throws -> Sold {
        var random = SeededGenerator(seed: seed &+ UInt64(worker))
        var sold = Sold()
        var answered: [(reference: String, record: JSONValue)] = []
        for number in stride(from: worker + 1, through: count, by: Self.concurrent) {
            let reference = "\(tenant.prefix)-\(number)"
            // Most are approved, some are declined, and for some the network gives no answer.
            let cents =
                number % 20 == 0
                ? Int64.random(in: 12_000...14_999, using: &random)
                : Int64.random(in: 500...6_999, using: &random)
            if let record = await ask(reference, number, Money(cents, .usd)) {
                answered.append((reference, record))
            } else {
                sold.payments[reference] = try await tenant.recordDoubt(
                    reference,
                    invoice: invoice(number),
                    Money(cents, .usd).decimalText,
                    account: tenant.account,
                    from: number
                )
                sold.doubts += 1
            }
            if answered.count == Self.batch { try await record(&answered, &sold, number) }
            let sum = counter.next()
            if sum % 5_000 == 0 { note("\(tenant.name) sold \(sum)") }
        }
        try await record(&answered, &sold, worker)
        return sold
    }

    private func invoice(_ number: Int) -> String { "\(tenant.prefix.uppercased())\(number)" }

    /// - Returns: The SDK's document of the answer; nil if there is none.
    private func ask(_ reference: String, _ number: Int, _ amount: Money) async -> JSONValue? {
        let call = GatewayCall(
            .sale,
            reference: reference,
            amount: amount,
            invoice: invoice(number),
            token: Secret(Self.token)
        )
        guard case .answered(let answer) = await tenant.gateway.call(call), let document = answer.document else {
            return nil
        }
        return ["kind": .string(document.kind), "transaction": .string(reference), "body": document.body]
    }

    private func record(
        _ answered: inout [(reference: String, record: JSONValue)],
        _ sold: inout Sold,
        _ number: Int
    ) async throws {
        guard !answered.isEmpty else { return }
        var lines: [UInt8] = []
        for record in answered { lines += record.record.canonicalBytes + [0x0A] }
        var turn = number
        while true {
            let answer = try await tenant.api.send(
                "POST",
                "/v1/intake/bridgepay",
                lines,
                type: "application/x-ndjson",
                key: tenant.api.app,
                from: turn
            )
            turn += 1
            let reported = try answer.text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            // Records accepted before the database went down are sent again.
            if reported.contains(where: { $0["status"]?.int64 ?? 0 >= 500 }) { continue }
            guard reported.count == answered.count else {
                throw TestKitError("\(reported.count) answers: \(answer.text)")
            }
            for (record, line) in zip(answered, reported) {
                guard let id = line["answer"]?["transaction"]?.string else { throw TestKitError(line.text) }
                sold.payments[record.reference] = id
            }
            answered = []
            return
        }
    }
}
