import Canonical
import Payments

/// Documents of one payment that cross, are lost, or do not name the merchant.
struct DocumentTroubles {
    let profile: TroubleProfile

    /// Applies the troubles to the documents of a script.
    ///
    /// - Parameter truth: The evidence is lost with a document that alone reports the outcome.
    /// - Returns: The documents that are delivered.
    func apply(
        to documents: [SDKDocument],
        _ truth: inout PaymentTruth,
        isPlainSale: Bool,
        _ random: SeededRandom
    ) -> [SDKDocument] {
        var documents = documents
        // Each draws from its own source, so that a rate changes nothing about the others.
        var crossing = random.fork("crossing")
        var losing = random.fork("losing")
        var naming = random.fork("naming")
        if crossing.chance(partsPerMillion: profile[.answerFirst]) { cross(&documents, &truth, &crossing) }
        if losing.chance(partsPerMillion: profile[.callbackLost]) {
            lose(&documents, &truth, isPlainSale: isPlainSale, &losing)
        }
        unname(&documents, &truth, &naming)
        return documents
    }

    /// The kinds of an app's requests, which have no answer.
    private static let requests: Set = [
        "BPNPaymentRequest", "TxnData", "makeARequestBasedOnTransactionTypes", "saleWithAmount", "refundWithAmount",
        "UCubePaymentRequest", "updateTransaction", "paymentWith",
    ]

    private func cross(_ documents: inout [SDKDocument], _ truth: inout PaymentTruth, _ random: inout SeededRandom) {
        guard documents.count > 1, let last = documents.last,
            let index = documents.dropLast().firstIndex(where: { Self.requests.contains($0.kind) })
        else { return }
        documents[index].delay =
            last.at.microseconds(since: documents[index].at) + Int64(random.within(1...60)) * 1_000_000
        truth.troubles.append(.answerFirst)
    }

    /// The kinds that can report an outcome.
    private static let outcomes: Set = [
        "BPNPayment", "runOnCompletion", "BridgeCommResponse", "NSError", "Spin_Response", "didReceiveV2Response",
        "didReceive_TransactionResponse", "didReceiveResponse", "didReceiveRespV2Error", "responseFinanceStatus",
        "responseError", "responseRecoveredTransactionStatus", "UpdateTransactionCompletionBlock",
        "UpdateTransactionFailureBlock", "SplitTenderPaymentCompletionBlock", "SubmitCashAccessAmountCompletionBlock",
        "CancelTransactionCompletionBlock", "CancelTransactionFailureBlock", "pay.didFinish", "AuthorizationTask",
        // Races between a cashier and the reader.
        "acceptSignature", "cancelSignature", "requestSignature", "cancel", "CardReaderSessionError",
    ]

    /// What an app asked for, without which an answer may be about anything.
    private static let needed: Set = [
        "saleWithAmount", "refundWithAmount", "saleVoidWithAmount", "refundVoidWithAmount", "UCubePaymentRequest",
        "ObtainCheckoutTokenCompletionBlock", "RetriveTransactionMetaDataCompletionBlock",
        "RetrieveTransactionInformationCompletionBlock", "BPNFindRequest",
    ]

    private func lose(
        _ documents: inout [SDKDocument],
        _ truth: inout PaymentTruth,
        isPlainSale: Bool,
        _ random: inout SeededRandom
    ) {
        guard documents.count > 1, truth.evidence == .complete else { return }
        let outcomes = documents.indices.filter { Self.outcomes.contains(documents[$0].kind) }
        let others = documents.indices.filter {
            !Self.outcomes.contains(documents[$0].kind) && !Self.needed.contains(documents[$0].kind)
        }
        // The outcome of a plain sale that another document announced: without it the outcome is unknown.
        if isPlainSale, outcomes.count == 1, truth.status == .captured, random.chance(percent: 50) {
            documents.remove(at: outcomes[0])
            truth.evidence = .missing
            truth.troubles.append(.callbackLost)
        } else if let index = others.isEmpty ? nil : random.pick(others) {
            documents.remove(at: index)
            truth.troubles.append(.callbackLost)
        }
    }

    /// One document at least names the merchant.
    private func unname(_ documents: inout [SDKDocument], _ truth: inout PaymentTruth, _ random: inout SeededRandom) {
        guard documents.count > 1, profile[.merchantAbsent] > 0 else { return }
        let named = random.below(documents.count)
        for index in documents.indices where index != named {
            guard random.chance(partsPerMillion: profile[.merchantAbsent]) else { continue }
            documents[index].namesMerchant = false
            if truth.troubles.last != .merchantAbsent { truth.troubles.append(.merchantAbsent) }
        }
    }
}
