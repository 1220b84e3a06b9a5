import Payments

/// A void that names another payment than the one it was meant for.
enum WrongReference {
    /// One of them must be recorded: the reference leads to no payment, or to another one than the app's name.
    static let flags = ["keys-disagree", "original-not-recorded", "void-not-allowed"]

    /// The host voids the other payment.
    static func void(_ other: PaymentTruth, by script: inout Script) {
        var changed = other
        changed.void()
        changed.post(at: script.deviceNow)
        changed.troubles.append(.wrongReference)
        script.other = changed
        script.truly { $0.flaggedWith = other.reference }
    }
}
