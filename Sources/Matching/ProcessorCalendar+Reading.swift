import Payments

extension ProcessorCalendar {
    private static let mostHolidays = 1000
    private static let mostDays: ClosedRange<Int64> = 0...60

    /// Reads a submitted calendar. Processor, zone and times of day are checked where they are known.
    init(_ reported: SubmittedRules) throws(RulesProblem) {
        let members = try reported.members([
            "processor", "merchant", "vendors", "begins", "weekdays", "holidays", "zone", "cutoff", "expectedDays",
            "expectedAt", "depositDays", "payoutDays",
        ])
        let processor = try members.needed("processor").name()
        let begins = try members.needed("begins").day()
        self.init(processor: processor, merchant: try members["merchant"]?.text(atMost: 500), begins: begins)
        if let member = members["vendors"] {
            vendors = try Self.unique(member, atMost: Vendor.allCases.count) { one throws(RulesProblem) in
                try one.one(of: Vendor.self, .unknownVendor)
            }
        }
        if let member = members["weekdays"] {
            weekdays = try Self.unique(member, atMost: Weekday.allCases.count) { one throws(RulesProblem) in
                try one.one(of: Weekday.self, .unknownWeekday)
            }
            guard !weekdays.isEmpty else { throw member.wrong(.unknownWeekday, "A calendar has a weekday at least.") }
        }
        if let member = members["holidays"] {
            holidays = try Self.unique(member, atMost: Self.mostHolidays) { one throws(RulesProblem) in
                try one.day()
            }
        }
        zone = try members["zone"]?.text(atMost: 64) ?? zone
        cutoff = try members["cutoff"]?.text(atMost: 5)
        expectedAt = try members["expectedAt"]?.text(atMost: 5) ?? expectedAt
        expectedDays = try members.days("expectedDays", in: Self.mostDays) ?? expectedDays
        depositDays = try members.days("depositDays", in: Self.mostDays) ?? depositDays
        payoutDays = try members.days("payoutDays", in: Self.mostDays) ?? payoutDays
    }

    private static func unique<Value: Equatable>(
        _ reported: SubmittedRules,
        atMost limit: Int,
        _ read: (SubmittedRules) throws(RulesProblem) -> Value
    ) throws(RulesProblem) -> [Value] {
        var values: [Value] = []
        for one in try reported.list(atMost: limit) {
            let value = try read(one)
            guard !values.contains(value) else { throw one.wrong(.repeatedEntry, "An entry before is the same.") }
            values.append(value)
        }
        return values
    }

    /// Reads the calendars of submitted rules: each processor, and each vendor, once for a merchant.
    static func calendars(_ reported: [SubmittedRules]) throws(RulesProblem) -> [ProcessorCalendar] {
        var calendars: [ProcessorCalendar] = []
        for one in reported {
            let calendar = try ProcessorCalendar(one)
            let beside = calendars.filter { $0.merchant == calendar.merchant }
            guard !beside.contains(where: { $0.processor == calendar.processor }) else {
                throw one.wrong(.repeatedEntry, "A calendar before is about the same processor and merchant.")
            }
            if let place = calendar.vendors.firstIndex(where: { vendor in
                beside.contains { $0.vendors.contains(vendor) }
            }) {
                throw RulesProblem(
                    .repeatedEntry,
                    at: "\(one.pointer)/vendors/\(place)",
                    "A calendar before has the vendor for the same merchant."
                )
            }
            calendars.append(calendar)
        }
        return calendars
    }
}
