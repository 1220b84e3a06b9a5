import Canonical
import Payments

/// A rule's treatment of one answer.
struct Finding: Hashable {
    var rule: String
    var treatment: Treatment
    /// The class of the answer, if its rule has one.
    var answerClass: String?
    var position: Int64
    var at: Timestamp
}

/// The rules' treatments of a set of answers.
struct Findings {
    /// Sorted by position and rule, so that the order of the answers has no effect.
    private(set) var all: [Finding] = []
    /// The positions of answers that have a code unknown to the rules in a space that the rules know, and of answers
    /// without any code that a rule knows.
    private(set) var unknown: Set<Int64> = []

    init(_ answers: [AnswerEvidence], scheme: CardScheme?, book: RuleBook) {
        for answer in answers { read(answer, scheme, book) }
        all.sort { ($0.position, $0.rule) < ($1.position, $1.rule) }
    }

    private mutating func read(_ answer: AnswerEvidence, _ scheme: CardScheme?, _ book: RuleBook) {
        var found: [Rule] = []
        var isIssuers = true
        var isUnknown = false
        for code in answer.codes where book.knows(space: code.space) {
            if let rule = book.rule(code.space, code.code, message: answer.message) {
                found.append(rule)
                // With this text the code is the gateway's, not the issuer's.
                if rule.record.text != nil { isIssuers = false }
            } else if !code.restIsIssuers, !isShared(code, answer) {
                isUnknown = true
            }
        }
        if let code = answer.answer, isIssuers {
            if let rule = book.rule("iso", code) { found.append(rule) } else { isUnknown = true }
            if scheme == .visa, let rule = book.rule("visa", code) { found.append(rule) }
        }
        if let code = answer.advice {
            if let rule = book.rule("mastercard.advice", code) { found.append(rule) } else { isUnknown = true }
        }
        if isUnknown || found.isEmpty { unknown.insert(answer.position) }
        for rule in found {
            guard let treatment = rule.treatment else { continue }
            all.append(
                Finding(
                    rule: rule.id,
                    treatment: treatment,
                    answerClass: rule.record.class,
                    position: answer.position,
                    at: answer.at
                )
            )
        }
    }

    /// True for a number that an answer lists under two tables, because it does not name its table: it is enough if one
    /// of them knows it.
    private func isShared(_ code: AnswerCode, _ answer: AnswerEvidence) -> Bool {
        answer.codes.contains { $0.code == code.code && $0.space != code.space }
    }

    func first(_ isOne: (Treatment) -> Bool) -> Finding? { all.first { isOne($0.treatment) } }
}
