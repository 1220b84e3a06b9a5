import DaybookTestKit
import HTTPEdge
import HTTPTypes
import ServiceLifecycle
import Testing

@Suite struct EdgeShutdownTests {
    @Test func acceptedRequestsCompleteAndNewOnesAreRefused() async throws {
        let begun = Gate()
        let goOn = Gate()
        let drained = Gate()
        try await TestEdge.serve(
            onDraining: { drained.open() },
            routes: { router in
                router.addEcho()
                router.on(.get, "/wait") { _ in
                    begun.open()
                    await goOn.passed()
                    return .text("done")
                }
            }
        ) { edge in
            let idle = try await edge.connect()
            try await idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await idle.readResponse().status == 200)
            let busy = try await edge.connect()
            try await busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            await begun.passed()
            await edge.group.triggerGracefulShutdown()
            await drained.passed()
            // Idle connections close at once, after the listening socket was closed.
            #expect(try await idle.isClosed())
            await #expect(throws: RawClient.Failure.self) { try await edge.connect() }
            goOn.open()
            let response = try await busy.readResponse()
            #expect(response.body == "done")
            #expect(response.fields["connection"] == "close")
            #expect(try await busy.isClosed())
        }
    }

    @Test func theGracePeriodEnds() async throws {
        let begun = Gate()
        let never = Gate()
        try await TestEdge.serve(
            {
                $0.gracePeriod = .milliseconds(50)
                $0.requestDeadline = .seconds(600)
            },
            routes: { router in
                router.on(.get, "/wait") { _ in
                    begun.open()
                    await never.passed()
                    return .text("late")
                }
            }
        ) { edge in
            let client = try await edge.connect()
            try await client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            await begun.passed()
            await edge.group.triggerGracefulShutdown()
            #expect(try await client.readToEnd() == "")
        }
    }

    @Test func liveStreamsStopWhenTheServerDrains() async throws {
        let never = Gate()
        try await TestEdge.serve(
            { $0.commentInterval = .milliseconds(20) },
            routes: { router in
                router.on(.get, "/events", RouteOptions(span: .live)) { _ in
                    .events { writer in
                        try await writer.send(ServerSentEvent(id: "1", data: "first"))
                        await never.passed()
                        try Task.checkCancellation()
                    }
                }
            }
        ) { edge in
            let client = try await edge.connect()
            try await client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try await client.readResponse(toHead: true)
            #expect(head.fields["content-type"] == "text/event-stream")
            let first = try await client.read(through: Array("3\r\n:\n\n\r\n".utf8))
            #expect(String(decoding: first, as: UTF8.self).contains("id: 1\ndata: first\n\n"))
            await edge.group.triggerGracefulShutdown()
            #expect(!(try await client.readToEnd().contains("0\r\n\r\n")))
        }
    }
}
