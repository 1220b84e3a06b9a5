import Payments

extension HandpointStatus {
    /// The event of a result with this status that is about the condition of the reader itself, beside the payment: its
    /// updates, hardware, battery and shared secret (document 002, lines 1371-1385, 1416); nil for other statuses.
    var readerEvent: DeviceEvent.Name? {
        switch id {
        case 0x0003, 0x0005, 0x0006, 0x0007, 0x000D, 0x000E, 0x000F, 0x001D, 0x0031: event
        default: nil
        }
    }

    /// True if the card refuses, and neither the issuer nor the gateway.
    var isOfCard: Bool { id == 0x0028 }

    private static let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    package static func of(_ id: Int) -> HandpointStatus? { byID[id] }

    private static let byText: [String: [HandpointStatus]] = {
        var found: [String: [HandpointStatus]] = [:]
        for status in all {
            for text in Set((status.messages + status.texts).map { $0.lowercased() }) where !text.isEmpty {
                found[text, default: []].append(status)
            }
        }
        return found
    }()

    /// Every status with this text; four statuses share `TRANSACTION VOID`.
    package static func saying(_ text: String) -> [HandpointStatus] {
        let text = text.lowercased()
        if let found = byText[text] { return found }
        let prefix = "auth code "
        guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else { return [] }
        return text.dropFirst(prefix.count).allSatisfy { $0.isASCII && ($0.isNumber || $0.isLetter) }
            ? byID[1].map { [$0] } ?? [] : []
    }
}
