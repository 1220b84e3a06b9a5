import NIOCore
import Testing

@testable import HTTPEdge

@Suite struct ConnectionTimelineTests {
    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(1000 + seconds) }

    private func timeline() -> ConnectionTimeline { ConnectionTimeline(.init(), now: at(0)) }

    @Test func closesAnIdleConnection() {
        var timeline = timeline()
        #expect(timeline.deadline == at(60))
        #expect(timeline.fired(now: at(59)) == .nothing)
        #expect(timeline.fired(now: at(60)) == .close)
    }

    @Test func aTrickledHeaderIsNotGivenMoreTime() {
        var timeline = timeline()
        for second in 1...9 { timeline.received(bytes: 1, isInsideHead: true, now: at(Int64(second))) }
        #expect(timeline.deadline == at(11))
        #expect(timeline.fired(now: at(11)) == .refuse(.headerTimeout))
        #expect(timeline.pendingAnswers == 1)
    }

    @Test func aTrickledBodyIsNotGivenMoreTime() {
        var timeline = timeline()
        timeline.received(bytes: 1, isInsideHead: true, now: at(1))
        timeline.headCompleted(hasBody: true, now: at(3))
        for second in 4...29 { timeline.received(bytes: 1, isInsideHead: false, now: at(Int64(second))) }
        #expect(timeline.deadline == at(31))
        #expect(timeline.fired(now: at(31)) == .expire(.bodyTimeout))
    }

    @Test func aSlowRouteTimesOut() {
        var timeline = timeline()
        timeline.headCompleted(hasBody: true, now: at(0))
        timeline.bodyCompleted(now: at(1))
        #expect(timeline.fired(now: at(30)) == .expire(.requestTimeout))
        timeline.answerStarted(sendsComments: false, now: at(30))
        #expect(timeline.fired(now: at(30)) == .close)
    }

    @Test func anAnswerThatIsNotReadIsCut() {
        var timeline = timeline()
        timeline.headCompleted(hasBody: false, now: at(0))
        timeline.answerStarted(sendsComments: false, now: at(1))
        timeline.handedOver(bytes: 100, now: at(1))
        #expect(timeline.fired(now: at(30)) == .close)
    }

    @Test func queuedRequestsHaveTheirOwnDeadline() {
        var timeline = timeline()
        timeline.headCompleted(hasBody: false, now: at(0))
        timeline.headCompleted(hasBody: false, now: at(0))
        timeline.received(bytes: 1, isInsideHead: true, now: at(1))
        timeline.answerCompleted(now: at(20))
        #expect(timeline.deadline == at(50))
        timeline.answerCompleted(now: at(40))
        // The head that began long ago was deliberately not read.
        #expect(timeline.deadline == at(50))
        #expect(timeline.fired(now: at(50)) == .refuse(.headerTimeout))
    }

    @Test func aStreamIsExemptWhileTheClientKeepsUp() {
        var timeline = timeline()
        timeline.headCompleted(hasBody: false, now: at(0))
        timeline.streamDeclared(now: at(0))
        for round in 1...10 as ClosedRange<Int64> {
            timeline.handedOver(bytes: 2000, now: at(30 * round - 29))
            timeline.sent(bytes: 2000, now: at(30 * round - 1))
            #expect(timeline.fired(now: at(30 * round)) == .nothing)
        }
    }

    @Test func aStreamThatWaitsForTheServerIsNotTooSlow() {
        var timeline = timeline()
        timeline.headCompleted(hasBody: true, now: at(0))
        timeline.streamDeclared(now: at(0))
        #expect(timeline.fired(now: at(30)) == .nothing)
        timeline.readWanted(true, now: at(30))
        timeline.readWanted(false, now: at(40))
        #expect(timeline.fired(now: at(60)) == .nothing)
    }

    @Test func aClientThatTakesTooLittleIsCut() {
        var timeline = timeline()
        timeline.headCompleted(hasBody: false, now: at(0))
        timeline.streamDeclared(now: at(0))
        timeline.handedOver(bytes: 100_000, now: at(1))
        timeline.sent(bytes: 1000, now: at(2))
        #expect(timeline.fired(now: at(30)) == .close)
    }

    @Test func aClientThatSendsTooLittleIsCut() {
        var timeline = timeline()
        timeline.headCompleted(hasBody: true, now: at(0))
        timeline.streamDeclared(now: at(0))
        timeline.readWanted(true, now: at(0))
        for second in 1...29 as ClosedRange<Int64> {
            timeline.received(bytes: 1, isInsideHead: false, now: at(second))
            timeline.readWanted(false, now: at(second))
            timeline.readWanted(true, now: at(second))
        }
        #expect(timeline.fired(now: at(30)) == .close)
    }

    @Test func aSilentEventStreamGetsComments() {
        var timeline = timeline()
        timeline.headCompleted(hasBody: false, now: at(0))
        timeline.streamDeclared(now: at(0))
        timeline.answerStarted(sendsComments: true, now: at(1))
        #expect(timeline.deadline == at(16))
        #expect(timeline.fired(now: at(16)) == .comment)
        timeline.handedOver(bytes: 8, now: at(16))
        timeline.sent(bytes: 8, now: at(16))
        #expect(timeline.deadline == at(30))
        #expect(timeline.fired(now: at(30)) == .nothing)
        #expect(timeline.fired(now: at(31)) == .comment)
        timeline.answerCompleted(now: at(40))
        #expect(timeline.deadline == at(100))
    }

    @Test func lingeringIsLimited() {
        var timeline = timeline()
        timeline.lingers(now: at(5))
        #expect(timeline.deadline == at(7))
        #expect(timeline.fired(now: at(7)) == .close)
    }
}
