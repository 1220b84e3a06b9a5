import Canonical
import ReplayRules

// The events of a plan's execution.
extension ReplayPlan {
    /// The events recorded before items are executed.
    ///
    /// - Parameters:
    ///   - versions: The current versions of the payments' streams.
    ///   - otherCards: The numbers of the items whose card token has changed.
    func attempts(
        _ numbers: [Int64],
        plan id: UUID128,
        versions: [UUID128: Int64],
        otherCards: Set<Int64>,
        at now: Timestamp
    ) -> [ReplayEvent] {
        numbers.compactMap { number in
            guard let item = items[number], item.attempt == nil, item.end == nil else { return nil }
            let version = versions[item.planned.transaction] ?? 0
            let reference = ReplayReference.text(id, number, .work)
            do throws(ReplayRefusal) {
                return try attempt(number, version: version, reference: reference, at: now)
            } catch {
                switch error {
                case .itemMovedOn:
                    let rule = otherCards.contains(number) ? ReplayRule.otherCard.rawValue : nil
                    return try? end(number, .movedOn, version: version, rule: rule)
                case .expired:
                    return try? end(number, .needsPerson, version: version, rule: ReplayRule.expired.rawValue)
                default: return nil
                }
            }
        }
    }

    /// The events recorded after items were executed. An item that has ended keeps its end.
    func ends(_ results: [Int64: ReplayItemMachine.Result]) -> [ReplayEvent] {
        results.sorted { $0.key < $1.key }.compactMap { number, result in
            guard case .ended(let end, let rule, let detail, let version) = result else { return nil }
            return try? self.end(number, end, version: version, rule: rule, detail: detail)
        }
    }
}
