import Testing

/// A `switch` over a vendor outside of `Sources/Vendors` and the simulator has no `default`, so that a new vendor does
/// not compile until each of them has its case.
enum VendorSwitches {
    private static let vendors: Set = ["bridgepay", "dejavoo", "handpoint", "paydiant", "youtransactor"]
    private static let exempt = ["Sources/Vendors/", "Sources/Simulator/"]

    static func findings(in repository: Repository, _ ceilings: [String: Int]) -> [Finding] {
        let found = places(in: repository)
        let stale = ceilings.filter { path, ceiling in found.count { $0.path == path } < ceiling }
        return excess(found, over: ceilings.mapValues { ["default": $0] })
            + stale.keys.sorted().map { Finding(Ceilings.path, 1, "\($0) has fewer of them: lower its entry") }
    }

    static func counts(in repository: Repository) -> [String: Int] {
        places(in: repository).reduce(into: [:]) { $0[$1.path, default: 0] += 1 }
    }

    private static func places(in repository: Repository) -> [Place] {
        let files = repository.swiftFiles.filter { file in
            file.path.hasPrefix("Sources/") && !exempt.contains { file.path.hasPrefix($0) }
        }
        return files.flatMap { file in
            file.words.indices.filter { file.words[$0].text == "switch" && isOverVendor($0, in: file) }.map { index in
                let message = "a switch over a vendor has a `default`"
                let line = file.words[index].line
                return Place(area: file.path, name: "default", path: file.path, line: line, message: message)
            }
        }
    }

    private static func isOverVendor(_ index: Int, in file: TextFile) -> Bool {
        let word = file.words[index]
        guard word.kind == .code,
            let opening = file.code[word.offset...].firstIndex(of: UInt8(ascii: "{"))
        else { return false }
        var depth = 0
        var hasDefault = false
        var isOverVendor = false
        var next = index + 1
        for place in word.offset..<file.code.count {
            if next < file.words.count, file.words[next].offset == place {
                let text = file.words[next].text
                if place < opening {
                    if ["vendor", "Vendor"].contains(text) { isOverVendor = true }
                } else if depth == 1, file.words[next].kind == .code {
                    if text == "default" { hasDefault = true }
                    // A pattern such as `.handpoint` or `.handpoint?`, not a call such as `.handpoint(key)`.
                    let end = place + text.utf8.count
                    let isPattern = file.code[place - 1] == UInt8(ascii: ".") && file.words[next - 1].text == "case"
                    if isPattern, end < file.code.count, file.code[end] != UInt8(ascii: "("), vendors.contains(text) {
                        isOverVendor = true
                    }
                }
                next += 1
            } else if next < file.words.count, file.words[next].offset < place {
                next += 1
            }
            if file.code[place] == UInt8(ascii: "{") { depth += 1 }
            if file.code[place] == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { break }
            }
        }
        return hasDefault && isOverVendor
    }
}

@Suite struct VendorSwitchesTests {
    @Test func vendorsWithoutACaseBecomeFewer() async throws {
        expectNone(VendorSwitches.findings(in: try await .ours(), try await Ceilings.ours().vendorSwitches))
    }

    private static let breach = """
        func name(_ vendor: Vendor, _ value: Int) -> String {
            switch value {
            case 1: "one"
            default: "many"
            }
            switch vendor {
            case .bridgepay:
                switch value {
                default: ""
                }
            case .paydiant, .handpoint, .dejavoo, .youtransactor: ""
            }
            switch state.vendor {
            case .bridgepay?: "BridgePay"
            default: "?"
            }
        }
        """

    @Test func findsADefault() {
        #expect(
            VendorSwitches.findings(in: Repository(["Sources/Replay/Names.swift": Self.breach]), [:])
                == [Finding("Sources/Replay/Names.swift", 13, "a switch over a vendor has a `default`")]
        )
        #expect(VendorSwitches.findings(in: Repository(["Sources/Vendors/Names.swift": Self.breach]), [:]) == [])
    }

    @Test func findsAnEntryThatIsTooHigh() {
        #expect(
            VendorSwitches.findings(
                in: Repository(["Sources/Replay/Names.swift": ""]),
                ["Sources/Replay/Names.swift": 1]
            )
                == [Finding(Ceilings.path, 1, "Sources/Replay/Names.swift has fewer of them: lower its entry")]
        )
    }
}
