import Canonical
import Payments

/// What a rule says of one answer.
struct Finding: Hashable {
    var rule: String
    var treatment: Treatment
    /// How the answer is classed, where its rule says.
    var answerClass: String?
    var position: Int64
    var at: Timestamp
}

/// What the rules say of answers.
struct Findings {
    /// In an order that follows from the findings alone.
    private(set) var all: [Finding] = []
    /// The positions of answers with a code that no rule knows, although rules know others of its kind; and of those
    /// without any code that a rule knows.
    private(set) var unknown: Set<Int64> = []

    init(_ answers: [AnswerEvidence], scheme: CardScheme?, book: RuleBook) {
        for answer in answers { look(at: answer, scheme, book) }
        all.sort { ($0.position, $0.rule) < ($1.position, $1.rule) }
    }

    private mutating func look(at answer: AnswerEvidence, _ scheme: CardScheme?, _ book: RuleBook) {
        var found: [Rule] = []
        var isIssuers = true
        var isUnknown = false
        for code in answer.codes where book.knows(space: code.space) {
            if let rule = book.rule(code.space, code.code, message: answer.message) {
                found.append(rule)
                // The same code with this text is the gateway's own, and not the issuer's.
                if rule.record.text != nil { isIssuers = false }
            } else if !(code.space == "dejavoo.host" || code.space == "youtransactor.host"), !isShared(code, answer) {
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

    /// True for a number that an answer has in two tables, because it does not say in which: one of them knowing it is
    /// enough.
    private func isShared(_ code: AnswerCode, _ answer: AnswerEvidence) -> Bool {
        answer.codes.contains { $0.code == code.code && $0.space != code.space }
    }

    func first(_ isOne: (Treatment) -> Bool) -> Finding? { all.first { isOne($0.treatment) } }
}
