package import Canonical
import Crypto


/// The names of the log's streams: `transaction/<uuid>`, `batch/<uuid>`, `tenant/<id>`.
package enum StreamName {
    private static let transactionPrefix = "transaction/"
    private static let batchPrefix = "batch/"

    package static func transaction(_ id: UUID128) -> String { transactionPrefix + id.description }
    package static func tenant(_ id: String) -> String { "tenant/" + id }

    /// The stream of a batch. Its id follows from the reference, so that everybody who sees the same batch number
    /// arrives at the same stream without asking.
    package static func batch(_ reference: BatchReference, of tenant: String) -> String {
        batchPrefix + batchID(reference, of: tenant).description
    }

    package static func batchID(_ reference: BatchReference, of tenant: String) -> UUID128 {
        let parts = [tenant, reference.vendor.rawValue, reference.account ?? "", reference.number ?? ""]
        let digest = SHA256.hash(data: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
        return UUID128(digest: Array(digest))
    }

    /// The id of a transaction stream.
    package static func transactionID(_ stream: String) -> String? {
        stream.hasPrefix(transactionPrefix) ? String(stream.dropFirst(transactionPrefix.count)) : nil
    }

    package static func batchID(_ stream: String) -> String? {
        stream.hasPrefix(batchPrefix) ? String(stream.dropFirst(batchPrefix.count)) : nil
    }
}
