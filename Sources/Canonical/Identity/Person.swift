@_spi(_Unicode) import Swift

/// An operator, as the holder of keys: the only way in which holders are compared.
///
/// Two holders are one person if their texts are equal without white space at the ends, without case (full case
/// folding, in no language) and in every canonically equivalent form. Texts that only look alike are two persons.
package struct Person: Sendable, Hashable {
    /// Swift compares texts by canonical equivalence.
    private let folded: String

    /// - Parameter holder: The holder of a key, or the account of a command line.
    /// - Returns: Nil if it is not known who it is: a missing or blank holder, `root`, and a text with characters that a reader cannot
    ///   see, so that it may look like another holder.
    package init?(_ holder: String?) {
        guard let holder else { return nil }
        let scalars = holder.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return nil }
        let trimmed = String(scalars[first...last])
        guard trimmed.unicodeScalars.allSatisfy(Self.isVisible) else { return nil }
        folded = Self.folding(trimmed)
        guard folded != "root" else { return nil }
    }

    /// Marks are ordered before folding (Unicode, definition D145). Upper case unites what lower case keeps apart,
    /// such as both small sigmas; it would unite the dotless i with i, too.
    private static func folding(_ text: String) -> String {
        var folded = ""
        for scalar in text._nfd {
            guard scalar != "\u{131}" else {
                folded.unicodeScalars.append(scalar)
                continue
            }
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    folded += upper.properties.lowercaseMapping
                }
            }
        }
        return folded
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }
}

/// A credential and its holder, as a proposer or an approver.
package struct KeyHolder: Sendable, Hashable {
    /// The reason why an approval does not count.
    package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        /// The proposer is the approver.
        case ownProposal = "own-proposal"
        /// The holder of the proposer's or the approver's key is not known: both may be one operator.
        case unknownHolder = "unknown-holder"
    }

    /// The name of the credential, as in events; nil if it is not known.
    package var actor: String?
    package var holder: String?

    package init(actor: String?, holder: String?) {
        self.actor = actor
        self.holder = holder
    }

    package var person: Person? { Person(holder) }

    /// The reason why this operator cannot approve a proposal.
    ///
    /// - Returns: Nil if both are known to be two persons.
    package func refusal(toApproveFor proposer: KeyHolder) -> Refusal? {
        if let actor, let theirs = proposer.actor, actor.utf8.elementsEqual(theirs.utf8) { return .ownProposal }
        guard let person, let other = proposer.person else { return .unknownHolder }
        return person == other ? .ownProposal : nil
    }
}
