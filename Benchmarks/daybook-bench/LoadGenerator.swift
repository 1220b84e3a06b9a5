#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps one request in flight on each connection, with a single thread and bare sockets: the client of the tests would be
/// measured, too.
struct LoadGenerator {
    /// The result of a run.
    struct Outcome: Sendable {
        var requests = 0
        /// Successful records, or successful requests if they carry no records.
        var done = 0
        var failed = 0
        /// All answered requests, including the warm-up.
        var answered = 0
        var seconds = 0.0
        /// The processor time of the service for each record, including read models.
        var processorMicroseconds = 0.0
        /// A failed answer.
        var complaint: String?
        /// The latency of each request, in microseconds.
        var latencies: [UInt32] = []

        var rate: Double { seconds > 0 ? Double(done) / seconds : 0 }

        /// The latency in microseconds within which this share of the requests was answered.
        func quantile(_ part: Double) -> UInt32 {
            let sorted = latencies.sorted()
            guard !sorted.isEmpty else { return 0 }
            return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
        }
    }

    let port: Int
    let connections: Int
    /// The mark of a successful record in the body of a 200; nil if each 2xx counts once.
    var mark: String?

    /// Sends for some time, after a warm-up that does not count, and waits for the last answers.
    ///
    /// - Parameters:
    ///   - isOver: Called after each answer; true ends the run early.
    ///   - next: Replaces the bytes with those of the next request.
    func run(
        warmUp: Double,
        seconds: Double,
        until isOver: () -> Bool = { false },
        _ next: (inout [UInt8]) -> Void
    ) throws -> Outcome {
        var clients = try (0..<connections).map { _ in try Client(port: port) }
        defer { for client in clients { close(client.descriptor) } }
        var outcome = Outcome()
        var descriptors = clients.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN | POLLOUT), revents: 0) }
        let start = Self.now()
        var counted = start
        let end = start + UInt64(min(warmUp + seconds, 1e9) * 1e6)
        var isCounting = warmUp == 0
        for index in clients.indices { clients[index].begin(next) }
        var open = clients.count
        while open > 0 {
            guard poll(&descriptors, nfds_t(descriptors.count), 10_000) > 0 else { throw LoadFailure("no answer") }
            for index in clients.indices where descriptors[index].revents != 0 {
                if try clients[index].advance() {
                    let now = Self.now()
                    outcome.answered += 1
                    if !isCounting, Double(now - start) >= warmUp * 1e6 {
                        isCounting = true
                        counted = now
                    } else if isCounting, clients[index].start >= counted {
                        outcome.count(clients[index], at: now, mark: mark)
                        outcome.seconds = Double(now - counted) / 1e6
                    }
                    if now < end, !isOver() {
                        clients[index].begin(next)
                    } else {
                        open -= 1
                        descriptors[index].fd = -1
                    }
                }
                let wants = clients[index].hasMore ? POLLIN | POLLOUT : POLLIN
                descriptors[index].events = Int16(wants)
            }
        }
        return outcome
    }

    /// Microseconds of a monotonic clock.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}

struct LoadFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension LoadGenerator.Outcome {
    fileprivate mutating func count(_ client: Client, at now: UInt64, mark: String?) {
        requests += 1
        latencies.append(UInt32(clamping: now - client.start))
        guard client.status / 100 == 2 else {
            failed += 1
            complaint = client.firstProblem
            return
        }
        if mark != nil, complaint == nil { complaint = client.firstProblem }
        done += mark.map { client.occurrences(of: $0) } ?? 1
    }
}

/// One connection with one request in flight.
private struct Client {
    let descriptor: Int32
    private(set) var start: UInt64 = 0
    private(set) var status = 0
    private var request: [UInt8] = []
    private var sent = 0
    private var response: [UInt8] = []
    private var bodyStart = 0
    /// The length of the whole answer; nil until it is known, -1 if it is chunked.
    private var length: Int?
    private var piece = [UInt8](repeating: 0, count: 1 << 16)

    init(port: Int) throws {
        descriptor = try connectedSocket(port)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    var hasMore: Bool { sent < request.count }

    mutating func begin(_ next: (inout [UInt8]) -> Void) {
        next(&request)
        sent = 0
        response.removeAll(keepingCapacity: true)
        length = nil
        start = LoadGenerator.now()
    }

    /// Sends and receives without blocking.
    ///
    /// - Returns: True when the answer is complete.
    mutating func advance() throws -> Bool {
        while hasMore {
            let count = request.withUnsafeBytes { send(descriptor, $0.baseAddress! + sent, $0.count - sent, 0) }
            guard count > 0 else { break }
            sent += count
        }
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            if count == 0 {
                let reported = String(decoding: response.suffix(500), as: UTF8.self)
                throw LoadFailure("the service closed a connection after: \(reported)")
            }
            guard count > 0 else { return false }
            response.append(contentsOf: piece[..<count])
            if length == nil { readHead() }
            guard let length else { continue }
            if length < 0 {
                guard response.hasSuffix("\r\n0\r\n\r\n") else { continue }
                joinChunks()
                return true
            }
            if response.count >= length { return true }
        }
    }

    private mutating func readHead() {
        guard let end = response.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        bodyStart = end.upperBound
        let head = String(decoding: response[..<end.lowerBound], as: UTF8.self).lowercased()
        status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        for line in head.split(separator: "\r\n") where line.hasPrefix("content-length:") {
            length = bodyStart + (Int(line.dropFirst(15).filter { $0 != " " }) ?? 0)
        }
        if length == nil { length = -1 }
    }

    /// Removes the chunk lines from the body, because a mark may cross two chunks.
    private mutating func joinChunks() {
        var end = bodyStart
        var position = bodyStart
        while position < response.count {
            var size = 0
            while position < response.count, let digit = Character(Unicode.Scalar(response[position])).hexDigitValue {
                size = size * 16 + digit
                position += 1
            }
            position += 2
            guard size > 0, position + size <= response.count else { break }
            response.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                memmove(base + end, base + position, size)
            }
            end += size
            position += size + 2
        }
        response.removeSubrange(end...)
    }

    /// The first line of the body that reports a problem.
    var firstProblem: String? {
        String(decoding: response[bodyStart...], as: UTF8.self).split(separator: "\n")
            .first { $0.contains("urn:daybook:problem:") }.map(String.init)
    }

    /// The number of marks in the body.
    func occurrences(of mark: String) -> Int {
        let mark = Array(mark.utf8)
        return response.withUnsafeBytes { bytes in
            var count = 0
            var position = bodyStart
            // The first byte alone rules out most of the body.
            while position < bytes.count,
                let found = memchr(bytes.baseAddress! + position, Int32(mark[0]), bytes.count - position)
            {
                let start = UnsafeRawPointer(found) - bytes.baseAddress!
                position = start + 1
                guard bytes.count - start >= mark.count else { break }
                if memcmp(found, mark, mark.count) == 0 {
                    count += 1
                    position = start + mark.count
                }
            }
            return count
        }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount
            && withUnsafeBytes { bytes in
                memcmp(bytes.baseAddress! + count - text.utf8CodeUnitCount, text.utf8Start, text.utf8CodeUnitCount) == 0
            }
    }

}

/// A socket connected to the service; the caller closes it.
func connectedSocket(_ port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
    let connected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard connected == 0 else { throw LoadFailure("the service does not accept connections") }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
}
