import Canonical
import Foundation
import FoundationNetworking
import Payments

/// A client of the HTTP API, as small as the demonstration needs it.
struct APIClient: Sendable {
    let base: String
    let key: String

    /// Posts a JSON document and gives the JSON answer.
    ///
    /// - Throws: `Failure` with the problem's code and detail when the answer is not a success.
    func post(_ path: String, _ body: JSONValue) async throws -> JSONValue {
        var request = try request(path)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(body.canonicalBytes)
        return try JSONValue(parsing: try await send(request))
    }

    func get(_ path: String) async throws -> JSONValue {
        try JSONValue(parsing: try await send(try request(path)))
    }

    func text(_ path: String) async throws -> String {
        var request = try request(path)
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        return String(decoding: try await send(request), as: UTF8.self)
    }

    private func request(_ path: String) throws -> URLRequest {
        guard let url = URL(string: base + path) else { throw Failure("The address \(base) is not well-formed.") }
        var request = URLRequest(url: url)
        request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization")
        return request
    }

    private func send(_ request: URLRequest) async throws -> [UInt8] {
        let (data, response) = try await URLSession.shared.data(for: request)
        let bytes = [UInt8](data)
        guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
            let problem = try? JSONValue(parsing: bytes)
            let code = problem?["code"]?.string ?? "no answer"
            throw Failure("The API refused: \(code). \(problem?["detail"]?.string ?? "")")
        }
        return bytes
    }
}

/// An amount of the API for people: `13.40 USD`.
struct MoneyText {
    let text: String

    init(_ value: Int64, _ currency: String) {
        text = Currency(alpha: currency).map { Money(value, $0).description } ?? "\(value) \(currency)"
    }
}
