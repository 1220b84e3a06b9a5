#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// An IPv4 or IPv6 address as 4 or 16 bytes.
struct NetworkAddress: Sendable, Hashable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Accepts `127.0.0.1` and `::1`; no names.
    init?(_ text: String) {
        var four = in_addr()
        var sixteen = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            bytes = withUnsafeBytes(of: &sixteen) { Array($0) }
        } else {
            return nil
        }
    }

    var text: String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":")
    }

    /// The IPv4 address inside an IPv6 address: mapped, compatible, NAT64, 6to4.
    private var embedded: NetworkAddress? {
        guard bytes.count == 16 else { return nil }
        let zeros = [UInt8](repeating: 0, count: 10)
        let isMapped = bytes.starts(with: zeros + [0xFF, 0xFF])
        let isCompatible =
            bytes.starts(with: zeros + [0, 0]) && bytes[12...] != [0, 0, 0, 0] && bytes[12...] != [0, 0, 0, 1]
        let isTranslated = bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B])
        if isMapped || isCompatible || isTranslated { return NetworkAddress(bytes: Array(bytes[12...])) }
        return bytes.starts(with: [0x20, 0x02]) ? NetworkAddress(bytes: Array(bytes[2..<6])) : nil
    }

    var isLoopback: Bool {
        if let embedded { return embedded.isLoopback }
        return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// True for an address of the public internet. All others are in the registries of special-purpose addresses (RFC
    /// 6890): private, limited to one machine or link, or unusable.
    var isPublic: Bool {
        if let embedded { return embedded.isPublic }
        let networks = bytes.count == 4 ? Self.specialFour : Self.specialSixteen
        return !networks.contains { $0.contains(self) }
    }

    private static let specialFour = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
    ].compactMap { AddressRange($0) }

    private static let specialSixteen = [
        "::/128", "::1/128", "100::/64", "2001::/23", "2001:db8::/32", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    ].compactMap { AddressRange($0) }
}

/// A network: an address and the number of its leading bits that count.
package struct AddressRange: Sendable, Hashable {
    private let address: NetworkAddress
    private let bits: Int

    /// Accepts `10.0.0.0/8`, or a single address.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = NetworkAddress(String(parts[0])) else { return nil }
        let all = address.bytes.count * 8
        guard let bits = parts.count == 2 ? Int(parts[1]) : all, (0...all).contains(bits) else { return nil }
        self.address = address
        self.bits = bits
    }

    func contains(_ other: NetworkAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let whole = bits / 8
        guard other.bytes[..<whole] == address.bytes[..<whole] else { return false }
        let rest = bits % 8
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
        return other.bytes[whole] & mask == address.bytes[whole] & mask
    }
}

/// The addresses that may be called. The addresses of a name are checked at every lookup, and the connection goes to a
/// checked address.
struct EgressPolicy: Sendable, Hashable {
    /// Allowed networks beside the public internet.
    var allowed: [AddressRange]
    /// True if the configured URL itself names this machine.
    var allowsLoopback: Bool

    func permits(_ address: NetworkAddress) -> Bool {
        if address.isLoopback { return allowsLoopback || allowed.contains { $0.contains(address) } }
        return address.isPublic || allowed.contains { $0.contains(address) }
    }
}
