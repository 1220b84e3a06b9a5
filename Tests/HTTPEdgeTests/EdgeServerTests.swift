import Canonical
import HTTPEdge
import HTTPTypes
import Testing

@Suite struct EdgeServerTests {
    @Test func answersAndKeepsTheConnection() async throws {
        try await TestEdge.serve { edge in
            let client = try await edge.connect()
            for _ in 1...3 {
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine-1\r\n\r\n")
                let response = try await client.readResponse()
                #expect(response.status == 200)
                #expect(response.body == "hello")
                #expect(response.fields["x-request-id"] == "mine-1")
                #expect(response.fields["x-content-type-options"] == "nosniff")
                #expect(response.fields["cache-control"] == "no-store")
                #expect(response.fields["server"] == nil)
                #expect(response.fields["connection"] == nil)
                #expect(response.fields["date"]?.hasSuffix("GMT") == true)
            }
        }
    }

    @Test func echoesBodiesHoweverFramed() async throws {
        try await TestEdge.serve { edge in
            let whole = try await edge.exchange("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(whole.body == "hello")
            let chunked = try await edge.exchange(
                "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
            )
            #expect(chunked.body == "hello")
        }
    }
}
