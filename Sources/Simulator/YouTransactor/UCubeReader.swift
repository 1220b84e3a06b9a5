import Canonical
import Payments

/// A uCube apart from its payments: discovery, connection, identity and management.
struct UCubeReader {
    let terminal: VirtualTerminal

    /// Only names over Bluetooth; the serial number is in the reader's own answers.
    var device: JSONValue {
        guard terminal.network != terminal.id else { return ["name": .string("YT-Touch \(terminal.serial)")] }
        return ["name": .string("YT-\(terminal.id.suffix(5))"), "identifier": .string(terminal.identifier)]
    }

    private static func byte(_ number: Int) -> String {
        String(String(number + 0x100, radix: 16, uppercase: true).dropFirst())
    }

    /// A TLV with the name of the model, the serial number, the battery and the firmware.
    var info: String {
        func tag(_ name: String, _ value: String) -> String {
            name + Self.byte(value.count / 2) + value
        }
        return tag("C2", UCubeForms.hexadecimal("YT-TOUCH"))
            + tag("C3", UCubeForms.hexadecimal(terminal.serial))
            + tag("C4", "00") + tag("C5", Self.byte(terminal.battery))
            + tag("D1", "050000" + Self.byte(terminal.firmware)) + tag("EA", "01020003")
    }

    // MARK: Start of day

    /// - Returns: The firmware that it runs afterwards.
    func open(into script: inout Script, _ random: inout SeededRandom) -> Int {
        let isNew = terminal.counter == 0
        if isNew {
            script.report("UCubeAPI", ["method": "getVersionName", "result": "0.5.30"])
            script.report("UCubeAPI", ["method": "startScan"])
        }
        script.report("scanDidDiscoverDevice", ["device": device])
        script.wait(seconds: random.within(1...9))
        script.report("ConnectionManager.connect", ["success": true, "device": device])
        script.report("GetInfoCommand", ["event": "success", "status": 0, "responseData": .string(info)])
        if isNew {
            script.report("mdmRegister.didProgress", ["state": "REGISTER_DEVICE"])
            script.wait(seconds: random.within(2...9))
            script.report("mdmRegister.didFinish", ["success": true, "serial": .string(terminal.serial)])
            script.report("setLocale.didFinish", ["success": true, "locale": "en"])
        }
        script.report("isMdmManagerReady", ["ready": true])
        if random.chance(percent: 5) { script.report("mdmSendLogs.didFinish", ["success": true]) }
        return isNew || random.chance(percent: 15) ? update(&script, &random) : terminal.firmware
    }

    private static func version(_ last: Int) -> JSONValue { .string("5.0.0.\(last)") }

    private static func configuration(_ current: Int, _ newest: Int? = nil) -> JSONObject {
        var configuration: JSONObject = [
            "label": "SVPP Firmware", "type": 0, "currentVersion": version(current),
        ]
        if let newest { configuration["minVersion"] = version(newest) }
        return configuration
    }

    /// Queries the server for updates and installs them; sometimes this fails.
    private func update(_ script: inout Script, _ random: inout SeededRandom) -> Int {
        let current = terminal.firmware
        let newest = random.chance(percent: 30) ? current + 5 : current
        let update: JSONValue = [
            "config": .object(Self.configuration(current, newest)), "mandatory": true,
        ]
        let updates: JSONValue = newest > current ? [update] : []
        script.report(
            "mdmCheckUpdate.didFinish",
            [
                "success": true,
                "parameters": [
                    updates,
                    [
                        .object(Self.configuration(current)),
                        ["label": "ICC config", "type": 4, "currentVersion": "1.2.0.3"],
                    ],
                ],
            ]
        )
        guard newest > current else { return current }
        script.wait(seconds: random.within(60...400))
        let isDone = random.chance(percent: 85)
        var end: JSONObject = [
            "success": .bool(isDone), "serial": .string(terminal.serial), "updates": updates,
        ]
        if !isDone { end["message"] = "download interrupted" }
        script.report("mdmUpdate.didFinish", .object(end))
        return isDone ? newest : current
    }
}
