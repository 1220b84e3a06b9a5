import Canonical
package import Journal
import Payments

extension Refusal {
    /// The refusal to export the journal.
    package init(_ refusal: ExportCommands.Refusal) {
        switch refusal {
        case .nothingToExport:
            self.init(
                kind: .conflict,
                code: refusal.rawValue,
                title: "There is nothing new to export",
                detail: "Nothing is posted after the last export in this format, or at the requested positions."
            )
        }
    }

    /// The refusal of a chart that is not recorded.
    package init(_ problem: ChartProblem) {
        self.init(
            kind: .unprocessable,
            code: problem.code.rawValue,
            title: "The chart of accounts is invalid",
            detail: problem.detail
        )
        extensions["pointer"] = .string(problem.pointer)
    }

    package init(_ fault: ExportFault) {
        switch fault {
        case .unbalanced(let position, let day, let currency):
            self.init(
                kind: .failed,
                code: "unbalanced-entry",
                title: "An entry does not add up to zero",
                detail: "The legs at position \(position) of \(day) in \(currency.alpha). Nothing was exported."
            )
        case .changed:
            self.init(
                kind: .failed,
                code: "export-changed",
                title: "The entries do not give the exported file again",
                detail: "The journal was built by other rules since, or was changed."
            )
        }
    }
}
