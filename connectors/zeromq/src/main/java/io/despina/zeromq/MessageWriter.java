package io.despina.zeromq;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LostException;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.ServerPatience;
import io.despina.connect.WriterHost;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Sends rows as messages, each of one frame, or of two where it has a topic. ZeroMQ acknowledges nothing: a message is sent when
 * there is room in the queue of a peer.
 */
final class MessageWriter implements RecordWriter {
    private static final int WAIT_MS = 200;
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final byte[] EMPTY = {};

    private final ConnectorSettings settings;
    private final WriterHost host;
    private final ServerPatience patience;
    private final byte[] topic;
    private final boolean drops;
    private Peer peer;
    /** Whether the last try found no room. */
    private boolean full;
    private long dropped;
    private long told = System.nanoTime() - TELL_NANOS;

    MessageWriter(ConnectorSettings settings, WriterHost host) {
        this.settings = settings;
        this.host = host;
        patience = new ServerPatience(settings, "endpoint", host);
        topic = settings.has("topic") ? settings.text("topic").getBytes(StandardCharsets.UTF_8) : null;
        drops = settings.text("socket").equals("pub") && settings.text("when_full").equals("drop");
    }

    /** Peers that are away are waited for with the first row. */
    @Override
    public void open(boolean later) throws Exception {
        peer = Peer.open(settings);
        peer.socket().setSendTimeOut(WAIT_MS);
        if (settings.text("socket").equals("pub")) {
            peer.socket().setXpubNoDrop(true);      // a queue that is full is told, in place of dropping
        }
    }

    @Override
    public void write(Outgoing row) throws Exception {
        byte[] value = row.value() == null ? EMPTY : row.value();
        byte[] of = row.target() == null ? topic : row.target().getBytes(StandardCharsets.UTF_8);
        patience.begin();
        while (!send(of, value)) {
            if (drops) {
                drop(of, value);
                break;
            }
            full = true;
            patience.lost(new LostException(peer.connections().endAtOnce() ? Peer.refused(settings) : "no peer of "
                    + settings.text("endpoint") + " takes a message: none is there, or its queue is full", null));
        }
        if (full) {
            full = false;
            patience.moved();
        }
    }

    private boolean send(byte[] of, byte[] value) throws InterruptedException {
        ZMQ.Socket socket = peer.socket();
        int flags = drops ? ZMQ.DONTWAIT : 0;
        try {
            return of == null ? socket.send(value, flags) : socket.send(of, flags | ZMQ.SNDMORE) && socket.send(value, flags);
        } catch (ZMQException e) {
            throw Peer.interrupted(e);
        }
    }

    /** Sends it to those whose queues have room. */
    private void drop(byte[] of, byte[] value) throws InterruptedException {
        peer.socket().setXpubNoDrop(false);
        send(of, value);
        peer.socket().setXpubNoDrop(true);
        dropped++;
        tellDropped(System.nanoTime() - told > TELL_NANOS);
    }

    private void tellDropped(boolean atOnce) {
        if (dropped > 0 && atOnce) {
            host.warn("`" + host.operator() + "`: " + dropped + " messages did not go to all subscribers of "
                    + settings.text("endpoint") + ": a queue was full (`high_water_mark`)");
            dropped = 0;
            told = System.nanoTime();
        }
    }

    /** Nobody says what has arrived. */
    @Override
    public void flush() {
        tellDropped(System.nanoTime() - told > TELL_NANOS);
    }

    @Override
    public void close() throws IOException {
        if (peer == null) {
            return;
        }
        tellDropped(true);
        long began = System.nanoTime();
        int most = Math.toIntExact(Math.min(Integer.MAX_VALUE, settings.whole("linger_ms")));
        peer.close(most);
        peer = null;
        if (most > 0 && TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) >= most) {
            host.warn("`" + host.operator() + "`: messages that " + settings.text("endpoint") + " has not taken within linger_ms="
                    + most + " are lost");
        }
    }
}
