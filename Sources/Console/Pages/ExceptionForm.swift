import Access
import Canonical
import HTTPEdge
import Intake
import Matching
import Operations
import Payments
import Reconciliation

/// The forms that act on one exception, and their reading.
struct ExceptionForm: Sendable {
    private let item: JSONValue
    private let visit: Visit
    /// The number of the candidate to match by hand, from 0.
    private let candidate: Int?
    /// The idempotency key: a form that is sent twice is recorded once.
    private let once: UUID128

    /// - Parameter item: The exception as the API returns it.
    init(_ item: JSONValue, _ visit: Visit, candidate: Int?, once: UUID128) {
        self.item = item
        self.visit = visit
        self.candidate = candidate
        self.once = once
    }

    private var status: ExceptionStatus? { item["status"]?.string.flatMap { ExceptionStatus(rawValue: $0) } }
    var isOpen: Bool { status?.isOpen == true }

    /// The forms of the actions that are possible now, or the scopes that they need.
    var value: PageValue? {
        guard visit.may(.reconcile) else {
            return .members(["scopes": .text(Permission.reconcile.scopeNames)])
        }
        let isOwn = item["proposal"]?["by"]?.string == visit.session.principal.actor
        let isProposed = status == .proposed
        return .members([
            "forms": .members([
                "path": .text(Address.exception(item["id"]?.string ?? "")), "token": .text(visit.token.formToken),
                "once": .text(once.text), "version": .text(item["version"]?.text ?? "0"),
                "longest": "\(Reason.mostBytes)", "assignee": .text(item["assignee"]?.string ?? ""),
                "note": true, "assign": .given(isOpen), "resolve": isOpen ? resolving : nil,
                "approve": .given(isProposed && !isOwn), "reject": .given(isProposed),
                "own": .given(isProposed && isOwn), "reopen": .given(status == .resolved),
            ])
        ])
    }

    private var resolving: PageValue {
        let candidates = item["candidates"]?.array ?? []
        let chosen = candidate.flatMap { candidates.indices.contains($0) ? candidates[$0] : nil }
        let lines = [item["line"]?.string, chosen?["line"]?.string].compactMap(\.self)
        let movements = [Self.movement(item), chosen.flatMap(Self.movement)].compactMap(\.self)
        let isMatch = chosen.map(Self.isMatch) ?? false
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
    private static func movement(_ json: JSONValue) -> String? {
        guard let payment = json["transaction"]?.string, let piece = json["movement"]?.string else { return nil }
        return "\(payment)/\(piece)"
    }

    /// Whether the candidate has the same money and is not yet explained.
    static func isMatch(_ candidate: JSONValue) -> Bool {
        let reasons = (candidate["reasons"]?.array ?? []).compactMap(\.string)
        return !reasons.contains { ["no-money", "taken", "amount-differs", "currency-differs"].contains($0) }
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
        default: return [:]
        }
    }

    private static func words(_ text: String?) -> [String] {
        (text ?? "").split(whereSeparator: \.isWhitespace).map { String($0) }
    }
}
