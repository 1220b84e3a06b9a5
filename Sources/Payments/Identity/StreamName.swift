package import Canonical
import Crypto

/// The names of the log's streams: `transaction/<uuid>`, `batch/<uuid>`, `reader/<vendor>/<serial>`, `checkout/<token
/// digest>`, `statement/<uuid>`, `reconciliation/<uuid>`, `exception/<uuid>`, `period/<uuid>`, `export/<uuid>`,
/// `chart/<uuid>`, `replay/<uuid>`, `proposal/<uuid>`, `tenant/<id>`.
package enum StreamName {
    private static let transactionPrefix = "transaction/"
    private static let batchPrefix = "batch/"
    private static let readerPrefix = "reader/"
    private static let checkoutPrefix = "checkout/"
    private static let statementPrefix = "statement/"

    /// The most events that senders and queries append to the stream of a payment or batch. Every further event of such
    /// a stream reads all of it.
    package static let eventLimit: Int64 = 10_000

    package static func transaction(_ id: UUID128) -> String { transactionPrefix + id.description }
    package static func tenant(_ id: String) -> String { "tenant/" + id }

    /// The stream of a batch. Its id is derived from the reference, so that every reader of the same generation of a
    /// number finds the same stream without a lookup.
    package static func batch(_ reference: BatchReference, of tenant: String) -> String {
        batchPrefix + batchID(reference, of: tenant).description
    }

    package static func batchID(_ reference: BatchReference, of tenant: String) -> UUID128 {
        let parts = [tenant, reference.vendor.rawValue, reference.account ?? "", reference.number ?? ""]
        return id(of: parts + (reference.generation == 1 ? [] : ["\(reference.generation)"]))
    }

    /// The id of a statement, derived from the bytes of its file, so that the same file gives the same statement.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 of the file, in hexadecimal digits.
    ///   - withdrawn: The number of earlier statements of the same file that were withdrawn.
    package static func statementID(digest: String, of tenant: String, after withdrawn: Int = 0) -> UUID128 {
        id(of: [tenant, "statement", digest] + (withdrawn == 0 ? [] : ["\(withdrawn)"]))
    }

    package static func statement(_ id: UUID128) -> String { statementPrefix + id.description }

    /// The id of a statement's stream; nil for any other stream.
    package static func statementID(_ stream: String) -> UUID128? {
        id(in: stream, after: statementPrefix)
    }

    private static let reconciliationPrefix = "reconciliation/"

    /// The stream of a tenant's reconciliation.
    package static func reconciliation(of tenant: String) -> String {
        reconciliationPrefix + id(of: [tenant, "reconciliation"]).description
    }

    package static func isReconciliation(_ stream: String) -> Bool { stream.hasPrefix(reconciliationPrefix) }

    /// The id of a run that was requested under a name. The same name gives the same id.
    package static func runID(named key: String, of tenant: String) -> UUID128 { id(of: [tenant, "run", key]) }

    private static let exceptionPrefix = "exception/"

    package static func exception(_ id: UUID128) -> String { exceptionPrefix + id.description }

    /// The id of an exception's stream; nil for any other stream.
    package static func exceptionID(_ stream: String) -> UUID128? {
        id(in: stream, after: exceptionPrefix)
    }

    private static let periodPrefix = "period/"

    /// The stream of one business day of a merchant.
    ///
    /// - Parameter day: `2026-03-01`.
    package static func period(_ merchant: String, _ day: String, of tenant: String) -> String {
        periodPrefix + periodID(merchant, day, of: tenant).description
    }

    package static func periodID(_ merchant: String, _ day: String, of tenant: String) -> UUID128 {
        id(of: [tenant, "period", merchant, day])
    }

    /// The id of a period's stream; nil for any other stream.
    package static func periodID(_ stream: String) -> UUID128? {
        id(in: stream, after: periodPrefix)
    }

    private static let exportPrefix = "export/"

    /// The stream of a tenant's exports of the journal in one format.
    package static func exports(as format: String, of tenant: String) -> String {
        exportPrefix + id(of: [tenant, "exports", format]).description
    }

    /// The id of an export.
    ///
    /// - Parameter number: Its number among the tenant's exports in the format, from 1.
    package static func exportID(_ number: Int64, as format: String, of tenant: String) -> UUID128 {
        id(of: [tenant, "export", format, "\(number)"])
    }

    package static func isExport(_ stream: String) -> Bool { stream.hasPrefix(exportPrefix) }

    private static let chartPrefix = "chart/"

    /// The stream of a tenant's chart of accounts.
    package static func chart(of tenant: String) -> String {
        chartPrefix + id(of: [tenant, "chart"]).description
    }

    package static func isChart(_ stream: String) -> Bool { stream.hasPrefix(chartPrefix) }

    /// The id of the dispute of a payment's chargeback. It has no stream: its facts are the payment's.
    ///
    /// - Parameter chargeback: The id of the chargeback within the payment.
    package static func disputeID(of chargeback: String, in transaction: UUID128) -> UUID128 {
        id(of: [transaction.text, "dispute", chargeback])
    }

    private static let replayPrefix = "replay/"

    /// The stream of a replay plan.
    package static func replay(_ id: UUID128) -> String { replayPrefix + id.description }

    /// The id of a replay plan's stream; nil for any other stream.
    package static func replayID(_ stream: String) -> UUID128? {
        id(in: stream, after: replayPrefix)
    }

    /// The stream of the proposals of one kind of change of a subject.
    package static func proposal(_ change: String, of subject: String, tenant: String) -> String {
        "proposal/" + id(of: [tenant, "proposal", change, subject]).description
    }

    /// An id derived from texts.
    private static func id(of parts: [String]) -> UUID128 {
        let digest = SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
        let words = digest.reduce(into: (high: UInt64(0), low: UInt64(0), count: 0)) { words, byte in
            if words.count < 8 { words.high = words.high << 8 | UInt64(byte) }
            if (8..<16).contains(words.count) { words.low = words.low << 8 | UInt64(byte) }
            words.count += 1
        }
        // RFC 9562, version 8: a custom id.
        return UUID128(
            high: words.high & ~0xF000 | 0x8000,
            low: words.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }

    package static func reader(_ reader: ReaderReference) -> String {
        let reader = named(reader)
        return "\(readerPrefix)\(reader.vendor.rawValue)/\(reader.serial)"
    }

    /// The reader under the name that its stream's name contains.
    package static func named(_ reader: ReaderReference) -> ReaderReference {
        ReaderReference(vendor: reader.vendor, serial: plain(reader.serial))
    }

    /// A reader's name in the form in which its stream's name contains it.
    package static func readerName(_ name: String) -> String { plain(name) }

    /// The reader of a reader's stream, under the name the stream's name contains; nil for any other stream.
    package static func readerReference(_ stream: String) -> ReaderReference? {
        guard let parts = rest(of: stream, after: readerPrefix)?.split(separator: "/", maxSplits: 1), parts.count == 2,
            let vendor = Vendor(rawValue: String(parts[0]))
        else { return nil }
        return ReaderReference(vendor: vendor, serial: String(parts[1]))
    }

    package static func checkout(_ checkout: CheckoutReference) -> String { checkoutPrefix + checkoutID(checkout) }

    /// The name that the checkout's stream name contains.
    package static func checkoutID(_ checkout: CheckoutReference) -> String { plain(checkout.digest) }

    /// The name in a checkout's stream name; nil for any other stream.
    package static func checkoutID(_ stream: String) -> String? {
        rest(of: stream, after: checkoutPrefix).map(String.init)
    }

    /// A name in the form that a stream name can contain: a name of 1 to 128 ASCII letters, digits and `-_.:` is
    /// unchanged; any other name is replaced by its digest.
    private static func plain(_ name: String) -> String {
        let isPlain =
            (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x3A).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D || byte == 0x2E || byte == 0x5F
            }
        return isPlain ? name : ReferenceKey.bounded(name, toBytes: 0)
    }

    /// The id after the prefix of a stream's kind; nil for a stream of another kind.
    ///
    /// Compared by bytes, because it is asked for each event that is read.
    private static func id(in stream: String, after prefix: String) -> UUID128? {
        let start = prefix.utf8.count
        guard stream.utf8.count == start + 36 else { return nil }
        var (stream, prefix) = (stream, prefix)
        return stream.withUTF8 { stream in
            guard prefix.withUTF8({ $0.elementsEqual(stream[..<start]) }) else { return nil }
            return UUID128(ascii: UnsafeBufferPointer(rebasing: stream[start...]))
        }
    }

    /// The part of a stream's name after the prefix of its kind; nil for a stream of another kind.
    private static func rest(of stream: String, after prefix: String) -> Substring? {
        let bytes = stream.utf8
        guard bytes.starts(with: prefix.utf8) else { return nil }
        return stream[bytes.index(bytes.startIndex, offsetBy: prefix.utf8.count)...]
    }

    /// The id of a payment, from the name of its stream; nil for the name of any other stream.
    package static func paymentID(_ stream: String) -> UUID128? {
        id(in: stream, after: transactionPrefix)
    }

    /// The id of a batch, from the name of its stream; nil for the name of any other stream.
    package static func batchUUID(_ stream: String) -> UUID128? {
        id(in: stream, after: batchPrefix)
    }

    /// The id of a transaction stream; nil for any other stream.
    package static func transactionID(_ stream: String) -> String? {
        rest(of: stream, after: transactionPrefix).map(String.init)
    }

    package static func batchID(_ stream: String) -> String? {
        rest(of: stream, after: batchPrefix).map(String.init)
    }
}
