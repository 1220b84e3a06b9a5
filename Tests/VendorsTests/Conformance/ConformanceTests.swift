import Canonical
import DaybookTestKit
import Payments
import Redaction
import Testing
import Vendors

/// The requirements for every adapter, tested with the fixtures.
@Suite("Vendor conformance")
struct ConformanceTests {
    @Test("Every adapter has fixtures, and every fixture an adapter")
    func coverage() {
        for adapter in VendorAdapters.all {
            #expect(VendorFixture.all.contains { $0.adapter?.vendor == adapter.vendor }, "\(adapter.vendor)")
            #expect(Set(adapter.kinds).count == adapter.kinds.count)
        }
        for fixture in VendorFixture.all {
            #expect(fixture.adapter?.kinds.contains(fixture.kind) == true, "\(fixture.name)")
        }
        #expect(VendorFixture.all.count >= 16)
    }

    @Test("Every example reads as expected", arguments: VendorFixture.all)
    func reading(fixture: VendorFixture) throws {
        let observation = try fixture.observation()
        let expected = fixture.expected
        #expect(observation.types == expected["events"]?.array?.compactMap(\.string))
        #expect(observation.keys.map(\.text) == expected["keys"]?.array?.compactMap(\.string))
        #expect(observation.occurredAt?.description == expected["occurredAt"]?.string)
        #expect(observation.amounts?.total.value == expected["total"]?.int64)
        #expect(observation.amounts?.tip?.value == expected["tip"]?.int64)
        #expect(observation.anomalies.map(\.kind.rawValue) == expected["anomalies"]?.array?.compactMap(\.string) ?? [])
        if case .batch(let batch, _) = observation.subject { #expect(batch.text == expected["batch"]?.string) }
        let redactions = try fixture.scrubbed().redactions.map {
            "\($0.path) \($0.rule.rawValue) \($0.action.rawValue)"
        }
        #expect(redactions.sorted() == expected["redactions"]?.array?.compactMap(\.string).sorted())
    }

    @Test("Every example of a payment folds to its document's result", arguments: VendorFixture.all)
    func folding(fixture: VendorFixture) throws {
        let observation = try fixture.observation()
        let facts = Lifecycle.decide(observation.events, after: [], policy: observation.policy)
        let state = TransactionState(folding: facts)
        let expected = fixture.expected
        #expect((facts.isEmpty ? nil : state.status.rawValue) == expected["status"]?.string)
        #expect(state.authorization.requested ?? 0 == expected["requested"]?.int64 ?? 0)
        #expect(state.captured == expected["captured"]?.int64 ?? 0)
        #expect(state.credited == expected["credited"]?.int64 ?? 0)
    }

    @Test("Reading is deterministic and works on scrubbed documents only", arguments: VendorFixture.all)
    func determinism(fixture: VendorFixture) throws {
        let observation = try fixture.observation()
        #expect(try fixture.observation() == observation)
        let scrubbed = try fixture.scrubbed()
        #expect(try fixture.scrubbed(scrubbed.value).value == scrubbed.value)
        #expect(try fixture.observation(of: scrubbed.value) == observation)
    }

    @Test("Events survive storage", arguments: VendorFixture.all)
    func storage(fixture: VendorFixture) throws {
        let observation = try fixture.observation()
        for event in observation.events {
            #expect(try TransactionEvent(type: event.type, schema: event.schema, data: event.data()) == event)
        }
        for event in observation.batchEvents {
            #expect(try BatchEvent(type: event.type, schema: event.schema, data: event.data()) == event)
        }
    }

    @Test("Reports survive storage", arguments: VendorFixture.all)
    func storedReports(fixture: VendorFixture) throws {
        for report in try fixture.observation().reports {
            #expect(try report.isStorable())
        }
    }

    @Test("A document reported twice adds nothing the second time", arguments: VendorFixture.all)
    func repetition(fixture: VendorFixture) throws {
        let observation = try fixture.observation()
        let reported = Lifecycle.decide(observation.events, after: [], policy: observation.policy)
        #expect(Lifecycle.decide(observation.events, after: reported, policy: observation.policy).isEmpty)
    }

    @Test("Unknown kinds are refused, and an empty document is never a payment", arguments: VendorAdapters.all.indices)
    func refusals(index: Int) {
        let adapter = VendorAdapters.all[index]
        let empty = Scrubber().scrub(UnscrubbedDocument([:]))
        #expect(throws: Refusal.self) { try adapter.interpret(empty, kind: "nonsense", context: .init()) }
        for kind in adapter.kinds {
            for value: JSONValue in [[:], [], .null, "text", 12, true] {
                let document = Scrubber().scrub(UnscrubbedDocument(value))
                // A method without parameters, or with one, is still a report.
                let observation = try? adapter.interpret(document, kind: kind, context: .init())
                #expect(observation?.events.isEmpty != false, "\(kind): \(value)")
                #expect(observation?.batchEvents.isEmpty != false && observation?.keys.isEmpty != false)
            }
            let unreadable = Scrubber().scrub(UnscrubbedDocument(unreadable: [0x7B, 0xFF, 0x00]))
            let observation = try? adapter.interpret(unreadable, kind: kind, context: .init())
            #expect(observation?.events.isEmpty != false, "\(kind)")
        }
    }

    // MARK: Rules

    @Test("Every vendor has its adapter", arguments: Vendor.allCases)
    func adapters(vendor: Vendor) {
        #expect(VendorAdapters.adapter(of: vendor).vendor == vendor)
        #expect(VendorAdapters.all.filter { $0.vendor == vendor }.count == 1)
        #expect(vendor.displayName.lowercased() == vendor.rawValue)
    }

    @Test("Every code is the issuer's answer or belongs to tables of the vendor", arguments: Vendor.allCases)
    func codes(vendor: Vendor) {
        let adapter = VendorAdapters.adapter(of: vendor)
        for evidence in Evidence.allCases {
            for code in ["0", "00", "98", "505", "0016", "20002", "A01", "R02", "declined", "é"] {
                let meaning = adapter.code(code, by: evidence)
                #expect(!meaning.tables.isEmpty || meaning.isIssuerAnswer, "\(code)")
                #expect(meaning.tables.allSatisfy { $0.hasPrefix("\(vendor.rawValue).") }, "\(code)")
                #expect(Set(meaning.tables).count == meaning.tables.count)
                #expect(VendorAdapters.code(code, of: vendor, by: evidence) == meaning)
            }
        }
    }

    @Test("A payment is looked up only by names that were reported", arguments: Vendor.allCases)
    func lookups(vendor: Vendor) {
        let adapter = VendorAdapters.adapter(of: vendor)
        #expect(adapter.lookupNames(References(), appReference: nil).gatewayTransaction == nil)
        #expect(adapter.lookupNames(References(), appReference: nil).reference == nil)
        var references = References()
        references.gatewayTransaction = "g-1"
        references.vendorTransaction = "3e665342-a95b-49c1-b6fe-b3f102305a76"
        let names = adapter.lookupNames(references, appReference: "order 7")
        let known: Set<String?> = [nil, "g-1", references.vendorTransaction]
        #expect(known.contains(names.gatewayTransaction) && known.contains(names.reference))
        #expect(names.gatewayTransaction != nil || names.reference != nil)
        #expect(names.isCertain)
        // The gateway did not receive the app's reference.
        #expect(adapter.lookupNames(references, appReference: nil) == names)
    }

    @Test("An app's invoice number is never taken for a name of Daybook's", arguments: Vendor.allCases)
    func proofs(vendor: Vendor) {
        let adapter = VendorAdapters.adapter(of: vendor)
        #expect(adapter.lookupProof(isOwn: false, invoice: nil) != .own)
        guard adapter.findsByInvoice else { return }
        #expect(adapter.lookupProof(isOwn: true, invoice: .reported) == .reusable)
        #expect(adapter.lookupProof(isOwn: true, invoice: .own) == .own)
    }

    @Test("Empty documents and ids have no facts", arguments: Vendor.allCases)
    func accounts(vendor: Vendor) {
        let adapter = VendorAdapters.adapter(of: vendor)
        for document: JSONValue in [[:], [], .null, "text", 12] {
            #expect(adapter.merchantAccount(in: document, terminal: nil, device: nil) == nil)
            #expect(adapter.merchantAccount(in: document, terminal: "till 1", device: nil) == nil)
        }
        for transaction in ["", "/", "1234", "3e665342-a95b-49c1-b6fe-b3f102305a76"] {
            #expect(adapter.batchNumber(inTransaction: transaction) == nil)
        }
    }

    @Test("The account of every example", arguments: VendorFixture.all)
    func account(fixture: VendorFixture) throws {
        let adapter = try #require(fixture.adapter)
        let account = adapter.merchantAccount(
            in: try fixture.scrubbed().value,
            terminal: "1234567890",
            device: "0001234"
        )
        switch adapter.vendor {
        case .bridgepay: #expect(account.map { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? true)
        case .dejavoo: #expect(account == "1234567890")
        // The reader in the document wins over the one that the sender names.
        case .handpoint: #expect(account?.hasPrefix("0") == false)
        case .paydiant, .youtransactor: #expect(account == nil)
        }
    }

    @Test("A serial number stays the same when it is read again", arguments: Vendor.allCases)
    func serials(vendor: Vendor) {
        let adapter = VendorAdapters.adapter(of: vendor)
        for device in ["till-1", "0123456789", "PP0513900435"] {
            let serial = adapter.serial(ofDevice: device)
            #expect(!serial.isEmpty && adapter.serial(ofDevice: serial) == serial)
        }
    }

    // MARK: Card data

    private static let secrets = [
        "4111111111111111", "371449635392376", "6011000991001201", "6212345678901265123", "5500 0000 0000 0004",
        "4917-6100-0000-0000", ";4111111111111112=25121011234567890?", "%B4111111111111112^DOE/JOHN^2512101123?",
        "4111111111111112D25121011234567890F",
    ]

    @Test("A secret in any field is removed completely", arguments: VendorFixture.all)
    func planting(fixture: VendorFixture) throws {
        for (round, place) in DocumentPlaces.all(in: fixture.body).enumerated() {
            for (index, secret) in Self.secrets.enumerated() {
                // Every secret unchanged in every place, and one of three other forms in turn.
                for dress in [secret, ["x \(secret) y", "no:\(secret),", "\(secret) "][(round + index) % 3]] {
                    let document = try fixture.scrubbed(place.replacing(in: fixture.body, with: .string(dress)))
                    let text = document.value.text + document.redactions.map(\.path).joined()
                    let left = text.filter { $0.isNumber || $0 == "*" || $0 == "\"" }
                    #expect(!left.contains(secret.filter(\.isNumber)), "\(place): \(dress)")
                    #expect(!text.contains(secret), "\(place): \(dress)")
                }
            }
            let number = try fixture.scrubbed(place.replacing(in: fixture.body, with: 4_111_111_111_111_111))
            #expect(!number.value.text.contains("4111111111111111"), "\(place)")
        }
    }

    @Test("Secrets beside any field are removed completely", arguments: VendorFixture.all)
    func plantingMembers(fixture: VendorFixture) throws {
        let members: [(String, JSONValue)] = [
            ("cvv", "7391"), ("CVV2", 7391), ("password", "hunter-7391"), ("track2", "x7391x"),
            ("pinBlock", "AB7391CD"),
            ("privateKey", ["7391"]), ("expirationDate", "7391"), ("cardHolderName", "7391/DOE"),
        ]
        if let text = fixture.body.string {
            for (name, value) in members {
                let document = try fixture.scrubbed(.string("\(text)\n\(name): \(value.string ?? value.text)\n"))
                #expect(!document.value.text.contains("7391"), "\(name)")
                #expect(!document.redactions.isEmpty)
            }
            return
        }
        for place in DocumentPlaces.objects(in: fixture.body) {
            for (name, value) in members {
                let document = try fixture.scrubbed(place.adding(name, value, to: fixture.body))
                #expect(!document.value.text.contains("7391"), "\(place): \(name)")
                #expect(!document.redactions.isEmpty)
            }
        }
    }

    // MARK: Fuzzing

    @Test(
        "Broken documents are refused or read, never a crash, and refusals repeat nothing",
        arguments: VendorFixture.all
    )
    func fuzzing(fixture: VendorFixture) throws {
        var generator = SeededGenerator.forTest(fixture.name)
        let garbage: [JSONValue] = [
            .null, true, [], [:], "", "(null)", "CANARY", -1, "$-5.00", "99999999999999999999999", "1e400", "0.001",
            ["CANARY": "CANARY"], ["CANARY"], "\u{1}CANARY", .string(String(repeating: "CANARY", count: 400)), "٤", "-",
            ".",
            "00", "D01", "X02 CANARY", "20003", 9_223_372_036_854_775_807, "XXX", "GBP", "JPY",
        ]
        var refused = 0
        for _ in 0..<500 {
            var body = fixture.body
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                if let text = body.string {
                    body = .string(Self.damaged(text, with: garbage, using: &generator))
                    continue
                }
                guard let place = DocumentPlaces.all(in: body).randomElement(using: &generator) else { continue }
                if Bool.random(using: &generator) {
                    body = place.removing(from: body)
                } else {
                    body = place.replacing(in: body, with: garbage.randomElement(using: &generator) ?? .null)
                }
            }
            do {
                let observation = try fixture.observation(of: body)
                for event in observation.events { _ = try event.data() }
                _ = Lifecycle.decide(observation.events, after: [], policy: observation.policy)
            } catch let refusal as Refusal {
                refused += 1
                #expect(!refusal.detail.contains("CANARY"))
                #expect(!refusal.detail.isEmpty)
            }
        }
        // Any text may be readable, and a method without parameters has no member to break.
        #expect(refused > 0 || DocumentPlaces.all(in: fixture.body).isEmpty)
    }

    /// The text with a part of its middle removed or replaced.
    private static func damaged(
        _ text: String,
        with garbage: [JSONValue],
        using generator: inout SeededGenerator
    ) -> String {
        let characters = Array(text)
        let start = Int.random(in: 0...characters.count, using: &generator)
        let end = min(characters.count, start + Int.random(in: 0...20, using: &generator))
        let middle = Bool.random(using: &generator) ? garbage.randomElement(using: &generator)?.text ?? "" : ""
        return String(characters[..<start]) + middle + String(characters[end...])
    }
}

extension LedgerEvent {
    /// True if reading the stored event gives the same event.
    fileprivate func isStorable() throws -> Bool { try Self(type: type, schema: schema, data: data()) == self }
}
