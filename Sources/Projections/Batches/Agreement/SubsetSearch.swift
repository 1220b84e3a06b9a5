/// Searches for small sets of numbers with a given sum.
struct SubsetSearch {
    /// The most numbers that are searched for triples, which takes quadratic time.
    private static let tripleLimit = 400
    /// The most sets that are returned.
    private static let limit = 20

    private let numbers: [Int64]
    /// The indices of each number, ascending.
    private let places: [Int64: [Int]]

    init(_ numbers: [Int64]) {
        self.numbers = numbers
        places = Dictionary(grouping: numbers.indices) { numbers[$0] }
    }

    /// Every set of the smallest size that adds up to `sum`, as indices, at most twenty sets. Zeros are left out.
    ///
    /// - Parameter size: The largest size that is tried, at most 3.
    func smallest(adding sum: Int64, size: Int) -> [[Int]] {
        for count in 1...max(1, min(size, 3)) {
            if count == 3, numbers.count > Self.tripleLimit { break }
            let found = sets(of: count, adding: sum, from: 0)
            if !found.isEmpty { return Array(found.prefix(Self.limit)) }
        }
        return []
    }

    private func sets(of count: Int, adding sum: Int64, from first: Int) -> [[Int]] {
        if count == 1 {
            guard sum != 0 else { return [] }
            return places(of: sum, from: first).map { [$0] }
        }
        var found: [[Int]] = []
        for index in numbers.indices.dropFirst(first) where numbers[index] != 0 {
            let (rest, overflow) = sum.subtractingReportingOverflow(numbers[index])
            if overflow { continue }
            found += sets(of: count - 1, adding: rest, from: index + 1).map { [index] + $0 }
            if found.count >= Self.limit { break }
        }
        return found
    }

    /// The indices of a number, from `first` on. The search is binary, because ten thousand lines may have the same
    /// amount.
    private func places(of number: Int64, from first: Int) -> some Sequence<Int> {
        let all = places[number] ?? []
        var (low, high) = (0, all.count)
        while low < high {
            let middle = (low + high) / 2
            if all[middle] < first { low = middle + 1 } else { high = middle }
        }
        return all[low...].prefix(Self.limit)
    }
}
