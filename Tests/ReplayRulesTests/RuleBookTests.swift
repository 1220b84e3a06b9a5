import Canonical
import Payments
import ReplayRules
import Testing

/// The selection and overriding of rules.
@Suite struct RuleBookTests {
    private func refusal(_ overrides: String...) -> RuleBookError.Code? {
        do {
            _ = try RuleBook(asOf: sentAt, overriding: overrides)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aPlanFindsItsRulesAgainOnlyWhereTheyAreEqual() throws {
        let book = try RuleBook(asOf: sentAt, overriding: ["wait.unposted=900"])
        var reference = RuleBookReference(book)
        #expect(reference.book(queriesOnlyStandIns: false) == book)
        reference.digest = "sha256:0"
        #expect(reference.book(queriesOnlyStandIns: false) == nil)
        reference = RuleBookReference(book)
        reference.overrides = []
        #expect(reference.book(queriesOnlyStandIns: false) == nil)
        reference.day = "2026-13-01"
        #expect(reference.book(queriesOnlyStandIns: false) == nil)
    }

    /// The rules of the day decide about the same decline.
    @Test func aRuleAppliesFromItsDayUntilTheNext() throws {
        var records = try WrittenRules.all.get().filter { $0.id != "iso.62" }
        let old = RuleRecord(
            id: "iso.62",
            space: "iso",
            code: "62",
            meaning: "restricted",
            unit: .treatment,
            value: "retry",
            until: "2026-11-01",
            source: "the rules before"
        )
        var new = old
        new.value = "never"
        new.from = "2026-11-01"
        new.until = nil
        records += [old, new]
        let evidence = declinedSale(answer: "62")
        let now = sentAt.after(2 * day)
        func ruling(_ year: Int, _ month: Int, _ dayOfMonth: Int) throws -> Disposition {
            let date = try #require(CivilDate(year: year, month: month, day: dayOfMonth))
            return classify(evidence, at: now, book: try RuleBook(records, on: date)).disposition
        }
        #expect(try ruling(2026, 10, 31) == .resubmit)
        #expect(try ruling(2026, 11, 1) == .never)
        #expect(try ruling(1969, 12, 31) == .needsPerson)
        records[records.count - 1].from = "2026-10-01"
        let overlapping = records
        let date = try #require(CivilDate(year: 2026, month: 10, day: 15))
        #expect(throws: RuleBookError.self) { try RuleBook(overlapping, on: date) }
    }

    /// The day is in UTC.
    @Test func theDayOfATime() {
        #expect(sentAt.civilDate.description == "2026-11-02")
        #expect(Timestamp(microsecondsSince1970: -1).civilDate.description == "1969-12-31")
        #expect(Timestamp(microsecondsSince1970: 0).civilDate.description == "1970-01-01")
        #expect(Timestamp.latest.civilDate.description == "9999-12-31")
        #expect(Timestamp.earliest.civilDate.description == "0001-01-01")
    }

    @Test func aBookIsIdentifiedByItsDigest() throws {
        let book = try standardBook()
        #expect(book.digest == (try standardBook()).digest && book.digest.hasPrefix("sha256:"))
        let other = try standardBook(["wait.retry=7200", "iso.05=retry-later"])
        #expect(other.digest != book.digest)
        #expect(other.overrides == ["iso.05=retry-later", "wait.retry=7200"])
        #expect(try standardBook(["iso.05=retry-later", "wait.retry=7200"]) == other)
    }

    @Test func anOverrideChangesTheDisposition() throws {
        let denied = declinedSale(codes: [AnswerCode("bridgepay.message", "D01")])
        let now = sentAt.after(2 * day)
        #expect(classify(denied, at: now, book: try standardBook()).disposition == .needsPerson)
        let loose = try standardBook(["bridgepay.message.D01=retry-later"])
        #expect(classify(denied, at: now, book: loose).disposition == .resubmit)
        // If sources disagree, a tenant may follow the other source.
        let restricted = declinedSale(answer: "62")
        let followed = try standardBook(["iso.62=retry"])
        #expect(classify(restricted, at: now, book: followed).disposition == .resubmit)
    }

    @Test func errorsNameTheRule() {
        #expect(refusal("iso.05") == .malformedOverride)
        #expect(refusal("=never") == .malformedOverride)
        #expect(refusal("iso.05=") == .malformedOverride)
        #expect(refusal("iso.5=never") == .unknownRule)
        #expect(refusal("iso.05=never", "iso.05=call") == .repeatedOverride)
        #expect(refusal("iso.05=perhaps") == .invalidValue)
        #expect(refusal("iso.05=wait 0") == .invalidValue)
        #expect(refusal("iso.05=wait 31622401") == .invalidValue)
        #expect(refusal("iso.05=wait 3600") == nil)
        #expect(refusal("wait.retry=-1") == .invalidValue)
        #expect(refusal("wait.retry=1.5") == .invalidValue)
        #expect(refusal("wait.retry=99999999999999999999") == .invalidValue)
        #expect(refusal("wait.unposted.handpoint=89") == .outOfBounds)
        #expect(refusal("cap.attempts.visa=16") == .outOfBounds)
        #expect(refusal("cap.attempts.visa=10") == nil)
        #expect(refusal("visa.05=5") == .outOfBounds)
        #expect(refusal("query.intervals=5 3") == .invalidValue)
        #expect(refusal("query.intervals=") == .malformedOverride)
        #expect(refusal("query.intervals=0") == .outOfBounds)
        #expect(refusal("query.intervals=5 86401") == .outOfBounds)
        #expect(refusal("query.intervals=5 60") == nil)
    }

    /// No override allows repeating an operation that is final or in doubt, or decides whether money moved.
    @Test(arguments: [
        "iso.04=retry", "iso.43=call", "mastercard.advice.03=retry", "mastercard.advice.21=wait 3600",
        "mastercard.advice.42=informative", "visa.04=2", "bridgepay.result.20002=retry", "bridgepay.result.80003=retry",
        "bridgepay.message.A01=retry", "iso.68=retry", "iso.26=retry", "iso.06=retry", "iso.05=not-posted",
        "iso.05=posted", "handpoint.financial.UNDEFINED=not-posted", "iso.28=retry-later",
    ])
    func someRulesCannotBeLoosened(text: String) {
        #expect(refusal(text) == .tooLoose)
    }

    /// A guard against charging twice can only be lengthened, unless only stand-ins are called.
    @Test(arguments: [
        ("wait.unposted", "90", "3", "600"), ("window.duplicate", "86400", "0", "172800"),
        ("window.duplicate.braintree", "30", "29", "60"), ("window.duplicate.clover", "3600", "0", "3601"),
        ("window.duplicate.cielo", "86400", "86399", "86401"), ("capture.once.bridgepay", "1", "0", "1"),
    ])
    func guardsCannotBeShortened(rule: String, written: String, shorter: String, longer: String) throws {
        let records = try WrittenRules.all.get()
        #expect(records.first { $0.id == rule }?.value == written)
        #expect(refusal("\(rule)=\(shorter)") == .tooLoose)
        #expect(refusal("\(rule)=\(written)") == nil && refusal("\(rule)=\(longer)") == nil)
        let text = "\(rule)=\(shorter)"
        let book = try RuleBook(asOf: sentAt, overriding: [text], queriesOnlyStandIns: true)
        let standard = try standardBook()
        #expect(book.overrides == [text] && book.digest != standard.digest)
        do {
            _ = try RuleBook(asOf: sentAt, overriding: [text])
        } catch {
            #expect("\(error)".contains("stand-ins") && "\(error)".contains(written))
        }
        // Even with stand-ins, the minimum is the time in the vendor's document.
        #expect(throws: RuleBookError.self) {
            try RuleBook(asOf: sentAt, overriding: ["wait.unposted.handpoint=89"], queriesOnlyStandIns: true)
        }
    }

    /// Every duplicate window and every wait before "not posted" is a guard.
    @Test func guardsHaveTheirLeastValue() throws {
        for record in try WrittenRules.all.get()
        where record.id.hasPrefix("window.duplicate") || record.id.hasPrefix("wait.unposted") {
            #expect(record.least.map(String.init) == record.value, "\(record.id)")
        }
    }

    @Test(arguments: [
        "iso.05=never", "iso.62=retry", "visa.14=3", "visa.05=1", "bridgepay.message.D09=never", "iso.68=ambiguous",
    ])
    func rulesThatTenantsMayChange(text: String) {
        #expect(refusal(text) == nil)
    }

    @Test func rulesThatCannotBeReadAreRefused() throws {
        let date = try #require(CivilDate(year: 2026, month: 1, day: 1))
        let good = RuleRecord(
            id: "iso.05",
            space: "iso",
            code: "05",
            meaning: "x",
            unit: .treatment,
            value: "retry",
            source: "y"
        )
        _ = try RuleBook([good], on: date)
        let broken: [(RuleRecord) -> RuleRecord] = [
            {
                var rule = $0; rule.from = "2026-02-30"; return rule
            },
            {
                var rule = $0; rule.until = "1970-01-01"; return rule
            },
            {
                var rule = $0; rule.until = "soon"; return rule
            },
            {
                var rule = $0; rule.code = nil; return rule
            },
            {
                var rule = $0; rule.value = "again"; return rule
            },
        ]
        for change in broken {
            let record = change(good)
            #expect(throws: RuleBookError.self) { try RuleBook([record], on: date) }
        }
        #expect(throws: (any Error).self) { try WrittenRules.read(Array(#"[{"id":"x"}]"#.utf8)) }
    }

    /// Every rule names its source, and every written value is within its own bounds.
    @Test func everyRuleHasASource() throws {
        let records = try WrittenRules.all.get()
        #expect(records.count > 300)
        for record in records {
            #expect(!record.source.isEmpty && !record.meaning.isEmpty, "\(record.id)")
            _ = try Rule(record)
        }
        // A conflicting source is recorded beside the value, together with the reason for the choice.
        for record in records where record.others != nil { #expect(record.note != nil, "\(record.id)") }
    }

    @Test func withoutRulesEverythingNeedsReview() throws {
        let date = try #require(CivilDate(year: 2026, month: 1, day: 1))
        let empty = try RuleBook([], on: date)
        for evidence in [declinedSale(answer: "05"), declinedSale(outcome: .unknown, status: .inDoubt)] {
            #expect(classify(evidence, at: sentAt.after(day), book: empty).disposition == .needsPerson)
        }
    }
}
