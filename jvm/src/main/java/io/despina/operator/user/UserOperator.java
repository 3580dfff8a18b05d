package io.despina.operator.user;

import io.despina.api.RowOperator;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Runs a {@link RowOperator}. Ports: in; out. */
public final class UserOperator implements Operator {

    /**
     * What it runs.
     *
     * @param options as the graph writes them
     * @param output  schema of the output
     * @param keys    of the state
     * @param ddl     reads a schema
     */
    public record Options(UserClass user, Map<String, String> options, Schema output, Keys keys, Function<String, Schema> ddl) {
    }

    private static final int ENDED = 0;

    private final Options options;

    private OperatorContext context;
    private RowOperator user;
    private UserRow row;
    private UserRowWriter out;
    /** Null if the class keeps no state; there is then no key either. */
    private KeyedRow keyed;
    private KeyReader keys;
    private NamedNumbers progress;
    private OperatorState state;

    public UserOperator(Options options) {
        this.options = options;
    }

    @Override
    public String userClass() {
        return options.user().name();
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        UserColumns in = new UserColumns(opened.input(0));
        UserColumns leaving = new UserColumns(options.output());
        row = new UserRow(in);
        out = new UserRowWriter(leaving, new Leaving(opened.output(0)));
        progress = new NamedNumbers("ended", 0);
        state = new OperatorState(opened);
        user = options.user().create(RowOperator.class);
        try {
            openState(user.state());
            user.open(new UserContext(opened, options.options(), in, leaving, keyed));
        } catch (Exception | LinkageError thrown) {
            throw options.user().notOpened(thrown);
        }
    }

    private void openState(String declared) {
        if (declared == null) {
            return;
        }
        if (options.keys().isNone() && context.parallelism() > 1) {
            throw new IllegalStateException("it keeps state, and without `group_by` it can have but one instance");
        }
        keyed = new KeyedRow(options.keys(), options.ddl().apply(declared), context.maxPacketBytes());
        keys = new KeyReader(options.keys(), context.instance());
        state.with(keyed.kept(), progress);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while (context.hasRoom() && (packet = packets.next()) != null) {
            take(packet);
        }
    }

    private void take(Packet packet) throws Exception {
        try {
            if (keyed != null) {
                keyed.at(keys.of(packet));
            }
        } catch (MalformedPacketException broken) {
            throw broken;
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return;
        }
        try {
            user.process(row.on(packet), out);
            checkCommitted();
        } catch (InterruptedException | MalformedPacketException ended) {
            throw ended;
        } catch (Exception thrown) {
            checkEngine();
            dropOpen();
            context.badRecord(options.user().failed(thrown), packet);
        }
        state.report();
    }

    private void checkCommitted() {
        if (dropOpen()) {
            throw new IllegalStateException("it has begun a row and not committed it");
        }
    }

    private boolean dropOpen() {
        boolean ofOutput = out.dropOpen();
        return keyed != null && keyed.writer().dropOpen() || ofOutput;
    }

    /** Rethrows a failure of the engine below a writer, which is not the record's fault. */
    private void checkEngine() {
        RuntimeException fault = out.fault();
        if (fault == null && keyed != null) {
            fault = keyed.writer().fault();
        }
        if (fault != null) {
            throw fault;
        }
    }

    @Override
    public boolean end() throws Exception {
        int limit = keyed == null ? 1 : keyed.kept().limit();
        for (int k = (int) progress.get(ENDED); k < limit; k++) {
            progress.set(ENDED, k);
            if (!context.hasRoom()) {
                return false;
            }
            if (keyed == null || keyed.atEntry(k)) {
                endOne();
            }
        }
        progress.set(ENDED, limit);
        return true;
    }

    private void endOne() throws Exception {
        try {
            user.end(out);
            checkCommitted();
        } catch (InterruptedException ended) {
            throw ended;
        } catch (Exception thrown) {
            checkEngine();
            throw options.user().failed(thrown);
        }
        state.report();
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void close() throws IOException {
        options.user().close(user);
    }

    /** Rows that leave by the port. */
    private record Leaving(Output port) implements UserRowWriter.Destination {
        @Override
        public PacketWriter begin() {
            return port.writer().begin();
        }

        @Override
        public void commit() {
            port.writer().commit();
        }
    }
}
