import Canonical
import Payments

// The troubles of payments at Handpoint readers.
extension HandpointTill {
    mutating func play(_ trouble: Trouble, _ script: inout Script) {
        switch trouble {
        case .signatureRace: race(signatureOf: &script)
        case .cancelRace: race(cancellationOf: &script)
        case .recoveredLater: loseResult(&script)
        case .codeTables: playTables(&script)
        default:
            begin(&script)
            sell(&script)
            if trouble == .wrongReference { voidAnother(&script) }
        }
    }

    /// Up to the host.
    mutating func begin(_ script: inout Script) {
        script.report("saleWithAmount", .object(forms.request(asked)))
        deliverUnclaimed(&script)
        progress(&script)
    }
}

extension HandpointForms {
    /// A status by its number, with the names of the document.
    ///
    /// - Parameter allowsCancel: `cancelAllowed`, line 332.
    func status(_ code: Int64, _ status: String, _ message: String, allowsCancel: Bool) -> JSONValue {
        var xml = HandpointReader(terminal: terminal).common(message)
        xml["cancelAllowed"] = allowsCancel ? "true" : "false"
        return ["statusCode": .number(.init(code)), "status": .string(status), "xml": .object(xml)]
    }
}
