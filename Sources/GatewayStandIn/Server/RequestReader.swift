import NIOCore
import NIOHTTP1

/// Assembles the parts of a request.
enum RequestReader {
    enum Read: Sendable {
        case request(StandInRequest, keepsAlive: Bool)
        case tooLarge
    }

    /// The next request; nil at the end of the connection.
    static func next<Parts: AsyncIteratorProtocol>(
        _ parts: inout Parts,
        mostBytes: Int
    ) async throws -> Read? where Parts.Element == HTTPServerRequestPart {
        var head: HTTPRequestHead?
        var body: [UInt8] = []
        while let part = try await parts.next() {
            switch part {
            case .head(let read): head = read
            case .body(let piece):
                guard body.count + piece.readableBytes <= mostBytes else { return .tooLarge }
                body += piece.readableBytesView
            case .end:
                guard let head else { return nil }
                let request = StandInRequest(
                    method: head.method.rawValue,
                    path: String(head.uri.prefix { $0 != "?" }),
                    fields: Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { $1 },
                    body: body
                )
                return .request(request, keepsAlive: head.isKeepAlive)
            }
        }
        return nil
    }
}
