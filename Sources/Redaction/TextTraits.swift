/// What a text holds, found in one pass. Most texts hold nothing that a rule looks for.
struct TextTraits {
    private(set) var hasLineEnd = false
    private(set) var hasColon = false
    private(set) var isHexadecimal = true

    init(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            for byte in bytes {
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66: continue
                case 0x3A: hasColon = true
                case 0x0A: hasLineEnd = true
                default: break
                }
                isHexadecimal = false
            }
        }
    }
}
