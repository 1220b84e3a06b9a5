/// Why the edge refused a request before any route received it. Raw values are the stable problem codes.
package enum GateRefusal: String, Error, Sendable, Hashable, CaseIterable {
    case requestLineTooLong = "request-line-too-long"
    case headerTooLarge = "header-too-large"
    case tooManyFields = "too-many-fields"
    case malformedRequestLine = "malformed-request-line"
    case methodNotImplemented = "method-not-implemented"
    case versionNotSupported = "version-not-supported"
    case malformedField = "malformed-field"
    case foldedField = "folded-field"
    case controlByte = "control-byte"
    case hostMissing = "host-missing"
    case hostRepeated = "host-repeated"
    case hostMalformed = "host-malformed"
    case contentLengthMalformed = "content-length-malformed"
    case contentLengthRepeated = "content-length-repeated"
    case framingAmbiguous = "framing-ambiguous"
    case transferEncodingUnsupported = "transfer-encoding-unsupported"
    case chunkMalformed = "chunk-malformed"
    case headerTimeout = "header-timeout"
    case bodyTimeout = "body-timeout"
    case requestTimeout = "request-timeout"
    case tooManyConnections = "too-many-connections"

    /// The HTTP status of the answer.
    package var status: Int {
        switch self {
        case .requestLineTooLong: 414
        case .headerTooLarge, .tooManyFields: 431
        case .methodNotImplemented: 501
        case .versionNotSupported: 505
        case .headerTimeout, .bodyTimeout: 408
        case .requestTimeout, .tooManyConnections: 503
        case .malformedRequestLine, .malformedField, .foldedField, .controlByte, .hostMissing, .hostRepeated,
            .hostMalformed, .contentLengthMalformed, .contentLengthRepeated, .framingAmbiguous,
            .transferEncodingUnsupported, .chunkMalformed:
            400
        }
    }

    /// A sentence for the reader of the answer, without anything the client sent.
    package var title: String {
        switch self {
        case .requestLineTooLong: "The request line is too long"
        case .headerTooLarge: "The header section is too large"
        case .tooManyFields: "The header section has too many fields"
        case .malformedRequestLine: "The request line is malformed"
        case .methodNotImplemented: "The method is not implemented"
        case .versionNotSupported: "The HTTP version is not supported"
        case .malformedField: "A header field is malformed"
        case .foldedField: "Folded header fields are refused"
        case .controlByte: "A control byte or a bare line ending is refused"
        case .hostMissing: "The Host field is missing"
        case .hostRepeated: "The Host field is repeated"
        case .hostMalformed: "The Host field is malformed"
        case .contentLengthMalformed: "Content-Length is malformed"
        case .contentLengthRepeated: "Content-Length is repeated"
        case .framingAmbiguous: "Content-Length and Transfer-Encoding exclude each other"
        case .transferEncodingUnsupported: "Transfer-Encoding may only be chunked, in HTTP/1.1"
        case .chunkMalformed: "The chunked body is malformed"
        case .headerTimeout: "The header section did not arrive in time"
        case .bodyTimeout: "The request body did not arrive in time"
        case .requestTimeout: "The request was not answered in time"
        case .tooManyConnections: "Too many connections"
        }
    }
}
