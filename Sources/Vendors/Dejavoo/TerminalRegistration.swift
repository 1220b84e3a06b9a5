import Canonical
import Payments
import Redaction

/// The registration of a terminal: the app sends its TPN to iPOSgo, which downloads the merchant's parameters and
/// answers with `transactionData`.
enum TerminalRegistration {
    /// `downloadParameter(RegisterData)` of V2 and `makeARequestBasedOnTPN` of V1. The merchant code is a credential
    /// and is already redacted.
    static func request(_ fields: Fields, context: DocumentContext) throws -> Observation {
        let payload = try fields.object("param", "payload") ?? fields
        guard let tpn = try payload.identifier("tpn", "tpnno") else {
            throw Refusal(.missingField, "A registration names its tpn.", pointer: payload.pointer(to: "tpn"))
        }
        var details = [Detail("tpn", tpn)]
        if let type = try payload.text("applicationtype") {
            details.append(.init("applicationType", String(type.prefix(64))))
        }
        return observation(.commandSent, tpn, context.terminal, details, at: context.reportedTime)
    }

    static func isAnswer(_ fields: Fields) throws -> Bool {
        fields.has("txnrefno") || fields.has("transactiondata")
    }

    /// The guide prints it as the answer to a registration and calls it data of the transaction just processed. It has
    /// no amount, so it starts no payment: it belongs to the terminal, unless the sender names a payment.
    static func answer(_ fields: Fields, context: DocumentContext) throws -> Observation {
        let data = try fields.object("transactiondata") ?? fields
        guard let tpn = try data.identifier("tpn") else {
            throw Refusal(.missingField, "transactionData names its TPN.", pointer: data.pointer(to: "TPN"))
        }
        var details = [Detail("TPN", tpn)]
        let time = try data.text("timestamp")
        if let time { details.append(.init("TimeStamp", String(time.prefix(64)))) }
        let number = try data.identifier("txnrefno")
        if let number { details.append(.init("TXN Ref No", number)) }
        let at = time.flatMap { ReportedTime(compact: $0) }
        let anomalies = time != nil && at == nil ? [Anomaly.malformedField("TimeStamp")] : []
        // With the request beside it, the answer is known to be a registration's.
        let isRegistration = try fields.object("request", "registerdata") != nil
        if context.namesPayment, !isRegistration {
            return processed(tpn, details, at: at ?? context.reportedTime, anomalies, context)
        }
        return observation(
            isRegistration ? .readerInitialized : .commandAnswered,
            tpn,
            context.terminal,
            details,
            at: at ?? context.reportedTime,
            anomalies: anomalies,
            identity: number.map {
                DocumentIdentity(account: tpn, transaction: $0, kind: "transactionData", time: time)
            }
        )
    }

    /// The data of a payment that was processed, without its result (document 003, transactionData). The payment is in
    /// doubt until its answer is reported.
    private static func processed(
        _ tpn: String,
        _ details: [Detail],
        at: ReportedTime?,
        _ anomalies: [Anomaly],
        _ context: DocumentContext
    ) -> Observation {
        let report = DeviceReport(reader: .dejavoo(tpn), details: details, at: at)
        let verdict = Verdict(
            evidence: .reader,
            response: Response(message: "processed, without a result"),
            references: References(merchant: context.merchant, terminal: tpn),
            at: at,
            condition: .whileOpen
        )
        return Observation(
            subject: .transaction(
                [.device(DeviceEvent(.commandAnswered, report)), .outcomeUnknown(verdict)]
                    + anomalies.map { .anomalyRaised($0) }
            ),
            keys: [],
            identity: nil,
            occurredAt: at,
            policy: DejavooTransaction.policy
        )
    }

    private static func observation(
        _ name: DeviceEventName,
        _ tpn: String,
        _ terminal: String?,
        _ details: [Detail],
        at: ReportedTime?,
        anomalies: [Anomaly] = [],
        identity: DocumentIdentity? = nil
    ) -> Observation {
        let isOfLength = (10...12).contains(tpn.utf8.count) && CardNumber.digits(tpn) != nil
        let limits = isOfLength ? [] : [Anomaly(.limitExceeded, "a TPN has 10 to 12 digits")]
        // A sender that names the terminal otherwise, such as by its serial number, does so for its payments as well.
        let names = terminal.flatMap { name in
            name.hasSameUTF8(as: tpn) ? nil : ReaderNames(serial: tpn, name: name, account: tpn)
        }
        let report = DeviceReport(reader: .dejavoo(tpn), names: names, details: details, at: at)
        return Observation(
            subject: .device(.dejavoo(tpn), [DeviceEvent(name, report)], anomalies + limits),
            keys: [],
            identity: identity,
            occurredAt: at,
            policy: DejavooTransaction.policy
        )
    }
}
