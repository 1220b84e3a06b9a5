import Canonical
import Composition
import Foundation
import Intake

extension Ledger {
    /// The operator of this command line.
    ///
    /// The account root identifies no operator, and who became root cannot be proved: root can set every variable.
    func sender(_ tenant: String) -> Sender {
        let account = NSUserName()
        let holder = account.isEmpty || account == "root" ? nil : account
        return Sender(
            tenant: tenant,
            actor: "cli:\(holder ?? account)",
            correlation: ids.next().text,
            holder: holder,
            // An operator with the database at hand needs no document to change it.
            vouches: true
        )
    }
}
