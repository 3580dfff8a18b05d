package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Marker;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.RefusedException;
import io.despina.connect.ServerPatience;
import io.despina.connect.WriterHost;
import io.despina.redis.Adding.Marked;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import redis.clients.jedis.Protocol.Command;

/**
 * Writes each epoch of an outbox in some pieces, each at once with a mark that says how far the epoch is. After a break the mark
 * says which rows are there. What is left out is handed on when the epoch is there, once; of rows that another attempt has
 * written it is found out again.
 */
final class EpochWriter implements RecordWriter {
    private static final long PARTS = 2;

    private record Refused(long number, String why, byte[] value) {
    }

    private final ConnectorSettings settings;
    private final WriterHost host;
    private final String client;
    private final Added.Maker maker;
    private final Adding adding;
    private final ServerPatience patience;
    private final long mostBytes;
    /** By it a mark says who has written it. */
    private final String self = UUID.randomUUID().toString();
    /** Whether this writer has taken over the outbox: a mark of another one says that it is replaced. */
    private boolean claimed;
    /** Null without a connection. Set by the thread that writes, read by the one that ends it. */
    private volatile Link link;
    private volatile boolean cut;
    private String outbox;
    private byte[] key;
    private Mark mark = Mark.NONE;
    private long epoch;
    /** So many of the epoch's rows are there, or left out, by what this writer knows. */
    private long decided;
    /** The number behind the last row of {@link #rows}, or of those that were left out. */
    private long next;
    /** Whether {@link #rows} are of another attempt, and only looked at. */
    private boolean looks;
    private final List<Added> rows = new ArrayList<>();
    private long bytes;
    private long arguments;
    private final List<Refused> refused = new ArrayList<>();

    EpochWriter(ConnectorSettings settings, WriterHost host, String client) {
        this.settings = settings;
        this.host = host;
        this.client = client;
        maker = new Added.Maker(settings);
        adding = new Adding(settings, this::leaveOut);
        patience = new ServerPatience(settings, "server", host);
        mostBytes = settings.whole("buffer_bytes") / PARTS;
    }

    /** A server that is away must not hold up the first epoch. */
    @Override
    public void open(boolean later) {
        // the name of the outbox is not known yet
    }

    @Override
    public Marker marker(String of, long asked) throws Exception {
        return patience.ask(() -> answer(of, asked), this::disconnect);
    }

    private Marker answer(String of, long asked) throws IOException {
        connect(of);
        if (asked < mark.epoch()) {
            throw RefusedException.olderState(of + " of `" + host.operator() + "`", asked, "the key `" + shown()
                    + "` says that epoch " + mark.epoch() + " is begun");
        }
        claim();
        if (asked > mark.epoch() || !mark.isDone()) {
            return Marker.ABSENT;
        }
        if (asked == epoch) {
            handOn();
        }
        patience.moved();
        return Marker.THERE;
    }

    private String shown() {
        return new String(key, StandardCharsets.UTF_8);
    }

    static byte[] key(ConnectorSettings settings, String outbox) {
        return (settings.text("markers") + ":" + outbox).getBytes(StandardCharsets.UTF_8);
    }

    private void connect(String of) throws IOException {
        if (link != null && of.equals(outbox)) {
            return;
        }
        disconnect();
        outbox = of;
        key = key(settings, of);
        link = new Link(settings, client);
        if (cut) {
            link.cut();
        }
        link.connect(settings.whole("connect_ms"));
        Adding.refuseOther(settings, link);
        Mark now = Mark.of(link.ask(Command.GET, shown()));
        if (now.isBehind(mark)) {
            host.warn("`" + host.operator() + "`: " + settings.text("server") + " has lost what it had acknowledged, rows among "
                    + "it, or somebody has changed the key `" + shown() + "`: it says less than was there");
        }
        mark = now;
        if (claimed && !mark.equals(Mark.NONE) && !mark.by().equals(self)) {
            throw new RefusedException("another attempt of the job, or another job, has taken over the outbox " + of
                    + ": the key `" + shown() + "` has its name", null);
        }
    }

    /** Whoever wrote the last mark must not go on: it does not know what becomes of its epoch here. */
    private void claim() throws IOException {
        if (!claimed && !mark.equals(Mark.NONE)) {
            write(mark.by(self));
        }
        claimed = true;
    }

    private void write(Mark then) throws IOException {
        adding.add(link, rows, new Marked(key, mark, then));
        mark = then;
    }

    private void disconnect() {
        if (link != null) {
            link.close();
            link = null;
        }
        empty();
    }

    private void empty() {
        rows.clear();
        bytes = 0;
        arguments = 0;
    }

    @Override
    public void begin(String of, long begins) {
        long there = mark.epoch() == begins ? mark.rows() : 0;
        decided = epoch == begins ? Math.min(decided, there) : 0;
        epoch = begins;
        next = 0;
        looks = false;
        refused.removeIf(each -> each.number >= decided);
    }

    @Override
    public void write(Outgoing record) throws Exception {
        long number = record.number();
        if (number < decided) {
            return;
        }
        try {
            boolean isThere = mark.epoch() == epoch && number < mark.rows();
            if (looks && !isThere) {
                look();
            }
            looks = isThere;
            Added row = maker.of(record);
            next = number + 1;
            if (row.problem() != null) {
                leaveOut(row, row.problem());
                return;
            }
            rows.add(row);
            bytes += row.bytes();
            arguments += row.arguments().length;
            if (rows.size() >= Adding.ROWS || arguments >= Adding.ARGUMENTS || bytes >= mostBytes) {
                settle(new Mark(epoch, next, self));
            }
        } catch (IOException why) {
            throw repeated(why);
        }
    }

    private void settle(Mark then) throws IOException {
        if (looks) {
            look();
        } else {
            write(then);
            patience.moved();
            forget();
        }
    }

    private void look() throws IOException {
        adding.look(link, rows);
        forget();
    }

    private void forget() {
        decided = next;
        empty();
    }

    private void leaveOut(Added row, String why) throws RefusedException {
        if (host.failsOnRefused()) {
            throw new RefusedException(why, null);
        }
        refused.add(new Refused(row.number(), why, row.value()));
    }

    @Override
    public void flush() throws Exception {
        if (link == null || mark.epoch() == epoch && mark.isDone()) {
            return;
        }
        try {
            if (looks) {
                look();
                looks = false;
            }
            settle(new Mark(epoch, Long.MAX_VALUE, self));
        } catch (IOException why) {
            throw repeated(why);
        }
        handOn();
    }

    private void handOn() {
        refused.forEach(each -> host.refused(each.why, each.value));
        refused.clear();
    }

    /** Another connection finds out what has become of the rows. */
    private IOException repeated(IOException why) throws InterruptedException {
        disconnect();
        return patience.repeat(why);
    }

    @Override
    public void cut() {
        cut = true;
        Link now = link;
        if (now != null) {
            now.cut();
        }
    }

    @Override
    public void close() {
        disconnect();
    }
}
