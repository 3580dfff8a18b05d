package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.RefusedException;
import io.despina.connect.ServerPatience;
import io.despina.connect.WriterHost;
import io.despina.nats.Marks.Mark;
import io.nats.client.Message;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.StreamState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Writes each epoch of an outbox between two marks. A stream has no transactions: after a break the writer reads which of the
 * epoch's messages are there, and sends the others. Each message has a name, made of the outbox, the epoch and its number, so
 * that one which is still on its way meanwhile is known again by the stream. What is left out is handed on when the epoch is
 * there, once.
 */
final class EpochWriter implements RecordWriter {
    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    private record Refused(String why, byte[] value) {
    }

    private final ConnectorSettings settings;
    private final WriterHost host;
    private final String client;
    private final SinkStream target;
    private final Marks marks;
    private final ServerPatience patience;
    /** By it a mark says who has written it. */
    private final String self = UUID.randomUUID().toString();
    /** Whether this writer has taken over the outbox: a mark of another one says that it is replaced. */
    private boolean claimed;
    /** Null without a connection. */
    private Publisher publisher;
    private String outbox;
    /** What the outbox has said last, as long as there is a connection. */
    private Mark mark;
    private long epoch;
    private String prefix;
    /** Numbers of rows that the stream has already. */
    private final BitSet there = new BitSet();
    /** What this try leaves out. */
    private final List<Refused> refused = new ArrayList<>();

    EpochWriter(ConnectorSettings settings, WriterHost host, String client) {
        this.settings = settings;
        this.host = host;
        this.client = client;
        target = new SinkStream(settings, true);
        marks = new Marks(settings);
        patience = new ServerPatience(settings, "servers", host);
    }

    /** Servers that are away must not hold up the first epoch. */
    @Override
    public void open(boolean later) {
        // the name of the outbox is not known yet
    }

    @Override
    public Marker marker(String of, long asked) throws Exception {
        return patience.ask(() -> answer(of, asked), this::disconnect);
    }

    private Marker answer(String of, long asked) throws IOException, InterruptedException {
        connect(of);
        if (asked < mark.epoch()) {
            throw RefusedException.olderState(of + " of `" + host.operator() + "`", asked, "the stream `"
                    + settings.text("markers") + "` says that epoch " + mark.epoch() + " is begun");
        }
        claim();
        if (asked > mark.epoch()) {
            there.clear();
            return Marker.ABSENT;
        }
        if (!mark.isDone()) {
            find(of, asked);
            return Marker.ABSENT;
        }
        if (asked == epoch) {
            handOn();
        }
        patience.moved();
        return Marker.THERE;
    }

    /** Whoever wrote the last mark must not go on: it does not know what becomes of its epoch here. */
    private void claim() throws IOException {
        if (!claimed && mark.number() > 0 && !mark.by().equals(self)) {
            say(new Mark(0, mark.epoch(), mark.from(), self));
        }
        claimed = true;
    }

    private void connect(String of) throws IOException, InterruptedException {
        if (publisher != null && of.equals(outbox) && publisher.link().isOpen()) {
            return;
        }
        disconnect();
        Link link = Link.open(settings, client, settings.whole("connect_ms"));
        publisher = new Publisher(link, settings, patience);
        target.learn(link);
        marks.ensure(link, target.replicas());
        mark = marks.last(link, of);
        outbox = of;
        publisher.heard();
        if (claimed && mark.number() > 0 && !mark.by().equals(self)) {
            throw new RefusedException(Marks.replaced(of), null);
        }
    }

    private void disconnect() {
        if (publisher != null) {
            publisher.close();
            publisher = null;
        }
    }

    /** Reads which messages of an epoch that was begun are there. */
    private void find(String of, long asked) throws IOException, InterruptedException {
        there.clear();
        StreamState now = target.learn(publisher.link());
        long from = mark.from() + 1;
        if (now.getFirstSequence() > from || now.getLastSequence() < mark.from()) {
            throw new RefusedException("epoch " + asked + " of the outbox " + of + " was begun behind message " + mark.from()
                    + " of `stream` " + settings.text("stream") + ", which now has the messages " + now.getFirstSequence()
                    + " to " + now.getLastSequence() + ": nobody can tell which rows it had. With \"delivery\": "
                    + "\"at_least_once\" and a new state folder the job goes on, and rows may come twice", null);
        }
        if (now.getLastSequence() < from) {
            return;
        }
        Pulls.Wanted wanted = new Pulls.Wanted(settings.text("stream"), target.filter(), true, settings.whole("buffer_bytes"),
                Pulls.BATCH);
        try (Pulls pulls = new Pulls(publisher.link(), wanted, ConsumerConfiguration.builder()
                .deliverPolicy(DeliverPolicy.ByStartSequence).startSequence(from))) {
            read(pulls, of + "/" + asked + "/");
        }
    }

    private void read(Pulls pulls, String wanted) throws IOException, InterruptedException {
        long began = System.nanoTime();
        long last = mark.from();
        try {
            for (long left = pulls.waiting(); left > 0;) {
                pulls.ask();
                Message message = pulls.next(WAIT);
                if (message == null) {
                    left = pulls.isDone() ? 0 : left;       // some were removed meanwhile
                    continue;
                }
                last = message.metaData().streamSequence();
                take(message, wanted);
                left = message.metaData().pendingCount() == 0 ? 0 : left - 1;
            }
        } catch (IOException why) {
            String unreadable = publisher.link().unreadable();
            throw unreadable == null ? why : Words.unreadable(settings, "one of the messages behind " + last + " of "
                    + settings.text("stream"), unreadable);
        }
        publisher.heard();
        patience.excuse(System.nanoTime() - began);
    }

    /** Others may write what they like. */
    private void take(Message message, String wanted) {
        String id = message.getHeaders() == null ? null : message.getHeaders().getFirst(Made.ID);
        if (id != null && id.startsWith(wanted) && NUMBER.matcher(id.substring(wanted.length())).matches()) {
            there.set(Integer.parseInt(id.substring(wanted.length())));
        }
    }

    private void handOn() {
        refused.forEach(each -> host.refused(each.why, each.value));
        refused.clear();
    }

    @Override
    public void begin(String of, long begins) throws Exception {
        epoch = begins;
        prefix = of + "/" + begins + "/";
        refused.clear();
        if (mark.epoch() == begins) {
            return;         // rows of another try are there
        }
        try {
            long last = target.learn(publisher.link()).getLastSequence();
            say(Mark.begun(begins, last, self));
        } catch (IOException why) {
            throw repeated(why);
        }
    }

    private void say(Mark next) throws IOException {
        mark = marks.replace(publisher.link(), outbox, mark, next);
        publisher.taken();
    }

    @Override
    public void write(Outgoing row) throws Exception {
        int index = Math.toIntExact(row.number());
        if (there.get(index)) {
            return;
        }
        try {
            Made made = Made.of(row, target.subject());
            String why = Made.refusal(row, made);
            Made named = why == null ? made.named(prefix + index, settings.text("stream")) : made;
            why = why == null ? target.refusal(publisher.link(), named) : why;
            if (why == null) {
                refuseLate();
                publisher.send(named);
            } else if (host.failsOnRefused()) {
                throw new RefusedException(why, null);
            } else {
                refused.add(new Refused(why, made.body()));
            }
        } catch (IOException why) {
            throw repeated(why);
        }
    }

    /** A process that stood still may have been replaced, and the stream may no longer know what the other one has sent. */
    private void refuseLate() throws LostException {
        if (publisher.silentNanos() > target.window().toNanos() / 2) {
            throw new LostException("nothing was heard of the server for half of the time in which it tells messages that come "
                    + "again", null);
        }
    }

    @Override
    public void flush() throws Exception {
        if (publisher == null || mark.isDone()) {
            return;
        }
        try {
            publisher.await();
            say(Mark.done(epoch, self));
        } catch (IOException why) {
            throw repeated(why);
        }
        there.clear();
        handOn();
    }

    /** Another connection finds out what has become of the epoch. */
    private IOException repeated(IOException why) throws InterruptedException {
        disconnect();
        return patience.repeat(why);
    }

    @Override
    public void close() {
        disconnect();
    }
}
