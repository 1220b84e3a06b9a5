/// What the vendors' documents make possible beside a plain payment: ids that differ by role, documents that cross or are
/// missing, wrong references, and the less usual operations and codes. Each has its own rate.
package enum Trouble: String, Sendable, Hashable, Codable, CaseIterable {
    // Of a merchant.

    /// Its ids differ by role: at the gateway, at the processor, at the reader, and in the app.
    case idsByRole = "ids-by-role"
    /// BridgePay: the account's batch is settled by a settlement initiation, which names only the account code.
    case accountSettlement = "account-settlement"

    // Of the documents of a payment.

    /// The app names the merchant in some of the documents only.
    case merchantAbsent = "merchant-absent"
    /// The request arrives after its answer.
    case answerFirst = "answer-first"
    /// One of several callbacks never arrives.
    case callbackLost = "callback-lost"

    // Of the closing of a batch.

    /// The closing arrives before the last answer of a payment in the batch.
    case settlementFirst = "settlement-first"

    // Of a payment; at most one of these, and none together with a fault that changes the outcome.

    /// BridgePay: the answer arrives without its request, which alone names the account.
    case requestAbsent = "request-absent"
    /// A void names a payment that does not exist, or another one.
    case wrongReference = "wrong-reference"
    /// BridgePay: a sale in the gateway's test mode.
    case testMode = "test-mode"
    /// BridgePay: activation, load, balance and deactivation of a gift card.
    case giftCard = "gift-card"
    /// BridgePay: portions of the amount were spent on health care.
    case healthCare = "health-care"
    /// BridgePay: a sale like an earlier one is forced.
    case forcedSale = "forced-sale"
    /// BridgePay: the sale was authorised by telephone.
    case voiceSale = "voice-sale"
    /// Dejavoo: a ticket with tip, fee and taxes.
    case ticketParts = "ticket-parts"
    /// Paydiant: a machine takes cash.
    case deposit
    /// Paydiant: a machine runs out of notes.
    case partialWithdrawal = "partial-withdrawal"
    /// Handpoint: a signature is accepted, declined or too late, or too late and then approved.
    case signatureRace = "signature-race"
    /// A cancellation is asked for, in time or too late.
    case cancelRace = "cancel-race"
    /// Handpoint: a stored result arrives under the next sale.
    case recoveredLater = "recovered-later"
    /// The next value of the tables of the vendor's document.
    case codeTables = "code-tables"

    /// What the customer of a payment with it wants.
    var intent: Intent {
        switch self {
        case .ticketParts: .authorization
        case .deposit, .partialWithdrawal: .withdrawal
        default: .sale
        }
    }
}
