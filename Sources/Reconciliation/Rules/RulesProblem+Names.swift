import Matching
import Statements

extension RulesProblem {
    /// The problem of a name of a processor; nil if files of this processor are read.
    ///
    /// - Parameter pointer: The JSON pointer of the entry that names it.
    static func ofProcessor(_ name: String, at pointer: String) -> RulesProblem? {
        let processors = StatementFormat.allCases.filter { !bankFormats.contains($0) }.map(\.rawValue)
        guard !processors.contains(name) else { return nil }
        let detail = "It is one of \(processors.joined(separator: ", "))."
        return RulesProblem(.unknownProcessor, at: "\(pointer)/processor", detail)
    }

    private static let bankFormats: Set<StatementFormat> = [.bai2, .camt053, .camt054]
}

extension FeeContract {
    /// The problem of a member that only this target can check; nil if there is none.
    ///
    /// - Parameter pointer: The JSON pointer of the contract.
    func problem(at pointer: String) -> RulesProblem? {
        if let problem = RulesProblem.ofProcessor(processor, at: pointer) { return problem }
        guard FeeKind(rawValue: component) == nil else { return nil }
        let detail = "It is one of \(FeeKind.allCases.map(\.rawValue).joined(separator: ", "))."
        return RulesProblem(.unknownComponent, at: "\(pointer)/component", detail)
    }
}
