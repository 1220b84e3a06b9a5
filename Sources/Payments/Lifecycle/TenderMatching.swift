import Canonical

// Which tender of a payment a document tells again.
extension TransactionState {
    /// The tender that `told` tells again; nil where it is a further one.
    ///
    /// Without marks the id decides. With marks any name they share does: the vendor's id; else authorisation, account
    /// and amount; else account and amount, as far as nothing that both tell is different.
    func tenderIndex(of told: TenderEntry) -> Int? {
        guard let marks = told.marks, !told.isCash else {
            return tenders.firstIndex { known in
                guard known.isCash == told.isCash else { return false }
                return known.id.hasSameUTF8(as: told.id)
                    || known.marks?.reference?.hasSameUTF8(as: told.id) ?? false
            }
        }
        if let reference = marks.reference,
            let index = tenders.firstIndex(where: { $0.reference?.hasSameUTF8(as: reference) ?? false })
        {
            return index
        }
        return index(byAuthorization: marks, of: told) ?? index(byAccount: marks, of: told)
    }

    private func index(byAuthorization marks: TenderMarks, of told: TenderEntry) -> Int? {
        guard let authorization = marks.authorization else { return nil }
        let candidates = tenders.indices.filter { index in
            let known = tenders[index]
            return known.authorization?.hasSameUTF8(as: authorization) ?? false && !known.contradicts(told)
                && known.accountComparison(with: told) != .different
        }
        let alike = candidates.filter { tenders[$0].amount == told.amount }
        if let index = alike.dropFirst(marks.place ?? 0).first { return index }
        // What is taken in the end may be less than was held.
        return candidates.first { index in
            marks.place == nil && tenders[index].isCaptured != told.isCaptured
                && tenders[index].accountComparison(with: told) == .same
        }
    }

    private func index(byAccount marks: TenderMarks, of told: TenderEntry) -> Int? {
        let family = tenders.indices.filter { index in
            !tenders[index].isCash && tenders[index].amount == told.amount
                && tenders[index].accountComparison(with: told) == .same
        }
        return family.dropFirst(marks.turn ?? 0).first { index in
            let known = tenders[index]
            guard known.marks != nil else {
                // As it was named before there were marks.
                return known.id.hasSameUTF8(as: told.id) || known.id.hasPrefix(told.id + "/")
            }
            return !known.contradicts(told)
                && (known.balance == nil || told.balance == nil || known.balance == told.balance)
        }
    }

    /// The tender under an id that no other one has.
    func uniquelyNamed(_ entry: TenderEntry) -> TenderEntry {
        var named = entry
        var number = 1
        while tenders.contains(where: { $0.isCash == named.isCash && $0.id.hasSameUTF8(as: named.id) }) {
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

    /// The vendor's id. Of a tender told without marks it may be what it was named by.
    fileprivate var reference: String? { isCash ? nil : marks == nil ? id : marks?.reference }

    fileprivate var authorization: String? { isCash ? nil : marks == nil ? id : marks?.authorization }

    /// True where both have a name of the same sort, and not the same.
    fileprivate func contradicts(_ told: TenderEntry) -> Bool {
        func differs(_ known: String?, _ told: String?) -> Bool {
            guard let known, let told else { return false }
            return !known.hasSameUTF8(as: told)
        }
        return differs(marks?.reference, told.marks?.reference)
            || differs(marks?.authorization, told.marks?.authorization)
    }

    fileprivate func accountComparison(with told: TenderEntry) -> Comparison {
        func comparison(_ known: String?, _ told: String?) -> Comparison? {
            guard let known, let told else { return nil }
            return known.hasSameUTF8(as: told) ? .same : .different
        }
        if let byName = comparison(account?.tokenDigest, told.account?.tokenDigest) { return byName }
        if let byDigits = comparison(account?.lastFour, told.account?.lastFour) { return byDigits }
        return account?.isNamed ?? false || told.account?.isNamed ?? false ? .unknown : .same
    }

    /// Takes in what it is known by from another document about it.
    mutating func learn(_ told: TenderEntry) {
        balance = balance ?? told.balance
        guard let told = told.marks == nil ? nil : told else { return }
        if var account, let other = told.account {
            account.tokenDigest = account.tokenDigest ?? other.tokenDigest
            account.lastFour = account.lastFour ?? other.lastFour
            self.account = account
        } else {
            account = account ?? told.account
        }
        guard var marks else { return }
        marks.reference = marks.reference ?? told.marks?.reference
        marks.authorization = marks.authorization ?? told.marks?.authorization
        self.marks = marks
    }
}

extension TenderAccount {
    fileprivate var isNamed: Bool { tokenDigest != nil || lastFour != nil }
}
