package import Canonical
import Payments
package import Projections

extension ValueAtRisk {
    package var json: JSONValue { ["count": .number(.init(count)), "atRisk": Money(value, currency).json] }
}
