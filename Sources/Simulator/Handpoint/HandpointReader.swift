import Canonical
import Payments

/// A reader apart from its payments: discovery, updates, logs and the scanner.
struct HandpointReader {
    let terminal: VirtualTerminal

    var device: JSONValue { ["name": .string("PEDIC2-\(terminal.serial)")] }

    /// The common fields of the reader's reports.
    func common(_ message: String) -> JSONObject {
        [
            "BatteryStatus": .string("\(terminal.battery)%"),
            "BatterymV": .string("\(3_300 + terminal.battery * 8)"),
            "BatteryCharging": "false", "ExternalPower": "false", "ApplicationName": "mPOS",
            "ApplicationVersion": "1.2.118", "SerialNumber": .string(terminal.serial),
            "StatusMessage": .string(message),
        ]
    }

    // MARK: Start of day

    func open(into script: inout Script, _ random: inout SeededRandom) {
        let isNew = terminal.counter == 0
        if isNew { script.report("getSDKVersion", "2.6.0") }
        script.report("startDiscovery", ["fDiscoverAllDevices": "YES"])
        script.wait(seconds: random.within(1...6))
        script.report("didFindAccessoryDevice", ["newDevice": device])
        script.report("didDiscoverFinished", [:])
        script.report("clientForDevice", ["device": device])
        script.wait(seconds: random.within(2...9))
        script.report(
            "didConnect",
            [
                "client": [
                    "mpedInfo": [
                        "SerialNumber": .string(terminal.serial), "PublicKeyVersion": 1, "EMVParamVersion": 1,
                        "GeneralParam": 1, "ManufacturerCode": 0, "ModelCode": 0, "AppName": "mPOS",
                        "AppVersion": 263,
                    ]
                ]
            ]
        )
        if random.chance(percent: 30) { script.report("isTransactionResultPending", false) }
        if isNew || random.chance(percent: 8) { initialize(&script, &random) }
        if random.chance(percent: 6) { tellLog(&script, &random) }
    }

    /// A new reader downloads its parameters, and every reader does when there are new ones; the first attempt may
    /// fail.
    private func initialize(_ script: inout Script, _ random: inout SeededRandom) {
        script.report("financeInit", [:])
        script.wait(seconds: random.within(20...90))
        if random.chance(percent: 15) {
            var xml = common("Connection error")
            xml["ErrorMessage"] = "update host"
            script.report(
                "responseError",
                ["statusCode": 7, "status": "Connect error", "xml": .object(xml)]
            )
            script.wait(seconds: random.within(30...120))
            script.report("financeInit", [:])
            script.wait(seconds: random.within(20...90))
        }
        var xml = common("Success")
        xml["TransactionType"] = "HOST_INIT"
        xml["FinancialStatus"] = "PROCESSED"
        xml["CVM"] = "UNDEFINED"
        xml["CardEntryType"] = "UNDEFINED"
        script.report(
            "responseFinanceStatus",
            [
                "statusCode": 1, "status": "PROCESSED", "financialResult": 131, "isRestarting": true,
                "authorisedAmount": 0, "xml": .object(xml),
            ]
        )
    }

    /// A support log is requested.
    private func tellLog(_ script: inout Script, _ random: inout SeededRandom) {
        script.report("logSetLevel", ["level": "eLogDebug"])
        script.report("logGetInfo", [:])
        script.wait(seconds: random.within(2...8))
        let now = terminal.shown(script.deviceNow).rfc3339.dropFirst(11).prefix(8)
        let lines = ["card reader started", "battery \(terminal.battery)%", "host reachable"]
        let log = lines.map { "\(now) \($0)\r\n" }.joined()
        script.report("responseLogInfo", ["statusCode": 1, "status": "Success", "log": .string(log)])
        script.report("logReset", [:])
    }

    // MARK: Scanner

    /// The cashier scans a customer's card before the payment.
    func scan(_ code: String, into script: inout Script) {
        let done: JSONValue = [
            "statusCode": 1, "status": "Success", "xml": .object(["StatusMessage": "Success"]),
        ]
        script.report("enableScanner", [:])
        script.report("responseEnableScanner", done)
        script.wait(seconds: 3)
        script.report(
            "responseScannerEvent",
            ["statusCode": 48, "status": "", "scanCode": .string(code), "xml": ["code": .string(code)]]
        )
        script.report("disableScanner", [:])
        script.report("responseScannerDisabled", ["info": done])
        script.wait(seconds: 2)
    }
}
