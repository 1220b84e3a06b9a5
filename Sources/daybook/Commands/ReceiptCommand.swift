import ArgumentParser
import Composition
import Operations
import Payments
import Projections

struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Print the receipt of a payment, as text, HTML or JSON.",
        discussion: """
            This command does not count as a print. POST /v1/transactions/{id}/receipt/prints counts one; from the \
            second print on, a copy is marked as a reprint. --reader prints the receipts that the reader or its \
            vendor printed, as the documents have them, and what differs from the ledger; --json then prints the \
            answer of GET /v1/transactions/{id}/receipt/reader.

            EXAMPLES
              daybook receipt 0198c5f2-...
              daybook receipt 214972201 --copy merchant --width 32 --tip-line
              daybook receipt 214972201 --html > receipt.html
              daybook receipt 214972201 --reader
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the transaction, or a reference of it.")
    var id: String

    @Option(help: "The copy: customer or merchant.")
    var copy = "customer"

    @Option(help: "The number of characters per line, 24 to 80.")
    var width = 42

    @Flag(help: "Print HTML for rolls of 58 and 80 mm and for sheets.")
    var html = false

    @Flag(help: "Leave room for a tip, if the payment can still get one.")
    var tipLine = false

    @Flag(help: "Print the receipts of the reader instead.")
    var reader = false

    @Option(help: "The payment as recorded at this time (RFC 3339).")
    var asOf: String?

    @Option(help: "The payment as of this position of the log.")
    var asOfPosition: Int64?

    @Option(help: "The tenant. Optional when there is only one.")
    var tenant: String?

    func validate() throws {
        guard !(html && common.json) else { throw ValidationError("--html and --json exclude each other.") }
        guard !(reader && (html || asOf != nil || asOfPosition != nil)) else {
            throw ValidationError("--reader excludes --html, --as-of and --as-of-position.")
        }
    }

    func run() async throws {
        guard let copy = ReceiptCopy(rawValue: copy) else {
            throw Failure.usage("--copy must be customer or merchant.")
        }
        guard ReceiptText.widths.contains(width) else { throw Failure.usage("--width must be 24 to 80.") }
        let moment = try Moment(time: asOf, position: asOfPosition)
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading([])) { ledger in
                let tenant = try await ledger.tenant(tenant)
                let payment = try await FoundPayment(id, in: ledger, tenant: tenant, at: moment)
                if reader {
                    let found = try await Failure.explaining {
                        try await ledger.readerReceipts(of: payment.view.id, tenant: tenant)
                    }
                    guard let found else { throw Failure("There is no such payment.") }
                    return common.json ? try Terminal.say(json: found) : Self.show(found)
                }
                let receipt = try await ledger.receipt(of: payment.view, tenant: tenant, at: moment)
                if common.json {
                    try Terminal.say(json: ReceiptJSON(receipt, copy: copy))
                } else if html {
                    Terminal.say(ReceiptPage.render(receipt, copy: copy, tipLine: tipLine))
                } else {
                    Terminal.say(ReceiptText.render(receipt, copy: copy, width: width, tipLine: tipLine))
                }
            }
        }
    }

    private static func show(_ found: ReaderReceiptsJSON) {
        for receipt in found.receipts {
            Terminal.say("\(receipt.copy ?? "receipt"), event \(receipt.position)")
            Terminal.say(receipt.text)
            for one in receipt.differences {
                Terminal.note("\(one.field.rawValue) differs: printed \(one.printed), recorded \(one.recorded)")
            }
        }
    }
}
