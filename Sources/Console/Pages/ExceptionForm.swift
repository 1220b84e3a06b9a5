import Access
import Canonical
import DaybookAPI
import HTTPEdge
import Matching
import Operations
import Payments
import Reconciliation

/// The forms with which somebody works one exception, and how they are read.
struct ExceptionForm: Sendable {
    /// As the API names them.
    static let actions = ["assign", "note", "resolve", "approve", "reject", "reopen"]

    private let item: JSONValue
    private let visit: Visit
    /// The one of the candidates that is to be matched by hand, counted from 0.
    private let candidate: Int?
    /// So that a form that is sent twice is recorded once.
    private let once: UUID128

    /// - Parameter item: The exception as the API answers it.
    init(_ item: JSONValue, _ visit: Visit, candidate: Int?, once: UUID128) {
        self.item = item
        self.visit = visit
        self.candidate = candidate
        self.once = once
    }

    private var status: ExceptionStatus? { item["status"]?.string.flatMap { ExceptionStatus(rawValue: $0) } }
    var isOpen: Bool { status?.isOpen == true }

    /// What of it can be done now, or who may.
    var value: PageValue? {
        guard visit.may(API.reconciling) else {
            return .members(["scopes": .text(API.reconciling.map(\.rawValue).joined(separator: " or "))])
        }
        let isOwn = item["proposal"]?["by"]?.string == visit.session.principal.actor
        let isProposed = status == .proposed
        return .members([
            "forms": .members([
                "path": .text(Address.exception(item["id"]?.string ?? "")), "token": .text(visit.token.formToken),
                "once": .text(once.text), "version": .text(item["version"]?.text ?? "0"),
                "longest": "\(ExceptionCommands.longestReason)", "assignee": .text(item["assignee"]?.string ?? ""),
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

    /// Whether both sides come to the same money with this candidate, which is not explained yet.
    static func isMatch(_ candidate: JSONValue) -> Bool {
        let reasons = (candidate["reasons"]?.array ?? []).compactMap(\.string)
        return !reasons.contains { ["no-money", "taken", "amount-differs", "currency-differs"].contains($0) }
    }

    // MARK: Reading

    /// Why somebody does it.
    ///
    /// - Throws: `Problem` for none, and for one that is too long.
    static func reason(_ fields: FormFields, limit: Int = ExceptionCommands.longestReason) throws(Problem) -> String {
        let reason = fields["reason"] ?? ""
        guard (1...limit).contains(reason.utf8.count), reason.contains(where: { !$0.isWhitespace }) else {
            throw Problem(
                status: 400,
                code: "malformed-record",
                title: "The reason is missing or too long",
                detail: "Go back and enter 1 to \(limit) bytes of text."
            )
        }
        return reason
    }

    /// What the API would be sent, without the reason.
    static func body(_ action: String, _ fields: FormFields) -> JSONObject {
        switch action {
        case "assign":
            let name = words(fields["assignee"]).joined(separator: " ")
            return ["assignee": name.isEmpty ? .null : .string(name)]
        case "resolve":
            var resolution: JSONObject = [:]
            resolution.set("kind", fields["kind"])
            // Fields of other kinds stand in the form as well, and say nothing.
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
