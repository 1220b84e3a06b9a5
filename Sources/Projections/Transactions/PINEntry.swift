import EMV
import Payments

/// What is known of the entry of a PIN for one payment.
enum PINEntry: String {
    /// The cardholder was asked for a PIN.
    case requested
    /// The cardholder was asked for a PIN, and left it out.
    case bypassed

    /// Nil unless the chip's results, the reader's reports or the vendor's field show that a PIN was asked for.
    init?(_ card: CardPresentation?, _ steps: DeviceSteps) {
        let checks = card?.terminalVerificationResults.flatMap { TerminalVerificationResults(hex: $0) }
        let method = card?.verificationResults.flatMap { VerificationResults(hex: $0) }?.rule.method
        // Confirming without a digit makes the reader ask for a signature: document 002, line 1394.
        let isSigned = card?.pinEntered == false && card?.requiresSignature == true
        let isLeftOut = steps.isPINRequested && !steps.isPINEntered && isSigned
        if isLeftOut || checks?.contains(.pinNotEntered) == true {
            self = .bypassed
        } else if steps.isPINRequested || steps.isPINEntered || card?.pinEntered == true
            || checks?.contains(.onlinePINEntered) == true
            || method?.usesPIN == true && checks?.contains(.pinPadAbsentOrBroken) != true
        {
            self = .requested
        } else {
            return nil
        }
    }
}
