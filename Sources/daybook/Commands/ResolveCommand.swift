import ArgumentParser
import Canonical
import Composition
import Foundation
import Intake
import Operations
import Payments
import Projections
import Replay

struct ResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Work on payments with an unknown outcome.",
        discussion: """
            `daybook serve` queries gateways automatically, on the schedule of docs/replay.md. These commands list the \
            remaining doubts, query gateways at once, and record an outcome that an operator has evidence of.

            EXAMPLES
              daybook resolve list --needs-person
              daybook resolve show 0198c5f2-...
              daybook resolve query 0198c5f2-... --url http://127.0.0.1:8080 --key dbk_...
              daybook resolve end 0198c5f2-... --as declined \\
                --evidence 'the portal: declined, 51' --reason 'terminal is lost'
            """,
        subcommands: [
            ResolveListCommand.self, ResolveShowCommand.self, ResolveQueryCommand.self, ResolveEndCommand.self,
        ],
        defaultSubcommand: ResolveListCommand.self
    )
}

/// The filters of doubts.
struct DoubtOptions: ParsableArguments {
    @Option(help: "Only payments reported by this vendor's SDK.")
    var vendor: String?

    @Option(help: "Only this merchant.")
    var merchant: String?

    @Option(help: "Only this terminal.")
    var terminal: String?

    @Option(help: "Only payments in this currency.")
    var currency: String?

    @Option(help: "Only payments made at the reader with this serial number or other name.")
    var reader: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Only payments whose reader holds a result that the app has not fetched, or only the others."
    )
    var readerHoldsResult: Bool?

    @Option(help: "Only payments at least this old: 90s, 10m, 2h, 3d; without a unit, seconds.")
    var olderThan: String?

    @Flag(inversion: .prefixedNo, help: "Only payments that need review, or only the others.")
    var needsPerson: Bool?

    func filter() throws -> DoubtWorklist.Filter {
        var filter = DoubtWorklist.Filter()
        filter.payments.vendor = try vendor.map(Vendor.init(named:))
        filter.payments.merchant = merchant
        filter.payments.terminal = terminal
        filter.payments.currency = currency
        filter.payments.reader = reader
        filter.payments.readerHoldsResult = readerHoldsResult
        filter.olderThanSeconds = try olderThan.map(Self.seconds)
        filter.needsPerson = needsPerson
        return filter
    }

    /// The filters as the query of a request.
    func query() throws -> String {
        var parameters: [(String, String)] = []
        for (name, value) in [
            ("vendor", vendor), ("merchant", merchant), ("terminal", terminal), ("currency", currency),
            ("reader", reader), ("reader_holds_result", readerHoldsResult.map { "\($0)" }),
            ("needs_person", needsPerson.map { "\($0)" }),
            ("older_than", try olderThan.map { "\(try Self.seconds($0))" }),
        ] {
            if let value { parameters.append((name, value)) }
        }
        return parameters.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
    }

    static func seconds(_ text: String) throws -> Int64 {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        if let seconds = Int64(text), (0...3_155_760_000).contains(seconds) { return seconds }
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
            (0...1_000_000).contains(number)
        else { throw Failure.usage("--older-than must be a number with the unit s, m, h or d: 90s, 10m, 2h, 3d.") }
        return number * unit
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}
