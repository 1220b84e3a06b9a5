internal import CLibPQ
import Synchronization

/// A message of the server that is not an error, without its text.
struct ServerNotice: Sendable, Hashable {
    let severity: String
    let sqlState: String
    /// The server function that raised it.
    let function: String
}

/// Collects the notices of one session, which libpq would otherwise print to stderr.
///
/// It has a lock although only the connection's thread is ever inside libpq: the callback is a C function, which the
/// compiler cannot isolate to that thread.
final class NoticeCollector: Sendable {
    /// The number of notices kept between two statements; a function that warns in a loop must not fill the memory.
    private static let limit = 64
    private let notices = Mutex<[ServerNotice]>([])

    /// Makes `connection` report its notices here. The collector must outlive it.
    func attach(to connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let result else { return }
                Unmanaged<NoticeCollector>.fromOpaque(context).takeUnretainedValue().add(result)
            },
            context
        )
    }

    /// The notices of the statement that is running or finished last.
    var all: [ServerNotice] { notices.withLock { $0 } }

    func clear() {
        notices.withLock { $0.removeAll(keepingCapacity: true) }
    }

    private func add(_ result: OpaquePointer) {
        let notice = ServerNotice(
            severity: Diagnostics.field(CLIBPQ_DIAG_SEVERITY, of: result) ?? "",
            sqlState: Diagnostics.field(CLIBPQ_DIAG_SQLSTATE, of: result) ?? "",
            function: Diagnostics.field(CLIBPQ_DIAG_FUNCTION, of: result) ?? ""
        )
        notices.withLock { if $0.count < Self.limit { $0.append(notice) } }
    }
}
