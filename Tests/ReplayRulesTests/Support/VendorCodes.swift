import Payments
import ReplayRules
import Vendors

// Codes as the adapters read them.
extension PaymentEvidence {
    init(folding facts: [RecordedFact], wanted: ReplayRequest? = nil) {
        self.init(folding: facts, wanted: wanted, codes: VendorAdapters.code)
    }
}

extension AnswerEvidence {
    mutating func read(_ code: String?, of vendor: Vendor?) { read(code, of: vendor, VendorAdapters.code) }
}
