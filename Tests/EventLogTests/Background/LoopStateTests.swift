import Testing

@testable import EventLog

@Suite("Background loop")
struct LoopStateTests {
    private typealias Exchange = (event: LoopState.Event, action: LoopState.Action)

    private static let append = LoopPause.append(beyond: 7, orAfter: .seconds(5), gathering: .milliseconds(200))

    private static let exchanges: [Exchange] = [
        (.began(.none), .step), (.began(.time(.seconds(3))), .pause(.time(.seconds(3)))),
        (.began(append), .pause(append)),
        (.began(.end), .stop), (.paused, .step), (.cancelled, .stop),
        (.stepped(.none), .step), (.stepped(.time(.seconds(3))), .pause(.time(.seconds(3)))),
        (.stepped(append), .pause(append)), (.stepped(.end), .stop),
        (.failed(isFinal: true), .stop), (.failed(isFinal: false), .pause(.time(.seconds(1)))),
    ]

    @Test("Each event leads to one action", arguments: exchanges.indices)
    func actions(_ index: Int) {
        var state = LoopState(retry: .seconds(1)...(.seconds(60)))
        #expect(state.handle(Self.exchanges[index].event) == Self.exchanges[index].action)
    }

    private static let delays: [(ClosedRange<Duration>, [Int])] = [
        (.seconds(1)...(.seconds(60)), [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]),
        (.milliseconds(500)...(.milliseconds(500)), [500, 500, 500]),
    ]

    @Test("The delay doubles with each failure, and a success resets it", arguments: delays)
    func backsOff(retry: ClosedRange<Duration>, milliseconds: [Int]) {
        var state = LoopState(retry: retry)
        for _ in 0..<2 {
            for delay in milliseconds {
                #expect(state.handle(.failed(isFinal: false)) == .pause(.time(.milliseconds(delay))))
                #expect(state.handle(.paused) == .step)
            }
            for _ in 0..<100 { _ = state.handle(.failed(isFinal: false)) }
            #expect(state.handle(.failed(isFinal: false)) == .pause(.time(retry.upperBound)))
            #expect(state.handle(.stepped(.none)) == .step)
        }
    }
}
