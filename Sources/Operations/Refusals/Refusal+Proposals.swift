import Canonical
package import Intake

extension Refusal {
    /// The refusal to approve or reject a proposal.
    package init(_ refusal: Proposals.Refusal) {
        let (title, detail): (String, String) =
            switch refusal {
            case .noSuchProposal: ("Not found", "")
            case .notProposed:
                ("The proposal has ended", "It was approved or rejected: `GET /v1/proposals` lists the open ones.")
            case .replaced: ("Another proposal replaced this one", "Read the newer proposal, and approve that one.")
            case .ownProposal: (KeyHolder.Refusal.ownProposal.title, KeyHolder.Refusal.ownProposal.detail)
            case .unknownHolder: (KeyHolder.Refusal.unknownHolder.title, KeyHolder.Refusal.unknownHolder.detail)
            }
        guard refusal != .noSuchProposal else {
            self = .notFound
            return
        }
        self.init(kind: .conflict, code: refusal.rawValue, title: title, detail: detail)
    }
}

extension KeyHolder.Refusal {
    var title: String {
        switch self {
        case .ownProposal: "Another operator must approve it"
        case .unknownHolder: "The holders of the proposing and the approving key must be known"
        }
    }

    var detail: String {
        switch self {
        case .ownProposal: "The holder who proposed it cannot approve it with any of their keys."
        case .unknownHolder:
            "Two keys without a holder may belong to one operator, and root is no operator: `daybook keys create --holder "
                + "NAME` names a key's holder."
        }
    }
}
