import Payments

/// What the documents and events of a sender must name. Empty for a sender that is not bound.
package struct SenderBinding: Sendable, Hashable {
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        case vendor, merchant, terminal
    }

    private let values: [String: Set<String>]

    /// - Parameter values: The allowed values by subject. With a subject that this build does not know, everything is
    ///   refused.
    package init(_ values: [String: Set<String>] = [:]) {
        self.values = values
    }

    var isEmpty: Bool { values.isEmpty }

    private subscript(subject: Subject) -> Set<String>? { values[subject.rawValue] }

    /// Whether the sender may send documents of a vendor.
    func allows(vendor: String) -> Bool { self[.vendor].map { $0.contains(vendor) } ?? true }

    /// The subject for which `named` has a value that is not allowed, or none although it must have one.
    ///
    /// - Parameter required: The subjects of which a value must be named, if they are bound.
    func breach(by named: NamedParties, requiring required: Set<Subject> = []) -> Subject? {
        let known = Set(Subject.allCases.map(\.rawValue))
        if !known.isSuperset(of: values.keys) { return .vendor }
        for subject in Subject.allCases {
            guard let allowed = self[subject] else { continue }
            let found = named[subject]
            if !allowed.isSuperset(of: found) { return subject }
            if required.contains(subject) && found.isEmpty { return subject }
        }
        guard self[.merchant] != nil || self[.terminal] != nil else { return nil }
        // The account of a batch is its terminal or its merchant.
        let accounts = ([.merchant, .terminal] as [Subject]).reduce(into: Set<String>()) { accounts, subject in
            accounts.formUnion(self[subject] ?? named[subject])
        }
        return accounts.isSuperset(of: named.accounts) ? nil : .merchant
    }

    /// - Throws: The problem if a recorded payment is of a vendor, merchant or terminal that is not allowed. Names that
    ///   answers of a processor add to those of the first sender are not compared.
    func check(_ payment: TransactionState) throws(IntakeProblem) {
        guard !isEmpty else { return }
        var named = NamedParties()
        named.add(payment.identity.vendor?.rawValue, as: .vendor)
        named.add(payment.merchant, as: .merchant)
        named.add(payment.identity.terminal ?? payment.references.terminal, as: .terminal)
        if let subject = breach(by: named) { throw .keyBound(subject, at: "/transaction") }
    }
}

extension IntakeProblem {
    /// The refusal of a record that names something else than its key is bound to, or not what it must name.
    static func keyBound(_ subject: SenderBinding.Subject, at pointer: String?) -> IntakeProblem {
        IntakeProblem(
            .keyBound,
            "The key is bound to a \(subject.rawValue), and the record names another or none. Nothing was recorded.",
            pointer: pointer
        )
    }
}
