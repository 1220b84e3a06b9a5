import Foundation

/// A gateway's address: an `https` URL without credentials, query and fragment; plain `http` only on this machine.
package struct GatewayEndpoint: Sendable, Hashable {
    package let isSecure: Bool
    /// In lower case, without brackets.
    package let host: String
    package let port: Int
    /// Without a slash at its end.
    package let path: String
    /// True if the URL itself names this machine. Only then may it be called there.
    package let isLoopback: Bool

    /// - Returns: Nil for any other URL.
    package init?(_ text: String) {
        guard text.utf8.count <= 512, let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            var host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil,
            parts.query == nil, parts.fragment == nil
        else { return nil }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x25 }) else { return nil }
        isLoopback = host == "localhost" || NetworkAddress(host)?.isLoopback == true
        switch scheme {
        case "https": isSecure = true
        case "http" where isLoopback: isSecure = false
        default: return nil
        }
        self.host = host
        port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    func url(_ request: WireRequest) -> String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(isSecure ? "https" : "http")://\(host):\(port)\(path)\(request.path)"
    }
}
