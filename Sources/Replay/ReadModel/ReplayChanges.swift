import Canonical
package import EventLog
import Payments
import Projections
package import ReplayRules

/// The changes to replay plans in a run of the log.
///
/// Only the ledger appends to the plans' streams, and it validates each event against all earlier ones. So every
/// recorded event is a valid successor.
struct ReplayChanges {
    struct PlanName: Hashable {
        var tenant: String
        var id: UUID128
    }

    struct Begun {
        var plan: PlanName
        var position: Int64
        var planning: ReplayPlanning
        var reported: String
    }

    struct Item {
        var plan: PlanName
        var item: ReplayItem
        var reported: String
    }

    /// The additions to a plan, and its state at the end of the run.
    struct Plan {
        var plan: PlanName
        var position: Int64 = 0
        var version: Int64 = 0
        var reported: Int64 = 0
        var actionable: Int64 = 0
        var attempted: Int64 = 0
        var ends: [ReplayItemEnd.End: Int64] = [:]
        var status: ReplayStatus?
        var approval: String?
        var approvedAt: Timestamp?
        var note: String?
    }

    struct Attempt {
        var plan: PlanName
        var position: Int64
        var attempt: ReplayAttempt
    }

    struct End {
        var plan: PlanName
        var position: Int64
        var end: ReplayItemEnd
    }

    private(set) var begun: [Begun] = []
    private(set) var items: [Item] = []
    private(set) var attempts: [Attempt] = []
    private(set) var ends: [End] = []
    private var known: [PlanName: Plan] = [:]
    private var order: [PlanName] = []

    /// The changed plans, in log order.
    var plans: [Plan] { order.compactMap { known[$0] } }

    /// - Throws: `UnappliedEvent`.
    init(_ run: LogRun) throws {
        for event in run.events {
            guard let id = StreamName.replayID(event.stream) else { continue }
            do {
                try take(event, of: PlanName(tenant: event.tenant, id: id))
            } catch {
                throw UnappliedEvent(position: event.position, cause: error)
            }
        }
    }

    private mutating func take(_ event: RecordedEvent, of name: PlanName) throws {
        let reported = try ReplayEvent(event)
        if known[name] == nil { order.append(name) }
        var plan = known[name] ?? Plan(plan: name)
        plan.position = event.position
        plan.version = event.version
        switch reported {
        case .planned(let planning):
            begun.append(Begun(plan: name, position: event.position, planning: planning, reported: event.data))
        case .itemsPlanned(let reported):
            for item in reported.items {
                items.append(Item(plan: name, item: item, reported: try item.jsonText()))
            }
            plan.reported += Int64(reported.items.count)
            plan.actionable += Int64(reported.items.count { $0.disposition == .resubmit })
        case .approved(let approval):
            plan.status = .approved
            plan.approval = event.data
            plan.approvedAt = event.recordedAt
            plan.note = approval.reason
        case .rejected(let reported):
            plan.status = .rejected
            plan.note = reported.reason
        case .started(let reported), .resumed(let reported):
            plan.status = .running
            plan.note = reported.reason
        case .paused(let reported):
            plan.status = .paused
            plan.note = reported.reason
        case .stopped(let reported):
            plan.status = .stopped
            plan.note = reported.reason
        case .itemAttempted(let attempt):
            attempts.append(Attempt(plan: name, position: event.position, attempt: attempt))
            plan.attempted += 1
        case .itemEnded(let end):
            ends.append(End(plan: name, position: event.position, end: end))
            plan.ends[end.end, default: 0] += 1
        case .completed: plan.status = .completed
        }
        known[name] = plan
    }
}

extension ReplayEvent {
    /// Reads a recorded event of a plan's stream.
    package init(_ recorded: RecordedEvent) throws {
        try self.init(type: recorded.type, schema: recorded.schema, data: JSONValue(parsing: recorded.data.utf8))
    }
}
