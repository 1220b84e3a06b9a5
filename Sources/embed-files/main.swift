// embed-files OUTPUT FILE...
//
// Writes a Swift enum with the text of each file as a string literal: compilers take seconds for these where array
// literals of bytes take minutes. The build plugin `EmbedFiles` runs it.
import Foundation

/// `transactions.sql` is `transactions_sql`.
func memberName(_ file: String) -> String {
    String(file.map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\\": literal += "\\\\"
        case "\"": literal += "\\\""
        case "\n": literal += "\\n"
        case "\t": literal += "\\t"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F: literal += "\\u{\(String(scalar.value, radix: 16))}"
        default: literal.unicodeScalars.append(scalar)
        }
    }
    return literal + "\""
}

func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("error: embed-files: \(reason)\n".utf8))
    exit(1)
}

let arguments = CommandLine.arguments.dropFirst()
guard let output = arguments.first else { fail("usage: embed-files OUTPUT FILE...") }

var members: [String] = []
var entries: [String] = []
for path in arguments.dropFirst() {
    let file = URL(filePath: path).lastPathComponent
    let member = memberName(file)
    if members.contains(where: { $0.hasPrefix("    static let \(member) =") }) {
        fail("two files of this target are named \(file)")
    }
    guard let data = FileManager.default.contents(atPath: path) else { fail("\(path) cannot be read") }
    guard let text = String(validating: data, as: UTF8.self) else { fail("\(path) is not UTF-8") }
    members.append("    static let \(member) = \(literal(text))")
    entries.append("        (\(literal(file)), \(member)),")
}

let source = """
    /// The text files of this target, as they were when it was built.
    enum EmbeddedFiles {
    \(members.joined(separator: "\n"))

        /// All of them by file name, sorted by path.
        static let all: [(name: String, text: String)] = [
    \(entries.joined(separator: "\n"))
        ]
    }

    """
// A file that stays the same keeps its time of change, so its target is not compiled again.
if FileManager.default.contents(atPath: output) == Data(source.utf8) { exit(0) }
guard FileManager.default.createFile(atPath: output, contents: Data(source.utf8)) else {
    fail("\(output) cannot be written")
}
