import Canonical
import EMV
import Payments
import Redaction

/// The SDK's reports beside payments: progress, tasks, commands, updates, the connection and the log.
struct UCubeReports {
    let document: UCubeDocument
    let kind: String
    let at: ReportedTime?

    private var fields: Fields { document.fields }

    func observation(
        _ events: [DeviceEvent],
        reader: ReaderReference? = nil,
        keys: [ReferenceKey] = [],
        _ anomalies: [Anomaly] = []
    ) -> Observation {
        Observation(
            subject: .device(reader ?? events.lazy.compactMap(\.report.reader).first, events, anomalies),
            keys: keys,
            identity: nil,
            occurredAt: at,
            policy: UCubePayment.policy
        )
    }

    private func event(
        _ name: DeviceEventName,
        code: String? = nil,
        message: String? = nil,
        reader: ReaderReference? = nil,
        details: [Detail] = []
    ) -> DeviceEvent {
        DeviceEvent(
            name,
            DeviceReport(
                reader: reader,
                response: Response(code: code, message: message),
                details: details.isEmpty ? nil : details,
                at: at
            )
        )
    }

    private func missing(_ name: String, _ what: String) -> Refusal {
        Refusal(.missingField, what, pointer: fields.pointer(to: name))
    }

    /// `success` of a `didFinish`, or of any other callback with a truth value.
    private func success(_ names: String..., or what: String) throws -> Bool {
        for name in names {
            if let flag = try fields.flag(name) { return flag }
        }
        throw missing(names[0], what)
    }

    /// Members of the document, as details.
    private func details(_ names: String...) throws -> [Detail] {
        try names.compactMap { name in
            try fields.text(SensitiveNames.normalized(name)).map { Detail(name, UCubeInfo.shortened($0)) }
        }
    }

    /// The text of an error, which apps also send as an object, and at any length: on one line, and cut.
    func failure(_ names: String...) throws -> String? {
        for name in names {
            guard let value = fields.value(name) else { continue }
            switch value {
            case .object, .array: return Self.line(value.text)
            case .string(let text): return Self.line(text)
            default: return try fields.text(name)
            }
        }
        return nil
    }

    /// A text on one line, of at most 512 bytes.
    static func line(_ text: String) -> String {
        let words = text.split { $0.isWhitespace || $0.isNewline }
        let line = words.joined(separator: " ")
        let printable = line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        // The parts of a card number may have been on several lines.
        return TextScrubber().scrub(String(String.UnicodeScalarView(printable))).truncated(toBytes: 512).text
    }

    // MARK: Payments in progress

    /// A request for an unidentified payment, as a command to the terminal.
    func sent(_ context: UCubeContext) throws -> Observation {
        let figures = context.amounts.amounts?.figures ?? []
        let asked = try figures.map { Detail($0.field, $0.raw) } + details("transactionType")
        return observation(
            [event(.commandSent, code: kind, reader: context.reader, details: asked)],
            context.anomalies
        )
    }

    /// `pay.didProgress`: a state, and the context if the app sends it along.
    func progress(_ context: UCubeContext?) throws -> Observation {
        guard let text = try fields.text("state") else { throw missing("state", "Progress names a state.") }
        let state = UCubeState(named: text)
        var anomalies = context?.anomalies ?? []
        if state == nil { anomalies.append(UCubeAnomaly.unknownValue("state", text)) }
        let reported = event(
            state?.event ?? .readerStateChanged,
            code: state?.rawValue ?? UCubeInfo.shortened(text, to: 64),
            reader: context?.reader,
            details: state.map { [Detail("cancelPossible", String($0.allowsCancel))] } ?? []
        )
        return observation([reported], keys: try keys(context), anomalies)
    }

    /// `cancel`: whether the SDK could still cancel the payment. `didFinish` reports the payment's outcome.
    func cancel(_ context: UCubeContext?) throws -> Observation {
        let status = try success("status", "success", or: "A cancellation has a status.")
        var anomalies = context?.anomalies ?? []
        let text = try fields.text("state")
        let state = text.flatMap { UCubeState(named: $0) }
        if let text, state == nil { anomalies.append(UCubeAnomaly.unknownValue("state", text)) }
        if status, let state, !state.allowsCancel {
            anomalies.append(
                Anomaly(
                    .conflictingOutcome,
                    "a payment in state \(state.rawValue) was cancelled; its card was read already"
                )
            )
        }
        let reported = event(
            .cancelRequested,
            code: String(status),
            reader: context?.reader,
            details: try details("state") + [Detail(DeviceSteps.cancelAnswer, String(status))]
        )
        return observation([reported], keys: try keys(context), anomalies)
    }

    private func keys(_ context: UCubeContext?) throws -> [ReferenceKey] {
        try context.map { try UCubePayment($0, kind: kind).keys } ?? []
    }

    // MARK: Tasks

    /// `RiskManagementTask`: the bits that the app's own risk management sets in the TVR.
    func riskManagement() throws -> Observation {
        guard let bytes = try document.data("tvr") else {
            if let ended = try taskWithoutResult() { return ended }
            throw missing("tvr", "Risk management has a tvr.")
        }
        guard let results = TerminalVerificationResults(bytes) else {
            return observation([try taskEvent([])], [UCubeAnomaly.malformed("tvr", "five bytes")])
        }
        var details = [Detail("tvr", results.description)]
        details += results.flags.map { Detail("tvr", $0.meaning) }
        let reserved = results.reserved.map { UCubeAnomaly.unknownValue("tvr bit", $0) }
        return observation([try taskEvent(details)], reserved)
    }

    private func taskEvent(_ details: [Detail]) throws -> DeviceEvent {
        event(.readerStateChanged, code: kind, message: try fields.text("event", "taskevent"), details: details)
    }

    /// A task that ended without its result: the app cancelled it, as the manual's samples do, or it failed.
    func taskWithoutResult(keys: [ReferenceKey] = []) throws -> Observation? {
        switch try fields.text("event", "taskevent").flatMap({ UCubeTaskEvent(named: $0) }) {
        case .cancelled, .failed: observation([try taskEvent([])], keys: keys)
        case .success, .progress, nil: nil
        }
    }

    /// `ApplicationSelectionTask`: the offered and the chosen applications of the card.
    func applicationSelection() throws -> Observation {
        let candidates = document.parts("candidates", "selection")
        let offered = document.parts("applications", "availableapplications")
        guard !candidates.isEmpty || !offered.isEmpty else {
            if let ended = try taskWithoutResult() { return ended }
            throw missing("candidates", "A selection names applications or candidates.")
        }
        let details =
            try offered.flatMap { try application($0, "application") }
            + candidates.flatMap { try application($0, "candidate") }
        return observation([event(.applicationSelected, code: kind, details: Array(details.prefix(32)))])
    }

    private func application(_ document: UCubeDocument, _ name: String) throws -> [Detail] {
        guard let aid = try document.data("aid", "applicationidentifier") else { return [] }
        let label = try document.fields.text("label", "applicationlabel").map { " \($0)" } ?? ""
        return [Detail(name, UCubeInfo.shortened(Hexadecimal.text(aid) + label))]
    }

    // MARK: Commands

    /// A command class: its answer, and the data about the reader in it.
    func command(_ command: UCubeCommand) throws -> Observation {
        guard let text = try fields.text("event", "taskevent") else {
            throw missing("event", "A command ends with an event: success, failed or cancelled.")
        }
        var anomalies: [Anomaly] = []
        let outcome = UCubeTaskEvent(named: text)
        if outcome == nil { anomalies.append(UCubeAnomaly.unknownValue("event", text)) }
        let code = try status(&anomalies)
        let info = command == .getInfo ? try UCubeInfo.read(document, "deviceinfo", "responsedata", "response") : nil
        var details = [Detail("command", String(command.number, radix: 16))]
        if let code { details.append(Detail("status", code)) }
        var events = [
            event(
                .commandAnswered,
                code: command.rawValue,
                message: outcome?.rawValue ?? UCubeInfo.shortened(text, to: 64),
                reader: info?.reader,
                details: details
            )
        ]
        switch outcome {
        case .success:
            if let info {
                events += info.events(at: at)
                anomalies += info.anomalies
            } else if let name = command.success, name != .readerIdentified {
                events.append(event(name, code: command.rawValue))
            }
        case .failed:
            events.append(event(.readerErrorReported, code: code ?? command.rawValue, message: command.rawValue))
        case .cancelled, .progress, nil: break
        }
        return observation(events, reader: info?.reader, anomalies)
    }

    /// The terminal's return code with its name, or as written.
    private func status(_ anomalies: inout [Anomaly]) throws -> String? {
        guard let text = try fields.text("status", "responsestatus") else { return nil }
        guard let status = Int(text).flatMap({ UCubeCommandStatus(rawValue: $0) }) else {
            anomalies.append(UCubeAnomaly.unknownValue("status", text))
            return UCubeInfo.shortened(text, to: 64)
        }
        return "\(status.rawValue) \(status)"
    }

    /// `UCubeAPI`: a method call with its return value.
    func method() throws -> Observation {
        guard let text = try fields.text("method", "api") else { throw missing("method", "A call names its method.") }
        let method = UCubeMethod(named: text)
        let anomalies = method == nil ? [UCubeAnomaly.unknownValue("method", text)] : []
        let result = try details("result", "ready", "isConnected", "locale", "success")
        let code = method?.rawValue ?? UCubeInfo.shortened(text, to: 64)
        if method == .getVersionName, let version = try fields.text("result", "version") {
            let identity = ReaderIdentity(versions: [Detail("sdk", UCubeInfo.shortened(version))])
            return observation([DeviceEvent(.readerIdentified, DeviceReport(identity: identity, at: at))])
        }
        return observation([event(.commandSent, code: code, details: result)], anomalies)
    }

    /// `setLocale`, `geLocale`, `getSupportedLocaleList` and `sendData`.
    func service() throws -> Observation {
        let isDone = try success("success", or: "The end of a service has success.")
        var found = try details("locale", "commandID", "outputSecurityMode", "inputSecurityMode")
        var locales = document.texts("locales", "supportedlocalelist")
        // Other services' results are not shown here: the result of `sendData` is the terminal's answer.
        if locales.isEmpty, kind == "getSupportedLocaleList.didFinish" { locales = document.texts("parameters") }
        if !locales.isEmpty { found.append(Detail("locales", UCubeInfo.shortened(locales.joined(separator: ",")))) }
        var events = [event(.commandAnswered, code: kind, message: String(isDone), details: found)]
        if !isDone {
            events.append(event(.readerErrorReported, code: kind, message: try failure("message", "error")))
        }
        return observation(events)
    }

    /// The progress of anything except a payment; the SDK documents no list of its states.
    func serviceProgress() throws -> Observation {
        guard let state = try fields.text("state") else { throw missing("state", "Progress names a state.") }
        return observation([event(.readerStateChanged, code: kind, message: UCubeInfo.shortened(state))])
    }
}
