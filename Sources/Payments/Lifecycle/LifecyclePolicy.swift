/// The rules of the lifecycle that differ between vendors.
package struct LifecyclePolicy: Sendable, Hashable {
    /// How much a capture, without its tip, may exceed the authorisation: 1/100 of a percent, 0...10_000.
    package var overcaptureBasisPoints: Int64
    /// True where the tip comes on top of the authorised amount (BridgePay: a capture of 9.50 with a tip of 2.00
    /// on an authorisation of 7.50).
    package var tipExceedsAuthorization: Bool
    /// True where an authorisation is captured once (Handpoint, BridgePay).
    package var capturesOnce: Bool
    /// True where the cardholder adds a tip at the reader, on top of what the app asked for (Handpoint).
    package var addsTipAfterRequest: Bool
    /// True where the terminal adds tip, tax and fee to what the app asks for, so that more may be approved than was
    /// requested (iPOSgo).
    package var requestIsFloor: Bool
    /// True where what stands as the gateway's id is counted anew in every batch (iPOSgo's `RefId`), so that two
    /// payments can have the same.
    package var reusesGatewayID: Bool
    /// True where the terminal has the last word: what the host approved and the terminal did not carry out is due for
    /// reversal (uCube).
    package var terminalCompletes: Bool

    package init(
        overcaptureBasisPoints: Int64 = 0,
        tipExceedsAuthorization: Bool = false,
        capturesOnce: Bool = false,
        addsTipAfterRequest: Bool = false,
        requestIsFloor: Bool = false,
        reusesGatewayID: Bool = false,
        terminalCompletes: Bool = false
    ) {
        self.overcaptureBasisPoints = overcaptureBasisPoints
        self.tipExceedsAuthorization = tipExceedsAuthorization
        self.capturesOnce = capturesOnce
        self.addsTipAfterRequest = addsTipAfterRequest
        self.requestIsFloor = requestIsFloor
        self.reusesGatewayID = reusesGatewayID
        self.terminalCompletes = terminalCompletes
    }
}
