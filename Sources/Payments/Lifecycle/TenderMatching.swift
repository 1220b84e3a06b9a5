import Canonical

// Which tender of a payment a document tells again.
extension TransactionState {
    /// The tender that `told` tells again; nil where it is a further one.
    ///
    /// Without marks the id decides. With marks any name they share does: the vendor's id; else authorisation, account
    /// and amount; else account and amount, as far as nothing that both tell is different.
    func tenderIndex(of reported: TenderEntry) -> Int? {
        guard let marks = reported.marks, !reported.isCash else {
            return tenders.firstIndex { known in
                guard known.isCash == reported.isCash else { return false }
                return known.id.hasSameUTF8(as: reported.id)
                    || known.marks?.reference?.hasSameUTF8(as: reported.id) ?? false
            }
        }
        if let reference = marks.reference,
            let index = tenders.firstIndex(where: { $0.reference?.hasSameUTF8(as: reference) ?? false })
        {
            return index
        }
        return index(byAuthorization: marks, of: reported) ?? index(byAccount: marks, of: reported)
    }

    private func index(byAuthorization marks: TenderMarks, of reported: TenderEntry) -> Int? {
        guard let authorization = marks.authorization else { return nil }
        let candidates = tenders.indices.filter { index in
            let known = tenders[index]
            return known.authorization?.hasSameUTF8(as: authorization) ?? false && !known.contradicts(reported)
                && known.accountComparison(with: reported) != .different
        }
        let alike = candidates.filter { tenders[$0].amount == reported.amount }
        if let index = alike.dropFirst(marks.place ?? 0).first { return index }
        // What is taken in the end may be less than was held.
        return candidates.first { index in
            marks.place == nil && tenders[index].isCaptured != reported.isCaptured
                && tenders[index].accountComparison(with: reported) == .same
        }
    }

    private func index(byAccount marks: TenderMarks, of reported: TenderEntry) -> Int? {
        let family = tenders.indices.filter { index in
            !tenders[index].isCash && tenders[index].amount == reported.amount
                && tenders[index].accountComparison(with: reported) == .same
        }
        return family.dropFirst(marks.turn ?? 0).first { index in
            let known = tenders[index]
            guard known.marks != nil else {
                // As it was named before there were marks.
                return known.id.hasSameUTF8(as: reported.id) || known.id.hasPrefix(reported.id + "/")
            }
            return !known.contradicts(reported)
                && (known.balance == nil || reported.balance == nil || known.balance == reported.balance)
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

    /// Takes in what it is known by from another document about it.
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
