import Matching
import Operations
import Projections
import Reconciliation
import ReplayRules

extension DocumentShapeTests {
    /// The documents of statements, reconciliation, replays and doubts.
    static let reconciliationTypes: [(String, any (Decodable & Sendable).Type)] = [
        ("AskedDoubt", QueriedDoubtJSON.self),
        ("DepositCoverage", DepositCoverageJSON.self),
        ("DepositProof", DepositProofJSON.self),
        ("Doubt", DoubtJSON.self),
        ("DoubtDetail", DoubtDetailJSON.self),
        ("ExceptionProposal", ExceptionJSON.Proposal.self),
        ("ExceptionResolution", ExceptionResolution.self),
        ("ExceptionStep", ExceptionStepJSON.self),
        ("ExplainedCounts", ExplainedCounts.self),
        ("GatewayQuestion", GatewayCallJSON.self),
        ("LineException", PaidLineJSON.OpenException.self),
        ("LineExplanation", PaidLineJSON.Explanation.self),
        ("Match", MatchJSON.self),
        ("MatchCandidate", MatchCandidateJSON.self),
        ("MatchingRules", MatchingRules.self),
        ("OpenExceptions", OpenExceptionsJSON.self),
        ("PaidLine", PaidLineJSON.self),
        ("Period", PeriodJSON.self),
        ("PeriodChange", PeriodChangeJSON.self),
        ("PeriodTotal", PeriodTotalJSON.self),
        ("ProofSettlement", DepositProofJSON.Settlement.self),
        ("ProofSum", DepositProofJSON.Sum.self),
        ("ProofTransfer", ProofTransferJSON.self),
        ("ReconciliationException", ExceptionJSON.self),
        ("ReconciliationExceptionDetail", ExceptionDetailJSON.self),
        ("ReconciliationReport", ReportJSON.self),
        ("ReconciliationRules", RulesJSON.self),
        ("Replay", ReplayJSON.self),
        ("ReplayActor", ReplayActor.self),
        ("ReplayEndCount", ReplayEndCount.self),
        ("ReplayHistory", ReplayHistoryJSON.self),
        ("ReplayItem", ReplayItemJSON.self),
        ("ReplayRuling", RulingJSON.self),
        ("ReportAccountLine", ReportJSON.AccountLine.self),
        ("ReportBalance", ReportJSON.Balance.self),
        ("ReportExceptions", ReportJSON.ExceptionShare.self),
        ("ReportShare", ReportJSON.Share.self),
        ("RuleBookReference", RuleBookReference.self),
        ("RuleRemark", RulesJSON.Remark.self),
        ("Run", RunJSON.self),
        ("RunAnswer", RunAnswerJSON.self),
        ("Statement", StatementJSON.self),
        ("StatementControl", StatementControlJSON.self),
        ("StatementLine", StatementLineJSON.self),
        ("Transfer", TransferJSON.self),
    ]
}
