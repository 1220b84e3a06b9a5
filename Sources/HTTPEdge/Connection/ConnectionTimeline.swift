import NIOCore

/// The deadlines of a connection: what it waits for, and until when. A value without timers; the handler has the timer.
struct ConnectionTimeline: Sendable {
    /// How long each wait may last.
    struct Limits: Sendable {
        var header: TimeAmount = .seconds(10)
        var request: TimeAmount = .seconds(30)
        var idle: TimeAmount = .seconds(60)
        var linger: TimeAmount = .seconds(2)
        var comment: TimeAmount = .seconds(15)
        /// The period over which the rate of a stream is measured.
        var rateWindow: TimeAmount = .seconds(30)
        /// The minimum number of bytes in that period while the client must act.
        var rateBytes = 1920
    }

    enum Action: Sendable, Equatable {
        case nothing
        /// Close without an answer: there was no request.
        case close
        /// Answer after the pending answers.
        case refuse(GateRefusal)
        /// Answer at once, instead of the route.
        case expire(GateRefusal)
        /// Send a comment line.
        case comment
    }

    private enum Mode: Sendable, Equatable {
        case normal
        case stream
        case lingering(until: NIODeadline)
    }

    private let limits: Limits
    private var mode = Mode.normal
    private var idleSince: NIODeadline
    private var headSince: NIODeadline?
    private var requestSince: NIODeadline
    /// Requests whose answer has not been sent, the current one included.
    private(set) var pendingAnswers = 0
    /// Whether a request body is still arriving; on the wire there is at most one.
    private var hasOpenBody = false
    private(set) var hasAnswerStarted = false
    private var sendsComments = false
    private var lastWrite: NIODeadline
    private var unsentBytes = 0
    private var isReadWanted = false
    private var windowSince: NIODeadline
    private var windowBytes = 0
    /// For how long in the window the client had to act, and since when it must act now.
    private var owed = TimeAmount.zero
    private var owedSince: NIODeadline?

    init(_ limits: Limits, now: NIODeadline) {
        self.limits = limits
        idleSince = now
        requestSince = now
        lastWrite = now
        windowSince = now
    }

    var isStream: Bool { mode == .stream }

    /// When to call `fired`.
    var deadline: NIODeadline {
        switch mode {
        case .lingering(let until): return until
        case .stream:
            let rate = windowSince + limits.rateWindow
            return sendsComments ? min(rate, lastWrite + limits.comment) : rate
        case .normal:
            if pendingAnswers > 0 { return requestSince + limits.request }
            if let headSince { return headSince + limits.header }
            return idleSince + limits.idle
        }
    }

    /// Called when a deadline passes; the caller reads the next deadline afterwards.
    mutating func fired(now: NIODeadline) -> Action {
        guard now >= deadline else { return .nothing }
        switch mode {
        case .lingering: return .close
        case .stream:
            if now >= windowSince + limits.rateWindow {
                obligationChanged(now)
                // A client that did not have to act for most of the window cannot have been slow in it.
                let isTooSlow =
                    owed >= TimeAmount.nanoseconds(limits.rateWindow.nanoseconds / 10 * 9)
                    && windowBytes < limits.rateBytes
                beginWindow(now)
                if isTooSlow { return .close }
            }
            guard sendsComments, now >= lastWrite + limits.comment else { return .nothing }
            lastWrite = now
            // A client that has not even taken the last comment gets no second one.
            return unsentBytes == 0 ? .comment : .nothing
        case .normal:
            if pendingAnswers > 0 {
                // The answer has started but the client does not take it: no other answer can be sent.
                if hasAnswerStarted { return .close }
                return .expire(hasOpenBody && pendingAnswers == 1 ? .bodyTimeout : .requestTimeout)
            }
            if headSince != nil {
                refused(now: now)
                return .refuse(.headerTimeout)
            }
            return .close
        }
    }

    // MARK: Events

    /// - Parameter isInsideHead: whether the bytes ended within a header section.
    mutating func received(bytes: Int, isInsideHead: Bool, now: NIODeadline) {
        windowBytes += bytes
        if !isInsideHead { headSince = nil } else if headSince == nil { headSince = now }
    }

    mutating func headCompleted(hasBody: Bool, now: NIODeadline) {
        if pendingAnswers == 0 { requestSince = headSince ?? now }
        headSince = nil
        pendingAnswers += 1
        hasOpenBody = hasBody
    }

    mutating func bodyCompleted(now: NIODeadline) {
        hasOpenBody = false
        obligationChanged(now)
    }

    /// Records a refusal. A refusal outside any request must be answered like a request.
    ///
    /// - Returns: whether it concerns the body of a request.
    @discardableResult
    mutating func refused(now: NIODeadline) -> Bool {
        headSince = nil
        if hasOpenBody { return true }
        if pendingAnswers == 0 { requestSince = now }
        pendingAnswers += 1
        return false
    }

    mutating func streamDeclared(now: NIODeadline) {
        guard mode == .normal else { return }
        mode = .stream
        lastWrite = now
        beginWindow(now)
    }

    mutating func answerStarted(sendsComments: Bool, now: NIODeadline) {
        hasAnswerStarted = true
        self.sendsComments = sendsComments
        lastWrite = now
    }

    mutating func handedOver(bytes: Int, now: NIODeadline) {
        unsentBytes += bytes
        lastWrite = now
        obligationChanged(now)
    }

    mutating func sent(bytes: Int, now: NIODeadline) {
        unsentBytes -= bytes
        windowBytes += bytes
        obligationChanged(now)
    }

    /// Called when the last byte of an answer was sent.
    mutating func answerCompleted(now: NIODeadline) {
        pendingAnswers = max(0, pendingAnswers - 1)
        hasAnswerStarted = false
        sendsComments = false
        if mode == .stream { mode = .normal }
        idleSince = now
        requestSince = now
        // The next header section waited behind this answer; its deadline starts now.
        if headSince != nil { headSince = now }
    }

    mutating func readWanted(_ isWanted: Bool, now: NIODeadline) {
        isReadWanted = isWanted
        obligationChanged(now)
    }

    mutating func lingers(now: NIODeadline) {
        mode = .lingering(until: now + limits.linger)
    }

    // MARK: The rate of streams

    private var isClientToAct: Bool { unsentBytes > 0 || (hasOpenBody && isReadWanted) }

    private mutating func obligationChanged(_ now: NIODeadline) {
        if let owedSince { owed = owed + (now - owedSince) }
        owedSince = isClientToAct ? now : nil
    }

    private mutating func beginWindow(_ now: NIODeadline) {
        windowSince = now
        windowBytes = 0
        owed = .zero
        owedSince = isClientToAct ? now : nil
    }
}
