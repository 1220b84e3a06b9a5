import HTTPTypes
import Testing

@testable import HTTPEdge

@Suite struct EdgeRouterTests {
    private func router() -> EdgeRouter<TestPrincipal> {
        var router = EdgeRouter<TestPrincipal>()
        for template in ["/files/{path...}", "/v1/{kind}", "/v1/things", "/v1/{kind}/{id}", "/v1/things/{id}", "/"] {
            router.on(.get, template) { _ in .text(template) }
        }
        router.on(.post, "/v1/things") { _ in .text("made") }
        return router
    }

    @Test(
        arguments: [
            ([], "/", [:]), (["v1", "things"], "/v1/things", [:]), (["v1", "x"], "/v1/{kind}", ["kind": "x"]),
            (["v1", "things", "7"], "/v1/things/{id}", ["id": "7"]),
            (["v1", "x", "7"], "/v1/{kind}/{id}", ["kind": "x", "id": "7"]),
            (["files", "a", "b"], "/files/{path...}", ["path": "a/b"]),
        ] as [([String], String, [String: String])]
    )
    func theMostPreciseTemplateWins(_ path: [String], _ template: String, _ parameters: [String: String]) {
        guard case .route(let route, let values) = router().match(.get, path) else {
            Issue.record("no route for \(path)")
            return
        }
        #expect(route.template.text == template)
        #expect(values == parameters)
    }

    /// The result in words.
    private func outcome(_ method: HTTPRequest.Method, _ path: [String]) -> String {
        switch router().match(method, path) {
        case .route(let route, _): route.template.text
        case .notFound: "not found"
        case .methodNotAllowed(let allowed): allowed.map(\.rawValue).sorted().joined(separator: " ")
        }
    }

    @Test func pathsAndMethodsAreRefusedDifferently() {
        #expect(outcome(.get, ["v2"]) == "not found")
        #expect(outcome(.get, ["v1", ""]) == "not found")
        #expect(outcome(.get, ["files"]) == "not found")
        #expect(outcome(.delete, ["v1", "things"]) == "GET HEAD POST")
        #expect(outcome(.head, ["v1", "x"]) == "/v1/{kind}")
    }

    @Test(arguments: ["", "a", "//", "/a/", "/{}", "/{a}/{a}", "/{a...}/b", "/a{b}", "/{a}b"])
    func malformedTemplatesAreRefused(_ text: String) {
        #expect(RouteTemplate(text) == nil)
    }
}
