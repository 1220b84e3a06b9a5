import Canonical
import Matching
import Payments
import Redaction
import Testing

/// Stored reconciliation events can be read and keep their form.
@Suite struct ReconciliationEventTests {
    private static let first = "00000000-0000-8000-8000-000000000001"
    private static let second = "00000000-0000-8000-8000-000000000002"

    /// A stored event of each type in its current form.
    private static let stored: [(name: ReconciliationEvent.Name, data: String)] = [
        (
            .rulesChanged,
            """
            {"rules":{"ladder":[{"name":"auth-code","keys":["auth-code","last-four"],"choice":"unique","days":1,\
            "tolerance":0}],"graceDays":2,"lateDays":5,"expiryDays":30,"fees":[],\
            "approvals":[{"currency":"USD","above":500}],"deposits":[{"name":"remittance",\
            "keys":["remittance"],"choice":"in-order"}],"depositAccounts":["DE77"],"silentDays":9,\
            "postings":[{"name":"fee","type":"other","rawType":"Subscription","account":"fees","part":"monthly"}],\
            "calendars":[{"processor":"daybook-csv","merchant":"M1","vendors":["dejavoo"],"begins":"2026-03-02",\
            "weekdays":["monday"],"holidays":["2026-12-25"],"zone":"UTC","cutoff":"22:00","expectedDays":1,\
            "expectedAt":"06:00","depositDays":2,"payoutDays":1}],\
            "contracts":[{"processor":"daybook-csv","merchant":"M1","brand":"visa","component":"interchange",\
            "currency":"USD","begins":"2026-03-02","basisPointHundredths":2050,"fixed":5}],\
            "explainedTypes":["fee","withdrawal"]},"reason":"agreed"}
            """
        ),
        (.began, #"{"run":"\#(first)","covers":9,"since":3,"rules":"ab","horizon":"2026-03-01"}"#),
        (.matched, #"{"rule":"rrn","links":[["\#(first)","\#(second)","capture:sale"]]}"#),
        (.unmatched, #"{"links":[["\#(first)","\#(second)","capture:sale"]]}"#),
        (.depositsMatched, #"{"rule":"remittance-sum","links":[["\#(second)","\#(first)","\#(first)"]]}"#),
        (.depositsUnmatched, #"{"links":[["\#(second)","\#(first)"]]}"#),
        (.posted, #"{"rule":"fee","account":"fees","part":"monthly","lines":["\#(first)"]}"#),
        (.unposted, #"{"lines":["\#(first)"]}"#),
        (.exceptionsRaised, #"{"exceptions":[{"id":"\#(first)","class":"unmatched-deposit","line":"\#(second)"}]}"#),
        (.exceptionsCleared, #"{"exceptions":["\#(first)"]}"#),
        (
            .completed,
            """
            {"run":"\(first)","matched":1,"unmatched":2,"raised":3,"cleared":4,"depositsMatched":5,"depositsUnmatched":6,\
            "posted":7,"unposted":8}
            """
        ),
        (.failed, #"{"run":"\#(first)","reason":"cut-off"}"#),
    ]

    /// Rules from before the progress of accounts was tracked separately.
    @Test func missingSettingsOfOlderRulesAreStandard() throws {
        let text = #"{"rules":{"ladder":[],"graceDays":3,"lateDays":5,"expiryDays":30,"fees":[]},"reason":"agreed"}"#
        let name = ReconciliationEvent.Name.rulesChanged.rawValue
        let event = try ReconciliationEvent(type: name, schema: 1, data: JSONValue(parsing: text.utf8))
        #expect(event == .rulesChanged(RulesChange(rules: MatchingRules(ladder: [], graceDays: 3), reason: "agreed")))
    }

    @Test func everyTypeKeepsItsShape() throws {
        #expect(Self.stored.map(\.name) == ReconciliationEvent.Name.allCases)
        for (name, text) in Self.stored {
            let data = try JSONValue(parsing: text.utf8)
            let event = try ReconciliationEvent(type: name.rawValue, schema: 1, data: data)
            #expect(event.name == name && event.type == name.rawValue && event.schema == 1)
            let again = try event.data()
            #expect(again.text == text, "\(name)")
            #expect(try ReconciliationEvent(type: name.rawValue, schema: 1, data: again) == event)
            #expect(throws: UnknownEvent.self) { try ReconciliationEvent(type: name.rawValue, schema: 2, data: data) }
        }
    }
}
