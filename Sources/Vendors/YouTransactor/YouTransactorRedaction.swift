import Redaction

extension YouTransactorAdapter {
    /// The redaction schema for a document of `kind`, in any spelling and also for unknown kinds: a callback of a later
    /// version may carry ciphertext.
    static func redaction(for kind: String) -> RedactionSchema {
        known[kind] ?? redaction(ofName: SensitiveNames.normalized(kind), isKnown: false)
    }

    private static let known: [String: RedactionSchema] = {
        var schemas: [String: RedactionSchema] = [:]
        for kind in kinds { schemas[kind] = redaction(ofName: SensitiveNames.normalized(kind), isKnown: true) }
        return schemas
    }()

    private static let knownNames = Set(kinds.map { SensitiveNames.normalized($0) })

    /// - Parameter name: A normalised name.
    private static func redaction(ofName name: String, isKnown: Bool) -> RedactionSchema {
        func isCommand(_ command: UCubeCommand) -> Bool { name == SensitiveNames.normalized(command.rawValue) }
        if name.contains("pin") { return pinSchema }
        if name.contains("plaintag") { return plainTagSchema }
        if isCommand(.getInfo) { return general }
        let carriesBytes =
            UCubeCommand.allCases.contains(where: isCommand) || name.hasPrefix("senddata") || name == "ucubeapi"
            || name == "connectionmanagersend"
        return carriesBytes || !isKnown && !knownNames.contains(name) ? ciphertextSchema : general
    }

    /// The members of `PaymentContext` that need more than the general rules.
    ///
    /// Ciphertext is kept only as a digest: with the terminal's keys it can be decrypted to tracks, which must not be
    /// kept after the payment, even encrypted (PCI DSS 3.3.1). The level 2 logs are treated in the same way.
    private static let general = RedactionSchema(
        [
            (["onlinePinBlock"], .drop(.pin)),
            (["authorizationSecuredTagsValues", "finalizationSecuredTagsValues"], .digest(.emv)),
            (["tagCC", "tagF4", "tagF5"], .digest(.emv)),
            // The kernel's input and output as bytes: tags of all kinds, unencrypted.
            (["transactionInitData", "transactionProcessData", "transactionFinalisationData"], .drop(.emv)),
            (["sredKsn", "pinKsn"], .identifier(.init(.hexadecimal, 16...24))),
            (["nfcOutcome"], .identifier(.init(.hexadecimal, 2...32))),
            (["uCubeInfo"], .identifier(.init(.hexadecimal, 2...4_096))),
        ],
        tagged: ["authorizationPlainTagsValues", "finalizationPlainTagsValues"]
    )

    /// The terminal's input and output, by the names that apps give them.
    private static let payloads = [
        "data", "response", "responseData", "input", "inputData", "output", "outputData", "payload", "bytes",
    ]

    private static let outcome = [
        "event", "taskEvent", "status", "responseStatus", "state", "success", "command", "commandID", "timeout",
    ]

    /// The answer is the PIN block, under any name. Key identifiers have ten or twelve bytes, which no PIN block has.
    private static let pinSchema =
        general
        .adding([(["sredKsn", "pinKsn", "ksn"], .only(.init(.hexadecimal, 20...24), else: .pin))])
        .keeping(outcome + ["sredKsn", "pinKsn", "ksn"], dropping: .pin)

    /// The answer is a few unencrypted tags, which can be searched only as hexadecimal digits. A digest is not safe,
    /// because all card numbers can be tried.
    private static let plainTagSchema =
        general
        .adding([(payloads + ["result", "tags", "tlv", "value", "values"], .tags)])
        .keeping(outcome + payloads + ["result", "tags", "tlv", "value", "values", "message", "error"], dropping: .emv)

    /// The answer is a block of encrypted tags, or can be one, or is data loaded into the terminal.
    private static let ciphertextSchema =
        general
        .adding([(payloads, .digest(.emv))])
        .digestingBlocks(
            .emv,
            except: outcome + [
                "identifier", "uuid", "serial", "serialNumber", "name", "version", "locale", "ksn", "sdkVersion",
                "method", "api", "currency", "transactionDate", "date", "time", "timestamp",
            ]
        )
}
