package io.despina.operator.user;

import io.despina.api.Columns;
import io.despina.api.Row;
import io.despina.api.RowOperator;
import io.despina.api.RowWriter;
import io.despina.operator.OpeningException;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Runs a {@link RowOperator}. Ports: in, and those that the graph names; out, and those that the graph names. */
public final class UserOperator implements Operator {

    /**
     * What it runs.
     *
     * @param options as the graph writes them
     * @param outputs by number: {@code out} is the first
     * @param inputs  by number: {@code in} is the first
     * @param ddl     reads a schema
     */
    public record Options(UserClass user, Map<String, String> options, List<Out> outputs, List<In> inputs,
            Function<String, Schema> ddl) {
        public Options {
            outputs = List.copyOf(outputs);
            inputs = List.copyOf(inputs);
        }

        /** With one input and one output. @param keys of the state */
        public Options(UserClass user, Map<String, String> options, Schema output, Keys keys, Function<String, Schema> ddl) {
            this(user, options, List.of(new Out("out", output)), List.of(new In("in", keys)), ddl);
        }

        private Keys keys() {
            return inputs.get(0).keys();
        }
    }

    /** An output port and the schema of its rows. */
    public record Out(String port, Schema schema) {
    }

    /** An input port and the keys of the state, one schema for all ports, that its packets have. */
    public record In(String port, Keys keys) {
    }

    private static final int ENDED = 0;
    private static final int FIRST = 0;

    private final Options options;

    private OperatorContext context;
    private RowOperator user;
    /** By input. */
    private UserRow[] rows;
    /** By output. */
    private UserRowWriter[] writers;
    /** The outputs beyond the first. */
    private Output[] others;
    /** Null if the class keeps no state; there is then no key either. */
    private KeyedRow keyed;
    /** By input. */
    private KeyReader[] keys;
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
        progress = new NamedNumbers("ended", 0);
        state = new OperatorState(opened);
        Map<String, Columns> incoming = openInputs();
        Map<String, RowWriter> leaving = openOutputs();
        user = options.user().create(RowOperator.class);
        checkTakesAllInputs();
        try {
            openState(user.state());
            UserContext.Ports ports = new UserContext.Ports(rows[FIRST].columns(), writers[FIRST].columns(), incoming, leaving);
            user.open(new UserContext(opened, options.options(), ports, keyed));
        } catch (Exception | LinkageError thrown) {
            throw options.user().notOpened(thrown);
        }
    }

    private Map<String, Columns> openInputs() {
        Map<String, Columns> incoming = new HashMap<>();
        rows = new UserRow[options.inputs().size()];
        for (int port = 0; port < rows.length; port++) {
            UserColumns columns = new UserColumns(context.input(port));
            rows[port] = new UserRow(columns);
            incoming.put(options.inputs().get(port).port(), columns);
        }
        return incoming;
    }

    private Map<String, RowWriter> openOutputs() {
        Map<String, RowWriter> leaving = new HashMap<>();
        writers = new UserRowWriter[options.outputs().size()];
        others = new Output[writers.length - 1];
        for (int port = 0; port < writers.length; port++) {
            Output output = context.output(port);
            writers[port] = new UserRowWriter(new UserColumns(options.outputs().get(port).schema()), new Leaving(output));
            leaving.put(options.outputs().get(port).port(), writers[port]);
            if (port > FIRST) {
                others[port - 1] = output;
            }
        }
        return leaving;
    }

    private void checkTakesAllInputs() {
        if (rows.length > 1
                && !UserClass.overrides(user, RowOperator.class, "process", String.class, Row.class, RowWriter.class)) {
            throw new OpeningException("class " + options.user().name() + " takes rows of port `in` alone, and the graph gives "
                    + "it `" + options.inputs().get(1).port() + "` too: it needs a process(String port, Row row, RowWriter out)",
                    null);
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
        keys = options.inputs().stream().map(in -> new KeyReader(in.keys(), context.instance())).toArray(KeyReader[]::new);
        state.with(keyed.kept(), progress);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while (hasRoom() && (packet = packets.next()) != null) {
            take(port, packet);
        }
    }

    private boolean hasRoom() {
        boolean room = context.hasRoom();
        for (Output other : others) {
            room &= other.hasRoom();
        }
        return room;
    }

    private void take(int port, Packet packet) throws Exception {
        try {
            if (keyed != null) {
                keyed.at(keys[port].of(packet));
            }
        } catch (MalformedPacketException broken) {
            throw broken;
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return;
        }
        try {
            if (port == FIRST) {
                user.process(rows[FIRST].on(packet), writers[FIRST]);
            } else {
                user.process(options.inputs().get(port).port(), rows[port].on(packet), writers[FIRST]);
            }
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
        boolean any = keyed != null && keyed.writer().dropOpen();
        for (UserRowWriter writer : writers) {
            any |= writer.dropOpen();
        }
        return any;
    }

    /** Rethrows a failure of the engine below a writer, which is not the record's fault. */
    private void checkEngine() {
        if (keyed != null) {
            check(keyed.writer());
        }
        for (UserRowWriter writer : writers) {
            check(writer);
        }
    }

    private static void check(UserRowWriter writer) {
        RuntimeException fault = writer.fault();
        if (fault != null) {
            throw fault;
        }
    }

    @Override
    public boolean end() throws Exception {
        int limit = keyed == null ? 1 : keyed.kept().limit();
        for (int k = (int) progress.get(ENDED); k < limit; k++) {
            progress.set(ENDED, k);
            if (!hasRoom()) {
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
            user.end(writers[FIRST]);
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
