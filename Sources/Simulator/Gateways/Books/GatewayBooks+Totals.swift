package import Canonical
package import Payments

extension GatewayBooks {
    /// More than one charge for what was to be paid once.
    package struct DoubleCharge: Sendable, Hashable {
        package let gateway: StandInGateway
        /// The invoice, or the reference where there is none.
        package let intent: String
        /// In the order they were made; two or more.
        package let payments: [BookedPayment]
    }

    /// Every intended payment that a card was charged for more than once, in the order of the second charges.
    ///
    /// - Parameter intent: What a payment pays for; by default its invoice at its gateway. Give another one where
    ///   attempts at one payment go by different invoices.
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

    /// More than one charge for one intended payment, by the invoices the gateways were given.
    package var doubleCharges: [DoubleCharge] { doubleCharges(by: { $0.intent }) }

    /// What payments came to in one currency.
    package struct Totals: Sendable, Hashable {
        package let currency: Currency
        /// How many sales and captured authorisations stand.
        package var charges = 0
        /// What those took, without what was taken back before settlement.
        package var charged: Money
        /// Credits and refunds that stand.
        package var returns = 0
        /// What those gave, counted up from zero.
        package var returned: Money
        /// Authorisations that are approved and neither captured nor taken back.
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

    /// Totals, double charges and refused repeats, for people and scripts.
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
        ]
    }
}

extension JSONValue {
    static func count(_ number: Int) -> JSONValue { .number(JSONNumber(Int64(number))) }
}
