import Access
import Canonical
import Composition
import HTTPEdge
import Intake
import Operations
import Payments
import Projections
import Redaction

extension WebConsole {
    func addProposals(to router: inout EdgeRouter<Principal>) {
        addPage(.proposals, needs: [.read], to: &router) { .page(try await proposals($0)) }
        addForm("/console/proposals/{id}/approve", needs: .reconcile, to: &router) { try await approve($0, $1) }
        addForm("/console/proposals/{id}/reject", needs: .reconcile, to: &router) { try await reject($0, $1) }
    }

    /// The changes that wait for another operator.
    private func proposals(_ visit: Visit) async throws -> Page {
        try visit.query.finish()
        var open: [PageValue] = []
        for proposal in try await ledger.intake.proposals.open(of: visit.tenant) {
            open.append(try await value(of: proposal, visit))
        }
        var page = Page(
            "proposals",
            "Proposals",
            ["proposals": .list(open), "none": .given(open.isEmpty)]
        )
        page.place = visit.place
        return page
    }

    private func value(of proposal: Proposals.Proposal, _ visit: Visit) async throws -> PageValue {
        let json = ProposalJSON(proposal)
        let principal = visit.session.principal
        let refusal = KeyHolder(actor: principal.actor, holder: principal.holder)
            .refusal(toApproveFor: proposal.proposer)
        var facts = Facts()
        facts.add("Subject", .code(json.subject))
        for line in try await ledger.changes(of: json, tenant: visit.tenant).lines { facts.add("Change", .code(line)) }
        facts.add("Reason", json.reason)
        facts.add("Proposed by", .code(json.holder.map { "\(json.by) (\($0))" } ?? json.by))
        facts.add("When", .time(json.at, in: visit.zone))
        facts.add("Event", .event(json.position))
        let may = visit.may(.reconcile)
        let needsToken = json.change == .keepCardToken
        return .members([
            "id": .text(json.id.text), "name": .text(Wording.sentence(json.change.rawValue)), "facts": facts.value,
            "own": .given(refusal == .ownProposal), "unknown": .given(refusal == .unknownHolder),
            "tokened": .given(needsToken), "scopes": may ? nil : .text(Permission.reconcile.scopeNames),
            "approve": .given(may && refusal == nil && !needsToken), "reject": .given(may),
            "token": .text(visit.token.formToken), "once": .text(ledger.ids.next().text),
            "longest": "\(Reason.mostBytes)",
        ])
    }

    private func approve(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        _ = try await ledger.approve(
            id,
            reason: try fields.reason(),
            idempotencyKey: fields["once"].map { "console:approve:\($0)" },
            scopes: visit.session.principal.scopes,
            sender: sender(visit)
        )
        return redirect(to: ConsoleView.proposals.rawValue)
    }

    private func reject(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        _ = try await ledger.intake.proposals.reject(
            id,
            reason: try fields.reason(),
            idempotencyKey: fields["once"].map { "console:reject:\($0)" },
            sender: sender(visit)
        )
        return redirect(to: ConsoleView.proposals.rawValue)
    }
}
