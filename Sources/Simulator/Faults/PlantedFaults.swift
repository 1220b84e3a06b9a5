/// The opportunities and the occurrences of faults.
package struct PlantedFaults: Sendable, Hashable {
    package private(set) var occasions: [Fault: Int] = [:]
    package private(set) var happened: [Fault: Int] = [:]

    /// Counts an opportunity.
    ///
    /// - Returns: `happens`.
    @discardableResult
    mutating func plant(_ fault: Fault, if happens: Bool) -> Bool {
        occasions[fault, default: 0] += 1
        if happens { happened[fault, default: 0] += 1 }
        return happens
    }
}
