import NIOCore

/// The event loop's side of a connection: passes the bytes through the gate, keeps the deadlines, and closes so that
/// the client can still read the last answer.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ConnectionPart
    typealias OutboundIn = AnswerPart
    typealias OutboundOut = ByteBuffer

    /// How a connection is handled, the same for all connections of a server.
    struct Settings: Sendable {
        var gate: RequestGate.Limits
        var timeline: ConnectionTimeline.Limits
        /// Reads or makes the id of a request.
        var requestID: @Sendable (RequestHead?) -> String
        /// The whole answer to a refusal, with `Connection: close`.
        var answer: @Sendable (GateRefusal, _ requestID: String) -> ByteBuffer
    }

    /// How far the end of the connection has come.
    private enum Ending {
        case open
        /// Nothing more is read as a request; the connection closes once the answers are sent.
        case afterAnswers
        /// Output is shut; input is discarded until the client closes too.
        case lingering
        case closed
    }

    private let settings: Settings
    private let signal: ConnectionSignal
    private let admission: GateRefusal?
    private var gate: RequestGate
    private var timeline: ConnectionTimeline
    private var ending = Ending.open
    private var isRefused = false
    private var isExpired = false
    private var isLive = false
    private var isInputClosed = false
    private var isDraining = false
    private var unsentWrites = 0
    /// The ids of the requests that wait for their answer, in order.
    private var requestIDs = CircularBuffer<String>()
    private var timer: (scheduled: Scheduled<Void>, deadline: NIODeadline)?

    /// - Parameter admission: a refusal that answers the connection instead of reading anything.
    init(_ settings: Settings, signal: ConnectionSignal, admission: GateRefusal?) {
        self.settings = settings
        self.signal = signal
        gate = RequestGate(limits: settings.gate)
        timeline = ConnectionTimeline(settings.timeline, now: .now())
        self.admission = admission
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if let admission {
            refuse(admission, context)
            context.fireChannelReadComplete()
        }
        reschedule(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ending = .closed
        timer?.scheduled.cancel()
        timer = nil
        // A client that disconnected does not cancel its request; only a stream that has no reader stops.
        if timeline.isStream { signal.stop() }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            isInputClosed = true
            context.fireUserInboundEventTriggered(event)
            if case .lingering = ending {
                context.close(promise: nil)
            } else if timeline.pendingAnswers == 0, unsentWrites == 0 {
                context.close(promise: nil)
            }
        case is ChannelShouldQuiesceEvent:
            isDraining = true
            if isLive { signal.stop() }
            if timeline.pendingAnswers == 0, case .open = ending { context.close(promise: nil) }
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        timeline.readWanted(true, now: .now())
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        guard case .open = ending, !isRefused, !isExpired else { return }
        let arrived = buffer.readableBytes
        while !isRefused, let (event, piece) = next(&buffer) {
            switch event {
            case .head(let head):
                let requestID = settings.requestID(head)
                requestIDs.append(requestID)
                timeline.headCompleted(hasBody: head.framing != .none, now: .now())
                context.fireChannelRead(wrapInboundOut(.head(head, requestID: requestID)))
            case .body(let count):
                // The last bytes of what the gate consumed.
                let body = piece.getSlice(at: piece.writerIndex - count, length: count) ?? piece
                context.fireChannelRead(wrapInboundOut(.body(body)))
            case .end:
                timeline.bodyCompleted(now: .now())
                context.fireChannelRead(wrapInboundOut(.end))
            case .refused(let refusal):
                refuse(refusal, context)
            }
        }
        timeline.received(bytes: arrived, isInsideHead: gate.isInsideHead, now: .now())
        reschedule(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        timeline.readWanted(false, now: .now())
        context.fireChannelReadComplete()
        // The serving task is done and requests no more input, so it is read here.
        if case .lingering = ending { context.read() }
    }

    /// The next event, with the bytes the gate consumed for it.
    private func next(_ buffer: inout ByteBuffer) -> (RequestGate.Event, ByteBuffer)? {
        while true {
            let (consumed, event) = buffer.withUnsafeReadableBytes { gate.advance(over: $0) }
            let piece = buffer.readSlice(length: consumed) ?? ByteBuffer()
            if let event { return (event, piece) }
            if buffer.readableBytes == 0 { return nil }
        }
    }

    private func refuse(_ refusal: GateRefusal, _ context: ChannelHandlerContext) {
        isRefused = true
        let isInsideRequest = timeline.refused(now: .now())
        let id = (isInsideRequest ? requestIDs.last : nil) ?? settings.requestID(nil)
        context.fireChannelRead(wrapInboundOut(.refused(refusal, requestID: id)))
    }

    // MARK: Writing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The deadline has already answered this request.
        guard !isExpired else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        let now = NIODeadline.now()
        switch unwrapOutboundIn(data) {
        case .proceed:
            send(ResponseEncoding.proceed, context)
        case .streams(let isLive):
            self.isLive = isLive
            timeline.streamDeclared(now: now)
            if isLive, isDraining { signal.stop() }
        case .whole(let buffer, let closes):
            timeline.answerStarted(sendsComments: false, now: now)
            send(buffer, context, completesAnswer: true, closes: closes)
        case .start(let buffer, let sendsComments):
            timeline.answerStarted(sendsComments: sendsComments, now: now)
            send(buffer, context)
        case .bytes(let buffer):
            send(buffer, context)
        case .end(let buffer, let closes):
            send(buffer, context, completesAnswer: true, closes: closes)
        }
        promise?.succeed()
        reschedule(context)
    }

    private func send(
        _ buffer: ByteBuffer,
        _ context: ChannelHandlerContext,
        completesAnswer: Bool = false,
        closes: Bool = false
    ) {
        let count = buffer.readableBytes
        timeline.handedOver(bytes: count, now: .now())
        unsentWrites += 1
        if closes, case .open = ending { ending = .afterAnswers }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in
            self.unsentWrites -= 1
            self.timeline.sent(bytes: count, now: .now())
            if completesAnswer { self.answerCompleted(context) }
        }
        context.write(wrapOutboundOut(buffer), promise: sent)
    }

    private func answerCompleted(_ context: ChannelHandlerContext) {
        timeline.answerCompleted(now: .now())
        isLive = false
        _ = requestIDs.popFirst()
        if case .closed = ending { return }
        if isDraining, timeline.pendingAnswers == 0, case .open = ending { ending = .afterAnswers }
        closeIfDone(context)
        reschedule(context)
    }

    // MARK: Deadlines

    private func reschedule(_ context: ChannelHandlerContext) {
        if case .closed = ending { return }
        let deadline = timeline.deadline
        // A timer that fires too early is set again; only one that would fire too late is replaced.
        if let timer {
            guard deadline < timer.deadline else { return }
            timer.scheduled.cancel()
        }
        let scheduled = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.fired(context)
        }
        timer = (scheduled, deadline)
    }

    private func fired(_ context: ChannelHandlerContext) {
        switch timeline.fired(now: .now()) {
        case .nothing:
            break
        case .close:
            signal.stop()
            ending = .closed
            context.close(promise: nil)
            return
        case .refuse(let refusal):
            isRefused = true
            context.fireChannelRead(wrapInboundOut(.refused(refusal, requestID: settings.requestID(nil))))
            context.fireChannelReadComplete()
        case .expire(let refusal):
            timeline.answerStarted(sendsComments: false, now: .now())
            send(
                settings.answer(refusal, requestIDs.first ?? settings.requestID(nil)),
                context,
                completesAnswer: true,
                closes: true
            )
            context.flush()
            isExpired = true
            signal.expire(refusal)
        case .comment:
            send(ResponseEncoding.keepAliveComment, context)
            context.flush()
        }
        reschedule(context)
    }

    // MARK: Closing

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else {
            context.close(mode: mode, promise: promise)
            return
        }
        // The serving task has finished its output.
        if case .open = ending { ending = .afterAnswers }
        promise?.succeed()
        closeIfDone(context)
    }

    /// Closes the connection. To close while the client still sends would reset the connection and lose the answer, so
    /// the output is shut first and the input is discarded for a while.
    private func closeIfDone(_ context: ChannelHandlerContext) {
        guard case .afterAnswers = ending, unsentWrites == 0 else { return }
        guard !isInputClosed else {
            ending = .closed
            context.close(promise: nil)
            return
        }
        ending = .lingering
        timeline.lingers(now: .now())
        context.close(mode: .output, promise: nil)
        context.read()
        reschedule(context)
    }
}
