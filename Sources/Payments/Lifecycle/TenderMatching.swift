import Canonical

// The matching of reported tenders with the recorded tenders of a payment.
extension TransactionState {
    /// The index of the recorded tender that `reported` repeats; nil if it is a further tender.
    ///
    /// Without marks the id decides. With marks any shared name decides: the vendor's id; or else authorization,
    /// account and amount; or else account and amount, as long as no mark that both have differs.
    func tenderIndex(of reported: TenderEntry) -> Int? {
        guard let marks = reported.marks, !reported.isCash else {
            return tenders.entries.firstIndex { known in
                guard known.isCash == reported.isCash else { return false }
                return known.id.hasSameUTF8(as: reported.id)
                    || known.marks?.reference?.hasSameUTF8(as: reported.id) ?? false
            }
        }
        if let reference = marks.reference,
            let index = tenders.entries.firstIndex(where: { $0.reference?.hasSameUTF8(as: reference) ?? false })
        {
            return index
        }
        return index(byAuthorization: marks, of: reported) ?? index(byAccount: marks, of: reported)
    }

    private func index(byAuthorization marks: TenderMarks, of reported: TenderEntry) -> Int? {
        guard let authorization = marks.authorization else { return nil }
        let candidates = tenders.entries.indices.filter { index in
            let known = tenders.entries[index]
            return known.authorization?.hasSameUTF8(as: authorization) ?? false && !known.contradicts(reported)
                && known.accountComparison(with: reported) != .different
        }
        let alike = candidates.filter { tenders.entries[$0].amount == reported.amount }
        if let index = alike.dropFirst(marks.place ?? 0).first { return index }
        // The captured amount may be less than the held amount.
        return candidates.first { index in
            marks.place == nil && tenders.entries[index].isCaptured != reported.isCaptured
                && tenders.entries[index].accountComparison(with: reported) == .same
        }
    }

    private func index(byAccount marks: TenderMarks, of reported: TenderEntry) -> Int? {
        let family = tenders.entries.indices.filter { index in
            !tenders.entries[index].isCash && tenders.entries[index].amount == reported.amount
                && tenders.entries[index].accountComparison(with: reported) == .same
        }
        return family.dropFirst(marks.turn ?? 0).first { index in
            let known = tenders.entries[index]
            guard known.marks != nil else {
                // The id under which it was recorded before marks existed.
                return known.id.hasSameUTF8(as: reported.id) || known.id.hasPrefix(reported.id + "/")
            }
            return !known.contradicts(reported)
                && (known.balance == nil || reported.balance == nil || known.balance == reported.balance)
        }
    }

    /// The tender under an id that no other tender has.
    func uniquelyNamed(_ entry: TenderEntry) -> TenderEntry {
        var named = entry
        var number = 1
        while tenders.entries.contains(where: { $0.isCash == named.isCash && $0.id.hasSameUTF8(as: named.id) }) {
            number += 1
            named.id = "\(entry.id)#\(number)"
        }
        return named
    }
}

extension TenderEntry {
    fileprivate enum Comparison {
        case same, unknown, different
    }

    /// The vendor's id. For a tender without marks, its id may be the vendor's id.
    fileprivate var reference: String? { isCash ? nil : marks == nil ? id : marks?.reference }

    fileprivate var authorization: String? { isCash ? nil : marks == nil ? id : marks?.authorization }

    /// True if both have a mark of the same kind with different values.
    fileprivate func contradicts(_ reported: TenderEntry) -> Bool {
        func differs(_ known: String?, _ reported: String?) -> Bool {
            guard let known, let reported else { return false }
            return !known.hasSameUTF8(as: reported)
        }
        return differs(marks?.reference, reported.marks?.reference)
            || differs(marks?.authorization, reported.marks?.authorization)
    }

    fileprivate func accountComparison(with reported: TenderEntry) -> Comparison {
        func comparison(_ known: String?, _ reported: String?) -> Comparison? {
            guard let known, let reported else { return nil }
            return known.hasSameUTF8(as: reported) ? .same : .different
        }
        if let byName = comparison(account?.tokenDigest, reported.account?.tokenDigest) { return byName }
        if let byDigits = comparison(account?.lastFour, reported.account?.lastFour) { return byDigits }
        return account?.isNamed ?? false || reported.account?.isNamed ?? false ? .unknown : .same
    }

    /// Adds the marks and account fields of another document about the same tender.
    mutating func learn(_ reported: TenderEntry) {
        balance = balance ?? reported.balance
        guard let reported = reported.marks == nil ? nil : reported else { return }
        if var account, let other = reported.account {
            account.tokenDigest = account.tokenDigest ?? other.tokenDigest
            account.lastFour = account.lastFour ?? other.lastFour
            self.account = account
        } else {
            account = account ?? reported.account
        }
        guard var marks else { return }
        marks.reference = marks.reference ?? reported.marks?.reference
        marks.authorization = marks.authorization ?? reported.marks?.authorization
        self.marks = marks
    }
}

extension TenderAccount {
    fileprivate var isNamed: Bool { tokenDigest != nil || lastFour != nil }
}
