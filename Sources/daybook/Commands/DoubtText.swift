import Canonical
import Foundation
import Operations
import Payments
import ReplayRules

/// Doubts as text.
enum DoubtText {
    static let unknown = Failure("There is no such payment.", hint: "`daybook resolve list` lists what is in doubt.")

    /// An age as `3 d`, `5 h` or `12 min`.
    static func age(_ seconds: Int64) -> String {
        switch seconds {
        case 172_800...: "\(seconds / 86_400) d"
        case 7_200...: "\(seconds / 3_600) h"
        default: "\(seconds / 60) min"
        }
    }

    static func nothing(isFiltered: Bool) -> String {
        isFiltered ? "no matching payment is in doubt" : "nothing is in doubt"
    }

    static func show(_ items: [DoubtJSON]) {
        if items.isEmpty { return Terminal.say("nothing on this page; the list continues") }
        Terminal.table(
            [
                "transaction", "age", "at stake", "doubt", "code", "gateways", "queries", "answer", "next (UTC)",
                "review",
            ],
            items.map { item in
                [
                    item.transaction.text, age(item.ageSeconds), item.atRisk?.description ?? "-",
                    item.doubt?.what ?? (item.reversal == nil ? "-" : "reversal"), item.doubt?.code ?? "-",
                    names(item.gateways), "\(item.queries)", item.lastQuery?.answer.rawValue ?? "-",
                    item.nextAt?.rfc3339 ?? "-", item.attention?.rule ?? "-",
                ]
            },
            rightAligned: [1, 2, 6]
        )
    }

    static func show(one item: DoubtDetailJSON) {
        var rows: [(String, String?)] = [
            ("transaction", item.transaction.text), ("status", item.status.rawValue),
            ("at stake", item.atRisk?.description), ("merchant", item.merchant), ("terminal", item.terminal),
            ("since", item.occurredAt.rfc3339), ("reader", item.reader.map { "\($0.vendor.rawValue) \($0.serial)" }),
        ]
        if item.reader?.holdsResult == true {
            rows.append(("pending result", "held by the reader. \(item.reader?.remedy ?? "")"))
        }
        if !item.isOpen { rows.append(("in doubt", "nothing")) }
        if let doubt = item.doubt {
            let reported = [doubt.code, doubt.message].compactMap(\.self).joined(separator: " ")
            rows.append(("in doubt", doubt.what))
            rows.append(("reported by", "\(doubt.event) at \(doubt.position) \(reported)"))
            rows.append(("what to do", doubt.remedy))
            rows.append(("gateways", names(item.gateways)))
        }
        if let reversal = item.reversal {
            rows.append(("reverse since", reversal.dueAt.rfc3339))
            rows.append(("sent", "\(reversal.sent, "time")"))
            rows.append(("automatic", reversal.isSent ? "yes" : "no"))
        }
        rows.append(("next", item.nextAt?.rfc3339))
        rows.append(("review", item.attention.map { "\($0.rule): \($0.explanation)" }))
        for case (let name, let value?) in rows {
            Terminal.say(name.padding(toLength: 16, withPad: " ", startingAt: 0) + value)
        }
        guard !item.calls.isEmpty else { return }
        Terminal.table(
            ["sent (UTC)", "gateway", "operation", "answer", "code", "message"],
            item.calls.map { call in
                [
                    call.sentAt.rfc3339, call.gateway, call.operation.rawValue,
                    call.verdict?.rawValue ?? call.failure ?? (call.event == nil ? "under way" : "-"),
                    call.code ?? "-", call.message ?? "-",
                ]
            }
        )
    }

    private static func names(_ names: [String]) -> String { names.isEmpty ? "-" : names.joined(separator: ",") }
}
