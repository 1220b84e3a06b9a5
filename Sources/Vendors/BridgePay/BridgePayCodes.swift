/// BridgeComm's answer codes and their meaning for the money.
///
/// Sources: PayGuardian iOS guide, `ResponseCode` and result codes; the developer pages of BridgePay and of Beyond Pay,
/// its white label; Rectangle Health's list of decline codes for validation.
enum BridgePayCodes {
    /// The code at the start of `gatewayMessage`: `A01`, `D03`.
    static func messageCode(in message: String?) -> String? {
        guard let message else { return nil }
        let code = message.prefix(3)
        guard code.utf8.count == 3, let letter = code.first, "ADEXC".contains(letter),
            code.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        guard let next = message.dropFirst(3).first else { return String(code) }
        return next.isLetter || next.isNumber ? nil : String(code)
    }

    /// Approved offline by the terminal and forwarded; the host has not been queried.
    static let approvedOffline: Set<String> = ["A60", "A61", "A62"]

    /// The meaning of each code of the gateway message.
    static let messages: [String: CodeMeaning] = [
        "A01": .approved,  // approved
        "A02": .approved,  // credit posted
        "A03": .approved,  // void posted, authorisation reversed
        "A04": .failed,  // no update: nothing was changed
        "A05": .partiallyApproved,
        "A06": .approved,  // void posted, authorisation not reversed
        "A07": .approved,  // partial void posted
        "A08": .approved,  // partial refund posted
        "A09": .approved,  // incremental authorisation posted
        "A10": .unknown,  // the request was accepted, not the payment
        "A11": .approved,  // approved; the reversal failed
        "A12": .approved,  // tip adjustment posted
        "A60": .approved,  // approved by the terminal offline: chip
        "A61": .approved,  // the same: magnetic stripe
        "A62": .approved,  // the same: credit
        "D01": .declined, "D03": .declined, "D04": .declined, "D05": .declined, "D08": .declined,
        "D09": .declined,  // duplicate
        "D10": .declined, "D11": .declined, "D16": .declined, "D17": .declined,
        "D24": .declined,  // chargeback received
        "D25": .declined,  // above the refund limit
        "D26": .declined,  // settlement failed
        "D28": .declined, "D30": .declined, "D31": .declined, "D32": .declined, "D35": .declined,
        "E02": .unknown,  // network not available
        "E09": .unknown,  // network error
        "X01": .cancelled,
        "X02": .unknown,  // pending
        "X04": .declined,  // expired
        // Notifications of change of the US clearing house accompany payments that may still succeed.
        "C01": .unknown, "C02": .unknown, "C03": .unknown, "C04": .unknown, "C05": .unknown, "C06": .unknown,
    ]

    /// Nil for codes of no known family.
    static func meaning(ofMessage code: String) -> CodeMeaning? {
        if let meaning = messages[code] { return meaning }
        switch code.first {
        case "A": return .approved
        case "D": return .declined
        default: return nil
        }
    }

    /// The meaning of `gatewayResult` codes that differ from the meaning of their range.
    static let results: [Int: CodeMeaning] = {
        var results: [Int: CodeMeaning] = [
            0: .approved, 1: .partiallyApproved,
            20002: .unknown,  // internal error
            20003: .unknown,  // client service
            20004: .unknown,  // payment service
            30022: .unknown,  // network not available
            30049: .cancelled,
            80001: .unknown,
            80003: .unknown,  // a find request matched more than one transaction
            80005: .approved,  // a void that also voided other transactions
            80006: .approved,  // a partial authorisation that was voided at once
            80007: .unknown,  // database error of a find request
            80008: .failed,  // not a valid gateway transaction id
            800011: .failed,  // a find request matched no transaction; the code has six digits
            99999: .unknown,
        ]
        // Refused before anything could be posted.
        for code in validation { results[code] = .failed }
        for code in declines { results[code] = .declined }
        return results
    }()

    private static let validation =
        [10001, 10002, 10003, 10004, 10005] + Array(10007...10014) + Array(10017...10042) + Array(10050...10055)

    private static let declines = [
        30010, 30023, 30024, 30026, 30028, 30032, 30033, 30034, 30036, 30037, 30041, 30043, 30047, 30048, 30072,
    ]

    /// - Parameter code: `gatewayResult`, or a `responseCode` from the same table.
    static func meaning(ofResult code: String) -> CodeMeaning? {
        guard let number = Int(code) else { return nil }
        // `1` and `2` are small numbers of `responseCode`, never results.
        if (1...2).contains(number), code.utf8.count < 5 { return nil }
        if let meaning = results[number] { return meaning }
        switch number {
        case 10000...10999: return .failed
        case 30000...30999: return .declined
        default: return nil
        }
    }

    /// True for a result code in the tables.
    static func isDocumented(result code: String) -> Bool { Int(code).map { results[$0] != nil } ?? false }

    /// `responseCode` alone has its own small numbers (`BridgeCommResponseCode`): 1 is cancelled, 2 is an error.
    ///
    /// The guide's table of result codes calls 2 declined, its list of constants calls it an error. An error may happen
    /// after the host's approval, so 2 alone proves no outcome.
    static func meaning(ofResponse code: String) -> CodeMeaning? {
        switch Int(code) {
        case 1 where code.utf8.count < 5: .cancelled
        case 2 where code.utf8.count < 5: .unknown
        default: meaning(ofResult: code)
        }
    }
}

extension CodeMeaning {
    /// True for a full or partial approval.
    var isApproval: Bool { self == .approved || self == .partiallyApproved }
}
