import Canonical
import HTTPEdge
import HTTPTypes
import Testing

@Suite struct ResponseWritingTests {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_767_225_600, "Thu, 01 Jan 2026 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func dates(_ seconds: Int64, _ text: String) {
        #expect(HTTPDate.text(Timestamp(microsecondsSince1970: seconds * 1_000_000)) == text)
    }

    @Test func eventsCannotInjectLines() {
        let event = ServerSentEvent(id: "4\n2\0", type: "a\r\nb", data: "x\ny\r\nz\r")
        #expect(
            String(decoding: event.bytes, as: UTF8.self)
                == "id: 42\nevent: ab\ndata: x\ndata: y\ndata: z\ndata: \n\n"
        )
        #expect(String(decoding: ServerSentEvent(data: "").bytes, as: UTF8.self) == "data: \n\n")
    }

    @Test func entityTagsAreCompared() throws {
        let strong = try #require(EntityTag("v1"))
        let weak = try #require(EntityTag("v1", isWeak: true))
        #expect(strong.text == "\"v1\"")
        #expect(weak.text == "W/\"v1\"")
        #expect(EntityTag("a\"b") == nil)
        #expect(EntityTag("a b") == nil)
        let both = try #require(EntityTag.Condition(" \"v0\" ,W/\"v1\" "))
        #expect(both.matchesWeakly(strong))
        #expect(!both.matchesStrongly(strong))
        #expect(try #require(EntityTag.Condition("\"v1\"")).matchesStrongly(strong))
        #expect(!(try #require(EntityTag.Condition("\"v1\"")).matchesStrongly(weak)))
        #expect(try #require(EntityTag.Condition("*")).matchesStrongly(weak))
        for malformed in ["", "v1", "\"v1", "\"v1\"x", "w/\"v1\"", "*, \"v1\""] {
            #expect(EntityTag.Condition(malformed) == nil, "\(malformed)")
        }
    }

    @Test func problemsHaveTheirShape() throws {
        let problem = Problem(
            status: 503,
            code: "behind",
            title: "Behind",
            detail: "Wait",
            retryable: true,
            retryAfterSeconds: 2,
            outcome: .known,
            extensions: ["position": 7, "status": 1]
        )
        #expect(
            problem.json(correlation: "c1").text
                == #"{"type":"urn:daybook:problem:behind","title":"Behind","status":503,"code":"behind","#
                + #""detail":"Wait","retryable":true,"retryAfterSeconds":2,"outcome":"known","correlation":"c1","#
                + #""position":7}"#
        )
        let response = problem.response(correlation: "c1")
        #expect(response.fields[.contentType] == "application/problem+json")
        #expect(response.fields[.retryAfter] == "2")
        #expect(response.status.code == 503)
    }

    @Test func everyRefusalIsAProblem() {
        for refusal in GateRefusal.allCases {
            let problem = Problem(refusal)
            #expect((400...599).contains(problem.status))
            #expect(problem.code == refusal.rawValue)
            #expect(!problem.title.isEmpty)
        }
        #expect(Set(GateRefusal.allCases.map(\.title)).count == GateRefusal.allCases.count)
    }
}
