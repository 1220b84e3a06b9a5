import Canonical
import Payments
import Redaction
import Testing

@testable import Vendors

/// What the vendors say to do about errors of readers.
@Suite("Remedies")
struct RemedyTests {
    /// The kinds of errors that a document reports, as the read model of readers counts them.
    private func faults(_ vendor: Vendor, _ kind: String, _ body: JSONValue) throws -> [String] {
        let adapter = VendorAdapters.adapter(of: vendor)
        let document = Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
        let context = DocumentContext(terminal: "794524937054")
        let observation = try adapter.interpret(document, kind: kind, context: context)
        guard case .device(_, let events, _) = observation.subject else { return [] }
        return events.filter { $0.name == .readerErrorReported || $0.name == .readerUpdateFailed }.map { event in
            event.report.response.code ?? event.report.response.message ?? "unknown"
        }
    }

    @Test("Errors have the remedy of their vendor's document")
    func remedies() throws {
        let cases: [(Vendor, String, JSONValue, String)] = [
            (.bridgepay, "NSError", ["domain": "PayGuardian", "code": "E1012"], "Scan for readers"),
            (.bridgepay, "NSError", ["domain": "PayGuardian", "code": "e1019"], "resume or cancel"),
            (.dejavoo, "didReceiveRespV2Error", ["err": "The user needs to enable their NFC"], "Enable NFC"),
            (.dejavoo, "PaymentSessionError", ["err": "networkError"], "network settings"),
            (.dejavoo, "CustomErrorMessage", "Your current device does not support NFC.", "supports NFC"),
            (.handpoint, "responseStatus", ["statusCode": 49], "Charge the reader"),
            (.paydiant, "generateAccessCode", ["request": ["length": 0], "result": .null], "valid length"),
            (.youtransactor, "ConnectionManager.setDevice", ["device": .null], "Scan for the terminal"),
            (.youtransactor, "ConnectionManager.connect", ["success": false], "Bluetooth"),
            (.youtransactor, "mdmCheckUpdate.didFinish", ["success": false], "mdmRegister"),
            (.youtransactor, "mdmUpdate.didFinish", ["success": false], "mdmRegister"),
            (.youtransactor, "mdmSendLogs.didFinish", ["success": false], "mdmRegister"),
        ]
        for (vendor, kind, body, words) in cases {
            let faults = try faults(vendor, kind, body)
            #expect(faults.count == 1, "\(vendor) \(kind)")
            for fault in faults {
                let remedy = VendorAdapters.adapter(of: vendor).remedy(of: fault)
                #expect(remedy?.contains(words) == true, "\(fault): \(remedy ?? "none")")
            }
        }
        #expect(Set(cases.map(\.0)) == Set(Vendor.allCases))
    }

    @Test("An unknown error has none", arguments: Vendor.allCases)
    func unknown(vendor: Vendor) {
        for error in ["", "unknown", "E9999", "PaymentSessionError.notAllowed", "Loggable.error"] {
            #expect(VendorAdapters.adapter(of: vendor).remedy(of: error) == nil, "\(error)")
        }
    }

    @Test("Dejavoo's remedies are of errors in its tables")
    func dejavooErrors() {
        let errors = Set(SessionErrorEntry.all.filter { $0.meaning != nil }.map { "\($0.table).\($0.code)" })
        #expect(errors.isSuperset(of: DejavooAdapter.remedies.keys))
    }
}
