import Payments

// Tokens, gift cards, merchant data and settlement: answers that are not payments.
extension BridgePayFacts {
    func value(_ operation: BridgePayOperation) throws -> Observation.Subject {
        let raised: [TransactionEvent] = anomalies.map { .anomalyRaised($0) }
        let name = operation.valueEvent ?? .tokenIssued
        guard meaning.isApproval else {
            switch operation {
            // It is unknown whether the card holds the money now.
            case .activation, .load, .deactivation:
                let verdict = Verdict(
                    evidence: .gateway,
                    response: answer,
                    references: references,
                    card: try response.card,
                    at: response.at,
                    value: name
                )
                return .transaction([Self.event(meaning, verdict)] + raised)
            default: return service(operation)
            }
        }
        let report = ValueReport(
            amount: try amount(of: operation),
            balance: try balance(after: operation),
            response: answer,
            references: references,
            card: try response.card,
            at: response.at
        )
        return .transaction([.value(ValueEvent(name, report))] + raised)
    }

    /// A balance is in `remainingAmount`, else in `authorizedAmount`; a loaded amount is in `authorizedAmount`, else in
    /// the request. An unreadable balance is omitted, because no payment depends on it.
    private func amount(of operation: BridgePayOperation) throws -> Money? {
        func printed(_ name: String) throws -> Money? {
            try response.printed(name, as: name)?.money.flatMap { $0.isZero ? nil : $0 }
        }
        let authorized = try printed("authorizedamount")
        switch operation {
        case .balanceInquiry:
            return try printed("remainingamount") ?? authorized
                ?? response.printed("remainingamount", as: "remainingAmount")?.money
        case .activation, .load:
            return try authorized ?? request?.amounts(in: response.currency, authorized: nil)?.total
        default: return nil
        }
    }

    /// The card's balance after its value changed: `remainingAmount`. Zero says nothing, because answers without one
    /// print it as well.
    private func balance(after operation: BridgePayOperation) throws -> Money? {
        guard operation == .activation || operation == .load else { return nil }
        return try response.printed("remainingamount", as: "remainingAmount")?.money.flatMap { $0.isZero ? nil : $0 }
    }

    /// An answer without an amount.
    func service(_ operation: BridgePayOperation) -> Observation.Subject {
        var details = [Detail("operation", operation.rawValue)]
        if operation == .merchantInfo {
            for (name, field) in [("merchantName", "merchantname"), ("merchantCode", "merchantcode")] {
                if let text = try? response.fields.text(field) {
                    details.append(Detail(name, String(text.prefix(100))))
                }
            }
        }
        let report = DeviceReport(response: answer, details: details, at: response.at)
        return .device(nil, [DeviceEvent(.commandAnswered, report)], anomalies)
    }

    /// A settlement that was initiated. The gateway closes the batch later and reports no batch number, so this does
    /// not prove that the batch is closed.
    func settlement() throws -> Observation.Subject {
        let account =
            try response.fields.identifier("merchantaccountcode", "merchantcode") ?? request?.account
            ?? response.fields.identifier("networkmerchantid")
        let batch = BatchReference(vendor: .bridgepay, account: account, number: nil)
        let closing = BatchClosing(
            batch: batch,
            settlement: response.gatewayTransaction,
            response: answer,
            at: response.at
        )
        let isRefused = [CodeMeaning.declined, .failed, .cancelled].contains(meaning)
        return .batch(
            batch,
            [isRefused ? .batchCloseFailed(closing) : .batchCloseRequested(closing)]
                + anomalies.map { .anomalyRaised($0) }
        )
    }
}
