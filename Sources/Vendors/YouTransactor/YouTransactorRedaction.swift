extension YouTransactorAdapter {
    /// What is secret in a document of `kind`, which may be written in any way and need not be known: nobody can say that
    /// a callback of a later version carries no ciphertext.
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
    /// Of ciphertext only a digest is kept: whoever has the terminal's keys could read tracks out of it, and nobody may
    /// keep those after the payment, however well enciphered (PCI DSS 3.3.1). The level 2 logs are treated alike.
    private static let general = RedactionSchema(
        [
            (["onlinePinBlock"], .drop(.pin)),
            (["authorizationSecuredTagsValues", "finalizationSecuredTagsValues"], .digest(.emv)),
            (["tagCC", "tagF4", "tagF5"], .digest(.emv)),
            // What the kernel was given and gave back, as bytes: tags of all kinds, in plain.
            (["transactionInitData", "transactionProcessData", "transactionFinalisationData"], .drop(.emv)),
            (["sredKsn", "pinKsn"], .identifier(.init(.hexadecimal, 16...24))),
            (["nfcOutcome"], .identifier(.init(.hexadecimal, 2...32))),
            (["uCubeInfo"], .identifier(.init(.hexadecimal, 2...4_096))),
        ],
        tagged: ["authorizationPlainTagsValues", "finalizationPlainTagsValues"]
    )

    /// What goes to the terminal and comes back from it, by the names apps give it.
    private static let payloads = [
        "data", "response", "responseData", "input", "inputData", "output", "outputData", "payload", "bytes",
    ]

    private static let outcome = [
        "event", "taskEvent", "status", "responseStatus", "state", "success", "command", "commandID", "timeout",
    ]

    /// The answer is the PIN block, under whatever name an app gives it. Keys are named by ten bytes or twelve, and no
    /// block has as many.
    private static let pinSchema =
        general
        .adding([(["sredKsn", "pinKsn", "ksn"], .only(.init(.hexadecimal, 20...24), else: .pin))])
        .keeping(outcome + ["sredKsn", "pinKsn", "ksn"], dropping: .pin)

    /// The answer is a few tags in plain, of which hexadecimal digits can be searched and nothing else. There are too few
    /// card numbers for a digest of it.
    private static let plainTagSchema =
        general
        .adding([(payloads + ["result", "tags", "tlv", "value", "values"], .tags)])
        .keeping(outcome + payloads + ["result", "tags", "tlv", "value", "values", "message", "error"], dropping: .emv)

    /// The answer is a block of enciphered tags, or can be one, or what the terminal is loaded with.
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
