extension RulesTests {
    /// - Parameter more: Members after those that a calendar must have.
    private static func calendar(_ more: String = "", processor: String = "daybook-csv") -> String {
        #"{"processor":"\#(processor)","begins":"2026-03-02"\#(more)}"#
    }
    private static func calendars(_ calendars: String...) -> String {
        #"{"calendars":[\#(calendars.joined(separator: ","))]}"#
    }

    /// A member of rules with the largest and smallest values.
    static let calendarAtItsBounds =
        #""calendars":["#
        + calendar(
            #","merchant":"M1","vendors":["dejavoo"],"weekdays":["sunday"],"holidays":["2199-12-31"],"zone":"+14:00","#
                + #""cutoff":"23:59","expectedDays":60,"expectedAt":"00:00","depositDays":0,"payoutDays":60"#
        ) + "]"

    static let refusedCalendars: [(rules: String, code: String, pointer: String)] = [
        (calendars(#"{"processor":"daybook-csv"}"#), "invalid-rules", "/calendars/0"),
        (calendars(#"{"processor":"daybook-csv","begins":"2026-02-30"}"#), "invalid-day", "/calendars/0/begins"),
        (calendars(#"{"processor":"daybook-csv","begins":"1999-12-31"}"#), "invalid-day", "/calendars/0/begins"),
        (calendars(calendar(processor: "acquirer")), "unknown-processor", "/calendars/0/processor"),
        (calendars(calendar(processor: "camt053")), "unknown-processor", "/calendars/0/processor"),
        (calendars(calendar(#","vendors":["visa"]"#)), "unknown-payment-vendor", "/calendars/0/vendors/0"),
        (calendars(calendar(#","weekdays":["Monday"]"#)), "unknown-weekday", "/calendars/0/weekdays/0"),
        (calendars(calendar(#","weekdays":[]"#)), "unknown-weekday", "/calendars/0/weekdays"),
        (calendars(calendar(#","weekdays":["monday","monday"]"#)), "repeated-entry", "/calendars/0/weekdays/1"),
        (calendars(calendar(#","holidays":["2026-3-1"]"#)), "invalid-day", "/calendars/0/holidays/0"),
        (calendars(calendar(#","zone":"Mars/Olympus""#)), "unknown-zone", "/calendars/0/zone"),
        (calendars(calendar(#","expectedAt":"6:00""#)), "invalid-time", "/calendars/0/expectedAt"),
        (calendars(calendar(#","cutoff":"24:00""#)), "invalid-time", "/calendars/0/cutoff"),
        (calendars(calendar(#","depositDays":61"#)), "days-out-of-range", "/calendars/0/depositDays"),
        (calendars(calendar(#","expectedDays":-1"#)), "days-out-of-range", "/calendars/0/expectedDays"),
        (calendars(calendar(), calendar()), "repeated-entry", "/calendars/1"),
        (
            calendars(
                calendar(#","vendors":["dejavoo"]"#),
                calendar(#","vendors":["bridgepay","dejavoo"]"#, processor: "amex-epraw")
            ), "repeated-entry", "/calendars/1/vendors/1"
        ),
        (calendars(calendar(#","merchant":"4111111111111111""#)), "card-data", "/calendars/0/merchant"),
    ]
}
