package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.Holding;
import io.despina.operator.OpeningException;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.order.Keys;
import io.despina.packet.PacketCursor;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.InstancePlace;
import io.despina.python.WorkerEvent;
import io.despina.spec.Clock;
import io.despina.state.EventOrder;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Gives packets to a Python function in a process of its own, and writes what it answers, in order. A packet is held until its
 * answer has come, and is in snapshots as long as it is held: a barrier need not wait for the worker, and a worker that dies
 * loses nothing. State by key is kept here too, as it was before the packets that are held. The next batch is what has gathered
 * when the worker is free, so one packet alone leaves at once, and load fills batches. Watermarks keep their place between the
 * packets.
 */
public final class PythonOperator implements Holding {
    private static final int MOST_DEATHS = 3;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long MICROS_PER_MILLI = 1_000;

    private final Options options;
    private final Semaphore opening = new Semaphore(0);

    private OperatorContext context;
    private Arrivals arrivals;
    /** What keys go by; null for packets as they arrive. */
    private Clock clock;
    /** Of timers: those before have been called. */
    private final NamedNumbers called = new NamedNumbers("timers", Long.MIN_VALUE);
    private OperatorState state;
    private Answer answer;
    private InFlight flight;
    private FunctionProcess process;
    /** Whether the process has opened the function. */
    private boolean open;
    private boolean killed;
    /** Those of the user's class that it may be asked for. */
    private List<String> methods = List.of();
    /** Since when it is the worker's turn, but for a batch that was sent later; nanoseconds of the job's clock. */
    private long turn;
    /** Workers that have died in a row, without an answer between them. */
    private int deaths;
    private long watermark = Long.MIN_VALUE;
    /** Whether the inputs are idle, and the task behind has not been told. */
    private boolean idle;

    /**
     * What it runs, and how.
     *
     * @param batchRows     the most packets of a batch
     * @param batchBytes    of packets, at which a batch is sent
     * @param timeoutMillis how long a worker may take for a batch, and to open the function
     * @param keys          of its state; null if it keeps none
     * @param order         of packets where keys go by event time; null: as they come
     */
    public record Options(FunctionSpec function, int batchRows, int batchBytes, long timeoutMillis, Starting starting,
            Keys keys, EventOrder order) {
        public Options(FunctionSpec of, int batchRows, int batchBytes, long timeoutMillis, Starting starting) {
            this(of, batchRows, batchBytes, timeoutMillis, starting, null, null);
        }
    }

    /** Starts processes. */
    public interface Starting {
        /** @param log takes what it prints, on any thread */
        FunctionProcess start(FunctionSpec function, Consumer<String> log, Waker waker) throws IOException;
    }

    public PythonOperator(Options options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        clock = options.function().kept() == null ? null : options.function().kept().clock();
        BatchLimits limits = new BatchLimits(options.batchRows(), options.batchBytes());
        arrivals = new Arrivals(opened, limits, options.keys() == null ? null
                : new KeyedStates(options.keys(), options.function().kept(), opened), options.order());
        answer = new Answer(opened, options.function(), arrivals);
        flight = new InFlight(arrivals, options.function(), limits);
        state = arrivals.with(new OperatorState(opened)).counting(answer::bytes);
        if (clock != null) {
            state.with(called);
        }
        start();
        while (!open) {
            if (!opening.tryAcquire(options.timeoutMillis(), TimeUnit.MILLISECONDS)) {
                kill();
            }
            handleAll();
        }
    }

    private void start() throws IOException {
        open = false;
        killed = false;
        turn = context.clock().getAsLong();
        InstancePlace place = new InstancePlace(context.operatorId(), context.instance(), context.parallelism());
        process = options.starting().start(options.function().at(place), context::tell, () -> {
            if (opening.availablePermits() == 0) {
                opening.release();
            }
            context.wake();
        });
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (advance()) {
            arrivals.take(packets);
        }
        idle = false;
        settle();
    }

    @Override
    public boolean waits() {
        return !arrivals.hasRoom() && !answer.isReady();
    }

    /** Does what the worker's answers allow. @return false if an output is full */
    private boolean advance() throws Exception {
        while (context.hasRoom()) {
            handleAll();
            if (!answer.isReady()) {
                return true;
            }
            if (answer.leave(flight.first())) {
                flight.answered();
                turn = context.clock().getAsLong();
                deaths = 0;
            }
        }
        return false;
    }

    /** Takes what the worker has said, up to the end of the answer to the oldest batch. */
    private void handleAll() throws Exception {
        while (!answer.isReady()) {
            WorkerEvent event = process.poll();
            if (event == null) {
                return;
            }
            handle(event);
        }
    }

    private void handle(WorkerEvent event) throws Exception {
        if (event instanceof WorkerEvent.Rows rows) {
            flight.first(rows.batch());
            answer.add(rows);
        } else if (event instanceof WorkerEvent.Errors errors) {
            flight.first(errors.batch());
            answer.add(errors);
        } else if (event instanceof WorkerEvent.Changes changes) {
            flight.first(changes.batch());
            answer.add(changes);
        } else if (event instanceof WorkerEvent.Opened opened) {
            open = true;
            flight.opened(opened.columns());
            methods = opened.methods();
        } else if (event instanceof WorkerEvent.Refused refused) {
            throw new OpeningException(refused.why(), null);
        } else if (event instanceof WorkerEvent.Gone gone) {
            died(gone.why());
        }
    }

    /** Starts another worker. What was in flight goes again, unless it must not. */
    private void died(String why) throws Exception {
        process.close();
        boolean hung = !open && killed;
        // else its start could be the reason, or a timer
        boolean blamesRow = open && !flight.isEmpty() && !flight.first().isOfTimers();
        String said = "the worker of `" + options.function().name() + "` " + why;
        if (hung || keepsRows() || !blamesRow && ++deaths >= MOST_DEATHS) {
            throw new IllegalStateException(said);
        }
        context.warn(said + "; another takes its place");
        int done = answer.done();
        answer.forget();
        start();
        if (flight.isEmpty()) {
            flight.lost(done);
            return;
        }
        if (!options.function().calls().pure()) {
            refuse(flight.packets() - done, said);
        } else if (flight.lost(done) == 1 && ++deaths >= MOST_DEATHS) {
            refuse(1, said);
        }
    }

    /** Whether rows that it has answered may be lost with the process: a sink has taken them, and written them nowhere. */
    private boolean keepsRows() {
        return methods.contains("flush") || methods.contains("prepare");
    }

    /** The process as it is now, open; another may take its place. */
    FunctionProcess process() {
        return process;
    }

    List<String> methods() {
        return methods;
    }

    /** Whether all packets are answered, and what timers have to do before the watermark goes on. */
    boolean isEmpty() {
        boolean waits = clock == Clock.EVENT || clock == Clock.PROCESSING && arrivals.watermark() == NEVER;
        return arrivals.isEmpty() && (!waits || flight.called() >= arrivals.watermark());
    }

    /** Whether an answer waits for room behind this operator. */
    boolean isReady() {
        return answer.isReady();
    }

    /** Answers the packets in flight in place of a worker. */
    private void refuse(int packets, String why) {
        flight.giveUp(packets);
        answer.add(new WorkerEvent.Errors(0, IntStream.range(0, packets).mapToObj(k -> new WorkerEvent.Error(k, why)).toList()));
        answer.addNone();
    }

    /** After a call: sends, reports, and asks for the next. */
    private void settle() throws Exception {
        arrivals.takeReady();
        long now = context.clock().getAsLong();
        long watermark = arrivals.watermark();
        flight.send(process, now, answer.done(), clock != Clock.PROCESSING || watermark == NEVER ? arrivals.heldUntil()
                : arrivals.wallNow() + 1);
        called.set(0, flight.called());
        if (isEmpty()) {
            answer.passLast(watermark);
            if (idle) {
                idle = false;
                context.output(0).idle();
            }
        }
        if (answer.isReady()) {
            turn = now;     // it waits for room behind this operator, and may wait in its write
        }
        long due = due();
        context.wakeAt(Math.min(nextTimer(), due == NEVER ? NEVER
                : context.wallMicros() + Math.max(1, (due - now) / NANOS_PER_MILLI) * MICROS_PER_MILLI));
        state.report();
    }

    /** When a timer is due by the wall clock; never if none is, or one is that waits for the worker. */
    private long nextTimer() {
        long first = clock == Clock.PROCESSING ? arrivals.keyed().firstTimer() : NEVER;
        return first > arrivals.wallNow() ? first : NEVER;
    }

    /** When the worker has had its time, for opening the function or for a batch; never if it has nothing to do. */
    private long due() {
        InFlight.Batch first = flight.first();
        boolean nothing = open && (first == null || first.at() == Long.MAX_VALUE);
        return killed || nothing ? NEVER
                : (open ? Math.max(turn, first.at()) : turn) + options.timeoutMillis() * NANOS_PER_MILLI;
    }

    private void kill() {
        killed = true;
        process.kill("did not " + (open ? "answer" : "import it") + " within timeout_ms=" + options.timeoutMillis());
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean room = advance();
        if (!answer.isReady() && context.clock().getAsLong() >= due()) {
            kill();
        }
        settle();
        return room || !answer.isReady();
    }

    @Override
    public boolean release() throws Exception {
        boolean room = advance();
        settle();
        return room || !answer.isReady();
    }

    @Override
    public boolean watermark(long grown) throws Exception {
        arrivals.watermark(grown);
        if (clock != null) {
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
        advance();
        settle();
        return isEmpty() && !answer.isReady();
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
        if (process != null) {
            process.close();
        }
    }
}
