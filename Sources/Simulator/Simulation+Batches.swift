import Canonical
import Payments

// The batches at the hosts.
extension Simulation {
    /// The terminal at which the batch of a terminal is kept: the merchant's first one if the account has one batch.
    func book(of terminal: Int) -> Int {
        guard world.terminals[terminal].account != nil else { return terminal }
        return world.terminals[terminal].merchant
    }

    func name(of terminal: Int) -> String { "sim\(plan.tag)-\(world.terminals[terminal].id)" }

    /// Closes a terminal's batch after its day.
    mutating func close(_ index: Int, _ midnight: Timestamp, _ random: inout SeededRandom) {
        let terminal = world.terminals[index]
        let merchant = world.merchants[terminal.merchant]
        let sdk = VirtualSDKs.sdk(of: merchant.vendor)
        guard sdk.closesBatches(of: terminal), !open[index].isEmpty else { return }
        let isRefused = planted.plant(
            .batchOutOfBalance,
            if: random.chance(partsPerMillion: plan.faults[.batchOutOfBalance])
        )
        nameAccounts(in: open[index])
        // The host has a sale once, however often an app reports it.
        let totals = BatchTotals(open[index].map { payments[$0] }.filter { $0.tellsAgain == nil })
        var script = Script(
            terminal,
            of: merchant,
            at: hour(merchant.hours.upperBound + 55, of: midnight),
            name: "\(name(of: index))-close-\(day)"
        )
        if isRefused {
            sdk.close(terminal, totals, isRefused: true, into: &script, &random)
            script.wait(seconds: random.within(120...1_200))
        }
        // A batch out of balance is corrected at once, or continues on the next day.
        let isClosed = !isRefused || random.chance(percent: 50)
        if isClosed { sdk.close(terminal, totals, isRefused: false, into: &script, &random) }
        send(script.documents, faults: .none, nil, &random)
        guard isClosed, let closing = script.documents.last else { return }
        let crossing = cross(index, closing.at)
        for number in open[index] {
            payments[number].settle(at: closing.occurredAt, isOnlyInitiated: terminal.isSettledByAccount)
        }
        if let crossing {
            payments[crossing].troubles.append(.settlementFirst)
            troubles[.settlementFirst, default: 0] += 1
        }
        record(open[index], isClosed: true, isOnlyInitiated: terminal.isSettledByAccount)
        open[index] = []
        world.terminals[index].batch += 1
    }

    /// The last document of a payment in the batch arrives after the closing.
    ///
    /// - Returns: The payment's number.
    private mutating func cross(_ index: Int, _ time: Timestamp) -> Int? {
        var random = root.fork("crossing \(day)", index)
        guard random.chance(partsPerMillion: plan.troubles[.settlementFirst]),
            let number = open[index].last(where: { payments[$0].evidence == .complete && payments[$0].net != 0 }),
            let last = waiting.indices.filter({ waiting[$0].document.reference == payments[number].reference })
                .max(by: { waiting[$0].at < waiting[$1].at })
        else { return nil }
        waiting[last].at = max(waiting[last].at, time.adding(microseconds: Int64(random.within(30...900)) * 1_000_000))
        return number
    }

    /// The documents of other payments name the account of a payment's terminal.
    private mutating func nameAccounts(in numbers: [Int]) {
        let named = Dictionary(
            world.terminals.filter(\.isAccountNamed).map { ($0.id, $0.account) },
            uniquingKeysWith: { first, _ in first }
        )
        for number in numbers {
            guard let name = payments[number].batch?.account, let account = named[name] ?? nil else { continue }
            payments[number].batch?.account = account
        }
    }

    mutating func leaveOpen(_ index: Int) {
        nameAccounts(in: open[index])
        record(open[index], isClosed: false)
        open[index] = []
    }

    private mutating func record(_ numbers: [Int], isClosed: Bool, isOnlyInitiated: Bool = false) {
        for (_, members) in Dictionary(grouping: numbers.map { payments[$0] }, by: \.batch) {
            record(members, isClosed: isClosed, isOnlyInitiated: isOnlyInitiated)
        }
    }

    private mutating func record(_ members: [PaymentTruth], isClosed: Bool, isOnlyInitiated: Bool) {
        guard let first = members.first, let name = first.batch else { return }
        let known = members.filter { $0.evidence == .complete }
        let net = members.reduce(0) { $0 + $1.net }
        var sums = MoneySums()
        for payment in known { sums.take(payment) }
        batches.append(
            BatchTruth(
                batch: name,
                // The closing of an account closes nothing that no document names as the account's.
                isClosed: isClosed && !(isOnlyInitiated && name.account == first.terminal),
                isOnlyInitiated: isOnlyInitiated,
                currency: first.currency,
                net: net,
                known: sums,
                unknownNet: net - sums.net,
                members: members.count
            )
        )
    }

    static func sortsBefore(_ left: BatchName, _ right: BatchName) -> Bool {
        func key(_ name: BatchName) -> (String, String, Int, Timestamp) {
            (name.vendor.rawValue, name.account, name.number.flatMap { Int($0) } ?? 0, name.closedAt ?? .latest)
        }
        return key(left) < key(right)
    }
}
