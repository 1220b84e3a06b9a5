import Canonical
import Testing

struct CountedNounTests {
    @Test func theNounAgreesWithTheCount() {
        #expect("\(0, "event")" == "0 events")
        #expect("\(1, "event") and more" == "1 event and more")
        #expect("\(Int64(2), "batch", "batches")" == "2 batches")
    }
}
