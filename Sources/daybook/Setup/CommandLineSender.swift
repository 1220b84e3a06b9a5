import Canonical
import Composition
import Foundation
import Intake

extension Ledger {
    /// The operator of this command line.
    ///
    /// The account root identifies no operator. With sudo, the invoking account is the operator.
    func sender(_ tenant: String) -> Sender {
        let account = NSUserName()
        let holder = Self.holder(account: account, invokedBy: ProcessInfo.processInfo.environment["SUDO_USER"])
        return Sender(
            tenant: tenant,
            actor: "cli:\(holder ?? account)",
            correlation: ids.next().text,
            holder: holder,
            // An operator with the database at hand needs no document to change it.
            vouches: true
        )
    }

    static func holder(account: String, invokedBy other: String?) -> String? {
        let holder = account == "root" ? other : account
        return holder.flatMap { $0.isEmpty || $0 == "root" ? nil : $0 }
    }
}
