import Canonical
import Payments

extension BridgePayTill {
    /// Portions of the amount, which is not more for them: guide, lines 399 to 415.
    mutating func sellHealthCare(_ script: inout Script) {
        approach(&script)
        let total = purchase.basket.total
        let health = max(6, total * Int64(random.within(40...90)) / 100)
        let prescription = health / 2
        let vision = health / 4
        let transit = (total - health) / 2
        let isQualified = random.chance(percent: 50)
        var data: JSONObject = [
            "healthCareAmt": .string(BridgePayForms.decimal(health)),
            "prescriptionAmt": .string(BridgePayForms.decimal(prescription)),
            "visionAmt": .string(BridgePayForms.decimal(vision)),
            "isQualifiedIIAS": isQualified ? "true" : "false",
        ]
        // The guide spells it in two ways: lines 406 and 2378.
        data[random.chance(percent: 50) ? "transitAmt" : "transmitAmt"] = .string(BridgePayForms.decimal(transit))
        let details = SaleDetails(purchase, givesCash: false, &random)
        script.truly {
            details.note(in: &$0)
            $0.show("circumstances.healthCare.amount", health)
            $0.show("circumstances.healthCare.prescription", prescription)
            $0.show("circumstances.healthCare.vision", vision)
            $0.show("circumstances.healthCare.transit", transit)
        }
        approve(&script) { request, _ in
            details.add(to: &request)
            request["industryType"] = "TRANSACTION_INDUSTRY_TYPE_HEALTHCARE"
            request["healthCareData"] = .object(data)
        }
    }
}
