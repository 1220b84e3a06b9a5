import Access
package import Canonical
import Ledger
package import Projections
import Synchronization

extension ReadModels.Progress {
    package var json: JSONValue {
        var object: JSONObject = [
            "name": .string(name), "version": .number(.init(Int64(version))), "position": .number(.init(position)),
            "lag": .number(.init(lag)), "state": .string(fault == nil ? "running" : "halted"),
        ]
        object.set("fault", fault)
        if let faultPosition { object["faultPosition"] = .number(.init(faultPosition)) }
        object["rebuilding"] = .bool(isRebuilding)
        return .object(object)
    }
}
