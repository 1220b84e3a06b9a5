/// The SQLSTATEs that this code handles or names (PostgreSQL documentation, appendix "PostgreSQL Error Codes").
package enum SQLState {
    package static let warning = "01000"
    package static let featureNotSupported = "0A000"
    package static let uniqueViolation = "23505"
    package static let checkViolation = "23514"
    package static let invalidParameterValue = "22023"
    package static let noActiveTransaction = "25P01"
    package static let undefinedStatement = "26000"
    package static let serializationFailure = "40001"
    package static let deadlockDetected = "40P01"
    package static let insufficientPrivilege = "42501"
    package static let objectNotInPrerequisiteState = "55000"
    package static let lockNotAvailable = "55P03"
    package static let queryCanceled = "57014"
    package static let adminShutdown = "57P01"

    private static let conditions: [String: String] = [
        "01000": "warning", "08000": "connection_exception", "08006": "connection_failure",
        "08P01": "protocol_violation", "0A000": "feature_not_supported", "21000": "cardinality_violation",
        "22001": "string_data_right_truncation", "22003": "numeric_value_out_of_range",
        "22008": "datetime_field_overflow", "22012": "division_by_zero", "22021": "character_not_in_repertoire",
        "22023": "invalid_parameter_value", "22P02": "invalid_text_representation",
        "22P03": "invalid_binary_representation", "22P04": "bad_copy_file_format",
        "22P05": "untranslatable_character", "23000": "integrity_constraint_violation",
        "23001": "restrict_violation", "23502": "not_null_violation", "23503": "foreign_key_violation",
        "23505": "unique_violation", "23514": "check_violation", "23P01": "exclusion_violation",
        "25001": "active_sql_transaction", "25006": "read_only_sql_transaction",
        "25P01": "no_active_sql_transaction", "25P02": "in_failed_sql_transaction",
        "25P03": "idle_in_transaction_session_timeout", "26000": "invalid_sql_statement_name",
        "28000": "invalid_authorization_specification", "28P01": "invalid_password", "3D000": "invalid_catalog_name",
        "3F000": "invalid_schema_name", "40001": "serialization_failure", "40P01": "deadlock_detected",
        "42501": "insufficient_privilege", "42601": "syntax_error", "42703": "undefined_column",
        "42704": "undefined_object", "42710": "duplicate_object", "42804": "datatype_mismatch",
        "42883": "undefined_function", "42P01": "undefined_table", "42P07": "duplicate_table",
        "42P18": "indeterminate_datatype", "53100": "disk_full", "53200": "out_of_memory",
        "53300": "too_many_connections", "54000": "program_limit_exceeded",
        "55000": "object_not_in_prerequisite_state", "55006": "object_in_use", "55P03": "lock_not_available",
        "57014": "query_canceled", "57P01": "admin_shutdown", "57P02": "crash_shutdown",
        "57P03": "cannot_connect_now", "58030": "io_error", "P0001": "raise_exception", "XX000": "internal_error",
        "XX001": "data_corrupted", "XX002": "index_corrupted",
    ]

    private static let classes: [String: String] = [
        "08": "connection_exception", "22": "data_exception", "23": "integrity_constraint_violation",
        "25": "invalid_transaction_state", "28": "invalid_authorization", "42": "syntax_or_access_error",
        "53": "insufficient_resources", "54": "program_limit_exceeded", "57": "operator_intervention",
        "58": "system_error", "XX": "internal_error",
    ]

    /// The condition's name, its class's name, or `other`.
    package static func condition(of sqlState: String) -> String {
        conditions[sqlState] ?? classes[String(sqlState.prefix(2))] ?? "other"
    }

    /// The text, if it is five characters of digits and capital letters; any other text is not trusted to be a
    /// SQLSTATE.
    static func validated(_ text: String) -> String? {
        let isState = text.utf8.count == 5 && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
        return isState ? text : nil
    }
}
