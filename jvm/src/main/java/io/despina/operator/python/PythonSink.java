package io.despina.operator.python;

import io.despina.operator.Commanded;
import io.despina.operator.Holding;
import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.PacketCursor;
import io.despina.python.FunctionProcess;
import io.despina.python.Request;
import io.despina.spec.ControlCommand;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Gives packets to a Python function that answers nothing. Before a barrier passes, all packets before it are answered, so an
 * epoch has just its own rows. A class that prepares and commits is asked to behind them; what it had prepared behind the epoch
 * from which the job goes on, it is asked to drop. Its function is read anew where its process holds no row that another could
 * not go on from: behind a flush, or behind an epoch that it has prepared, which any process may commit.
 */
public final class PythonSink implements Sink, Holding, Commanded {
    private static final byte[] NOTHING = {};
    private static final String EPOCH = "epoch";
    private static final String PREPARE = "prepare";

    private final PythonOperator.Options options;
    private final PythonOperator rows;
    private final NamedEntries prepared = new NamedEntries("prepared", this::standing);
    private OperatorContext context;
    /** The last that was prepared. */
    private long epoch;
    /** The last batch before it: its process holds no rows as long as none follows. */
    private long behind;
    /** What the process was asked for last. */
    private CompletableFuture<Void> asked = DONE;
    /** Whether something waits until all packets are answered. */
    private boolean drains;

    public PythonSink(PythonOperator.Options options) {
        this.options = options;
        rows = new PythonOperator(options, new Emptied());
    }

    /** The process holds nothing that was not shown or prepared. */
    private final class Emptied implements Takeover {
        @Override
        public boolean isDue() {
            return !rows.methods().contains(PREPARE) || rows.sent() == behind;
        }

        @Override
        public boolean isQuiet() {
            return asked.isDone();
        }

        @Override
        public CompletableFuture<Void> begin(FunctionProcess next) {
            return rows.methods().contains(PREPARE) ? DONE : ask(Request.FLUSH, 0);
        }
    }

    private Map<String, String> standing() {
        return Map.of(EPOCH, Long.toString(epoch));
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        rows.open(opened);
        if (!opened.isRestored()) {
            Requests.await(ask(Request.ABORT, 0));
        }
    }

    /** Asks the class for what it has a method for. */
    private CompletableFuture<Void> ask(Request what, long of) {
        String method = what.name().toLowerCase(Locale.ROOT);
        if (!rows.methods().contains(method)) {
            return DONE;
        }
        asked = Requests.within(rows.process().ask(what, of, NOTHING), options.function(), method,
                options.upkeep().timeoutMillis());
        return asked;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        drains = false;     // what waited has passed
        rows.process(port, packets);
    }

    @Override
    public boolean waits() {
        return drains ? !rows.isReady() : rows.waits();
    }

    @Override
    public boolean timer(long micros) throws Exception {
        return rows.timer(micros);
    }

    @Override
    public boolean release() throws Exception {
        rows.release();
        drains = !rows.isAnswered();
        return !drains;
    }

    @Override
    public boolean watermark(long grown) throws Exception {
        return rows.watermark(grown);
    }

    @Override
    public void idle() throws Exception {
        rows.idle();
    }

    @Override
    public boolean end() throws Exception {
        return rows.end();
    }

    /** The function as it is on the disk now takes over between two batches; of a class that prepares, behind an epoch. */
    @Override
    public CompletableFuture<String> command(ControlCommand command, String argument) throws IOException {
        if (command == ControlCommand.RELOAD && argument.equals(ControlCommand.OPEN) && rows.methods().contains(PREPARE)
                && !context.takesSnapshots()) {
            throw new IOException("`" + options.function().name() + "` has `prepare`, so its process holds the rows of an epoch, "
                    + "and this job has one alone, which ends with it: stop the job and start it again, or run it with a state");
        }
        return rows.command(command, argument);
    }

    @Override
    public boolean commits() {
        return true;
    }

    @Override
    public CompletableFuture<Void> prepare(long number) {
        epoch = number;
        behind = rows.sent();
        return ask(rows.methods().contains(PREPARE) ? Request.PREPARE : Request.FLUSH, number);
    }

    @Override
    public CompletableFuture<Void> commit(long number) {
        return ask(Request.COMMIT, number);
    }

    /** Nobody waits for the answer: the process is let go behind it. */
    @Override
    public void abort() {
        if (rows.process() != null) {
            ask(Request.ABORT, 0);
        }
    }

    @Override
    public List<State> states() {
        List<State> all = new ArrayList<>(rows.states());
        all.add(prepared);
        return all;
    }

    @Override
    public void restored() throws Exception {
        rows.restored();
        for (Map<String, String> each : prepared.restored()) {
            epoch = Math.max(epoch, Long.parseLong(each.getOrDefault(EPOCH, "0")));
        }
        Requests.await(ask(Request.ABORT, epoch));
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
