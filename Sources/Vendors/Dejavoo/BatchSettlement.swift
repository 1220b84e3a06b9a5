import Canonical
import Payments

/// Deep linking V2: the answer to `startBatchSettlement`. Also V1's settlement, whose `Response` is shared by all
/// types.
enum BatchSettlement {
    static func observation(_ fields: Fields, context: DocumentContext) throws -> Observation {
        guard let tpn = try fields.identifier("tpn") ?? context.terminal else {
            throw Refusal(.missingField, "A settlement names its Tpn.", pointer: fields.pointer(to: "Tpn"))
        }
        guard let number = try fields.identifier("batchno", "batchnum") else {
            throw Refusal(.missingField, "A settlement names its batch_no.", pointer: fields.pointer(to: "batch_no"))
        }
        guard let code = try fields.text("statuscode") else {
            throw Refusal(.missingField, "A settlement has a statusCode.", pointer: fields.pointer(to: "statusCode"))
        }
        var anomalies: [Anomaly] = []
        // Settlements have their own type numbers: 7 is a tip adjustment in another interface.
        if let type = try fields.text("transactiontype"), Int(type).flatMap({ SettlementType(rawValue: $0) }) == nil {
            anomalies.append(.unknownValue("transaction_type"))
        }
        let closing = BatchClosing(
            batch: BatchReference(vendor: .dejavoo, account: tpn, number: DejavooAdapter.batchNumber(number)),
            settlement: try fields.identifier("transactionid"),
            response: Response(code: code, message: try fields.text("status"))
        )
        return observation(
            closing,
            field: "statusCode",
            time: try fields.text("timestamp"),
            timeField: "timeStamp",
            anomalies: anomalies
        )
    }

    /// Deep linking V1, if the app states that a settlement was requested.
    static func legacy(_ body: Fields, context: DocumentContext) throws -> Observation {
        let details = try body.object("txdetail")
        guard let answer = try body.object("response") else {
            throw Refusal(.missingField, "The document has a Response.", pointer: body.pointer(to: "Response"))
        }
        guard let tpn = try details?.identifier("tpn") ?? context.terminal else {
            throw Refusal(.missingField, "A settlement names its Tpn.", pointer: body.pointer(to: "TxDetail"))
        }
        guard let number = try answer.identifier("batchno"), let code = try answer.text("respcode") else {
            throw Refusal(
                .missingField,
                "A settlement has a BatchNo and a RespCode.",
                pointer: answer.pointer(to: "BatchNo")
            )
        }
        let closing = BatchClosing(
            batch: BatchReference(vendor: .dejavoo, account: tpn, number: DejavooAdapter.batchNumber(number)),
            settlement: try answer.identifier("dtxid") ?? answer.identifier("txrefno"),
            response: Response(code: code, message: try answer.text("respmsg"))
        )
        return observation(
            closing,
            field: "RespCode",
            time: try details?.text("datentime"),
            timeField: "DateNTime",
            anomalies: []
        )
    }

    private static func observation(
        _ closing: BatchClosing,
        field: String,
        time: String?,
        timeField: String,
        anomalies: [Anomaly]
    ) -> Observation {
        var closing = closing
        closing.at = time.flatMap { ReportedTime(compact: $0) }
        let code = closing.response.code ?? ""
        let answer = DejavooAnswer(host: code, message: closing.response.message)
        var anomalies = anomalies + (answer?.anomalies(about: field) ?? [])
        if time != nil, closing.at == nil { anomalies.append(.malformedField(timeField)) }
        return Observation(
            subject: .batch(
                closing.batch,
                [event(answer?.meaning, closing)] + anomalies.map { .anomalyRaised($0) }
            ),
            keys: [],
            identity: closing.settlement.map {
                DocumentIdentity(
                    account: closing.batch.account,
                    transaction: $0,
                    kind: "BatchSettlement",
                    time: time
                )
            },
            occurredAt: closing.at,
            policy: DejavooTransaction.policy
        )
    }

    /// A close with an unknown outcome counts as a request.
    static func event(_ meaning: CodeMeaning?, _ closing: BatchClosing) -> BatchEvent {
        switch meaning {
        case .approved: .batchClosed(closing)
        case .unknown, .partiallyApproved, nil: .batchCloseRequested(closing)
        case .declined, .failed, .cancelled: .batchCloseFailed(closing)
        }
    }
}
