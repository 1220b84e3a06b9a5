/// The outcome of the stand-in's processor for an amount, for both SPIn and iPOS Transact.
///
/// The vendor documents one amount of its test host: 50.00 with a tip of 2.00 for a partial approval. The others are
/// defined by the stand-in, by the cents, so that every kind of answer is possible.
struct DejavooHostAmount {
    let hostCode: String
    let message: String
    let approved: Int64
    /// Whether terminal and gateway have a transaction for it: false if the request never reached the host.
    let isPosted: Bool
    /// False if the caller receives an unknown outcome.
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
    ///   - tip: The tip within `total`.
    init(_ total: Int64, tip: Int64 = 0) {
        switch (total, total % 100) {
        case (5_200, _) where tip == 200: self.init("10", "PARTIAL APPROVAL", approved: 5_000)
        case (_, 5): self.init("05", "DECLINE")
        case (_, 51): self.init("51", "INSUFF FUNDS")
        case (_, 54): self.init("54", "EXPIRED CARD")
        // The request did not arrive.
        case (_, 91): self.init("91", "HOST NO RESPONSE", isPosted: false, isKnown: false)
        // The request arrived, but the answer was lost.
        case (_, 28): self.init("28", "NO REPLY", approved: total, isKnown: false)
        default: self.init("00", "APPROVAL", approved: total)
        }
    }
}
