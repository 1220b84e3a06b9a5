package import Canonical

/// Identifies a column of a row: by its index from 0, or by its name.
package protocol PostgresColumn: Sendable {
    func index(in row: PostgresRow) throws(PostgresError) -> Int
}

extension Int: PostgresColumn {
    package func index(in row: PostgresRow) throws(PostgresError) -> Int {
        guard 0..<row.result.columnCount ~= self else { throw PostgresError(.noSuchColumn) }
        return self
    }
}

extension String: PostgresColumn {
    package func index(in row: PostgresRow) throws(PostgresError) -> Int {
        guard let index = row.result.column(named: self) else {
            throw PostgresError(.noSuchColumn, resultColumn: self)
        }
        return index
    }
}

/// One row of a result. Fields are decoded on access, and the column's type, length and nullness are checked.
///
/// Every accessor throws `PostgresError`: `.noSuchColumn`, `.typeMismatch`, `.malformedValue`, `.valueOutOfRange`, and
/// `.unexpectedNull` unless it is one of the `OrNull` forms.
package struct PostgresRow: Sendable {
    let result: PostgresResult
    let index: Int

    /// The field as `T`, or nil when it is null.
    package func valueOrNull<T: PostgresDecodable>(
        _ column: some PostgresColumn,
        as _: T.Type = T.self
    ) throws(PostgresError) -> T? {
        let position = try column.index(in: self)
        guard !result.isNull(row: index, column: position) else { return nil }
        do {
            return try result.withField(row: index, column: position) { (bytes) throws(PostgresError) in
                try T.decode(bytes, as: result.type(of: position))
            }
        } catch {
            var error = error
            error.resultColumn = result.name(of: position)
            throw error
        }
    }

    package func value<T: PostgresDecodable>(
        _ column: some PostgresColumn,
        as type: T.Type = T.self
    ) throws(PostgresError) -> T {
        guard let value = try valueOrNull(column, as: type) else {
            throw PostgresError(.unexpectedNull, resultColumn: result.name(of: try column.index(in: self)))
        }
        return value
    }

    package func isNull(_ column: some PostgresColumn) throws(PostgresError) -> Bool {
        result.isNull(row: index, column: try column.index(in: self))
    }
}

extension PostgresRow {
    package func bool(_ column: some PostgresColumn) throws(PostgresError) -> Bool { try value(column) }
    package func int16(_ column: some PostgresColumn) throws(PostgresError) -> Int16 { try value(column) }
    package func int32(_ column: some PostgresColumn) throws(PostgresError) -> Int32 { try value(column) }
    package func int64(_ column: some PostgresColumn) throws(PostgresError) -> Int64 { try value(column) }
    package func text(_ column: some PostgresColumn) throws(PostgresError) -> String { try value(column) }
    package func bytes(_ column: some PostgresColumn) throws(PostgresError) -> [UInt8] {
        try value(column, as: PostgresBytes.self).bytes
    }
    package func timestamp(_ column: some PostgresColumn) throws(PostgresError) -> Timestamp { try value(column) }
    package func uuid(_ column: some PostgresColumn) throws(PostgresError) -> UUID128 { try value(column) }

    // For columns by number, which are used to read whole logs: these functions are compiled for the exact types, once
    // and only here.
    package func int16(_ column: Int) throws(PostgresError) -> Int16 { try value(column, as: Int16.self) }
    package func int64(_ column: Int) throws(PostgresError) -> Int64 { try value(column, as: Int64.self) }
    package func text(_ column: Int) throws(PostgresError) -> String { try value(column, as: String.self) }
    package func timestamp(_ column: Int) throws(PostgresError) -> Timestamp { try value(column, as: Timestamp.self) }
    package func uuid(_ column: Int) throws(PostgresError) -> UUID128 { try value(column, as: UUID128.self) }
    package func int64OrNull(_ column: Int) throws(PostgresError) -> Int64? {
        try valueOrNull(column, as: Int64.self)
    }
    package func textOrNull(_ column: Int) throws(PostgresError) -> String? {
        try valueOrNull(column, as: String.self)
    }
    package func uuidOrNull(_ column: Int) throws(PostgresError) -> UUID128? {
        try valueOrNull(column, as: UUID128.self)
    }

    package func boolOrNull(_ column: some PostgresColumn) throws(PostgresError) -> Bool? { try valueOrNull(column) }
    package func int16OrNull(_ column: some PostgresColumn) throws(PostgresError) -> Int16? { try valueOrNull(column) }
    package func int32OrNull(_ column: some PostgresColumn) throws(PostgresError) -> Int32? { try valueOrNull(column) }
    package func int64OrNull(_ column: some PostgresColumn) throws(PostgresError) -> Int64? { try valueOrNull(column) }
    package func textOrNull(_ column: some PostgresColumn) throws(PostgresError) -> String? { try valueOrNull(column) }
    package func bytesOrNull(_ column: some PostgresColumn) throws(PostgresError) -> [UInt8]? {
        try valueOrNull(column, as: PostgresBytes.self)?.bytes
    }
    package func timestampOrNull(_ column: some PostgresColumn) throws(PostgresError) -> Timestamp? {
        try valueOrNull(column)
    }
    package func uuidOrNull(_ column: some PostgresColumn) throws(PostgresError) -> UUID128? { try valueOrNull(column) }

    /// An array field, its null elements as nil.
    package func array<T: PostgresDecodable>(
        _ column: some PostgresColumn,
        of _: T.Type = T.self
    ) throws(PostgresError) -> [T?] {
        try value(column, as: PostgresArray<T>.self).elements
    }

    /// An array field, its null elements as nil; nil when the field itself is null.
    package func arrayOrNull<T: PostgresDecodable>(
        _ column: some PostgresColumn,
        of _: T.Type = T.self
    ) throws(PostgresError) -> [T?]? {
        try valueOrNull(column, as: PostgresArray<T>.self)?.elements
    }

    /// An array field of `bytea`.
    package func bytesArray(_ column: some PostgresColumn) throws(PostgresError) -> [[UInt8]?] {
        try array(column, of: PostgresBytes.self).map { $0?.bytes }
    }
}

extension PostgresRow: CustomStringConvertible, CustomReflectable {
    package var description: String { "PostgresRow(\(result.columnCount) columns)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension PostgresRows: CustomStringConvertible, CustomReflectable {
    package var description: String { "PostgresRows(\(count) rows)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
