import Canonical
import Intake
import Operations
import Redaction
import Testing

/// The bodies of commands: which are accepted, and where the others are wrong.
@Suite struct CommandBodyTests {
    private func body(_ text: String) throws -> CommandBody {
        try CommandBody(try JSONValue(parsing: text.utf8), members: ["reason", "expectedVersion", "name"])
    }

    @Test(arguments: [
        (#"{"reason":"x"}"#, "x"), (#"{"reason":" x "}"#, " x "), (#"{"reason":"x","expectedVersion":0}"#, "x"),
        (#"{"reason":"é","name":7}"#, "é"),
    ])
    func reasonsAreRead(_ text: String, _ reason: String) throws {
        #expect(try body(text).reason().text == reason)
    }

    @Test(arguments: [
        "{}", #"{"reason":""}"#, #"{"reason":" "}"#, #"{"reason":"\t\n"}"#, #"{"reason":7}"#, #"{"reason":null}"#,
        #"{"reason":["x"]}"#, #"{"reason":"x\u0000"}"#,
    ])
    func otherReasonsAreRefused(_ text: String) throws {
        let body = try body(text)
        let problem = #expect(throws: IntakeProblem.self) { try body.reason() }
        #expect(problem == .noReason && problem?.pointer == "/reason")
    }

    @Test(arguments: ["[]", "7", "null", #""reason""#, #"{"reason":"x","more":1}"#, #"{"Reason":"x"}"#])
    func otherBodiesAreRefused(_ text: String) throws {
        let problem = #expect(throws: IntakeProblem.self) { try body(text) }
        #expect(problem?.code == .malformedRecord && problem?.pointer == nil)
    }

    @Test func versionsAreWholeNumbers() throws {
        #expect(try body("{}").expectedVersion() == nil)
        #expect(try body(#"{"expectedVersion":0}"#).expectedVersion() == 0)
        #expect(try body(#"{"expectedVersion":9223372036854775807}"#).expectedVersion() == Int64.max)
        for bad in ["-1", "1.5", #""1""#, "null", "9223372036854775808"] {
            let body = try body(#"{"expectedVersion":\#(bad)}"#)
            let problem = #expect(throws: IntakeProblem.self) { try body.expectedVersion() }
            #expect(problem?.pointer == "/expectedVersion", "\(bad)")
        }
    }

    @Test func textsAreCountedInBytes() throws {
        #expect(try body(#"{"name":"ab"}"#).text("name", mostBytes: 2) == "ab")
        for bad in [#"{}"#, #"{"name":""}"#, #"{"name":" "}"#, #"{"name":"abc"}"#, #"{"name":"aé"}"#, #"{"name":1}"#] {
            let body = try body(bad)
            let problem = #expect(throws: IntakeProblem.self) { try body.text("name", mostBytes: 2) }
            #expect(problem?.pointer == "/name", "\(bad)")
        }
    }
}

/// The limit of a reason, in bytes.
@Suite struct ReasonTests {
    @Test(arguments: [
        "x", " x ", "\u{e9}", String(repeating: "x", count: Reason.mostBytes),
        String(repeating: "\u{e9}", count: Reason.mostBytes / 2),
    ])
    func textsOfTheRightLengthAreAccepted(_ text: String) {
        #expect(Reason(text)?.text == text)
    }

    @Test(arguments: [
        "", " ", "\t", "\n \r\n", String(repeating: "x", count: Reason.mostBytes + 1),
        String(repeating: "\u{e9}", count: Reason.mostBytes / 2 + 1), String(repeating: " ", count: 10), "x\0",
    ])
    func otherTextsAreRefused(_ text: String) {
        #expect(Reason(text) == nil)
        #expect(throws: IntakeProblem.noReason) { try Reason(reading: text) }
    }

    @Test func cardNumbersAreMasked() {
        let reason: Reason = "typo; card 4111111111111111"
        #expect(reason.text.hasPrefix("typo; card ") && !reason.text.contains("4111111111111111"))
        #expect(Reason(reason.text) == reason)
    }

    @Test func aRequestWithoutAReasonIsRefused() {
        #expect(throws: IntakeProblem.noReason) { try Reason(reading: nil) }
    }
}
