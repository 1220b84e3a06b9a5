/// The tables of errors of the document, by call.
enum PaydiantTables {
    /// Lines 109 to 133 and 182 to 207: what a failed payment means.
    static let payments: [(code: Int64, meaning: CodeMeaning)] = [
        (400, .declined), (402, .declined), (403, .failed), (404, .failed), (405, .declined), (406, .failed),
        // Another transaction is being processed with the token.
        (409, .unclear), (410, .failed), (414, .failed), (416, .cancelled), (417, .unknown), (419, .failed),
        (420, .failed), (421, .failed), (422, .unclear), (423, .failed), (500, .unknown), (501, .unknown),
        (502, .unknown), (503, .failed), (504, .declined), (505, .declined), (506, .failed), (507, .failed),
        (508, .failed), (510, .failed),
    ]
    /// Lines 231 to 237.
    static let cash: [(code: Int64, meaning: CodeMeaning)] = [
        (400, .declined), (403, .failed), (405, .declined), (423, .failed), (500, .unknown), (501, .unknown),
        (510, .failed),
    ]
    /// Lines 267 to 270.
    static let cancellations: [Int64] = [400, 403, 419, 500]
    static let tokens: [Int64] = [400, 403, 500]
    static let releases: [Int64] = [400, 403, 419, 500]
    static let discoveries: [Int64] = [400, 403, 406, 409, 416, 417, 500, 503, 508]
    static let information: [Int64] = [400, 403, 406, 409, 416, 417, 419, 500, 503, 508]
    static let types = ["Purchase", "Return", "CashAccess", "Unknown"].map { "kPDTransactionType\($0)" }

    enum Turn {
        case update(Int), split(Int), cash(Int), cancellation(Int)
    }

    static let turns: [Turn] =
        payments.indices.filter { payments[$0].code != 404 }.map { .update($0) }
        + payments.indices.map { .split($0) } + cash.indices.map { .cash($0) }
        + cancellations.indices.map { .cancellation($0) }
}
