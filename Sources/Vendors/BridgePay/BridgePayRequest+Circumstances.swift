import Payments

extension BridgePayRequest {
    /// What the request states beside its money: document 000, lines 360 to 416, 598 to 620 and 672. Nothing depends on
    /// it, so unreadable values are left out; limits and lists flag them.
    func circumstances(in currency: Currency) -> Circumstances? {
        var stated = Circumstances()
        func text(_ name: String) -> String? {
            (try? fields.text(name)).flatMap { AmountFigure.isPrintable($0) ? $0 : nil }
        }
        stated.isCardPresent = (try? fields.flag("cardpresent"))
        stated.isForced = (try? fields.flag("forceonduplicate"))
        stated.voiceAuthorization = text("voiceauthcode")
        stated.industry = text("industrytype").map { BridgePayIndustry($0)?.rawValue ?? $0 }
        stated.settlementDelay = text("settlementdelay")
        stated.taxIndicator = text("taxindicator").map { text in
            BridgePayTaxIndicator(rawValue: text.uppercased())?.name ?? text
        }
        stated.taxRateBasisPoints = text("taxrate").flatMap(Self.rate)
        stated.healthCare = healthCare(in: currency)
        return stated.ifAnything
    }

    private func healthCare(in currency: Currency) -> HealthCare? {
        guard let health = (try? fields.object("healthcaredata", "bpnhealthcare")) else { return nil }
        var care = HealthCare()
        for portion in portions(in: currency) {
            switch portion.name {
            case "healthCareAmt": care.amount = portion.money
            case "transitAmt", "transmitAmt": care.transit = care.transit ?? portion.money
            case "prescriptionAmt": care.prescription = portion.money
            case "visionAmt": care.vision = portion.money
            case "dentalAmt": care.dental = portion.money
            case "clinicAmt": care.clinic = portion.money
            default: break
            }
        }
        care.isQualified = (try? health.flag("isqualifiediias"))
        return care == HealthCare() ? nil : care
    }
}
