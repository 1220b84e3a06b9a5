import NIOCore
import SystemPackage

/// The server could not start to listen.
package struct ListenFailure: Error {
    package let host: String
    package let port: Int
    /// True if another program listens at the address.
    package let isInUse: Bool
    /// The system's error message, such as "Permission denied".
    package let reason: String

    init(host: String, port: Int, _ error: IOError) {
        self.host = host
        self.port = port
        let code = Errno(rawValue: error.errnoCode)
        isInUse = code == .addressInUse
        reason = code.description
    }
}
