package io.despina.operator.database.source;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Retries;
import io.despina.operator.Source;
import io.despina.operator.database.source.JdbcSourceOptions.From;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.util.List;
import java.util.Map;

/**
 * Reads the rows of a table or a query, in the order of a column that rises, if there is one. Another thread reads, and wakes
 * it; what it has sent is its place.
 */
public final class JdbcSource implements Source {
    /** Bytes of packets after which {@link #produce} returns. */
    private static final int BATCH_BYTES = 1 << 16;
    /** Of blocks that wait, of the one that is read and the one that is made. */
    private static final long MEMORY_BYTES = 6L << 16;
    private static final String SENT = "sent";
    private static final byte[] NOTHING = {};

    private final JdbcSourceOptions options;
    private final Retries.Waiting waiting;
    private OperatorContext context;
    private Output out;
    private Watermarks watermarks;
    private TableReader reader;
    private PacketCursor packets;
    private boolean started;
    /** Null without a column. */
    private ReadPosition position;
    private long sent;
    private final NamedEntries place = new NamedEntries("place", this::place);

    public JdbcSource(JdbcSourceOptions options) {
        this(options, Retries.Waiting.REAL);
    }

    JdbcSource(JdbcSourceOptions options, Retries.Waiting waiting) {
        this.options = options;
        this.waiting = waiting;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        context.stateBytes(MEMORY_BYTES);
        out = context.output(0);
        packets = PacketCursor.reusing(options.schema().layout());
        packets.reset(NOTHING, 0, 0);
        watermarks = options.eventTime() == null ? null : new Watermarks(options.eventTime(), out, context.clock());
        position = options.from().column() == From.NONE ? null
                : new ReadPosition(options.schema().layout(), options.from().column());
        reader = new TableReader(options, context, waiting);
        reader.look();
    }

    @Override
    public long produce(long now) throws Exception {
        if (!started) {
            started = true;
            options.threads().execute(reader);
        }
        long before = sent;
        out.due(now);
        long again = send(now);
        if (watermarks != null) {
            watermarks.batchDone(now, sent != before);
            again = watermarks.waiting(now, again);
        }
        return again;
    }

    private long send(long now) throws Exception {
        for (int budget = BATCH_BYTES; budget > 0 && context.hasRoom();) {
            Packet packet = packets.next();
            if (packet != null) {
                budget -= packet.size();
                send(packet);
                continue;
            }
            packets.letGo();
            ReadRows.Read next = reader.rows().poll();
            if (next == null) {
                return WHEN_WOKEN;
            } else if (next instanceof ReadRows.Block block) {
                packets.reset(block.bytes(), 0, block.length());
            } else if (next instanceof ReadRows.BadRow bad) {
                context.badRecord(bad.why(), bad.row());
            } else if (next instanceof ReadRows.Failed failed) {
                throw failed.why();
            } else {
                return ENDED;
            }
        }
        return now;
    }

    private void send(Packet packet) {
        if (watermarks != null) {
            watermarks.before(packet);
        }
        out.writer().copy(packet);
        sent++;
        if (position != null) {
            position.add(packet);
        }
    }

    private Map<String, String> place() {
        return position == null ? Map.of(SENT, Long.toString(sent)) : position.texts();
    }

    @Override
    public List<State> states() {
        return watermarks == null ? List.of(place) : List.of(place, watermarks.state());
    }

    @Override
    public void restored() {
        Map<String, String> found = place.restored().isEmpty() ? Map.of() : place.restored().get(0);
        sent = Long.parseLong(found.getOrDefault(SENT, "0"));
        reader.seek(found, sent);
        if (position != null) {
            position.restore(found);
        }
        if (watermarks != null) {
            watermarks.restored();
        }
    }

    @Override
    public void close() {
        if (reader != null) {
            reader.end(started);
        }
    }
}
