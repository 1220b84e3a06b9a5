import Canonical
import Intake
import Matching
import Operations
import Payments
import Projections
import Redaction
import Replay
import Testing

/// The bodies of single commands.
@Suite struct CommandRequestTests {
    private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

    @Test(
        arguments: [
            ("assign", #"{"assignee":"dana","reason":"x"}"#, ExceptionAction.assign("dana")),
            ("assign", #"{"assignee":null,"reason":"x"}"#, .assign(nil)), ("note", #"{"reason":"x"}"#, .note),
            ("resolve", #"{"resolution":{"kind":"timing"},"reason":"x"}"#, .resolve(ExceptionResolution(.timing))),
            (
                "approve", #"{"reason":"x","proposal":"00000000-0000-0001-0000-000000000001"}"#,
                .approve(UUID128(high: 1, low: 1))
            ), ("reject", #"{"reason":"x"}"#, .reject),
            ("reopen", #"{"reason":"x"}"#, .reopen),
        ] as [(String, String, ExceptionAction)]
    )
    func stepsOnExceptionsAreRead(_ name: String, _ body: String, _ action: ExceptionAction) throws {
        let step = try ExceptionStep(name, reading: try json(body))
        #expect(step.action == action && step.reason == "x" && step.version == nil)
    }

    @Test(
        arguments: [
            ("assign", #"{"reason":"x"}"#, "/assignee"), ("assign", #"{"assignee":" ","reason":"x"}"#, "/assignee"),
            ("assign", #"{"assignee":"dana"}"#, "/reason"), ("note", "{}", "/reason"),
            ("approve", #"{"reason":"x"}"#, "/proposal"),
            ("note", #"{"reason":"x","expectedVersion":-1}"#, "/expectedVersion"),
            ("resolve", #"{"reason":"x"}"#, "/resolution/kind"),
            ("resolve", #"{"resolution":{"kind":"lost"},"reason":"x"}"#, "/resolution/kind"),
            ("resolve", #"{"resolution":{"kind":"timing","lines":[]},"reason":"x"}"#, "/resolution"),
            ("resolve", #"{"resolution":{"kind":"matched"},"reason":"x"}"#, "/resolution"),
            ("resolve", #"{"resolution":{"kind":"corrected"},"reason":"x"}"#, "/resolution/correction"),
            ("note", #"{"reason":"x","assignee":"dana"}"#, nil), ("dance", #"{"reason":"x"}"#, nil),
            ("note", "[]", nil),
        ] as [(String, String, String?)]
    )
    func otherStepsAreRefused(_ name: String, _ body: String, _ pointer: String?) throws {
        let json = try json(body)
        let problem = #expect(throws: IntakeProblem.self) { try ExceptionStep(name, reading: json) }
        #expect(problem?.code == .malformedRecord && problem?.pointer == pointer, "\(body)")
    }

    @Test(arguments: [
        (#"{"evidence":"e","reason":"r"}"#, "/as"), (#"{"as":"lost","evidence":"e","reason":"r"}"#, "/as"),
        (#"{"as":"declined","reason":"r"}"#, "/evidence"), (#"{"as":"declined","evidence":"e"}"#, "/reason"),
        (#"{"as":"approved","evidence":"e","reason":"r","amount":5}"#, "/amount"),
        (#"{"as":"approved","evidence":"e","reason":"r","amount":{"value":0,"currency":"USD"}}"#, "/amount"),
        (#"{"as":"approved","evidence":"e","reason":"r","expectedVersion":"1"}"#, "/expectedVersion"),
    ])
    func otherEndsOfDoubtsAreRefused(_ body: String, _ pointer: String) throws {
        let json = try json(body)
        let problem = #expect(throws: IntakeProblem.self) { try EndDoubt(reading: json) }
        #expect(problem?.pointer == pointer, "\(body)")
    }

    @Test func endsOfDoubtsAreRead() throws {
        let text =
            #"{"as":"approved","evidence":"e","reason":"r","amount":{"value":5,"currency":"USD"},"expectedVersion":3}"#
        let command = try EndDoubt(reading: try json(text))
        #expect(command.ending.outcome == .approved && command.ending.evidence == "e" && command.ending.reason == "r")
        #expect(command.ending.amount?.value == 5 && command.version == 3)
    }

    @Test(arguments: [
        (#"{"reason":"r"}"#, "/zone"), (#"{"zone":"Moon","reason":"r"}"#, "/zone"),
        (#"{"zone":"UTC","cutoff":"25:00","reason":"r"}"#, "/cutoff"), (#"{"zone":"UTC"}"#, "/reason"),
    ])
    func otherDescriptionsAreRefused(_ body: String, _ pointer: String) throws {
        let json = try json(body)
        let problem = #expect(throws: IntakeProblem.self) { try DescribeMerchant(reading: json) }
        #expect(problem?.pointer == pointer, "\(body)")
    }

    @Test func aDayBeginsAtMidnightUnlessItIsGiven() throws {
        let plain = try DescribeMerchant(reading: try json(#"{"zone":"UTC","reason":"r"}"#))
        #expect(plain.days.cutoff == "00:00" && plain.days.zone.name == "UTC" && plain.reason == "r")
        let late = #"{"zone":"UTC","cutoff":"04:00","reason":"r"}"#
        #expect(try DescribeMerchant(reading: try json(late)).days.cutoff == "04:00")
    }

    /// The OpenAPI document limits the characters of this reason, not its bytes.
    @Test func thePrintOfAReceiptCountsCharacters() throws {
        let longest = String(repeating: "\u{e9}", count: 200)
        let body: JSONValue = ["copy": "customer", "reason": .string(longest)]
        #expect(try PrintReceipt(reading: body).reason == longest)
        #expect(try PrintReceipt(reading: ["copy": "merchant"]).reason == nil)
        for reason: JSONValue in [.string(longest + "x"), "", 7, .null] {
            let problem = #expect(throws: IntakeProblem.self) {
                try PrintReceipt(reading: ["copy": "customer", "reason": reason])
            }
            #expect(problem?.pointer == "/reason")
        }
    }
}
