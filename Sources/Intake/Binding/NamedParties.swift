import Canonical
import Payments

/// The vendors, merchants and terminals that a record or a payment names.
struct NamedParties {
    private var named: [SenderBinding.Subject: Set<String>] = [:]
    /// The accounts of batches: each a terminal or a merchant.
    private(set) var accounts: Set<String> = []
    /// Accounts at a gateway. One stands for its merchant if nothing else names that.
    private var merchantAccounts: Set<String> = []

    subscript(subject: SenderBinding.Subject) -> Set<String> {
        named[subject] ?? (subject == .merchant ? merchantAccounts : [])
    }

    mutating func add(_ value: String?, as subject: SenderBinding.Subject) {
        if let value { named[subject, default: []].insert(value) }
    }

    /// Adds what the data of an event names, without the document in it.
    mutating func add(_ data: JSONValue) {
        switch data {
        case .object(let object):
            for member in object.members where member.key != "document" {
                guard let text = member.value.string else {
                    add(member.value)
                    continue
                }
                if member.key == "account" { accounts.insert(text) }
                if member.key == "gatewayAccount" { merchantAccounts.insert(text) }
                if let subject = SenderBinding.Subject(rawValue: member.key) { add(text, as: subject) }
            }
        case .array(let elements): for element in elements { add(element) }
        default: break
        }
    }

    /// Adds what is known of a payment.
    mutating func add(_ state: TransactionState) {
        add(state.identity.vendor?.rawValue, as: .vendor)
        for merchant in [state.identity.merchant, state.references.merchant] { add(merchant, as: .merchant) }
        // What an event itself names as the merchant does not replace the account of the payment it is about.
        if let account = state.references.gatewayAccount {
            if state.identity.merchant ?? state.references.merchant == nil {
                add(account, as: .merchant)
            } else {
                merchantAccounts.insert(account)
            }
        }
        for terminal in [state.identity.terminal, state.references.terminal] { add(terminal, as: .terminal) }
    }
}
