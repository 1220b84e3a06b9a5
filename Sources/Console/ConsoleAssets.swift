import Crypto
import HTTPEdge
import HTTPTypes

/// The style sheet, the scripts and the icon. Their addresses contain a digest, so that browsers may cache them for
/// ever.
struct ConsoleAssets: Sendable {
    private struct Asset: Sendable {
        var bytes: [UInt8]
        var type: String
    }

    private static let assets: [String: Asset] = [
        "console.css": Asset(bytes: Array(EmbeddedFiles.console_css.utf8), type: "text/css; charset=utf-8"),
        "console.js": Asset(bytes: Array(EmbeddedFiles.console_js.utf8), type: "text/javascript; charset=utf-8"),
        "proof.js": Asset(bytes: Array(EmbeddedFiles.proof_js.utf8), type: "text/javascript; charset=utf-8"),
        "icon.svg": Asset(bytes: Array(EmbeddedFiles.icon_svg.utf8), type: "image/svg+xml"),
    ]

    /// The digest of all assets: 8 bytes of SHA-256 in hexadecimal.
    let digest: String

    init() {
        var hash = SHA256()
        for name in Self.assets.keys.sorted() {
            hash.update(data: Array(name.utf8))
            hash.update(data: Self.assets[name]?.bytes ?? [])
        }
        digest = hash.finalize().prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }

    func address(_ name: String) -> String { "\(Address.root)/assets/\(digest)/\(name)" }

    func answer(_ request: WebConsole.Request) throws -> EdgeResponse {
        // An open page may still have an earlier build's address. This build's asset must not be cached under it.
        guard try request.parameter("digest") == digest, let asset = Self.assets[try request.parameter("name")],
            let tag = EntityTag(digest)
        else { throw Problem.notFound }
        var response = try request.notModified(tag) ?? .bytes(asset.bytes, type: asset.type)
        response.fields[.eTag] = tag.text
        response.fields[.cacheControl] = "public, max-age=31536000, immutable"
        return response
    }
}
