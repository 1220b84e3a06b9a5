/// What a witness answers to a submission.
package enum WitnessAnswer: Sendable, Hashable {
    /// Cosigned, with the signature lines of the answer.
    case cosigned([NoteSignature])
    /// The newest checkpoint that the witness has cosigned has this size, or this size and another root. Nil if the
    /// answer has no size, which it needs only if the old size is not that of the checkpoint.
    case conflict(size: Int64?)
    case unknownOrigin
    /// No key that the witness trusts for this log has signed.
    case untrusted
    /// The tree that the witness knows is not the beginning of this one.
    case proofRefused
    /// The submission is malformed, or the answer is not one of a witness. In words.
    case unusable(String)
    /// There was no answer. In words.
    case unreachable(String)

    /// The media type of the size in a conflict.
    package static let sizeType = "text/x.tlog.size"

    /// Reads an answer.
    ///
    /// - Parameter type: The value of `Content-Type`.
    package init(status: Int, type: String?, body: [UInt8]) {
        switch status {
        case 200:
            let lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let signatures = lines.dropLast().map { NoteSignature(line: String(decoding: $0, as: UTF8.self)) }
            guard lines.last?.isEmpty == true, !signatures.isEmpty, signatures.count <= SignedNote.maxSignatures,
                signatures.allSatisfy({ $0 != nil })
            else {
                self = .unusable("it answers 200 without signature lines")
                return
            }
            self = .cosigned(signatures.compactMap(\.self))
        case 409:
            let text = String(decoding: body, as: UTF8.self)
            let mediaType = type?.split(separator: ";").first.map { $0.filter { $0 != " " }.lowercased() }
            let size = text.hasSuffix("\n") ? Int64(text.dropLast()) : nil
            self = .conflict(
                size: mediaType == Self.sizeType ? size.flatMap { $0 >= 0 && "\($0)\n" == text ? $0 : nil } : nil
            )
        case 404: self = .unknownOrigin
        case 403: self = .untrusted
        case 422: self = .proofRefused
        case 429, 500...599: self = .unreachable("it answers \(status)")
        default: self = .unusable("it answers \(status)")
        }
    }
}
