/// The rules of the lifecycle that differ between vendors.
package struct LifecyclePolicy: Sendable, Hashable {
    /// The most by which a capture, without its tip, may exceed the authorization, in basis points (1/100 of a
    /// percent): 0...10_000.
    package var overcaptureBasisPoints: Int64
    /// True if the tip comes on top of the authorized amount (BridgePay: a capture of 9.50 with a tip of 2.00 on an
    /// authorization of 7.50).
    package var tipExceedsAuthorization: Bool
    /// True if an authorization can be captured only once (Handpoint, BridgePay).
    package var capturesOnce: Bool
    /// True if the cardholder adds a tip at the reader, on top of the requested amount (Handpoint).
    package var addsTipAfterRequest: Bool
    /// True if the terminal adds tip, tax and fee to the requested amount, so that more may be approved than was
    /// requested (iPOSgo).
    package var requestIsFloor: Bool
    /// True if the vendor restarts its gateway ids in every batch (iPOSgo's `RefId`), so that two payments can have the
    /// same id.
    package var reusesGatewayID: Bool
    /// True if the terminal decides last: a payment that the host approved and the terminal did not execute is due for
    /// reversal (uCube).
    package var terminalCompletes: Bool
    /// True if a payment can only be voided on the day it was made (Handpoint).
    package var voidsOnSameDay: Bool

    package init(
        overcaptureBasisPoints: Int64 = 0,
        tipExceedsAuthorization: Bool = false,
        capturesOnce: Bool = false,
        addsTipAfterRequest: Bool = false,
        requestIsFloor: Bool = false,
        reusesGatewayID: Bool = false,
        terminalCompletes: Bool = false,
        voidsOnSameDay: Bool = false
    ) {
        self.overcaptureBasisPoints = overcaptureBasisPoints
        self.tipExceedsAuthorization = tipExceedsAuthorization
        self.capturesOnce = capturesOnce
        self.addsTipAfterRequest = addsTipAfterRequest
        self.requestIsFloor = requestIsFloor
        self.reusesGatewayID = reusesGatewayID
        self.terminalCompletes = terminalCompletes
        self.voidsOnSameDay = voidsOnSameDay
    }
}
