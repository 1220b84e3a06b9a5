import Canonical
import Crypto
import Payments

/// Identifies a line of a statement, independent of the file and of its place in it.
package struct StatementFingerprint: Sendable, Hashable {
    /// 32 bytes.
    package let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension StatementLine {
    /// Whether the line has a day, or an id of the entry. Another file may have an equal line about other money if it
    /// has neither: a monthly fee without a day, for example.
    package var isIdentified: Bool {
        day != nil || bookedDay != nil || valueDay != nil || occurredAt != nil || localTime != nil
            || references.entries.contains { Self.identifying.contains($0.kind) }
    }

    private static let identifying: Set<ReferenceKind> = [
        .processor, .related, .rrn, .arn, .invoice, .payout, .bank, .endToEnd,
    ]

    /// The digest of the line's content: equal for equal lines, whatever their place in the file and the order of the
    /// file's columns. The line number and the group are left out, because they belong to the file.
    ///
    /// - Parameter file: The digest of the file. It is part of the content of a line that is not identified.
    package func contentDigest(in file: String? = nil) -> StatementFingerprint {
        StatementFingerprint(Array(SHA256.hash(data: normalizedContent(in: file))))
    }

    /// The line's identity across overlapping files.
    ///
    /// - Parameters:
    ///   - occurrence: The number of lines of equal content before this one in the file.
    ///   - file: As in `contentDigest`.
    package func fingerprint(occurrence: Int, in file: String? = nil) -> StatementFingerprint {
        var bytes = normalizedContent(in: file)
        Self.append(Int64(occurrence), to: &bytes)
        return StatementFingerprint(Array(SHA256.hash(data: bytes)))
    }

    /// Every member by name with its length before it, so that no two contents have the same bytes.
    private func normalizedContent(in file: String?) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        Self.append("daybook-statement-line-1", to: &bytes)
        Self.append(side.rawValue, to: &bytes)
        Self.append(type.rawValue, to: &bytes)
        Self.append(role.rawValue, to: &bytes)
        Self.append(rawType, to: &bytes)
        Self.append(rawStatus, to: &bytes)
        Self.append(currency.alpha, to: &bytes)
        Self.append(gross, to: &bytes)
        Self.append(net, to: &bytes)
        Self.append(Int64(fees.count), to: &bytes)
        for fee in fees {
            Self.append(fee.kind.rawValue, to: &bytes)
            Self.append(fee.amount, to: &bytes)
        }
        Self.append(transactionAmount?.value, to: &bytes)
        Self.append(transactionAmount?.currency.alpha, to: &bytes)
        Self.append(occurredAt?.microsecondsSince1970, to: &bytes)
        Self.append(localTime?.microsecondsSince1970, to: &bytes)
        Self.append(zone, to: &bytes)
        for day in [day, bookedDay, valueDay] { Self.append(day?.daysSince1970, to: &bytes) }
        for entry in references.entries {
            Self.append(entry.kind.name, to: &bytes)
            Self.append(entry.value, to: &bytes)
        }
        // Earlier lines had no revision, and keep their identity.
        if let revision { Self.append(revision, to: &bytes) }
        // And lines with a day or an id have no file.
        if let file, !isIdentified { Self.append(file, to: &bytes) }
        return bytes
    }

    private static func append(_ text: String?, to bytes: inout [UInt8]) {
        guard let text else {
            bytes.append(0)
            return
        }
        bytes.append(1)
        append(Int64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func append(_ number: Int64?, to bytes: inout [UInt8]) {
        guard let number else {
            bytes.append(0)
            return
        }
        bytes.append(2)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
