import Foundation
package import Simulator
import XML

/// BridgeComm's wire format: SOAP 1.1 with a single argument, an XML document in base64; its answer has the same form.
package enum BridgeCommWire {
    package static let action = "http://bridgepaynetsecuretx.com/requesthandler/IRequestHandler/ProcessRequest"
    package static let path = "/PaymentService/RequestHandler.svc"

    /// The reason why a body is not a valid request. The service answers it with a SOAP fault.
    package struct Malformed: Error, Hashable {
        package let reason: String
    }

    // MARK: Requests

    /// - Throws: `Malformed`.
    package static func request(in body: [UInt8]) throws(Malformed) -> BridgeCommRequest {
        guard let envelope = try? XMLTree(parsing: body), envelope.name == "Envelope",
            let message = envelope.at("Body", "ProcessRequest", "requestMsg")
        else { throw Malformed(reason: "The body is no envelope with a ProcessRequest and its requestMsg.") }
        guard let bytes = Data(base64Encoded: message.value.filter { !$0.isWhitespace }) else {
            throw Malformed(reason: "requestMsg is no base64.")
        }
        guard let header = try? XMLTree(parsing: Array(bytes)), header.name == "requestHeader" else {
            throw Malformed(reason: "requestMsg is no XML document with the root requestHeader.")
        }
        func text(_ name: String) -> String { header[name]?.value ?? "" }
        var elements: [String: String] = [:]
        for element in header["requestMessage"]?.children ?? [] where elements[element.name] == nil {
            elements[element.name] = element.value
        }
        let hasUser = !text("User").isEmpty && !text("Password").isEmpty
        let hasToken = !text("PrivateKey").isEmpty && !text("AuthenticationTokenId").isEmpty
        return BridgeCommRequest(
            type: text("RequestType"),
            transactionID: text("TransactionID"),
            isAuthenticated: hasUser || hasToken,
            message: elements
        )
    }

    // MARK: Answers

    /// The answer as a document, in the declared encoding; with the fault, in an encoding that differs from the
    /// declared one.
    package static func document(_ answer: BridgeCommAnswer, _ fault: GatewayFault? = nil) -> [UInt8] {
        var root = XMLTree(answer.root, answer.head.map { XMLTree($0.name, $0.value) })
        if let message = answer.message {
            root.children.append(XMLTree("responseMessage", message.map { XMLTree($0.name, $0.value) }))
        }
        let encoding = fault == .utf16 ? "utf-16" : "utf-8"
        return Array("<?xml version=\"1.0\" encoding=\"\(encoding)\"?>\(root.xml)".utf8)
    }

    /// The envelope of an answer, with its text broken if the fault requires it.
    package static func envelope(_ answer: BridgeCommAnswer, _ planned: PlannedFault? = nil) -> [UInt8] {
        var document = document(answer, planned?.fault)
        if planned?.fault == .malformed, let planned {
            document.removeLast(document.count - max(1, document.count * planned.cutPercent / 100))
        }
        var text = Data(document).base64EncodedString()
        if planned?.fault == .base64 { text = "*" + text.dropLast(3) }
        return soap(
            """
            <ProcessRequestResponse xmlns="http://bridgepaynetsecuretx.com/requesthandler">\
            <ProcessRequestResult>\(text)</ProcessRequestResult></ProcessRequestResponse>
            """
        )
    }

    /// - Parameter code: `s:Client` or `s:Server`.
    static func fault(_ code: String, _ reason: String) -> [UInt8] {
        soap("<s:Fault><faultcode>\(code)</faultcode><faultstring>\(reason)</faultstring></s:Fault>")
    }

    private static func soap(_ body: String) -> [UInt8] {
        Array(
            """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>\(body)</s:Body></s:Envelope>
            """.utf8
        )
    }
}
