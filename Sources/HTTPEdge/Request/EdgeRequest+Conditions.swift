import HTTPTypes

extension EdgeRequest {
    /// The answer to a client that already has this version; nil if the representation must be sent.
    ///
    /// - Throws: `malformed-condition` for a malformed `If-None-Match`.
    package func notModified(_ tag: EntityTag) throws(Problem) -> EdgeResponse? {
        guard let condition = try condition(.ifNoneMatch), condition.matchesWeakly(tag) else { return nil }
        return EdgeResponse(status: .notModified, fields: [.eTag: tag.text])
    }

    /// Allows a change only when the client has seen the current version, or names no version.
    ///
    /// - Parameter tag: the current version; nil if there is none yet.
    /// - Throws: `precondition-failed` (412), or `malformed-condition` for a malformed `If-Match`.
    package func requireMatch(_ tag: EntityTag?) throws(Problem) {
        guard let condition = try condition(.ifMatch) else { return }
        guard let tag, condition.matchesStrongly(tag) else {
            throw Problem(status: 412, code: "precondition-failed", title: "The version is not the expected one")
        }
    }

    private func condition(_ name: HTTPField.Name) throws(Problem) -> EntityTag.Condition? {
        guard let field = fields[name] else { return nil }
        guard let condition = EntityTag.Condition(field) else {
            throw Problem(status: 400, code: "malformed-condition", title: "A condition on the version is malformed")
        }
        return condition
    }
}
