import Canonical
import DaybookTestKit
import Payments
import ReplayRules
import Testing

/// Properties that hold for all evidence.
@Suite struct ClassificationPropertyTests {
    private static let rounds = 6_000

    /// Codes that leave open whether money moved, or report that it did. Written out, not read from the rules.
    private static let moving: Set<String> = [
        "00", "08", "10", "11", "32", "85", "87", "Y1", "Y3", "09", "25", "26", "28", "68", "94", "06",
    ]
    private static let movingVendorCodes: Set<String> = [
        "A01", "A02", "A05", "A07", "A08", "A09", "A10", "A11", "A12", "A60", "A61", "A62", "E02", "E09", "X02", "D09",
        "20002", "20003", "20004", "30022", "30036", "80001", "80003", "80007", "99999", "UNDEFINED", "IN_PROGRESS",
        "AUTHORISED", "APPROVED", "PARTIAL_APPROVAL", "CAPTURED", "1001", "1004", "1005", "1006", "1011",
    ]

    /// True if a payment's money may have moved, computed independently of the rules.
    private func mayHaveMoved(_ evidence: PaymentEvidence) -> Bool {
        let never: Set<TransactionStatus> = [.requested, .declined, .failed, .notPosted, .cancelled, .voided]
        guard never.contains(evidence.balance.status), !evidence.balance.isReversalDue else { return true }
        if evidence.balance.authorized > 0 || evidence.balance.captured > 0 || !evidence.doubts.isEmpty {
            return true
        }
        if evidence.resolutions.contains(where: { [.approved, .partiallyApproved, .reversed].contains($0.outcome) }) {
            return true
        }
        let own = evidence.answers.filter { $0.operation == evidence.wanted.operation }
        return own.contains { answer in
            if answer.outcome.movesMoney || answer.outcome == .verified { return true }
            let isCleared = evidence.resolutions.contains { $0.position > answer.position }
            if isCleared { return false }
            let issuers = answer.message == "INVALID YEAR" ? nil : answer.answer
            return answer.outcome == .unknown || issuers.map(Self.moving.contains) ?? false
                || answer.codes.contains { Self.movingVendorCodes.contains($0.code) }
        }
    }

    @Test func paymentsThatMayHaveMovedMoneyAreNeverResubmitted() throws {
        let book = try standardBook()
        var source = RandomEvidence(random: .forTest(), book: book)
        var resubmitted = 0
        var moving = 0
        for _ in 0..<Self.rounds {
            let evidence = source.next()
            let ruling = classify(evidence, at: source.now(), book: book)
            guard evidence.wanted.operation.isPayment else { continue }
            let isMoving = mayHaveMoved(evidence)
            if isMoving { moving += 1 }
            if ruling.disposition == .resubmit { resubmitted += 1 }
            #expect(!(isMoving && ruling.disposition == .resubmit), "seed \(source.random.seed): \(evidence) \(ruling)")
        }
        // Both cases occur often enough.
        #expect(resubmitted > 100 && moving > 500, "\(resubmitted) \(moving)")
    }

    @Test func theOrderOfEvidenceDoesNotMatter() throws {
        let book = try standardBook()
        var source = RandomEvidence(random: .forTest(), book: book)
        var seen: Set<Disposition.Name> = []
        let fixed = Set(FixedRule.allCases.map(\.rawValue) + ["doubt.ambiguous", "doubt.contradiction"])
        let known = Set(book.rules.map(\.id)).union(fixed)
        for _ in 0..<Self.rounds {
            var evidence = source.next()
            let now = source.now()
            let ruling = classify(evidence, at: now, book: book)
            seen.insert(ruling.disposition.name)
            #expect(known.contains(ruling.rule), "\(ruling)")
            #expect(ruling.evidence == ruling.evidence.sorted())
            if let until = ruling.disposition.until { #expect(until >= now) }
            evidence.answers.shuffle(using: &source.random)
            evidence.attempts.shuffle(using: &source.random)
            evidence.resolutions.shuffle(using: &source.random)
            evidence.doubts.shuffle(using: &source.random)
            for index in evidence.doubts.indices { evidence.doubts[index].queries.shuffle(using: &source.random) }
            #expect(classify(evidence, at: now, book: book) == ruling, "seed \(source.random.seed): \(evidence)")
        }
        #expect(seen == Set(Disposition.Name.allCases))
    }

    /// An operation in doubt is never resubmitted. A reversal is, because it moves no money.
    @Test func doubtsAreNeverResubmitted() throws {
        let book = try standardBook()
        var source = RandomEvidence(random: .forTest(), book: book)
        for _ in 0..<Self.rounds {
            var evidence = source.next()
            guard evidence.wanted.operation != .reversal else { continue }
            evidence.balance.status = .inDoubt
            let ruling = classify(evidence, at: source.now(), book: book)
            #expect(ruling.disposition != .resubmit, "seed \(source.random.seed): \(evidence) \(ruling)")
        }
    }

    /// With one more final answer, at any time, nothing may be resubmitted.
    @Test func oneMoreFinalAnswerIsFinal() throws {
        let book = try standardBook()
        var source = RandomEvidence(random: .forTest(), book: book)
        for _ in 0..<Self.rounds {
            var evidence = source.next()
            guard evidence.wanted.operation != .reversal else { continue }
            evidence.answers.append(
                AnswerEvidence(
                    position: 1000,
                    at: sentAt,
                    operation: evidence.wanted.operation,
                    by: .gateway,
                    outcome: .declined,
                    answer: ["04", "07", "41", "43", "R1"].randomElement(using: &source.random)
                )
            )
            let ruling = classify(evidence, at: source.now(), book: book)
            #expect(ruling.disposition != .resubmit, "seed \(source.random.seed): \(ruling)")
        }
    }
}
