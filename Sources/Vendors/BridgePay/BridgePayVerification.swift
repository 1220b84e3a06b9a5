/// The issuer's result for the billing address: `AVSResponse`. PayGuardian iOS guide, AVS response codes.
struct BridgePayAddressCheck: Hashable {
    enum Match: String, Hashable {
        case matches, differs
        case notChecked = "not-checked"
    }

    /// One digit and one hexadecimal digit, as printed.
    let code: String
    let street: Match
    let postalCode: Match
    let holder: Match
    /// The meaning, if it is no match or difference of one of the three.
    let note: String?

    private init(
        _ code: String,
        _ street: Match,
        _ postalCode: Match,
        holder: Match = .notChecked,
        note: String? = nil
    ) {
        self.note = note
        self.code = code
        self.street = street
        self.postalCode = postalCode
        self.holder = holder
    }

    /// 46 and 4E compared five digits of the postal code, 47 nine. `00`, `40` and `80`: the check could not be made.
    static let all: [BridgePayAddressCheck] = [
        .init("00", .notChecked, .notChecked, note: "not checked, may be retried"),
        .init("40", .notChecked, .notChecked, note: "address not available"),
        .init("43", .notChecked, .matches),
        // The address as a whole does not match.
        .init("44", .differs, .differs),
        .init("45", .differs, .differs),
        .init("46", .differs, .matches),
        .init("47", .differs, .matches),
        // The table has "or": it is not known which of them differs.
        .init("4A", .notChecked, .notChecked, note: "street or postal code differs"),
        .init("4D", .matches, .differs),
        .init("4E", .matches, .matches),
        .init("4F", .matches, .matches),
        .init("53", .notChecked, .matches, holder: .differs),
        .init("55", .differs, .differs, holder: .differs),
        .init("5C", .matches, .notChecked, holder: .differs),
        .init("5F", .matches, .matches, holder: .differs),
        .init("70", .notChecked, .notChecked, holder: .matches),
        .init("73", .notChecked, .matches, holder: .matches),
        .init("7C", .matches, .notChecked, holder: .matches),
        .init("7F", .matches, .matches, holder: .matches),
        .init("80", .notChecked, .notChecked, note: "not supported by the issuer"),
    ]

    init?(code: String) {
        guard let row = Self.all.first(where: { $0.code == code.uppercased() }) else { return nil }
        self = row
    }

    /// For example `street matches, postal code differs`.
    var text: String {
        if let note { return note }
        let parts = [("street", street), ("postal code", postalCode), ("holder", holder)]
        let reported = parts.filter { $0.1 != .notChecked }.map { "\($0.0) \($0.1.rawValue)" }
        return reported.isEmpty ? Match.notChecked.rawValue : reported.joined(separator: ", ")
    }
}

/// The issuer's result for the card verification value: `CVResult`. PayGuardian iOS guide, CV response codes.
enum BridgePayCodeCheck: String, Hashable, CaseIterable {
    case matches = "M"
    /// The guide's table prints "match" for N as well; every other document of the gateway, and the card schemes,
    /// define N as no match. Reading it as a match would hide fraud.
    case differs = "N"
    case notProcessed = "P"
    /// The card should have a value; the merchant reports that it has none.
    case missing = "S"
    /// The issuer does not support the check.
    case unsupported = "U"
    case noAnswer = "X"

    var text: String {
        switch self {
        case .matches: "matches"
        case .differs: "differs"
        case .notProcessed: "not-processed"
        case .missing: "should-be-present"
        case .unsupported: "not-supported"
        case .noAnswer: "no-answer"
        }
    }
}
