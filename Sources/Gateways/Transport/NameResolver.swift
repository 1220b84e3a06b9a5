import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

protocol NameResolver: Sendable {
    /// All addresses, best first; empty if there are none.
    func addresses(of host: String) async -> [NetworkAddress]
}

/// The system's resolver. It blocks, so it runs on a thread pool.
struct SystemResolver: NameResolver {
    func addresses(of host: String) async -> [NetworkAddress] {
        if let address = NetworkAddress(host) { return [address] }
        return (try? await NIOThreadPool.singleton.runIfActive { Self.lookUp(host) }) ?? []
    }

    private static func lookUp(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [NetworkAddress] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ai_next
            guard let socket = entry.pointee.ai_addr else { continue }
            let bytes: [UInt8]
            switch entry.pointee.ai_family {
            case AF_INET:
                bytes = socket.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { four in
                    withUnsafeBytes(of: four.pointee.sin_addr) { Array($0) }
                }
            case AF_INET6:
                bytes = socket.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { sixteen in
                    withUnsafeBytes(of: sixteen.pointee.sin6_addr) { Array($0) }
                }
            default: continue
            }
            let address = NetworkAddress(bytes: bytes)
            if !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }
}
