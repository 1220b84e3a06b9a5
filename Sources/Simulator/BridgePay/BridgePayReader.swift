import Canonical

/// A reader paired with the device, and PayGuardian's callbacks about it.
struct BridgePayReader {
    /// The UUID of the pairing, which the app stores.
    let identifier: String
    /// The name under which it is discovered.
    let name: String

    private static let type: JSONValue = "TERMINAL_TYPE_IDTECH_UNIPAY_BT"

    init(_ terminal: VirtualTerminal) {
        identifier = "\(terminal.id.prefix(8))-93D1-4B60-A5C8-\(terminal.id)"
        name = "IDTECH-VP3300-\(terminal.id.suffix(5))"
    }

    /// `PayGuardianTransactionState`, without the name of the type.
    enum State: String, CaseIterable {
        case notStarted = "NotStarted"
        case waitingForCard = "WaitingForCard"
        case readingCard = "ReadingCard"
        case chipCardSwiped = "ChipCardWithUnreadChipSwiped"
        case brokenChip = "CardReadWithBrokenChip"
        case readError = "CardReadWithError"
        case waitingForGateway = "WaitingForGateway"
        case respondingToCard = "RespondingToCard"
        case voiding = "Voiding"
        case finished = "Finished"
    }

    // MARK: Transactions

    /// `onStateChanged`.
    func state(_ state: State) -> JSONValue {
        [
            "state": .string("PayGuardianTransactionState\(state.rawValue)"),
            "connectedDeviceIdentifier": .string(identifier),
        ]
    }

    /// `onCardDataAvailable`: the digits used to look up the card's issuer.
    func cardData(_ card: TestCard) -> JSONValue {
        ["cardIdentifier": .string(String(card.number.prefix(6))), "connectedDeviceIdentifier": .string(identifier)]
    }

    /// `resumeCardRead` and `cancel`.
    var command: JSONValue { ["connectedDeviceIdentifier": .string(identifier)] }

    // MARK: Readers

    /// `onReaderStateChanged` for the paired reader.
    func changed(isConnected: Bool) -> JSONValue {
        [
            "readerState": isConnected ? "Connected" : "Disconnected",
            "connectedDeviceIdentifier": .string(identifier), "terminalType": Self.type,
        ]
    }

    /// `onReaderStateChanged` at the end of a scan.
    func found(beside others: [String]) -> JSONValue {
        let names = [name] + others
        return ["readerState": "ScanComplete", "foundDeviceNames": .array(names.map { .string($0) })]
    }

    /// The first pairing: the app scans for readers nearby, or uses the first one that answers.
    func pair(isScanning: Bool, into script: inout Script, _ random: inout SeededRandom) {
        if isScanning {
            script.report("initAndScanForDevices", ["terminalType": Self.type])
            script.wait(seconds: random.within(5...15))
            let others = (0..<random.within(0...2)).map { _ in "IDTECH-VP3300-\(random.digits(5))" }
            script.report("onReaderStateChanged", found(beside: others))
            script.wait(seconds: random.within(3...20))
            script.report("connectWithFriendlyName", ["friendlyName": .string(name)])
        } else {
            script.report("initForRegistration", ["terminalType": Self.type, "bleFriendlyName": ""])
        }
        script.wait(seconds: random.within(2...9))
        script.report("onReaderStateChanged", changed(isConnected: true))
    }
}
