/// What a request to a route may do: to money, with which permission, and with whose agreement.
package struct Authority: Sendable, Hashable {
    /// Whether a request can cause money to move.
    package enum Money: String, Sendable, Hashable, CaseIterable {
        /// A gateway may be called.
        case moves
        /// Money may then be recorded as moved, as not moved, or as accounted for.
        case concludes
        case no
    }

    /// When another person must agree.
    package enum SecondPerson: String, Sendable, Hashable, CaseIterable {
        case always
        case aboveLimit = "above a limit"
        case never
    }

    /// The method and the template: `POST /v1/events`.
    package var route: String
    /// The effect of the request, as `docs/trust.md` names it.
    package var effect: String
    package var money: Money
    package var permission: Permission
    package var secondPerson: SecondPerson

    package init(
        route: String,
        effect: String,
        money: Money,
        permission: Permission,
        secondPerson: SecondPerson
    ) {
        self.route = route
        self.effect = effect
        self.money = money
        self.permission = permission
        self.secondPerson = secondPerson
    }
}
