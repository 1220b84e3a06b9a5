import Canonical

/// Plans the delivery of one payment's documents to the ledger.
struct DeliveryFaults {
    let profile: FaultProfile
    /// The hours in which the terminal has no network; its documents are sent at the end.
    let outage: Range<Timestamp>?

    /// Plans the deliveries of a script.
    ///
    /// - Parameter order: The next free number; advanced by the used numbers.
    /// - Returns: The deliveries and the planted faults.
    func deliver(
        _ documents: [SDKDocument],
        order: inout Int,
        _ random: inout SeededRandom
    ) -> (deliveries: [Delivery], faults: [Fault]) {
        guard !documents.isEmpty else { return ([], []) }
        var faults: [Fault] = []
        let latency = Int64(random.within(200...2_400)) * 1_000
        var times = documents.map { document in
            let sent = document.at.adding(microseconds: latency + document.delay)
            guard let outage, outage.contains(document.at) else { return sent }
            return outage.upperBound.adding(microseconds: latency)
        }
        if zip(times, documents).contains(where: { $0.microseconds(since: $1.at) > latency + $1.delay }) {
            faults.append(.offline)
        }
        if random.chance(partsPerMillion: profile[.late]) {
            // The last document is usually the one that matters.
            let index = random.chance(percent: 60) ? documents.count - 1 : random.below(documents.count)
            times[index] = times[index].adding(microseconds: Int64(random.within(2 * 3_600...30 * 3_600)) * 1_000_000)
            faults.append(.late)
        }
        if documents.count > 1, random.chance(partsPerMillion: profile[.outOfOrder]) {
            let before = times
            random.shuffle(&times)
            if times == before { times.swapAt(0, times.count - 1) }
            faults.append(.outOfOrder)
        }
        var deliveries: [Delivery] = []
        func add(_ document: SDKDocument, at time: Timestamp) {
            deliveries.append(Delivery(document: document, at: time, order: order))
            order += 1
        }
        for (document, time) in zip(documents, times) { add(document, at: time) }
        if random.chance(partsPerMillion: profile[.duplicate]) {
            let index = random.below(documents.count)
            var again = documents[index]
            // Some apps use a new key for a repeat; it must still not count twice.
            if random.chance(percent: 40) { again.idempotencyKey += "/again" }
            let pause = Int64(random.within(1...900)) * 1_000_000
            add(again, at: times[index].adding(microseconds: pause))
            faults.append(.duplicate)
        }
        return (deliveries, faults)
    }
}
