import Canonical

/// The name of a stream or reference key of a tenant.
///
/// Equal exactly when the bytes are, as in the database. Two texts that only look the same are different names, while
/// `String` treats canonically equivalent ones (`é` as one scalar or as two) as equal.
package struct TenantName: Sendable, Hashable {
    package var tenant: String
    package var name: String

    package init(tenant: String, name: String) {
        self.tenant = tenant
        self.name = name
    }

    package static func == (left: TenantName, right: TenantName) -> Bool {
        left.name.hasSameUTF8(as: right.name) && left.tenant.hasSameUTF8(as: right.tenant)
    }

    package func hash(into hasher: inout Hasher) {
        // Equivalent names that are not equal would only collide; hashing the bytes avoids normalising them.
        for text in [tenant, name] {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            hasher.combine(0xFF as UInt8)
        }
    }
}
