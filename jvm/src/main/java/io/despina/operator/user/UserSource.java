package io.despina.operator.user;

import io.despina.api.RowSource;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import io.despina.state.NamedEntries;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a {@link RowSource}. Its rows are inspected before they leave, because a watermark must precede a late row. */
public final class UserSource implements Source, UserRowWriter.Destination {
    /** Calls of the user's class before {@link #produce} returns. */
    private static final int CALLS = 256;

    /**
     * What it runs.
     *
     * @param options   as the graph writes them
     * @param output    schema of its rows
     * @param eventTime or null
     */
    public record Options(UserClass user, Map<String, String> options, Schema output, EventTime eventTime) {
    }

    private final Options options;
    private final NamedEntries place = new NamedEntries("place", this::position);
    private RowSource user;
    private Output port;
    private ScratchPacket scratch;
    private UserRowWriter out;
    private Watermarks watermarks;
    private long written;
    /** The last epoch that is not acknowledged; 0 for none. No two are under way: those before it were dropped. */
    private long epoch;
    /** The position of that epoch. */
    private Map<String, String> reached = Map.of();

    public UserSource(Options options) {
        this.options = options;
    }

    @Override
    public String userClass() {
        return options.user().name();
    }

    @Override
    public void open(OperatorContext context) {
        port = context.output(0);
        scratch = new ScratchPacket(options.output().layout(), context.maxPacketBytes());
        UserColumns columns = new UserColumns(options.output());
        out = new UserRowWriter(columns, this);
        watermarks = options.eventTime() == null ? null
                : new Watermarks(options.eventTime(), port, context.clock());
        user = options.user().create(RowSource.class);
        try {
            user.open(new UserContext(context, options.options(), new UserContext.Ports(null, columns), null));
        } catch (Exception | LinkageError thrown) {
            throw options.user().notOpened(thrown);
        }
    }

    @Override
    public long produce(long now) throws Exception {
        long before = written;
        port.due(now);
        long again = now;
        for (int k = 0; k < CALLS && again == now && port.hasRoom(); k++) {
            long millis = call();
            again = millis == RowSource.ENDED ? ENDED : now + TimeUnit.MILLISECONDS.toNanos(millis);
        }
        if (watermarks != null) {
            watermarks.batchDone(now, written != before);
            again = watermarks.waiting(now, again);
        }
        return again;
    }

    private long call() throws Exception {
        try {
            long millis = user.produce(out);
            if (out.dropOpen()) {
                throw new IllegalStateException("it has begun a row and not committed it");
            }
            if (millis < RowSource.ENDED || millis > TimeUnit.DAYS.toMillis(1)) {
                throw new IllegalStateException("produce() answered " + millis + ": milliseconds, at most a day, or ENDED");
            }
            return millis;
        } catch (InterruptedException ended) {
            throw ended;
        } catch (Exception thrown) {
            RuntimeException fault = out.fault();
            throw fault == null ? options.user().failed(thrown) : fault;
        }
    }

    @Override
    public PacketWriter begin() {
        return scratch.begin();
    }

    @Override
    public void commit() {
        Packet packet = scratch.commit();
        if (watermarks != null) {
            watermarks.before(packet);
        }
        port.writer().copy(packet);
        written++;
    }

    /** Asked right behind {@link #barrier}. */
    private Map<String, String> position() {
        reached = new LinkedHashMap<>(user.position());
        return reached;
    }

    @Override
    public boolean blocks() {
        return UserClass.overrides(user, RowSource.class, "acknowledge", long.class, Map.class);
    }

    @Override
    public void barrier(long barrier) {
        epoch = barrier;
    }

    @Override
    public void acknowledge(long complete) {
        if (complete != epoch) {
            return;     // the one that it was restored from
        }
        epoch = 0;
        try {
            user.acknowledge(complete, reached);
        } catch (Exception | LinkageError thrown) {
            throw options.user().failed(thrown);
        }
    }

    @Override
    public List<State> states() {
        return watermarks == null ? List.of(place) : List.of(place, watermarks.state());
    }

    @Override
    public void restored() {
        if (watermarks != null) {
            watermarks.restored();
        }
        try {
            user.restore(place.restored().stream().filter(each -> !each.isEmpty()).toList());
        } catch (Exception thrown) {
            throw options.user().failed(thrown);
        }
    }

    @Override
    public void close() throws IOException {
        options.user().close(user);
    }
}
