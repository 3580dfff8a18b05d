package io.despina.operator.python;

import io.despina.arrow.BatchReader;
import io.despina.operator.Commanded;
import io.despina.operator.OpeningException;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.InstancePlace;
import io.despina.python.Request;
import io.despina.python.WorkerEvent;
import io.despina.spec.ControlCommand;
import io.despina.spec.EventTime;
import io.despina.state.NamedEntries;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import io.despina.wake.SharedThreads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Brings the rows that a Python function makes in a process of its own. Two batches are wanted at a time, and the process makes
 * no more than it is wanted to. Each batch comes with the position behind it, and a barrier passes only where there is one. Rows
 * are inspected before they leave, because a watermark must precede a late row.
 */
public final class PythonSource implements Source, Commanded {
    /** Of a class that says where it is, and seeks. */
    private static final String POSITION = "position";
    private static final int WANTED = 2;
    /** Rows before {@link #produce} returns. */
    private static final int ROWS = 512;

    private final Options options;
    private final NamedEntries place = new NamedEntries("place", this::standing);
    private OperatorContext context;
    private Output port;
    private ScratchPacket scratch;
    private Watermarks watermarks;
    private OperatorState state;
    private BatchReader reader;
    private FunctionProcess process;
    private FunctionReload reload;
    /** Of its class, as far as they matter. */
    private List<String> methods = List.of();
    /** Whether its class says where it is. */
    private boolean hasPosition;
    /** The last batch that is wanted. */
    private long wanted;
    /** The next row of the batch, if it is {@link #reading} one of so many bytes. */
    private int row;
    private boolean reading;
    private long bytes;
    /** What is no row of the batch that comes next, and which of them leaves next. */
    private List<WorkerEvent.Error> errors = List.of();
    private int error;
    private String next;
    /** What the function has counted with it. */
    private Map<String, Long> counts = Map.of();
    /** Behind the last batch that has left and has a position; null before. */
    private String reached;
    /** Whether rows have left since. */
    private boolean between;
    private boolean ended;
    private long written;

    /**
     * What it runs.
     *
     * @param eventTime     or null
     * @param openMillis    how long it may take to import and open the function
     * @param timeoutMillis the same to seek
     */
    public record Options(FunctionSpec function, EventTime eventTime, long openMillis, long timeoutMillis,
            FunctionStarting starting) {
    }

    public PythonSource(Options options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        SharedThreads.waits("opens " + options.function().name());
        context = opened;
        port = opened.output(0);
        scratch = new ScratchPacket(options.function().output().layout(), opened.maxPacketBytes());
        reader = new BatchReader(options.function().output());
        watermarks = options.eventTime() == null ? null : new Watermarks(options.eventTime(), port, opened.clock());
        state = new OperatorState(opened).with(place).counting(() -> bytes);
        if (watermarks != null) {
            state.with(watermarks.state());
        }
        FunctionSpec function = options.function().at(new InstancePlace(opened.operatorId(), opened.instance(),
                opened.parallelism()));
        AwaitedOpening opening = new AwaitedOpening(opened);
        process = options.starting().start(function, opened::tell, opening);
        reload = new FunctionReload(function, new FunctionUpkeep(options.starting(), options.openMillis(),
                options.timeoutMillis(), false, FunctionUpkeep.ANY), opened, new Placed());
        WorkerEvent said;
        while ((said = process.poll()) == null) {
            if (!opening.await(options.openMillis())) {
                process.kill(FunctionUpkeep.notOpened(options.openMillis()));
            }
        }
        take(said);
    }

    private Map<String, String> standing() {
        return reached == null ? Map.of() : Map.of(POSITION, reached);
    }

    @Override
    public long produce(long now) throws Exception {
        long before = written;
        port.due(now);
        reload.hear(now);
        want();
        long again = advance(ROWS) ? ended ? ENDED : Math.min(WHEN_WOKEN, reload.due()) : now;
        if (ended) {
            reload.end();
        }
        if (watermarks != null) {
            watermarks.batchDone(now, written != before);
            again = watermarks.waiting(now, again);
        }
        state.report();
        return again;
    }

    /** Where another process is to take over, the rest of a batch leaves, as before a barrier: it goes on behind that. */
    @Override
    public long held(long now) throws Exception {
        port.due(now);
        reload.hear(now);
        boolean more = reload.isWanted();
        while (more && !isPlaced() && !ended && context.hasRoom()) {
            more = !advanceOne();
        }
        if (isPlaced()) {
            changes();
        }
        state.report();
        return context.hasRoom() ? Math.min(WHEN_WOKEN, reload.due()) : now;
    }

    /** Whether all has left that came with the last position. */
    private boolean isPlaced() {
        return !between && next == null && counts.isEmpty();
    }

    private void want() {
        while (wanted < WANTED) {
            process.pull(++wanted);
        }
    }

    /** The function as it is on the disk now goes on behind what has left. */
    @Override
    public CompletableFuture<String> command(ControlCommand command, String argument) throws IOException {
        if (command != ControlCommand.RELOAD) {
            return CompletableFuture.completedFuture("");
        }
        if (!argument.equals(ControlCommand.DROP) && !hasPosition) {
            throw new IOException("`" + options.function().name() + "` has no `position()` and `seek(position)`, so nobody knows "
                    + "where a new process would go on: stop the job and start it again");
        }
        return reload.reload(argument, 0, methods, 1, context::wake);
    }

    /** Another process goes on at the position behind what has left. The old one waits, so one that cannot seek costs nothing. */
    private final class Placed implements Takeover {
        @Override
        public boolean isDue() {
            return isPlaced();
        }

        @Override
        public CompletableFuture<Void> begin(FunctionProcess fresh) {
            return reached == null ? CompletableFuture.completedFuture(null) : seek(fresh);
        }
    }

    private CompletableFuture<Void> seek(FunctionProcess one) {
        return Requests.within(one.ask(Request.SEEK, 0, reached.getBytes(StandardCharsets.UTF_8)), options.function(), "seek",
                options.timeoutMillis());
    }

    /** Whether nothing is taken from the process any more: another is about to take its place. */
    private boolean changes() throws IOException {
        for (FunctionWorker each : reload.next()) {
            FunctionProcess old = process;
            process = each.process();       // before a close that may fail, so that none is left
            reload.taken(1);
            old.close();
            wanted = 0;
            want();
        }
        return reload.isTaking();
    }

    /** Lets rows leave. @return false if there are more, or may be: an output is full, or so many rows have left */
    private boolean advance(int most) throws Exception {
        for (int left = most; left > 0 && context.hasRoom(); left--) {
            if (advanceOne() || ended) {
                return true;
            }
        }
        return false;
    }

    private void leave() {
        reader.write(row++, scratch.begin(), 0);
        Packet packet = scratch.commit();
        if (watermarks != null) {
            watermarks.before(packet);
        }
        port.writer().copy(packet);
        written++;
    }

    private void done() {
        reading = false;
        bytes = 0;
        between = hasPosition && next == null;
        if (next != null) {
            reached = next;
            next = null;
        }
        count();
        process.pull(++wanted);
    }

    private void count() {
        counts.forEach(context::count);
        counts = Map.of();
    }

    private void take(WorkerEvent said) throws Exception {
        if (said instanceof WorkerEvent.Rows rows) {
            reader.wrap(rows.message());
            bytes = rows.message().length;
            row = 0;
            reading = true;
            between = true;
        } else if (said instanceof WorkerEvent.Position position) {
            next = new String(position.json(), StandardCharsets.UTF_8);
        } else if (said instanceof WorkerEvent.Counted counted) {
            counts = counted.counts();
        } else if (said instanceof WorkerEvent.Errors found) {
            errors = found.rows();
            error = 0;
            between = true;
        } else if (said instanceof WorkerEvent.Opened opened) {
            methods = opened.methods();
            hasPosition = methods.contains(POSITION);
        } else if (said instanceof WorkerEvent.Ended end) {
            if (end.why() != null) {
                throw new IllegalStateException(end.why());
            }
            count();
            ended = true;
        } else if (said instanceof WorkerEvent.Refused refused) {
            throw new OpeningException(refused.why(), null);
        } else if (said instanceof WorkerEvent.Gone gone) {
            throw new IllegalStateException("the worker of `" + options.function().name() + "` " + gone.why());
        }
    }

    /** A barrier passes where the position is that of the last row. */
    @Override
    public boolean release() throws Exception {
        while (between && !ended) {
            if (!context.hasRoom() || advanceOne()) {
                return false;
            }
        }
        return true;
    }

    /** @return whether nothing more is here */
    private boolean advanceOne() throws Exception {
        if (error < errors.size()) {
            WorkerEvent.Error found = errors.get(error++);
            context.badRecord(found.why(), found.record());
        } else if (reading && row < reader.rows()) {
            leave();
        } else if (reading) {
            done();
        } else {
            WorkerEvent said = changes() ? null : process.poll();
            if (said == null) {
                return true;
            }
            take(said);
        }
        return false;
    }

    @Override
    public boolean waits() {
        return between && !reading && error == errors.size();
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        if (watermarks != null) {
            watermarks.restored();
        }
        List<String> positions = place.restored().stream().map(each -> each.get(POSITION))
                .filter(each -> each != null).toList();
        if (positions.isEmpty()) {
            return;
        }
        if (!hasPosition) {
            throw new IllegalStateException("`" + options.function().name() + "` had a position, " + positions.get(0)
                    + ", and has no `seek` now");
        }
        reached = positions.get(0);
        Requests.await(seek(process));
    }

    @Override
    public void close() throws IOException {
        try {
            if (reload != null) {
                reload.end();
            }
        } finally {
            if (process != null) {
                process.close();
            }
        }
    }
}
