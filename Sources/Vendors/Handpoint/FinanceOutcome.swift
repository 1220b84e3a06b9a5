import Payments

/// The outcome for the money in a response.
struct FinanceOutcome {
    private(set) var meaning: CodeMeaning
    private(set) var anomalies: [Anomaly] = []

    /// The financial status decides, unless another part of the response contradicts it.
    ///
    /// An approval that the number, the issuer's code or the status contradicts is unknown. If the vendor requires
    /// verification of the outcome, every result except an approval is unknown.
    init(_ response: FinanceResponse) throws {
        let byName: CodeMeaning? = response.financial?.meaning ?? (response.namesFinancial ? .unknown : nil)
        let byNumber = response.result?.meaning
        let byStatus = response.status.meaning
        meaning = byName ?? byNumber ?? byStatus ?? .unknown
        // `UNDEFINED` leaves the decision to the number and the status.
        if meaning == .unknown, response.financial == .undefined || byName == nil {
            meaning = [byNumber, byStatus].compactMap(\.self).first { $0 != .unknown } ?? .unknown
        }
        if Self.isApproval(meaning) {
            if byNumber == .partiallyApproved { meaning = .partiallyApproved }
            check(byNumber, byStatus, try Self.issuer(response))
            return
        }
        if byStatus == .unknown || byNumber.map(Self.isApproval) == true {
            if byNumber.map(Self.isApproval) == true {
                flag(.conflictingOutcome, "financialResult reports an approval, FinancialStatus does not")
            }
            meaning = .unknown
        } else if let byStatus, meaning == .failed || meaning == .declined && byStatus == .cancelled {
            // A cancelled payment ends as a failure, or as a refusal, with the status of a cancellation.
            meaning = byStatus
        }
    }

    private mutating func check(_ byNumber: CodeMeaning?, _ byStatus: CodeMeaning?, _ issuer: CodeMeaning?) {
        if let byNumber, byNumber != .unknown, !Self.isApproval(byNumber) {
            flag(.conflictingOutcome, "FinancialStatus reports an approval, financialResult does not")
        } else if byStatus == .unknown {
            flag(.conflictingOutcome, "FinancialStatus reports an approval, statusCode an unknown outcome")
        } else if byStatus != nil {
            flag(.reversalDue, "the payment was approved, and the reader did not complete it")
        } else if issuer == .declined {
            flag(.conflictingOutcome, "FinancialStatus reports an approval, the issuer's code a refusal")
        } else {
            return
        }
        meaning = .unknown
    }

    private mutating func flag(_ kind: Anomaly.Kind, _ explanation: String) {
        anomalies.append(Anomaly(kind, explanation))
    }

    static func isApproval(_ meaning: CodeMeaning) -> Bool { meaning == .approved || meaning == .partiallyApproved }

    /// The issuer's answer code, ISO 8583 field 39, printed with two or four digits.
    private static func issuer(_ response: FinanceResponse) throws -> CodeMeaning? {
        guard let text = try response.details.text("arc") else { return nil }
        let code = text.utf8.count == 4 && text.hasPrefix("00") ? String(text.dropFirst(2)) : text.uppercased()
        return ["00", "08", "10", "11", "85", "87", "Y1", "Y3"].contains(code) ? .approved : .declined
    }
}
