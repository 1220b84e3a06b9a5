/// The credentials of a merchant account at BridgePay. Source: BridgeComm request header and message
/// (facts/vendor_codes, 1).
struct BridgeCommAccount: Sendable, Hashable {
    enum Credentials: Sendable, Hashable {
        case user(String, password: Secret)
        /// Used with an authentication token, which is valid for 15 minutes and one call.
        case privateKey(Secret)
    }

    var credentials: Credentials
    var merchantCode: String
    var merchantAccountCode: String
    /// `TransIndustryType`: RE, RS, EC, DM, LD, PT.
    var industry: String
    /// `SoftwareVendor`.
    var software: String
}
