extension Refusal {
    /// Runs a reader whose only errors are refusals. Typed throws do not pass through `??` and `map`, which readers
    /// are full of, so the type is put back here.
    static func only<Result>(_ read: () throws -> Result) throws(Refusal) -> Result {
        do {
            return try read()
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(.malformedDocument, "The document cannot be read.")
        }
    }
}
