import ArgumentParser
import Canonical
import Composition
import Operations
import Payments
import Projections

struct CheckoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkout",
        abstract: "Show one wallet checkout with its status and its payments.",
        discussion: """
            `daybook list checkouts` lists them. --json prints the answer of GET /v1/checkouts/{id}.

            EXAMPLES
              daybook checkout sha256:5f3c...
              daybook checkout sha256:5f3c... --json | jq '.transactions'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the checkout: the digest of its token.")
    var id: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.checkouts.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                guard let found = try await ledger.payments.checkouts.checkout(id, of: tenant) else {
                    throw Failure("There is no such checkout.", hint: "`daybook list checkouts` lists them.")
                }
                if common.json { try Terminal.say(json: CheckoutJSON(found)) } else { Self.show(found) }
            }
        }
    }

    private static func show(_ checkout: CheckoutView) {
        func line(_ label: String, _ value: String?) {
            guard let value else { return }
            Terminal.say(label + String(repeating: " ", count: max(1, 12 - label.count)) + value)
        }
        line("checkout", checkout.id)
        line("vendor", checkout.vendor.rawValue)
        line("status", checkout.status.rawValue)
        line("last event", checkout.state?.event)
        line("due", checkout.amounts?.total.description)
        line("events", "\(checkout.events)")
        line("refused", "\(checkout.failures)")
        line("first seen", checkout.firstSeen.rfc3339)
        line("last seen", checkout.lastSeen.rfc3339)
        for payment in checkout.transactions { line("payment", payment) }
        for detail in checkout.details { line(detail.name, detail.value) }
    }
}
