import HTTPEdge
import Testing

@Suite struct MultipartFormTests {
    private static let type = "multipart/form-data; boundary=b-1"

    private func parts(_ body: String, _ type: String = type) throws -> [String] {
        try MultipartForm(Array(body.utf8), contentType: type).parts.map {
            "\($0.name) \($0.fileName ?? "-") \(String(decoding: $0.bytes, as: UTF8.self))"
        }
    }

    @Test func partsAreReadUnchanged() throws {
        let body = """
            preamble\r\n--b-1\r\nContent-Disposition: form-data; name=file; filename="a \\"b\\"; c.csv"\r\n\
            content-type: text/csv\r\n\r\n1\n--b-1 is no boundary\r\n\r\n--b-1 \t\r\n\
            CONTENT-DISPOSITION: form-data ; NAME="mapping"\r\n\r\n\r\n--b-1--\r\nepilogue
            """
        #expect(try parts(body) == ["file a \"b\"; c.csv 1\n--b-1 is no boundary\r\n", "mapping - "])
        #expect(try parts("--b-1--") == [])
        #expect(try parts("--b 1--", #"Multipart/Form-Data; charset=utf-8; Boundary="b 1""#) == [])
    }

    @Test(arguments: [
        "", "--b-2--", "--b-1", "--b-1x\r\n", "--b-1\r\n\r\n--b-1--",
        "--b-1\r\nContent-Disposition: form-data; name=a\r\n\r\nx",
        "--b-1\r\nContent-Type: text/csv\r\n\r\nx\r\n--b-1--",
        "--b-1\r\nContent-Disposition: attachment; name=a\r\n\r\nx\r\n--b-1--",
        "--b-1\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b-1--",
        "--b-1\r\nno colon\r\n\r\nx\r\n--b-1--",
        String(repeating: "--b-1\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n", count: 17) + "--b-1--",
        "--b-1\r\nContent-Disposition: form-data; name=a\r\nX: \(String(repeating: "x", count: 5000))\r\n\r\nx\r\n--b-1--",
    ])
    func malformedFormsAreRefused(_ body: String) {
        let problem = #expect(throws: Problem.self) { _ = try parts(body) }
        #expect(problem?.code == "malformed-form" && problem?.status == 400)
    }

    @Test(arguments: [
        "", "multipart/form-data", "multipart/mixed; boundary=b-1", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\(String(repeating: "b", count: 71))",
    ])
    func aBoundaryIsNeeded(_ type: String) {
        let problem = #expect(throws: Problem.self) { _ = try parts("--b-1--", type) }
        #expect(problem?.code == "malformed-form")
    }
}
