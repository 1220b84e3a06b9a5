import BenchReport
import ReplayProof

/// Line p: replays are correct under faults, and how fast they are. It fails if the proof fails.
extension Bench {
    mutating func prove() async throws {
        let count = proofPayments
        let proof = ProofRun(
            payments: count,
            kills: isQuick ? 3 : 9,
            seed: 17,
            program: program,
            sharedBuffersMebibytes: BenchServer.sharedBuffersMebibytes
        ) { note("  \($0)") }
        let outcome = try await proof.run()
        for complaint in outcome.complaints { note("  \(complaint)") }
        if outcome.furtherComplaints > 0 { note("  and \(outcome.furtherComplaints) more") }
        let books = """
            \(Figure.grouped(outcome.payments)) payments, \(Figure.grouped(outcome.doubts)) doubts, \
            \(Figure.grouped(outcome.resubmissions)) resubmissions in \(outcome.plans) plans, \(outcome.kills) kills, \
            \(outcome.inReview) need review
            """
        add(
            BenchRow(
                line: "p",
                what: books,
                figure: "\(outcome.doubleCharges) double charges, \(outcome.differenceCents) cents of difference",
                target: outcome.complaints.isEmpty ? "none: reached" : "none: missed"
            )
        )
        add(
            BenchRow(
                line: "p",
                what: "doubts resolved, from the start of both servers until none was left, kills included",
                figure: Figure.rate(outcome.resolvingRate, "payments")
            )
        )
        add(
            BenchRow(
                line: "p",
                what:
                    "payments resubmitted, from the first plan until no doubt was left, kills included",
                figure: Figure.rate(outcome.replayingRate, "payments")
            )
        )
        guard outcome.complaints.isEmpty else { throw LoadFailure("the books differ") }
    }
}
