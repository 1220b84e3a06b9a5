extension Refusal {
    /// Runs a reader whose only errors are refusals. Readers use `??` and `map`, which lose the type of typed throws;
    /// this function restores it.
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
