import Canonical
import Matching
import Payments

/// A running simulation. Days are played one after the other, so that only one day and the late documents are in
/// memory.
package struct Simulation: Sendable {
    package let plan: SimulationPlan
    /// The truth so far, in the order the payments were made.
    package internal(set) var payments: [PaymentTruth] = []
    /// All closed batches, and after the last day the open ones.
    package internal(set) var batches: [BatchTruth] = []
    /// The opportunities and the occurrences of each fault.
    package internal(set) var planted = PlantedFaults()
    /// The number of payments, and for a trouble of closings of batches, that had each trouble.
    package internal(set) var troubles: [Trouble: Int] = [:]

    var world: World
    let root: SeededRandom
    var day = 0
    /// Deliveries that are due on a later day.
    var waiting: [Delivery] = []
    private var order = 0
    private var visits = 0
    /// The payments in each open batch, by their numbers. A batch is kept at a terminal: see `book`.
    var open: [[Int]]
    /// The last plain sale of each terminal, by its number among the payments.
    private var plainSales: [Int: Int] = [:]
    /// How often the tables of each vendor's document were played.
    private var turns: [Vendor: Int] = [:]

    package init(_ plan: SimulationPlan) {
        self.plan = plan
        world = World(plan)
        root = SeededRandom(seed: plan.seed).fork("days")
        open = Array(repeating: [], count: plan.terminals)
    }

    package var merchants: [Merchant] { world.merchants }

    /// Plays the next day.
    ///
    /// - Returns: The deliveries of that day, in order; after the last day the waiting ones; then nil.
    package mutating func nextDay() -> [Delivery]? {
        guard day < plan.days else {
            guard day == plan.days else { return nil }
            day += 1
            for index in open.indices { leaveOpen(index) }
            batches.sort { Self.sortsBefore($0.batch, $1.batch) }
            return take(before: .latest)
        }
        let midnight = plan.firstDay.adding(microseconds: Int64(day) * Self.dayLength)
        play(from: midnight, root.fork("day", day))
        day += 1
        return take(before: midnight.adding(microseconds: Self.dayLength))
    }

    private static let dayLength: Int64 = 86_400_000_000

    private mutating func take(before end: Timestamp) -> [Delivery] {
        waiting.sort(by: Delivery.isBefore)
        let index = waiting.firstIndex { $0.at >= end } ?? waiting.endIndex
        let due = Array(waiting[..<index])
        waiting.removeSubrange(..<index)
        return due
    }

    // MARK: A day

    private mutating func play(from midnight: Timestamp, _ random: SeededRandom) {
        var random = random
        var visits: [(terminal: Int, at: Timestamp)] = (0..<share(of: day)).map { _ in
            let terminal = random.below(world.terminals.count)
            let merchant = world.merchants[world.terminals[terminal].merchant]
            return (terminal, midnight.adding(microseconds: merchant.moment(&random)))
        }
        visits.sort { ($0.at, $0.terminal) < ($1.at, $1.terminal) }
        var outages: [Int: Range<Timestamp>] = [:]
        for terminal in Set(visits.map(\.terminal)).sorted() {
            var own = random.fork("terminal", terminal)
            if let outage = begin(terminal, midnight, &own) { outages[terminal] = outage }
        }
        for (terminal, at) in visits { visit(terminal, at: at, midnight, outages[terminal]) }
        for terminal in Set(visits.map { book(of: $0.terminal) }).sorted() {
            var own = random.fork("close", terminal)
            close(terminal, midnight, &own)
        }
    }

    /// The number of payments of a day. The last days have at least as many as the first.
    private func share(of day: Int) -> Int {
        plan.transactions * (day + 1) / plan.days - plan.transactions * day / plan.days
    }

    func hour(_ minutes: Int, of midnight: Timestamp) -> Timestamp {
        midnight.adding(microseconds: Int64(minutes) * 60_000_000)
    }

    /// Switches a terminal on.
    ///
    /// - Returns: The time without network, if any.
    private mutating func begin(
        _ index: Int,
        _ midnight: Timestamp,
        _ random: inout SeededRandom
    ) -> Range<Timestamp>? {
        let merchant = world.merchants[world.terminals[index].merchant]
        world.terminals[index].skew = 0
        if planted.plant(.clockSkew, if: random.chance(partsPerMillion: plan.faults[.clockSkew])) {
            let minutes = random.pick([(3, weight: 4), (61, weight: 3), (26 * 60, weight: 2), (3 * 525_960, weight: 1)])
            world.terminals[index].skew = Int64(minutes) * 60_000_000 * (random.chance(percent: 50) ? 1 : -1)
        }
        let sdk = VirtualSDKs.sdk(of: merchant.vendor)
        var script = Script(
            world.terminals[index],
            of: merchant,
            at: hour(merchant.hours.lowerBound - 20, of: midnight),
            name: "\(name(of: index))-open-\(day)"
        )
        sdk.open(&world.terminals[index], into: &script, &random)
        send(script.documents, faults: .none, nil, &random)
        guard planted.plant(.offline, if: random.chance(partsPerMillion: plan.faults[.offline])) else { return nil }
        let span = merchant.hours
        let start = random.within(span.lowerBound...span.upperBound - 60)
        // Sometimes the upload is delayed until long after the batch is closed.
        let end = random.chance(percent: 30) ? span.upperBound + 180 : start + random.within(60...240)
        return hour(start, of: midnight)..<hour(end, of: midnight)
    }

    private mutating func visit(_ index: Int, at time: Timestamp, _ midnight: Timestamp, _ outage: Range<Timestamp>?) {
        let merchant = world.merchants[world.terminals[index].merchant]
        let sdk = VirtualSDKs.sdk(of: merchant.vendor)
        let number = visits
        visits += 1
        var random = root.fork("payment", number)
        let fault = roll(sdk.faults, &random)
        let wrong = fault == nil ? plant(sdk.plantable, number) : nil
        let trouble = fault == nil && wrong == nil ? roll(sdk.troubles, number) : nil
        let intent: Intent =
            switch wrong {
            case .expiredAuthorization: .openAuthorization
            case .inDoubtResolved, .duplicateInLedger: .sale
            default:
                trouble?.intent
                    ?? (fault == nil
                        ? random.pick(sdk.intents(at: merchant)) : fault == .tipAfterClose ? .tippedLater : .sale)
            }
        let basket =
            wrong == .inDoubtResolved
            ? sdk.basketInDoubt(at: merchant, &random) : sdk.basket(intent, fault, at: merchant, &random)
        let purchase = Purchase(
            number: number,
            reference: "sim\(plan.tag)-\(String(1_000_000 + number).dropFirst())",
            tag: plan.tag,
            merchant: merchant,
            at: time,
            end: plan.firstDay.adding(microseconds: Int64(plan.days) * Self.dayLength),
            intent: intent,
            fault: wrong == .inDoubtResolved ? .lostAnswer : fault,
            planted: wrong,
            trouble: trouble,
            turn: turn(of: merchant.vendor, trouble),
            other: trouble == .wrongReference ? mistaken(at: index) : nil,
            basket: basket,
            card: TestCard.random(&random),
            isCareless: random.chance(partsPerMillion: 10_000)
        )
        var script = Script(purchase, on: world.terminals[index])
        sdk.play(purchase, on: &world.terminals[index], into: &script, &random)
        guard var truth = deliver(script, from: index, outage, isPlainSale: intent == .sale && trouble == nil, &random)
        else { return }
        note(script.other)
        if wrong == .duplicateInLedger, truth.status == .captured {
            // Another digit would make a number that can be taken for a card number.
            truth.repeatedAs = purchase.reference + "-repeat"
        }
        keep(truth, of: index)
        if intent == .sale, truth.isPlain { plainSales[index] = payments.count - 1 }
        guard let name = truth.repeatedAs else { return }
        var again = purchase
        again.reference = name
        again.at = script.now.adding(microseconds: Int64(random.within(20...600)) * 1_000_000)
        var second = Script(again, on: world.terminals[index])
        sdk.playAgain(again, after: truth, on: world.terminals[index], into: &second, &random)
        guard var twin = deliver(second, from: index, outage, isPlainSale: false, &random) else { return }
        twin.planted = nil
        twin.tellsAgain = purchase.reference
        keep(twin, of: index)
    }

    /// Sends the documents of a payment.
    ///
    /// - Returns: The truth about the payment.
    private mutating func deliver(
        _ script: Script,
        from index: Int,
        _ outage: Range<Timestamp>?,
        isPlainSale: Bool,
        _ random: inout SeededRandom
    ) -> PaymentTruth? {
        guard var truth = script.truth else { return nil }
        let documents = DocumentTroubles(profile: plan.troubles)
            .apply(to: script.documents, &truth, isPlainSale: isPlainSale, random.fork("troubles"))
        let terminal = world.terminals[index]
        // A tip after the closing is refused and shows nothing about the payment. It comes at least 14 hours later.
        let isRefused = truth.faults.contains(.tipAfterClose)
        let end = isRefused ? truth.startedAt.adding(microseconds: 12 * 3_600_000_000) : .latest
        if let account = terminal.account {
            if documents.contains(where: { $0.at <= end && $0.names(account: account) }) {
                world.terminals[index].isAccountNamed = true
            } else {
                // Only the terminal is known, unless other payments there name the account.
                truth.batch?.account = terminal.id
            }
        }
        if script.documents.contains(where: { $0.tender != nil }), !documents.contains(where: { $0.tender != nil }) {
            truth.forgetTender()
        }
        if isAmbiguous(truth) {
            truth.evidence = .missing
            truth.ids["gatewayTransaction"] = nil
        }
        // Money of which no document reports the outcome.
        truth.post(at: truth.moneyAt ?? truth.begunAt ?? truth.startedAt)
        let planted = send(documents, faults: plan.faults, outage, &random)
        truth.documents = documents.count
        truth.businessDay = truth.moneyAt.map { String($0.shown(in: truth.zone).rfc3339.prefix(10)) }
        // An answer that is recovered later prints the time of the sale.
        if let printed = truth.printedAt, !printed.hasSuffix("Z"),
            truth.operation == .sale || truth.operation == .credit
        {
            truth.businessDay = truth.businessDay.map { _ in String(printed.prefix(10)) }
        }
        for trouble in truth.troubles { troubles[trouble, default: 0] += 1 }
        truth.faults += planted + (world.terminals[index].skew == 0 ? [] : [.clockSkew])
        return truth
    }

    /// True if a reader's stored result may also be of an earlier sale of the same amount there whose outcome never
    /// arrived: the result has a local time without a zone and names no payment of the app.
    private func isAmbiguous(_ truth: PaymentTruth) -> Bool {
        guard truth.vendor == .handpoint, truth.evidence == .complete,
            truth.faults.contains(where: { $0 == .lostAnswer || $0 == .powerLoss })
        else { return false }
        let earliest = truth.startedAt.adding(microseconds: -38 * 3_600_000_000)
        return payments.contains {
            $0.terminal == truth.terminal && $0.evidence != .complete && $0.operation == truth.operation
                && $0.base == truth.base && $0.startedAt > earliest && $0.startedAt < truth.startedAt
        }
    }

    private mutating func keep(_ truth: PaymentTruth, of index: Int) {
        if truth.batch != nil { open[book(of: index)].append(payments.count) }
        payments.append(truth)
    }

    /// At most one of the discrepancies that are planted in the documents; drawn from a separate source.
    private func plant(_ classes: [ExceptionClass], _ number: Int) -> ExceptionClass? {
        var random = root.fork("planted", number)
        return plan.discrepancies.roll(classes, &random)
    }

    /// At most one of the troubles of a payment; drawn from a separate source.
    private func roll(_ troubles: [Trouble], _ number: Int) -> Trouble? {
        var random = root.fork("trouble", number)
        return plan.troubles.roll(troubles, &random)
    }

    /// The next turn of the vendor's tables.
    private mutating func turn(of vendor: Vendor, _ trouble: Trouble?) -> Int {
        guard trouble == .codeTables else { return 0 }
        defer { turns[vendor, default: 0] += 1 }
        return turns[vendor] ?? 0
    }

    /// A sale of the open batch that a cashier can mistake for another; readers void sales of the same day only.
    private func mistaken(at index: Int) -> PaymentTruth? {
        let today = plan.firstDay.adding(microseconds: Int64(day) * Self.dayLength)
        guard let number = plainSales[index], open[book(of: index)].contains(number), payments[number].isPlain,
            payments[number].startedAt >= today
        else { return nil }
        return payments[number]
    }

    /// Changes the truth about a payment that another one has changed by mistake.
    private mutating func note(_ other: PaymentTruth?) {
        guard let other, let index = payments.firstIndex(where: { $0.reference == other.reference }) else { return }
        payments[index] = other
    }

    /// At most one of the faults that change a payment's outcome.
    private mutating func roll(_ faults: [Fault], _ random: inout SeededRandom) -> Fault? {
        let rates = faults.map { plan.faults[$0] }
        let sum = rates.reduce(0, +)
        // Rates with a sum above one are scaled down.
        var rest = random.below(max(1_000_000, sum))
        var rolled: Fault?
        for (fault, rate) in zip(faults, rates) {
            let happens = rolled == nil && rest < rate
            planted.plant(fault, if: happens)
            if happens { rolled = fault }
            rest -= rate
        }
        return rolled
    }

    @discardableResult
    mutating func send(
        _ documents: [SDKDocument],
        faults: FaultProfile,
        _ outage: Range<Timestamp>?,
        _ random: inout SeededRandom
    ) -> [Fault] {
        let (deliveries, happened) = DeliveryFaults(profile: faults, outage: outage)
            .deliver(documents, order: &order, &random)
        waiting += deliveries
        if faults != .none, !documents.isEmpty {
            planted.plant(.late, if: happened.contains(.late))
            planted.plant(.duplicate, if: happened.contains(.duplicate))
            if documents.count > 1 { planted.plant(.outOfOrder, if: happened.contains(.outOfOrder)) }
        }
        return happened
    }
}
