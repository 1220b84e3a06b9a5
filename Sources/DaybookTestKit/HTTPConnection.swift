#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A request as it is sent on the wire.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Path and query, sent unchanged.
    package var target: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        method: String = "GET",
        target: String,
        fields: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    fileprivate func bytes(port: Int) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        if !body.isEmpty || method != "GET" { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}

/// A complete answer.
package struct HTTPAnswer: Sendable {
    package let status: Int
    /// By lower-case name.
    package let fields: [String: String]
    package let body: [UInt8]
    /// Everything as it was received.
    package let raw: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
}

/// A keep-alive connection over blocking sockets, for one thread. It connects when it first sends, and again after the
/// connection broke.
package final class HTTPConnection {
    /// The connection ended before the answer did; it is unknown whether the request was executed.
    package struct Broken: Error {
        /// The part of the body that had arrived.
        package var body: [UInt8] = []
    }

    private let port: Int
    private var descriptor: Int32 = -1
    private var received: [UInt8] = []
    private var cursor = 0

    package init(port: Int) { self.port = port }

    deinit { close() }

    package func close() {
        if descriptor >= 0 { _ = shutdownAndClose(descriptor) }
        descriptor = -1
    }

    /// Sends a request and waits for the whole answer.
    package func exchange(_ request: HTTPRequest) throws(Broken) -> HTTPAnswer {
        do {
            try connect()
            received.removeAll(keepingCapacity: true)
            cursor = 0
            try send(request.bytes(port: port))
            let answer = try readAnswer(to: request)
            if answer.fields["connection"] == "close" { close() }
            return answer
        } catch {
            close()
            throw error
        }
    }

    private func connect() throws(Broken) {
        guard descriptor < 0 else { return }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Broken() }
        // Only a server that hangs takes so long; the test then fails instead of hanging.
        var waitLimit = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &waitLimit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connectSocket(descriptor, address)
            }
        }
        guard result == 0 else { throw Broken() }
    }

    private func send(_ bytes: [UInt8]) throws(Broken) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                sendBytes(descriptor, UnsafeRawBufferPointer(rebasing: buffer[sent...]))
            }
            guard count > 0 else { throw Broken() }
            sent += count
        }
    }

    // MARK: The answer

    private func readAnswer(to request: HTTPRequest) throws(Broken) -> HTTPAnswer {
        let head = String(decoding: try take(through: "\r\n\r\n"), as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        guard let first = lines.first, let status = Int(first.split(separator: " ").dropFirst().first ?? "") else {
            throw Broken()
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw Broken() }
            fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        var body: [UInt8] = []
        if fields["transfer-encoding"]?.lowercased() == "chunked" {
            do {
                while true {
                    let size = Int(String(decoding: try take(through: "\r\n").dropLast(2), as: UTF8.self), radix: 16)
                    guard let size else { throw Broken() }
                    body += try take(size + 2).dropLast(2)
                    if size == 0 { break }
                }
            } catch {
                throw Broken(body: body)
            }
        } else if let length = fields["content-length"].flatMap({ Int($0) }) {
            body = Array(try take(length))
        }
        return HTTPAnswer(status: status, fields: fields, body: body, raw: received)
    }

    private func take(through mark: String) throws(Broken) -> ArraySlice<UInt8> {
        let mark = Array(mark.utf8)
        var searched = cursor
        while true {
            while searched + mark.count <= received.count {
                if received[searched] == mark[0], received[searched..<searched + mark.count].elementsEqual(mark) {
                    return try take(searched + mark.count - cursor)
                }
                searched += 1
            }
            try receive()
        }
    }

    private func take(_ count: Int) throws(Broken) -> ArraySlice<UInt8> {
        while received.count - cursor < count { try receive() }
        defer { cursor += count }
        return received[cursor..<cursor + count]
    }

    private func receive() throws(Broken) {
        let descriptor = descriptor
        let chunk = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        guard !chunk.isEmpty else { throw Broken() }
        received += chunk
    }
}

// The calls of the C library, under names that do not clash with methods.

private func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>) -> Int32 {
    connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
}

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
}

private func shutdownAndClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
