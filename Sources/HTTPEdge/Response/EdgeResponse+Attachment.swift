import HTTPTypes

extension EdgeResponse {
    /// A file that a browser saves.
    ///
    /// - Parameter name: Letters, digits, `-`, `.` and `_`.
    package static func attachment(_ bytes: [UInt8], type: String, name: String) -> EdgeResponse {
        var response = EdgeResponse.bytes(bytes, type: type)
        response.fields[.contentDisposition] = "attachment; filename=\"\(name)\""
        return response
    }
}
