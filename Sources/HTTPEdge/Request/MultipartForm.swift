import Canonical
import HTTPTypes

/// The parts of a `multipart/form-data` body (RFC 7578) that is completely in memory.
package struct MultipartForm: Sendable {
    /// One field of the form.
    package struct Part: Sendable {
        package var name: String
        package var fileName: String?
        package var bytes: ArraySlice<UInt8>
    }

    /// In the order of the body.
    package let parts: [Part]

    /// The limits above which a form is refused: the number of parts, and the headers of a part in bytes.
    private static let partsLimit = 16
    private static let headerLimitBytes = 4096

    /// - Parameter contentType: The header of the request, which names the boundary.
    /// - Throws: `malformed-form`.
    package init(_ body: [UInt8], contentType: String) throws(Problem) {
        guard let boundary = Self.boundary(contentType) else {
            throw Self.malformed("The header Content-Type names no boundary of 1 to 70 characters.")
        }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // Anything before the first delimiter is ignored; the first delimiter may be at the start of the body.
        var place =
            if body.starts(with: delimiter.dropFirst(2)) {
                delimiter.count - 2
            } else if let first = Self.find(delimiter, in: body[...], from: 0) {
                first + delimiter.count
            } else {
                throw Self.malformed("The boundary that the header names is not in the body.")
            }
        var parts: [Part] = []
        while true {
            if body[place...].starts(with: "--".utf8) { break }
            while place < body.count, body[place] == 0x20 || body[place] == 0x09 { place += 1 }
            guard body[place...].starts(with: "\r\n".utf8) else {
                throw Self.malformed("A boundary is followed by something else than a part.")
            }
            guard parts.count < Self.partsLimit else {
                throw Self.malformed("There are more than \(Self.partsLimit) parts.")
            }
            guard let end = Self.find(delimiter, in: body[...], from: place) else {
                throw Self.malformed("The last part has no end.")
            }
            parts.append(try Self.part(body[(place + 2)..<max(place + 2, end)]))
            place = end + delimiter.count
        }
        self.parts = parts
    }

    /// Reads one part: its headers, an empty line, and the content.
    private static func part(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Part {
        let head = bytes.prefix(headerLimitBytes)
        guard let end = find(Array("\r\n\r\n".utf8), in: head, from: head.startIndex) else {
            throw malformed("The headers of a part have no end, or are longer than \(headerLimitBytes) bytes.")
        }
        var disposition: [(name: String, value: String)]?
        for line in String(decoding: bytes[bytes.startIndex..<end], as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { throw malformed("A header of a part has no colon.") }
            let value = line[line.index(after: colon)...]
            switch line[..<colon].lowercased() {
            case "content-disposition":
                let (kind, parameters) = self.parameters(value)
                guard kind == "form-data", disposition == nil else { throw malformed("A part is not one of a form.") }
                disposition = parameters
            case "content-transfer-encoding":
                guard ["7bit", "8bit", "binary"].contains(self.parameters(value).kind) else {
                    throw malformed("A part is sent in an encoding that forms do not have.")
                }
            default: break
            }
        }
        guard let disposition, let name = disposition.first(where: { $0.name == "name" })?.value else {
            throw malformed("A part has no name.")
        }
        return Part(
            name: name,
            fileName: disposition.first { $0.name == "filename" }?.value,
            bytes: bytes[(end + 4)...]
        )
    }

    private static func boundary(_ contentType: String) -> String? {
        let (kind, parameters) = self.parameters(contentType[...])
        guard kind == "multipart/form-data", let boundary = parameters.first(where: { $0.name == "boundary" })?.value,
            (1...70).contains(boundary.utf8.count), boundary.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return boundary
    }

    /// Splits `form-data; name="file"; filename="a.csv"` into the first word in lower case and the parameters.
    private static func parameters(_ text: Substring) -> (kind: String, parameters: [(name: String, value: String)]) {
        var fields: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if isEscaped {
                fields[fields.count - 1].append(character)
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ";", !isQuoted {
                fields.append("")
            } else {
                fields[fields.count - 1].append(character)
            }
        }
        func trimmed(_ text: some StringProtocol) -> String {
            String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
        let parameters = fields.dropFirst().compactMap { field -> (name: String, value: String)? in
            guard let equals = field.firstIndex(of: "=") else { return nil }
            return (trimmed(field[..<equals]).lowercased(), trimmed(field[field.index(after: equals)...]))
        }
        return (trimmed(fields[0]).lowercased(), parameters)
    }

    /// The position of a byte sequence; nil if it does not occur.
    private static func find(_ sought: [UInt8], in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            let offset = bytes.startIndex
            var place = start - offset
            while place + sought.count <= buffer.count {
                if buffer[place] == sought[0], zip(buffer[place...], sought).allSatisfy({ $0 == $1 }) {
                    return place + offset
                }
                place += 1
            }
            return nil
        }
    }

    package static func malformed(_ detail: String) -> Problem {
        Problem(status: 400, code: "malformed-form", title: "The body is not a form that can be read", detail: detail)
    }
}
