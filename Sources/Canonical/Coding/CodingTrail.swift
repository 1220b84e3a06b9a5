/// The place of a value in a document, from the inside out. Extending it costs one allocation; the list of keys is only
/// built for an error.
indirect enum CodingTrail {
    case root
    case key(any CodingKey, within: CodingTrail)

    func appending(_ key: any CodingKey) -> CodingTrail { .key(key, within: self) }

    var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var trail = self
        while case .key(let key, let outer) = trail {
            keys.append(key)
            trail = outer
        }
        return keys.reversed()
    }
}

/// A key that is an array index or the place of a superclass.
struct PlaceKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    static let superclass = PlaceKey(stringValue: "super")

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) { self.init(index: intValue) }
}
