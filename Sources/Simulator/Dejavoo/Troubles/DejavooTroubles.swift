import Canonical
import Payments

// The troubles of payments over iPOSgo.
extension DejavooTill {
    mutating func play(_ trouble: Trouble, _ script: inout Script) {
        switch trouble {
        case .ticketParts: captureParts(&script)
        case .codeTables: playTables(&script)
        default:
            askAndWait(&script)
            sell(&script)
            if trouble == .wrongReference { voidAnother(&script) }
        }
    }

    mutating func askAndWait(_ script: inout Script) {
        ask(&script)
        script.wait(seconds: random.within(5...30))
    }
}
