import Canonical
import DaybookTestKit
import EventLog
import Intake
import Operations
import Payments
import Projections
import Testing

@testable import DaybookAPI

/// Documents whose JSON is built member by member, against the types that read them: each is read and written again
/// without a difference, and every member of the type occurs.
@Suite struct StoredDocumentTests {
    @Test func paymentsAreReadAsTheyAreStored() throws {
        var samples = PaymentSamples(random: .forTest())
        let documents = try (0..<400).map { _ in try JSONValue(parsing: samples.payment().json.bytes) }
        // Anomalies of a payment are shown without the follow-up in doubt.
        let hidden = ["/anomalies[]/inDoubt", "/anomalies[]/inDoubt/subject", "/anomalies[]/inDoubt/refund"]
        try expectSame(TransactionJSON.self, documents, without: Set(hidden))
    }

    @Test func receiptsAreStoredAsTheyAreEncoded() throws {
        var samples = PaymentSamples(random: .forTest())
        for zone in [nil, Zone("Europe/Berlin"), .utc] {
            for _ in 0..<400 {
                let payment = samples.payment()
                var receipt = Receipt(
                    payment.state,
                    transaction: payment.id,
                    firstSeen: payment.occurredAt,
                    position: zone == nil ? nil : payment.lastPosition
                )
                receipt.zone = zone
                #expect(try receipt.json.text == receipt.jsonValue().text)
                let names = try #require(receipt.jsonValue().object?.keys)
                #expect(names.allSatisfy(Receipt.memberNames.contains))
                // The text has every member once.
                let document = ReceiptJSON(receipt, copy: .customer)
                #expect(try document.jsonText() == document.jsonValue().text)
            }
        }
    }

    @Test func answersAreReadAsTheyAreSent() throws {
        let note = RedactionNote(path: "/body/pan", rule: "pan", action: "masked")
        let doubt = ["/anomalies[]/inDoubt", "/anomalies[]/inDoubt/subject", "/anomalies[]/inDoubt/refund"]
        let id = UUID128(high: 1, low: 2)
        let batch = StreamName.batch(BatchReference(vendor: .dejavoo, account: "tpn", number: "7"), of: "acme")
        let answers = [StreamName.transaction(id), batch].map { stream in
            IntakeAnswer(
                stream: stream,
                positions: [7, 8],
                types: ["DocumentReceived", "Captured"],
                redactions: [note],
                anomalies: [Anomaly(.keysDisagree, "two payments", related: [StreamName.transaction(id)])],
                isDuplicate: false
            )
        }
        try expectSame(IntakeAnswerJSON.self, answers.map(\.json), without: Set(doubt))
    }

    @Test func resultsOfLinesAreReadAsTheyAreSent() throws {
        let sender = Sender(tenant: "acme", actor: "key:till", correlation: "r-1")
        var refused = IntakeProblem(.versionConflict, "The stream has version 3.", pointer: "/expectedVersion")
        refused.actualVersion = 3
        refused.tracePosition = 9
        let note = RedactionNote(path: "/body/pan", rule: "pan", action: "masked")
        let answer = EventAnswer(stream: "orders/1", positions: [7], redactions: [note], isDuplicate: true)
        let results: [Result<EventAnswer, IntakeProblem>] = [
            .success(answer), .failure(refused), .failure(IntakeProblem(.outcomeUnknown, "Send it again.")),
        ]
        let lines = try results.enumerated().map { index, result in
            var bytes: [UInt8] = []
            StatusLine(Int64(index + 1), result, sender).append(to: &bytes)
            return try JSONValue(parsing: bytes)
        }
        let elsewhere = [
            "offset", "reason", "parameter", "limitBytes", "available", "fault", "line", "character", "column",
        ]
        try expectSame(
            AppendLineJSON.self,
            lines,
            without: Set(elsewhere.map { "/problem/\($0)" } + ["/problem/available[]"])
        )
    }

    @Test func eventsAreReadAsTheyAreRecorded() throws {
        let claims = Claims(
            events: 2,
            idempotency: [(key: UUID128(high: 3, low: 4), request: [1, 255])],
            references: ["bridgepay:320001:214972201"]
        )
        let lines = try [(UUID128(high: 5, low: 6), claims.text), (nil, nil)].map { causation, claims in
            let event = RecordedEvent(
                position: 7,
                id: UUID128(high: 1, low: 2),
                tenant: "acme",
                stream: "orders/1",
                version: 1,
                type: "OrderPlaced",
                schema: 1,
                occurredAt: Timestamp(microsecondsSince1970: 1),
                recordedAt: Timestamp(microsecondsSince1970: 2),
                actor: "key:till",
                correlation: "r-1",
                causation: causation,
                claims: claims,
                data: #"{"b":1,"a":[null,-0,"\u0001"]}"#
            )
            return try JSONValue(parsing: event.recordLine.utf8)
        }
        try expectSame(EventJSON.self, lines, without: [])
    }

    /// - Parameter hidden: The members that never occur.
    private func expectSame<Document: Codable & Sendable>(
        _ type: Document.Type,
        _ documents: [JSONValue],
        without hidden: Set<String>
    ) throws {
        var seen: Set<String> = []
        for json in documents {
            let document = try JSONValueDecoder().decode(type, from: json)
            #expect(try document.jsonValue().text == json.text)
            seen.formUnion(json.memberPaths(at: ""))
        }
        #expect(try ShapeProbe.shape(of: type).memberPaths(at: "").subtracting(hidden).subtracting(seen) == [])
    }
}

extension Shape {
    /// The places of all members.
    fileprivate func memberPaths(at path: String) -> Set<String> {
        switch self {
        case .object(let members):
            members.reduce(into: []) { paths, member in
                let place = "\(path)/\(member.key)"
                paths.insert(place)
                paths.formUnion(member.value.shape.memberPaths(at: place))
            }
        case .list(let element): element.memberPaths(at: "\(path)[]")
        case .dictionary(let element): element.memberPaths(at: "\(path){}")
        case .text, .integer, .boolean, .any: []
        }
    }
}

extension JSONValue {
    fileprivate func memberPaths(at path: String) -> Set<String> {
        switch self {
        case .object(let object):
            object.members.reduce(into: []) { paths, member in
                let place = "\(path)/\(member.key)"
                paths.insert(place)
                paths.formUnion(member.value.memberPaths(at: place))
            }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.memberPaths(at: "\(path)[]")) }
        default: []
        }
    }
}

/// Payments in which every member is there or absent.
private struct PaymentSamples {
    var random: SeededGenerator

    private mutating func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    private mutating func flag() -> Bool { Bool.random(using: &random) }
    private mutating func amount() -> Int64 { Int64.random(in: -10...5_000, using: &random) }
    private mutating func money() -> Money { Money(amount(), .usd) }
    private mutating func pick<Value: CaseIterable>(_ type: Value.Type) -> Value {
        Array(type.allCases).randomElement(using: &random)!
    }
    private mutating func time() -> Timestamp { Timestamp(microsecondsSince1970: 1_767_000_000_000_000 + amount()) }

    mutating func payment() -> TransactionView {
        TransactionView(
            id: UUID128(high: 1, low: 2),
            state: state(),
            firstPosition: 5,
            lastPosition: 9,
            occurredAt: time(),
            recordedAt: time()
        )
    }

    private mutating func state() -> TransactionState {
        var state = TransactionState()
        if flag() {
            var tender = Tender(id: "a", amounts: Amounts(total: Money(500, .usd)), evidence: pick(Evidence.self))
            tender.account = maybe(account())
            state = TransactionState(folding: [.tenderApplied(tender)])
        }
        state.identity.operation = maybe(.reported(pick(Operation.self)))
        state.identity.vendor = maybe(pick(Vendor.self))
        state.identity.reference = maybe("order \"7\"")
        state.identity.merchant = maybe("8846")
        state.identity.terminal = maybe("lane 3")
        state.identity.device = maybe("till")
        state.identity.cardReader = maybe(ReaderReference(vendor: .handpoint, serial: "400-1"))
        state.identity.tender = maybe("card")
        for source in Evidence.allCases { state.verdicts[source] = maybe(facet()) }
        state.verdicts.current = maybe(.init(outcome: pick(Outcome.self), evidence: pick(Evidence.self)))
        state.references = references()
        state.card = maybe(card())
        state.anomalies = flag() ? [Anomaly(.limitExceeded, "too long", related: maybe(["reader/handpoint/1"]))] : []
        state.linked = flag() ? ["transaction/\(UUID128(high: 1, low: 3))"] : []
        guard state.currency != nil || flag() else { return state }
        addMoney(to: &state)
        return state
    }

    private mutating func addMoney(to state: inout TransactionState) {
        state.currency = .usd
        state.authorization.requested = maybe(amount())
        state.authorization.approved = maybe(amount())
        state.authorization.isPartial = flag()
        if flag() {
            var parts = Amounts(total: money())
            parts.base = maybe(money())
            parts.tip = maybe(money())
            parts.tax = maybe(money())
            parts.fee = maybe(money())
            parts.cashback = maybe(money())
            state.authorization.breakdown = parts
        }
        state.captures = (0..<Int.random(in: 0...2, using: &random)).map { capture("\($0)") }
        state.refunds = (0..<Int.random(in: 0...2, using: &random)).map { returned("\($0)") }
        state.chargebacks = flag() ? [returned("c")] : []
        state.credit = maybe(capture("credit"))
    }

    private mutating func batch() -> BatchReference {
        BatchReference(vendor: pick(Vendor.self), account: maybe("tpn"), number: maybe("17"))
    }

    private mutating func capture(_ id: String) -> CaptureEntry {
        var entry = CaptureEntry(
            id: id,
            amount: amount(),
            tip: amount(),
            evidence: pick(Evidence.self),
            batch: maybe(batch()),
            at: nil
        )
        if flag() { entry.settlement = .settled(in: maybe(batch())) }
        entry.isInferred = flag()
        return entry
    }

    private mutating func returned(_ id: String) -> ReturnEntry {
        var entry = ReturnEntry(
            id: id,
            amount: amount(),
            evidence: pick(Evidence.self),
            batch: maybe(batch()),
            references: References(),
            at: nil
        )
        if flag() { entry.undoneBy = .settlement }
        return entry
    }

    private mutating func facet() -> Facet {
        var response = Response(code: maybe("05"), message: maybe("DO NOT HONOR\n"))
        response.issuer = maybe(IssuerAnswer(code: maybe("51"), advice: maybe("03")))
        return Facet(
            outcome: pick(Outcome.self),
            response: response,
            at: maybe(flag() ? .instant(time()) : .local(LocalTime(shown: time()))),
            isRelayed: flag()
        )
    }

    private mutating func account() -> TenderAccount {
        TenderAccount(kind: maybe("gift"), brand: maybe("Visa"), lastFour: maybe("0119"), tokenDigest: maybe("ab"))
    }

    private mutating func references() -> References {
        References(
            gatewayTransaction: maybe("g1"),
            authorizationCode: maybe("012345"),
            retrievalReference: maybe("rrn"),
            hostTransaction: maybe("h1"),
            vendorTransaction: maybe("v1"),
            invoice: maybe("9"),
            merchant: maybe("m"),
            terminal: maybe("t"),
            clerk: maybe("ann"),
            tipRecipient: maybe("bob")
        )
    }

    private mutating func card() -> CardPresentation {
        var card = CardPresentation()
        for text in [
            \CardPresentation.brand, \.maskedNumber, \.lastFour, \.entryMethod, \.applicationLabel,
            \.applicationIdentifier, \.terminalVerificationResults, \.transactionStatusInformation,
            \.issuerApplicationData, \.applicationCryptogram, \.cryptogramInformation, \.verificationResults,
            \.funding, \.tokenDigest,
        ] { card[keyPath: text] = maybe("A0") }
        card.requiresSignature = maybe(flag())
        card.pinEntered = maybe(flag())
        card.chipAmounts = maybe(ChipAmounts(authorized: amount(), other: amount(), currencyNumeric: maybe(840)))
        return card
    }
}
