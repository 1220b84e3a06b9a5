import Canonical
import DaybookTestKit
import Intake

extension TestLog {
    var proposals: Proposals {
        Proposals(sequencer: sequencer, reader: reader, ids: UUIDv7Generator(clock: clock), clock: clock)
    }
}
