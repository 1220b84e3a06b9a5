import EMV
import Payments
import Redaction

extension UCubeContext {
    /// The data that may be kept about the card.
    var card: CardPresentation? {
        get throws {
            let application = try document.part("selectedapplication")
            let identifier = try chip.applicationIdentifier ?? application?.data("aid", "applicationidentifier")
            var card = CardPresentation()
            card.brand = identifier.flatMap { CardScheme(applicationIdentifier: $0) }?.rawValue
            card.maskedNumber =
                document.maskedCardNumber("finalizationplaintagsvalues")
                ?? document.maskedCardNumber("authorizationplaintagsvalues")
            card.lastFour = CardPresentation.lastFour(of: card.maskedNumber)
            card.entryMethod = mode?.name
            card.applicationLabel = try chip.applicationLabel ?? application?.fields.text("label", "applicationlabel")
            card.applicationIdentifier = identifier.map { Hexadecimal.text($0) }
            card.terminalVerificationResults = chip.terminalVerificationResults?.description
            card.transactionStatusInformation = chip.transactionStatusInformation?.description
            card.issuerApplicationData = chip.hex(0x9F10)
            // A cryptogram that happens to look like a card number is omitted.
            card.applicationCryptogram = chip.hex(0x9F26).flatMap { TextScrubber().scrub($0).text == $0 ? $0 : nil }
            card.cryptogramInformation = chip.cryptogramInformation.map { Hexadecimal.text([$0.byte]) }
            card.verificationResults = verification.flatMap { _ in chip.hex(0x9F34) }
            card.requiresSignature = try requiresSignature
            card.pinEntered = verification.map {
                $0.receiptLine == .verifiedByPIN || $0.receiptLine == .verifiedByPINAndSignature
            }
            card.chipAmounts = amounts.chipAmounts(chip)
            return card.ifAnything
        }
    }

    private var verification: VerificationResults? { chip.verificationResults }

    private var requiresSignature: Bool? {
        get throws {
            // An output of contactless payments, which is false by default for all others (document 004, lines 217-219).
            let isContactless = mode == .contactless || outcome.outcome != nil
            if let reported = try document.fields.flag("signaturerequired"), reported || isContactless {
                return reported
            }
            if let need = outcome.need { return need == .receiptAndSignature }
            return verification.map { $0.receiptLine == .signature || $0.receiptLine == .verifiedByPINAndSignature }
        }
    }

    /// The reader's operations, in the order of the payment.
    func deviceEvents() throws -> [DeviceEvent] {
        var events = info?.events(at: at) ?? []
        func add(_ name: DeviceEventName, _ code: String? = nil, _ details: [Detail] = []) {
            events.append(
                DeviceEvent(
                    name,
                    DeviceReport(
                        reader: reader,
                        response: Response(code: code),
                        details: details.isEmpty ? nil : details,
                        at: at
                    )
                )
            )
        }
        if mode != nil || outcome.outcome != nil { add(.cardPresented, mode?.name, try presentation() + settings()) }
        if let application = try application() { add(.applicationSelected, nil, application) }
        if let method = verification?.rule.method, method.usesPIN {
            add(.pinEntered, nil, [Detail("9F34", method.meaning)])
        }
        if let code = hostCode { add(.authorizationAnswered, code.text, hostDetails) }
        if try requiresSignature == true { add(.signatureRequested) }
        return events
    }

    var reader: ReaderReference? { info?.reader }

    /// Identifiers of the keys for ciphertext, digests of the ciphertext, and the contactless outcome.
    private func presentation() throws -> [Detail] {
        var details: [Detail] = []
        for name in ["nfcOutcome", "sredKsn", "pinKsn"] {
            if let bytes = try document.data(SensitiveNames.normalized(name)) {
                details.append(Detail(name, UCubeInfo.shortened(Hexadecimal.text(bytes))))
            }
        }
        for name in ["authorizationSecuredTagsValues", "finalizationSecuredTagsValues"] {
            if let digest = try document.digest(SensitiveNames.normalized(name)) {
                details.append(Detail(name, digest))
            }
        }
        return details
    }

    /// The app's settings of the payment, which no other fact has (document 004, lines 187-205), and the result of the
    /// app's risk management.
    func settings() throws -> [Detail] {
        var details: [Detail] = []
        for name in [
            "forceAuthorization", "forceOnlinePIN", "cardWaitTimeout", "onlinePinBlockFormat", "applicationVersion",
            "forceDebug",
        ] {
            if let text = try document.fields.text(SensitiveNames.normalized(name)) {
                details.append(Detail(name, UCubeInfo.shortened(text, to: 64)))
            }
        }
        for name in ["readers", "preferredLanguages"] {
            let texts = document.texts(SensitiveNames.normalized(name))
            if !texts.isEmpty { details.append(Detail(name, UCubeInfo.shortened(texts.joined(separator: ",")))) }
        }
        if let tvr = try document.data("tvr") {
            details.append(Detail("tvr", UCubeInfo.shortened(Hexadecimal.text(tvr))))
        }
        return details
    }

    private func application() throws -> [Detail]? {
        guard let application = try document.part("selectedapplication") else { return nil }
        var details: [Detail] = []
        if let aid = try application.data("aid", "applicationidentifier") {
            details.append(Detail("aid", UCubeInfo.shortened(Hexadecimal.text(aid))))
        }
        for name in ["label", "priority"] {
            if let text = try application.fields.text(name) { details.append(Detail(name, UCubeInfo.shortened(text))) }
        }
        return details
    }

    /// The flag of a request for strong customer authentication.
    private var hostDetails: [Detail] {
        chip.hex(0xDF76).map { [Detail("DF76", $0)] } ?? []
    }
}
