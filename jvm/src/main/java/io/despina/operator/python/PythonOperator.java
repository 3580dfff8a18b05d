package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.Answered;
import io.despina.operator.Commanded;
import io.despina.operator.Holding;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.order.Keys;
import io.despina.packet.PacketCursor;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.WorkerEvent;
import io.despina.spec.Clock;
import io.despina.spec.ControlCommand;
import io.despina.state.EventOrder;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import io.despina.wake.SharedThreads;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Gives packets to a Python function in a process of its own, and writes what it answers, in order. A packet is held until its
 * answer has come, and is in snapshots as long as it is held: a barrier need not wait for the worker, and a worker that dies
 * loses nothing. State by key is kept here too, as it was before the packets that are held. The next batch is what has gathered
 * when the worker is free, so one packet alone leaves at once, and load fills batches. Watermarks keep their place between the
 * packets.
 */
public final class PythonOperator implements Holding, Commanded, Answered {
    private static final int MOST_DEATHS = 3;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MICROS_PER_MILLI = 1_000;

    private final Options options;
    private final Takeover takeover;

    private OperatorContext context;
    private Arrivals arrivals;
    /** What keys go by; null for packets as they arrive. */
    private Clock clock;
    /** Of timers: those before have been called. */
    private final NamedNumbers called = new NamedNumbers("timers", Long.MIN_VALUE);
    private OperatorState state;
    private Answer answer;
    private InFlight flight;
    private FunctionWorkers workers;
    private InRow row;
    /** Since when it is the worker's turn, but for a batch that was sent later; nanoseconds of the job's clock. */
    private long turn;
    /** So many workers in a row have died of one row or of timers, without an answer between them. */
    private int kills;
    private long watermark = Long.MIN_VALUE;
    /** Whether a barrier waits for the rest of an answer. */
    private boolean between;
    /** Whether the inputs are idle, and the task behind has not been told. */
    private boolean idle;

    /**
     * What it runs, and how.
     *
     * @param limits of a batch
     * @param upkeep of its processes
     * @param keys   of its state; null if it keeps none
     * @param order  of packets where keys go by event time; null: as they come
     * @param sharing of its process with others
     */
    public record Options(FunctionSpec function, BatchLimits limits, FunctionUpkeep upkeep, Keys keys, EventOrder order,
            Sharing sharing) {
        public Options(FunctionSpec of, BatchLimits limits, FunctionUpkeep upkeep) {
            this(of, limits, upkeep, null, null, Sharing.NONE);
        }

        public Options(FunctionSpec of, BatchLimits limits, long timeoutMillis, FunctionStarting starting, Keys keys,
                EventOrder order) {
            this(of, limits, new FunctionUpkeep(starting, timeoutMillis), keys, order, Sharing.NONE);
        }
    }

    public PythonOperator(Options options) {
        this(options, Takeover.NOTHING);
    }

    /** @param takeover of what its processes may hold besides what it has not answered */
    PythonOperator(Options options, Takeover takeover) {
        this.options = options;
        this.takeover = takeover;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        SharedThreads.waits("opens " + options.function().name());
        context = opened;
        clock = options.function().kept() == null ? null : options.function().kept().clock();
        row = new InRow(options.sharing(), opened);
        FunctionSpec function = row.before() == null ? options.sharing().shared(options.function(), opened) : options.function();
        BatchPace pace = options.upkeep().starting().pace(new BatchPace(options.limits(), options.upkeep().timeoutMillis()));
        arrivals = new Arrivals(opened, pace, options.keys() == null ? null
                : new KeyedStates(options.keys(), options.function().kept(), opened), options.order());
        answer = new Answer(opened, options.function(), arrivals, row.behind());
        flight = new InFlight(arrivals, function, pace, row);
        state = arrivals.with(new OperatorState(opened)).counting(() -> answer.bytes() + row.bytes());
        if (clock != null) {
            state.with(called);
        }
        workers = new FunctionWorkers(function, row.leading().told(options.upkeep()), options.limits().workers(), opened);
        AwaitedOpening opening = new AwaitedOpening(opened);
        workers.begin(takeover, row.leading(), opening);
        if (!row.receive(opened, options.upkeep().openMillis())) {
            openAll(opening);
        }
    }

    private void openAll(AwaitedOpening opening) throws Exception {
        workers.start();
        while (!workers.areOpen()) {
            if (!opening.await(options.upkeep().openMillis())) {
                workers.killUnopened();
            }
            handleAll();
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (advance()) {
            arrivals.take(packets);
        }
        idle = false;
        between = false;
        settle();
    }

    @Override
    public boolean waits() {
        return (between || !arrivals.hasRoom()) && !answer.isReady();
    }

    /** Does what the worker's answers allow. @return false if an output is full */
    private boolean advance() throws Exception {
        while (context.hasRoom()) {
            handleAll();
            if (!answer.isReady()) {
                return true;
            }
            context.output(0).due(arrivals.firstOrigin());
            row.leave(flight.first());
            if (answer.leave(flight.first())) {
                row.left();
                flight.answered();
                turn = context.clock().getAsLong();
                workers.answered();
                kills = 0;
            }
        }
        return false;
    }

    /** Takes what the worker has said, up to the end of the answer to the oldest batch. */
    private void handleAll() throws Exception {
        workers.hearSpare();
        workers.hearFresh();
        row.leading().obey(workers);
        while (!answer.isReady()) {
            WorkerEvent event = InRow.poll(flight.first(), workers);
            if (event == null) {
                return;
            }
            handle(event);
        }
    }

    private void handle(WorkerEvent event) throws Exception {
        if (row.leading().takes(event)) {
            flight.cameAhead(event);
        } else if (event instanceof WorkerEvent.Rows rows) {
            flight.came(rows);
            answer.add(rows);
        } else if (event instanceof WorkerEvent.Counted counted && counted.batch() == 0) {
            counted.counts().forEach(context::count);
        } else if (event.batch() > 0) {
            flight.first(event.batch());
            answer.add(event);
        } else if (event instanceof WorkerEvent.Opened opened) {
            flight.opened(opened.columns(), opened.methods(), workers.speaker().process().hasWorked());
            row.leading().opened(opened.behind());
            workers.opened(opened);
        } else if (event instanceof WorkerEvent.Refused refused) {
            throw workers.unopened(refused.why(), null);
        } else if (event instanceof WorkerEvent.Gone gone) {
            died(workers.speaker(), gone.why());
        }
    }

    /** Has another take its place. What was in flight goes again, unless it must not. */
    private void died(FunctionWorker dead, String why) throws Exception {
        boolean hung = !dead.isOpen() && dead.isKilled();
        boolean isOfBatch = workers.isOfItsBatch(dead);
        boolean isOfTimers = isOfBatch && flight.first().isOfTimers();
        String said = "the worker of " + workers.names() + " " + why;
        boolean isUnopened = hung || dead.unopened() >= MOST_DEATHS;
        if (isUnopened && row.leading().mayOpenAlone()) {
            row.leading().opened(0);      // so the operator of the one that cannot be opened will say so
            workers.callAlone();
        } else if (isUnopened || keepsRows() || isOfTimers && ++kills >= MOST_DEATHS) {
            dead.process().close();
            throw hung ? new IllegalStateException(said) : workers.unopened(said, null);
        }
        context.warn(said + "; another takes its place");
        if (!dead.isAwaited()) {
            workers.replace(dead);
            return;
        }
        int done = answer.done();
        answer.forget();
        row.forget();
        workers.forget(flight.number());
        workers.replace(dead);
        if (!options.function().calls().pure()) {
            answer.refuse(flight.giveUp(flight.packets() - done), said);
        } else if (flight.lost(done) == 1 && isOfBatch && ++kills >= MOST_DEATHS) {
            answer.refuse(flight.giveUp(1), said);
        }
    }

    /** Whether rows that it has answered may be lost with the process: a sink has taken them, and written them nowhere. */
    boolean keepsRows() {
        return methods().contains("flush") || methods().contains("prepare");
    }

    /** The function as it is on the disk now takes over between two batches; state by key stays. */
    @Override
    public CompletableFuture<String> command(ControlCommand command, String argument) throws IOException {
        return command == ControlCommand.RELOAD ? row.reload(argument, workers) : CompletableFuture.completedFuture("");
    }

    /** The process as it is now, open; another may take its place. */
    FunctionProcess process() {
        return workers == null ? null : workers.process();
    }

    List<String> methods() {
        return workers.methods();
    }

    @Override
    public boolean isAnswered() {
        return flight.isDone() && !answer.isReady();
    }

    @Override
    public long nextMoment() {
        return arrivals.nextMoment();
    }

    @Override
    public boolean isBlank() {
        return arrivals.isBlank();
    }

    /** The number of the batch that was sent last. */
    long sent() {
        return flight.number();
    }

    /** Whether an answer waits for room behind this operator. */
    boolean isReady() {
        return answer.isReady();
    }

    /** After a call: sends, reports, and asks for the next. What is answered already leaves as far as there is room. */
    private void settle() throws Exception {
        settleOnce();
        while (flight.isAhead() && context.hasRoom()) {
            advance();
            settleOnce();
        }
        if (flight.isAhead()) {
            context.wakeAt(context.wallMicros());       // when there is room: nobody else calls for the rest
        }
    }

    private void settleOnce() throws Exception {
        arrivals.takeReady();
        long now = context.clock().getAsLong();
        long watermark = arrivals.watermark();
        workers.look(now);
        workers.refresh(flight.isEmpty());
        flight.send(workers, now, answer.done(), clock != Clock.PROCESSING || watermark == NEVER ? arrivals.heldUntil()
                : arrivals.wallNow() + 1);
        row.keepOwn(flight, workers, answer.done());
        called.set(0, flight.called());
        if (flight.isDone()) {
            answer.passLast(watermark);
            if (idle) {
                idle = false;
                context.output(0).idle();
            }
        }
        if (answer.isReady()) {
            turn = now;     // it waits for room behind this operator, and may wait in its write
        }
        long due = workers.due(flight.first(), turn);
        context.wakeAt(Math.min(Math.min(arrivals.nextTimer(clock), flight.goesAt()), due == NEVER ? NEVER
                : context.wallMicros() + Math.max(1, (due - now) / NANOS_PER_MILLI) * MICROS_PER_MILLI));
        state.report();
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean room = advance();
        if (!answer.isReady()) {
            workers.killDue(context.clock().getAsLong(), flight.first(), turn);
        }
        settle();
        return room || !answer.isReady();
    }

    @Override
    public boolean release() throws Exception {
        boolean room = advance();
        settle();
        between = answer.isBetween();
        return !between && (room || !answer.isReady());
    }

    @Override
    public boolean watermark(long grown) throws Exception {
        arrivals.watermark(grown);
        if (clock != null || flight.hasEnds(grown)) {
            settle();
        } else if (arrivals.isEmpty()) {
            answer.passLast(grown);
        }
        return true;
    }

    @Override
    public void idle() throws Exception {
        idle = true;
        settle();
    }

    @Override
    public boolean end() throws Exception {
        flight.noMoreCome();
        advance();
        settle();
        if (!isAnswered()) {
            return false;
        }
        workers.endReload();        // it may be closed long after that
        row.leading().end();
        return true;
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() throws Exception {
        arrivals.restored();
        flight.restored(called.get(0));
        settle();
    }

    @Override
    public void close() throws IOException {
        if (workers != null) {
            row.leading().end();
            workers.close();
        }
    }
}
