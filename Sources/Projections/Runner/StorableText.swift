extension String {
    /// Text for a column: PostgreSQL cannot store U+0000, and a sender must not be able to halt a read model with it.
    var storable: String { utf8.contains(0) ? replacing("\u{0}", with: "\u{2400}") : self }
}
