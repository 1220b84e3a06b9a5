import Payments

extension Samples {
    static let circumstances: Circumstances = {
        var stated = Circumstances()
        stated.isCardPresent = true
        stated.isForced = false
        stated.voiceAuthorization = "V12"
        stated.industry = "healthcare"
        stated.settlementDelay = "3"
        stated.taxIndicator = "provided"
        stated.taxRateBasisPoints = 550
        var care = HealthCare()
        care.amount = Money(2000, .usd)
        care.transit = Money(100, .usd)
        care.prescription = Money(500, .usd)
        care.vision = Money(200, .usd)
        care.dental = Money(300, .usd)
        care.clinic = Money(400, .usd)
        care.isQualified = true
        stated.healthCare = care
        return stated
    }()
}

extension CardPresentation {
    mutating func addChecks() {
        addressCheck = CardCheck(code: "4D", result: "street matches, postal code differs")
        codeCheck = CardCheck(code: "M", result: "matches")
        isCommercial = false
    }
}
