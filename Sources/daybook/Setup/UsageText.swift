/// Help and messages of the argument parser, which wraps every text except the line of usage.
enum UsageText {
    private static let columns = 80

    /// The message with its line of usage wrapped between options.
    static func wrapped(_ message: String) -> String {
        message.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                guard let heading = ["USAGE: ", "Usage: "].first(where: line.hasPrefix), line.count > columns else {
                    return String(line)
                }
                return wrapped(words(of: line.dropFirst(heading.count)), after: heading)
            }
            .joined(separator: "\n")
    }

    private static func wrapped(_ words: [String], after heading: String) -> String {
        var lines: [String] = []
        var line = heading
        for word in words {
            let isFirst = line.count == heading.count
            if !isFirst, line.count + 1 + word.count > columns {
                lines.append(line)
                line = String(repeating: " ", count: heading.count) + word
            } else {
                line += isFirst ? word : " " + word
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// The words between spaces; what is in brackets is one word, and an option with its value.
    private static func words(of text: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        var depth = 0
        for character in text {
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            if character == " ", depth == 0 {
                words.append(word)
                word = ""
            } else {
                word.append(character)
            }
        }
        return (words + [word]).reduce(into: []) { joined, word in
            if word.hasPrefix("<"), let option = joined.last, option.hasPrefix("--") {
                joined[joined.count - 1] = option + " " + word
            } else {
                joined.append(word)
            }
        }
    }
}
