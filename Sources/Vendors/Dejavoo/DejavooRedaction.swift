import Redaction

extension DejavooAdapter {
    /// The fields that need more than the general rules. Source: iOS deep linking V1 and V2; SPIn contracts.
    ///
    /// Transaction ids are a reference number, half a terminal number and the time: 32 digits, parts of which can look
    /// like a card number.
    static let redactionSchema = RedactionSchema([
        (["iPOSToken"], .digest(.token)), (["merchantCode", "authkey", "spinToken"], .drop(.credential)),
        (["CardData.Name"], .drop(.cardholder)), (["cardToken"], .digest(.token)),
        (["maskedPan"], .maskCardNumber), (["signature"], .drop(.cardholder)),
        (["txnId", "DTxId", "transaction_id"], .identifier(.init(.digitsEndingInTime, 32...32))),
        // One of the tables also describes AuthCode as such an id.
        (["authCode", "appCode"], .identifier(.init(.digitsEndingInTime, 32...32))),
        (["hostTxnId", "HTxId"], .identifier(.init(.digits, 1...15))),
        (["dateTime", "dateNTime", "timeStamp"], .identifier(.time)),
        (["AID"], .identifier(.init(.hexadecimal, 10...32))),
    ])
}
