package io.despina.operator.python;

import io.despina.operator.Commanded;
import io.despina.operator.Holding;
import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.PacketCursor;
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
 * from which the job goes on, it is asked to drop.
 */
public final class PythonSink implements Sink, Holding, Commanded {
    private static final byte[] NOTHING = {};
    private static final String EPOCH = "epoch";

    private final PythonOperator.Options options;
    private final PythonOperator rows;
    private final NamedEntries prepared = new NamedEntries("prepared", this::standing);
    /** The last that was prepared. */
    private long epoch;
    /** Whether something waits until all packets are answered. */
    private boolean drains;

    public PythonSink(PythonOperator.Options options) {
        this.options = options;
        rows = new PythonOperator(options);
    }

    private Map<String, String> standing() {
        return Map.of(EPOCH, Long.toString(epoch));
    }

    @Override
    public void open(OperatorContext context) throws Exception {
        rows.open(context);
        if (!context.isRestored()) {
            Requests.await(ask(Request.ABORT, 0));
        }
    }

    /** Asks the class for what it has a method for. */
    private CompletableFuture<Void> ask(Request what, long of) {
        String method = what.name().toLowerCase(Locale.ROOT);
        if (!rows.methods().contains(method)) {
            return DONE;
        }
        return Requests.within(rows.process().ask(what, of, NOTHING), options.function(), method,
                options.upkeep().timeoutMillis());
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
        drains = !rows.isEmpty();
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

    /** The function as it is on the disk now takes over between two batches, if what it has answered is written. */
    @Override
    public CompletableFuture<String> command(ControlCommand command, String argument) throws IOException {
        if (command == ControlCommand.RELOAD && !argument.equals(ControlCommand.DROP) && rows.keepsRows()) {
            throw new IOException("`" + options.function().name() + "` has `flush` or `prepare`, so its process may hold rows "
                    + "that no other has: stop the job and start it again, it goes on from its last epoch with the code that is "
                    + "there then");
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
        return ask(rows.methods().contains("prepare") ? Request.PREPARE : Request.FLUSH, number);
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
