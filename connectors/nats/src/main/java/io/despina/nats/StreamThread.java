package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LoginException;
import io.despina.connect.ReaderHost;
import io.despina.connect.ReadingThread;
import io.despina.connect.RefusedException;
import io.despina.connect.ServerOutage;
import io.nats.client.Message;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.StreamState;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes messages of a stream, and gives them to the host. While the host has no room, it asks for none. When the connection or
 * the consumer ends, it goes on by another one, from the number that comes next. From {@link #start} on, place and connection
 * are this thread's.
 */
final class StreamThread extends ReadingThread {
    private static final Duration WAIT = Duration.ofSeconds(1);
    /** How often it looks whether what its filter leaves out has moved its place. */
    private static final long MOVE_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** What is given to the host at once. */
    private static final int BATCH = 500;
    private static final long BATCH_BYTES = 1 << 18;
    /** After so many consumers that gave nothing, the user is told. */
    private static final int LOSSES = 4;

    private final ConnectorSettings settings;
    private final ReaderHost host;
    private final Place place;
    private final String filter;
    private final boolean ends;
    private final ServerOutage outage;
    private Link link;
    private Pulls pulls;
    /** The stream as it was after the messages had come that {@link Pulls} has marked. */
    private StreamState known;
    private boolean ended;
    /** Where a consumer was that has ended, and how many have ended there. */
    private long lostAt;
    private int losses;
    private long moved = System.nanoTime();

    StreamThread(ConnectorSettings settings, ReaderHost host, Place place) {
        super("nats", host, settings);
        this.settings = settings;
        this.host = host;
        this.place = place;
        outage = new ServerOutage(host.operator(), settings.text("servers"), host::warn);
        filter = settings.has("subject") ? settings.text("subject") : null;
        ends = settings.text("stop_at").equals("end");
    }

    Pulls.Wanted wanted() {
        return new Pulls.Wanted(place.stream, filter, false, settings.whole("buffer_bytes"),
                place.next == lostAt ? 1 : Pulls.BATCH);
    }

    /** Before {@link #start}, and then of this thread. */
    Link connect() throws IOException, InterruptedException {
        link = Link.open(settings, host.operator() + "." + host.instance(), settings.whole("connect_ms"));
        return link;
    }

    /** Makes a consumer. @return how many messages wait for it */
    long pull() throws IOException {
        pulls = new Pulls(link, wanted(), ConsumerConfiguration.builder().deliverPolicy(DeliverPolicy.ByStartSequence)
                .startSequence(place.next));
        if (ends && (pulls.waiting() == 0 || place.next > place.end)) {
            ended = true;
        }
        return pulls.waiting();
    }

    @Override
    protected void begin() {
        if (ended) {
            give(List.of());
        }
    }

    @Override
    protected void step() throws Exception {
        if (isStopped() || ended) {
            rest();
        } else if (pulls == null) {
            again();
        } else {
            take();
        }
    }


    /** The client's connection ends with a message that it cannot read; and it ends when servers go away. */
    @Override
    protected void lost(IOException why) throws RefusedException {
        losses = place.next == lostAt ? losses + 1 : 0;
        lostAt = place.next;
        boolean alone = losses > 0;         // no other message was asked for
        String unreadable = link == null ? null : link.unreadable();
        release();
        if (alone && unreadable != null) {
            throw Words.unreadable(settings, "the message " + place.next + " of " + place.stream + ", or the one behind it",
                    unreadable);
        }
        if (losses >= LOSSES || why instanceof LoginException) {
            away(why);
        }
    }

    /** Waits for a server. */
    private void again() throws IOException, InterruptedException {
        try {
            if (link == null) {
                connect();
            }
            place.passGap(link.stream().getStreamState());
            pull();
        } catch (RefusedException | LoginException told) {
            throw told;
        } catch (IOException why) {
            release();
            away(why);
            return;
        }
        outage.ends();
        if (ended) {
            give(List.of());
        }
    }

    private void away(IOException why) {
        if (!isClosed()) {
            LockSupport.parkNanos(this, outage.goesOn(why, "; it waits"));
        }
    }

    private void take() throws Exception {
        if (host.hasRoom()) {
            pulls.ask();
        } else if (!pulls.isAsking()) {
            awaitRoom();
            return;
        }
        Message first = pulls.next(WAIT);
        if (first == null) {
            move();
            return;
        }
        List<Message> messages = new ArrayList<>();
        try {
            collect(first, messages);
        } finally {
            if (!messages.isEmpty() || ended) {
                give(messages);         // also when what follows is lost: the place is behind them
            }
        }
    }

    private void collect(Message first, List<Message> messages) throws IOException, InterruptedException {
        long bytes = 0;
        for (Message message = first; message != null && !isBehindEnd(message);) {
            check(message);
            messages.add(message);
            bytes += StreamBatch.size(message);
            message = ended || messages.size() == BATCH || bytes >= BATCH_BYTES ? null : pulls.next(null);
        }
    }

    private boolean isBehindEnd(Message message) {
        ended |= ends && message.metaData().streamSequence() > place.end;
        return ended;
    }

    /** A message without those before it: they were removed one by one, or the stream has dropped them. */
    private void check(Message message) throws IOException {
        long number = message.metaData().streamSequence();
        if (filter == null && number > place.next) {
            if (!pulls.isMarked()) {        // a stream that keeps one message of a subject has a gap before nearly each
                pulls.mark();
                known = link.stream().getStreamState();
            }
            place.passGap(number, known);
        }
        place.next = number + 1;
        ended = ends && (number >= place.end || message.metaData().pendingCount() == 0);
    }

    private void give(List<Message> messages) {
        place.given |= !messages.isEmpty();
        host.put(new StreamBatch(place, messages, ended));
        if (!messages.isEmpty()) {
            host.behind(messages.get(messages.size() - 1).metaData().pendingCount());
        }
    }

    /**
     * Where nothing comes: what the filter leaves out is behind the source, and need not be kept for it. A source that ends looks
     * whether the messages that it waits for have been removed.
     */
    private void move() throws IOException {
        long now = System.nanoTime();
        if (filter == null && !ends || now - moved < (ends ? WAIT.toNanos() : MOVE_NANOS)) {
            return;
        }
        moved = now;
        StreamState state = link.stream().getStreamState();
        long behind = state.getLastSequence() + 1;
        if (behind > place.next && pulls.isDone()) {
            if (filter == null) {
                place.passGap(behind, state);
            }
            place.next = behind;
            ended = ends;
            give(List.of());
        }
    }

    @Override
    protected void disconnect() {
        if (pulls != null) {
            pulls.close();
            pulls = null;
        }
        if (link != null) {
            link.close();
            link = null;
        }
    }
}
