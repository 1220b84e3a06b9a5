import Testing

@testable import Audit

@Suite struct CheckpointChainTests {
    /// - Returns: The positions of the faults.
    private func found(_ pieces: [([(size: Int64, predecessor: Int64?)], [Int64])]) -> [Int64] {
        var chain = CheckpointChain()
        for (stored, witnessed) in pieces { chain.add(stored: stored, witnessed: witnessed) }
        return chain.faults.faults.map(\.position)
    }

    @Test func aWholeChainHasNoFault() {
        #expect(found([([(3, 0), (7, 3)], [3]), ([], []), ([(9, 7)], [9, 9])]).isEmpty)
        // Signed before checkpoints named their predecessors.
        #expect(found([([(3, nil), (7, nil), (9, 7)], [])]).isEmpty)
        #expect(found([]).isEmpty)
    }

    @Test func aGapIsNamedByWhatComesAfterIt() {
        #expect(found([([(7, 3), (9, 7)], [])]) == [3])
        #expect(found([([(3, 0)], []), ([(12, 9)], [])]) == [9])
        #expect(found([([(3, 0), (9, 3), (12, 3)], [])]) == [9])
    }

    @Test func theWitnessNamesEachOnce() {
        #expect(found([([(3, 0)], [3, 5, 5]), ([(9, 7)], [7])]) == [5, 7])
        #expect(found([([], [3]), ([], [5])]) == [3, 5])
        #expect(found([([(9, 7)], [9, 11])]) == [7, 11])
    }
}
