package import Canonical
package import Payments

extension GatewayBooks {
    /// More than one charge for one purchase.
    package struct DoubleCharge: Sendable, Hashable {
        package let gateway: StandInGateway
        /// The invoice, or the reference if there is none.
        package let intent: String
        /// The charges in the order they were made; two or more.
        package let payments: [BookedPayment]
    }

    /// All purchases that were charged more than once, in the order of the second charges.
    ///
    /// - Parameter intent: The purchase of a payment; by default its invoice at its gateway. Pass another function if
    ///   attempts at one purchase have different invoices.
    package func doubleCharges(
        by intent: (BookedPayment) -> String = { $0.intent }
    ) -> [DoubleCharge] {
        struct Key: Hashable {
            let gateway: StandInGateway
            let intent: String
        }
        var order: [Key] = []
        var charges: [Key: [BookedPayment]] = [:]
        for payment in payments where payment.isCharge {
            let key = Key(gateway: payment.gateway, intent: intent(payment))
            charges[key, default: []].append(payment)
            if charges[key]?.count == 2 { order.append(key) }
        }
        return order.map { DoubleCharge(gateway: $0.gateway, intent: $0.intent, payments: charges[$0] ?? []) }
    }

    /// Purchases with more than one charge, by the gateways' invoices.
    package var doubleCharges: [DoubleCharge] { doubleCharges(by: { $0.intent }) }

    /// The totals of payments in one currency.
    package struct Totals: Sendable, Hashable {
        package let currency: Currency
        /// The number of sales and captured authorisations in effect.
        package var charges = 0
        /// Their amount, without amounts reversed before settlement.
        package var charged: Money
        /// The number of credits and refunds in effect.
        package var returns = 0
        /// Their amount, as a positive number.
        package var returned: Money
        /// The amount of approved authorisations that are neither captured nor reversed.
        package var held: Money
        package var net: Money
    }

    /// One row for each currency, by code.
    ///
    /// - Throws: `MoneyError.overflow`.
    package func totals(at gateway: StandInGateway? = nil) throws(MoneyError) -> [Totals] {
        var rows: [Currency: Totals] = [:]
        for payment in payments where gateway == nil || payment.gateway == gateway {
            let zero = Money.zero(payment.currency)
            var row =
                rows[payment.currency]
                ?? Totals(currency: payment.currency, charged: zero, returned: zero, held: zero, net: zero)
            switch (payment.state, payment.kind) {
            case (.captured, .sale), (.captured, .authorization):
                row.charges += 1
                row.charged = try row.charged.adding(payment.net)
            case (.captured, _):
                row.returns += 1
                row.returned = try row.returned.subtracting(payment.net)
            case (.authorized, _): row.held = try row.held.adding(Money(payment.approved, payment.currency))
            default: break
            }
            row.net = try row.charged.subtracting(row.returned)
            rows[payment.currency] = row
        }
        return rows.values.sorted { $0.currency < $1.currency }
    }

    private func requestCounts(at gateway: StandInGateway) -> JSONObject {
        var counts: JSONObject = [:]
        for (account, count) in requests(at: gateway).sorted(by: { $0.key < $1.key }) {
            counts[account] = .count(count)
        }
        return counts
    }

    /// Totals, double charges and refused duplicates, for operators and scripts.
    ///
    /// - Throws: `MoneyError.overflow`.
    package func summary(of gateway: StandInGateway? = nil) throws(MoneyError) -> JSONValue {
        let doubles = doubleCharges.filter { gateway == nil || $0.gateway == gateway }
        let totals = try totals(at: gateway)
        return [
            "payments": .count(payments.filter { gateway == nil || $0.gateway == gateway }.count),
            "totals": .array(
                totals.map { row in
                    [
                        "currency": .string(row.currency.alpha), "charges": .count(row.charges),
                        "charged": .number(JSONNumber(row.charged.value)), "returns": .count(row.returns),
                        "returned": .number(JSONNumber(row.returned.value)),
                        "held": .number(JSONNumber(row.held.value)), "net": .number(JSONNumber(row.net.value)),
                    ]
                }
            ),
            "doubleCharges": .array(
                doubles.map { double in
                    [
                        "gateway": .string(double.gateway.rawValue), "intent": .string(double.intent),
                        "payments": .array(double.payments.map { .string($0.id) }),
                    ]
                }
            ),
            "refusedRepeats": .count(refusedRepeats(at: gateway)),
            "requests": .object(gateway.map { requestCounts(at: $0) } ?? [:]),
        ]
    }
}

extension JSONValue {
    static func count(_ number: Int) -> JSONValue { .number(JSONNumber(Int64(number))) }
}
