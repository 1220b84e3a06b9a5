import ArgumentParser
import Ledger
import Operations
import Payments
import Projections

struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Print the receipt of a payment, as text, HTML or JSON.",
        discussion: """
            What is printed here is not counted as a print; POST /v1/transactions/{id}/receipt/prints counts one, and from
            the second on a copy says that it is a reprint.

            EXAMPLES
              daybook receipt 0198c5f2-...
              daybook receipt 214972201 --copy merchant --width 32 --tip-line
              daybook receipt 214972201 --html > receipt.html
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The transaction's id, or a name it is known by.")
    var id: String

    @Option(help: "customer or merchant.")
    var copy = "customer"

    @Option(help: "Characters on a line, 24 to 80.")
    var width = 42

    @Flag(help: "As a page that prints on rolls of 58 and 80 mm and on sheets.")
    var html = false

    @Flag(help: "Leave room for a tip, where one can still be given.")
    var tipLine = false

    @Option(help: "As the payment was by what had been recorded at this time (RFC 3339).")
    var asOf: String?

    @Option(help: "As the payment was when the log ended here.")
    var asOfPosition: Int64?

    @Option(help: "The tenant; may be left out when there is one.")
    var tenant: String?

    func validate() throws {
        guard !(html && common.json) else { throw ValidationError("--html and --json are two forms; choose one.") }
    }

    func run() async throws {
        guard let copy = ReceiptCopy(rawValue: copy) else { throw Failure.usage("--copy is customer or merchant.") }
        guard ReceiptText.widths.contains(width) else { throw Failure.usage("--width is 24 to 80.") }
        let moment = try Moment(time: asOf, position: asOfPosition)
        try await Session.open(common) { session in
            try await session.withLedger { ledger in
                let tenant = try await ledger.tenant(tenant)
                let payment = try await FoundPayment(id, in: ledger, tenant: tenant, at: moment)
                let receipt = try await ledger.receipt(of: payment.view, tenant: tenant, at: moment)
                if common.json {
                    Terminal.say(try receipt.json(for: copy))
                } else if html {
                    Terminal.say(ReceiptPage.render(receipt, copy: copy, tipLine: tipLine))
                } else {
                    Terminal.say(ReceiptText.render(receipt, copy: copy, width: width, tipLine: tipLine))
                }
            }
        }
    }
}
