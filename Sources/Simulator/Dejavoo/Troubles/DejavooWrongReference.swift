import Canonical
import Payments

extension DejavooTill {
    /// A void under this payment's name with the retrieval reference number of another one, or of none.
    mutating func voidAnother(_ script: inout Script) {
        script.wait(seconds: random.within(60...1_500))
        script.truly { $0.flags = WrongReference.flags }
        guard let other = purchase.other, let reference = other.id("retrievalReference") else {
            forms.mistaken = "9\(purchase.hostID(9).dropFirst())"
            let unknown = DejavooForms.Answer(code: "05", message: "NO ORIGINAL TXN", result: "1")
            return report(&script, .void, unknown)
        }
        forms.mistaken = reference
        WrongReference.void(other, by: &script)
        report(&script, .void, approval, Basket(base: other.captured))
    }
}
