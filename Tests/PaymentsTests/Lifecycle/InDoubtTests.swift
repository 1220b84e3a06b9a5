import Payments
import Testing

@Suite("In doubt")
struct InDoubtTests {
    private static let sale = TransactionEvent.saleRequested(Told.request(750))
    private static let cancelled = TransactionEvent.cancelled(Told.verdict(.reader))
    private static let doubt: [TransactionEvent] = [sale, .outcomeUnknown(Told.verdict())]
    private static let saleCapture = Told.captured(750, id: Capture.saleID)

    @Test(
        "In doubt",
        arguments: [
            Story(
                "approved by a status query",
                given: doubt,
                when: Told.resolved(.approved, .statusQuery, 750),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "approved by a find, and the capture told later",
                given: doubt,
                when: Told.resolved(.approved, .find, 750),
                saleCapture,
                then: .captured,
                "A750 C750"
            ),
            Story(
                "approved by a result the reader had kept",
                given: doubt,
                when: Told.resolved(.approved, .recoveredResult, 750, by: .reader),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "approved by a line of the settlement",
                given: doubt,
                when: Told.resolved(.approved, .settlementLine, 750, by: .settlement),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "approved in part",
                given: doubt,
                when: Told.resolved(.partiallyApproved, .statusQuery, 500),
                then: .partiallyApproved,
                "A500 C500 due250"
            ),
            Story("declined", given: doubt, when: Told.resolved(.declined, .statusQuery), then: .declined),
            Story(
                "declined, as the reader knew",
                given: doubt,
                when: Told.resolved(.declined, .recoveredResult, by: .reader),
                then: .declined
            ),
            Story("not posted", given: doubt, when: Told.resolved(.notPosted, .find), then: .notPosted),
            Story("reversed", given: doubt, when: Told.resolved(.reversed, .reversalAcknowledgement), then: .reversed),
            Story("reversed by the reversal itself", given: doubt, when: .reversed(Told.part("r")), then: .reversed),
            Story(
                "approved, nobody says for how much",
                given: doubt,
                when: Told.resolved(.approved, .find),
                then: .authorized,
                "",
                .amountUnreadable
            ),
            Story(
                "an authorisation approved by a find",
                given: [.authorizationRequested(Told.request(750)), .outcomeUnknown(Told.verdict())],
                when: Told.resolved(.approved, .find, 750),
                then: .authorized,
                "A750"
            ),
            Story(
                "the host answers after all",
                given: doubt,
                when: Told.approved(750),
                saleCapture,
                then: .captured,
                "A750 C750"
            ),
            Story(
                "giving up at the device is no evidence",
                given: doubt,
                when: .failed(Told.verdict(.reader)),
                then: .inDoubt
            ),
            Story(
                "giving up at the device where the doubt arose neither",
                given: [sale, .outcomeUnknown(Told.verdict(.reader))],
                when: cancelled,
                then: .inDoubt
            ),
            Story(
                "doubt does not undo an approval",
                given: Told.sale(750),
                when: .outcomeUnknown(Told.verdict()),
                then: .captured,
                "A750 C750"
            ),
            Story(
                "the reader's approval ends the doubt",
                given: doubt,
                when: Told.approved(750, by: .reader),
                saleCapture,
                then: .captured,
                "A750 C750"
            ),
            Story(
                "resolved twice, the same way",
                given: doubt,
                when: Told.resolved(.declined, .statusQuery),
                Told.resolved(.declined, .find),
                then: .declined
            ),
            Story(
                "resolved twice, two ways",
                given: doubt,
                when: Told.resolved(.notPosted, .statusQuery),
                Told.resolved(.approved, .find, 750),
                then: .captured,
                "A750 C750",
                .conflictingOutcome
            ),
        ]
    )
    func inDoubt(_ story: Story) { story.check() }
}
