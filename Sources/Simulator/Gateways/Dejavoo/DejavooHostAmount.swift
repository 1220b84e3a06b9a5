/// What the stand-in's processor makes of an amount, for SPIn and iPOS Transact alike.
///
/// The vendor documents one amount of its test host, 50.00 with a tip of 2.00 for a partial approval. The others are the
/// stand-in's own, by the cents, so that every kind of answer can be had.
struct DejavooHostAmount {
    let hostCode: String
    let message: String
    let approved: Int64
    /// Whether terminal and gateway have a transaction of it: false where the request never reached the host.
    let isPosted: Bool
    /// False where whoever asked is told that nobody knows.
    let isKnown: Bool

    private init(
        _ hostCode: String,
        _ message: String,
        approved: Int64 = 0,
        isPosted: Bool = true,
        isKnown: Bool = true
    ) {
        self.hostCode = hostCode
        self.message = message
        self.approved = approved
        self.isPosted = isPosted
        self.isKnown = isKnown
    }

    /// - Parameters:
    ///   - total: Minor units, tip included.
    ///   - tip: The tip within.
    init(_ total: Int64, tip: Int64 = 0) {
        switch (total, total % 100) {
        case (5_200, _) where tip == 200: self.init("10", "PARTIAL APPROVAL", approved: 5_000)
        case (_, 5): self.init("05", "DECLINE")
        case (_, 51): self.init("51", "INSUFF FUNDS")
        case (_, 54): self.init("54", "EXPIRED CARD")
        // The request did not get there.
        case (_, 91): self.init("91", "HOST NO RESPONSE", isPosted: false, isKnown: false)
        // The request got there and the answer did not come back.
        case (_, 28): self.init("28", "NO REPLY", approved: total, isKnown: false)
        default: self.init("00", "APPROVAL", approved: total)
        }
    }
}
