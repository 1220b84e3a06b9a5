extension NamedValueScanner {
    /// - Returns: False if the value does not fit the name; reading then continues inside it.
    mutating func apply(_ treatment: SensitiveNames.Treatment, to content: Range<Int>, quoted: Bool) -> Bool {
        guard !isAbsent(content) else { return false }
        switch treatment {
        case .drop(let rule) where rule != .credential && rule != .cardholder:
            // Prose, for example `pin: required`.
            guard quoted || content.contains(where: { units.kinds[$0] < 10 }) else { return false }
            edits.drop(content, of: units, rule: rule)
        case .drop(let rule), .dropScalar(let rule):
            edits.drop(content, of: units, rule: rule)
        case .digest:
            edits.drop(content, of: units, rule: .token)
        case .dropShortDigits:
            guard (3...4).contains(content.count), content.allSatisfy({ units.kinds[$0] < 10 }) else { return false }
            edits.drop(content, of: units, rule: .cvv)
        case .maskCardNumber:
            return mask(content, keepingFirst: 6, rule: .pan, least: 11)
        case .maskTag:
            guard content.count >= 10, content.allSatisfy({ isHex(units.values[$0]) }) else { return false }
            return mask(content, keepingFirst: 6, rule: .pan, least: 11)
        case .maskAccount:
            return mask(content, keepingFirst: 0, rule: .bankAccount, least: 5)
        case .dropTag(let rule, let hexDigits):
            guard content.count >= hexDigits, content.allSatisfy({ isHex(units.values[$0]) }) else { return false }
            edits.drop(content, of: units, rule: rule)
        }
        return true
    }

    private mutating func mask(_ content: Range<Int>, keepingFirst first: Int, rule: RedactedPlace.Rule, least: Int)
        -> Bool
    {
        let places = content.filter { units.kinds[$0] < 10 }
        guard places.count >= least else { return false }
        for place in places[first..<(places.count - 4)] { edits.mask(place, of: units, rule: rule) }
        return true
    }

    /// True for values that mean "none", and for the marker of an earlier scrubbing.
    private func isAbsent(_ content: Range<Int>) -> Bool {
        guard content.count <= 16 else { return false }
        // An unquoted value ends before its closing bracket.
        let absent = ["", "null", "nil", "(null)", "(null", "(nil)", "(nil", "none", TextEdits.marker]
        return absent.contains(text(content).lowercased())
    }
}
