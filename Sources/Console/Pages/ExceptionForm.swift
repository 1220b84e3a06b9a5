import Access
import Canonical
import HTTPEdge
import Intake
import Matching
import Operations
import Payments
import Reconciliation
import Redaction

/// The forms that act on one exception, and their reading.
struct ExceptionForm: Sendable {
    private let item: ExceptionJSON
    private let visit: Visit
    /// The number of the candidate to match by hand, from 0.
    private let candidate: Int?
    /// The idempotency key: a form that is sent twice is recorded once.
    private let once: UUID128

    init(_ item: ExceptionJSON, _ visit: Visit, candidate: Int?, once: UUID128) {
        self.item = item
        self.visit = visit
        self.candidate = candidate
        self.once = once
    }

    var isOpen: Bool { item.status.isOpen }

    /// The forms of the actions that are possible now, or the scopes that they need.
    var value: PageValue? {
        guard visit.may(.reconcile) else {
            return .members(["scopes": .text(Permission.reconcile.scopeNames)])
        }
        let principal = visit.session.principal
        let operatorKey = KeyHolder(actor: principal.actor, holder: principal.holder)
        let refusal = item.proposal.flatMap {
            operatorKey.refusal(toApproveFor: KeyHolder(actor: $0.by, holder: $0.holder))
        }
        let isOwn = refusal == .ownProposal
        let isProposed = item.status == .proposed
        return .members([
            "forms": .members([
                "path": .text(Address.exception(item.id.text)), "token": .text(visit.token.formToken),
                "once": .text(once.text), "version": "\(item.version)",
                "longest": "\(Reason.mostBytes)", "assignee": .text(item.assignee ?? ""),
                "proposal": .text(item.proposal?.id?.text ?? ""),
                "note": true, "assign": .given(isOpen), "resolve": isOpen ? resolving : nil,
                "approve": .given(isProposed && refusal == nil), "reject": .given(isProposed),
                "own": .given(isProposed && isOwn), "unknown": .given(isProposed && refusal == .unknownHolder),
                "reopen": .given(item.status == .resolved),
            ])
        ])
    }

    private var resolving: PageValue {
        let candidates = item.candidates ?? []
        let chosen = candidate.flatMap { candidates.indices.contains($0) ? candidates[$0] : nil }
        let lines = [item.line, chosen?.line].compactMap(\.self).map(\.text)
        let movements = [
            Self.movement(item.transaction, item.movement), Self.movement(chosen?.transaction, chosen?.movement),
        ].compactMap(\.self)
        let isMatch = chosen?.isMatch ?? false
        let kinds: [(ExceptionResolution.Kind, String)] = [
            (.writtenOff, "Written off: the loss or gain is accepted"),
            (.corrected, "Corrected: another record corrects it"),
            (.timing, "Timing: the difference disappears with time"),
            (.matched, "Matched by hand: lines and movements belong together"),
        ]
        return .members([
            "kinds": .list(
                kinds.map { kind, label in
                    .members([
                        "kind": .text(kind.rawValue), "label": .text(label),
                        "chosen": .given(isMatch && kind == .matched),
                    ])
                }
            ), "lines": .text(lines.joined(separator: " ")), "movements": .text(movements.joined(separator: " ")),
            "prepared": .given(isMatch),
        ])
    }

    /// `PAYMENT/PIECE`, as the command line names it.
    private static func movement(_ payment: UUID128?, _ piece: String?) -> String? {
        guard let payment, let piece else { return nil }
        return "\(payment.text)/\(piece)"
    }

    // MARK: Reading

    /// The same request as a body of the API, without the reason.
    static func body(_ action: String, _ fields: FormFields) -> JSONObject {
        switch action {
        case "assign":
            let name = words(fields["assignee"]).joined(separator: " ")
            return ["assignee": name.isEmpty ? .null : .string(name)]
        case "resolve":
            var resolution: JSONObject = [:]
            resolution.set("kind", fields["kind"])
            // The form also contains the fields of other kinds, which are ignored.
            switch fields["kind"].flatMap({ ExceptionResolution.Kind(rawValue: $0) }) {
            case .matched:
                resolution["lines"] = .array(words(fields["lines"]).map { .string($0) })
                resolution["movements"] = .array(
                    words(fields["movements"]).map { word in
                        let parts = word.split(separator: "/", maxSplits: 1).map { JSONValue.string(String($0)) }
                        return parts.count == 2 ? ["transaction": parts[0], "movement": parts[1]] : .string(word)
                    }
                )
            case .corrected: resolution.set("correction", fields["correction"])
            case .writtenOff, .timing, nil: break
            }
            return ["resolution": .object(resolution)]
        case "approve": return ["proposal": .string(fields["proposal"] ?? "")]
        default: return [:]
        }
    }

    private static func words(_ text: String?) -> [String] {
        (text ?? "").split(whereSeparator: \.isWhitespace).map { String($0) }
    }
}
