package io.despina.zeromq;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Delivery;
import io.despina.connect.DeliveryHost;
import io.despina.connect.ReadingThread;
import io.despina.connect.RefusedException;
import io.despina.connect.ServerOutage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.zeromq.ZMQException;

/**
 * Takes messages of a socket, and gives them to the host. While the host has no room, nothing is taken of those who push, and
 * they wait. Publishers do not wait: what they send then is taken and dropped here, where it is counted.
 */
final class MessageThread extends ReadingThread {
    private static final Runnable NOTHING = () -> { };
    private static final byte[] LEFT_OUT = {};
    private static final int WAIT_MS = 200;
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ConnectorSettings settings;
    private final DeliveryHost host;
    private final ServerOutage outage;
    private final boolean waits;
    private final boolean subscribes;
    private final List<byte[]> frames = new ArrayList<>();
    private Peer peer;
    /** When somebody was there last, or it began to look. */
    private long since;
    /** Since when each connection ends at once; 0: it does not. */
    private long refused;
    private long dropped;
    private long told = System.nanoTime() - TELL_NANOS;

    MessageThread(ConnectorSettings settings, DeliveryHost host) {
        super("zeromq", host, settings);
        this.settings = settings;
        this.host = host;
        outage = new ServerOutage(host.operator(), settings.text("endpoint"), host::warn);
        waits = !Peer.binds(settings);
        subscribes = settings.text("socket").equals("sub");
    }

    /** Opens the socket. Before {@link #start}, and then of this thread. */
    void listen() throws IOException {
        peer = Peer.open(settings);
        peer.socket().setReceiveTimeOut(WAIT_MS);
        since = System.nanoTime();
    }

    @Override
    protected void step() throws IOException, InterruptedException {
        if (isStopped()) {
            release();      // who pushes keeps what nobody would read here
            rest();
            return;
        }
        if (peer == null) {
            listen();
        }
        boolean room = host.hasRoom();
        if (!room && !subscribes) {
            awaitRoom();
        } else if (receive()) {
            refused = 0;
            give(room);
        } else {
            watch();
        }
    }

    /** @return whether a message is there */
    private boolean receive() throws InterruptedException {
        frames.clear();
        try {
            return receiveFrames();
        } catch (ZMQException e) {
            throw Peer.interrupted(e);
        }
    }

    private boolean receiveFrames() {
        byte[] frame = peer.socket().recv();
        if (frame == null) {
            return false;
        }
        frames.add(frame);
        long left = settings.whole("buffer_bytes") - frame.length;
        while (peer.socket().hasReceiveMore()) {
            byte[] next = peer.socket().recv();     // the others are there when the first one is
            left -= next.length;
            frames.add(frames.size() > 1 && left < 0 ? LEFT_OUT : next);    // of more than two none is read
        }
        return true;
    }

    private void give(boolean room) {
        since = System.nanoTime();
        if (room) {
            long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
            host.put(new Delivery(FramedMessage.of(frames, now), null, null, false, NOTHING));
        } else {
            dropped++;
        }
        tellDropped(since - told > TELL_NANOS);
    }

    private void tellDropped(boolean atOnce) {
        if (dropped > 0 && atOnce) {
            host.warn("`" + host.operator() + "`: " + dropped + " messages of " + settings.text("endpoint")
                    + " were dropped: they came faster than the graph takes them (`buffer_bytes`)");
            dropped = 0;
            told = System.nanoTime();
        }
    }

    /** Tells whether anybody is there, of those to whom it connects. */
    private void watch() throws RefusedException {
        Connections connections = peer.connections();
        if (!waits) {
            return;
        }
        long now = System.nanoTime();
        if (connections.isRefused()) {
            String why = Peer.refused(settings);
            refused = refused == 0 ? now : refused;
            if (now - refused > TimeUnit.MILLISECONDS.toNanos(settings.whole("retry_for_ms"))) {
                throw new RefusedException(why + "; tried for retry_for_ms=" + settings.whole("retry_for_ms"), null);
            }
            outage.goesOn(why + "; it tries again");
        } else if (connections.isThere()) {
            refused = 0;
            since = now;
            outage.ends();
        } else if (now - since > PATIENCE_NANOS) {
            outage.goesOn("nobody answers at " + settings.text("endpoint") + "; it waits");
        }
    }

    @Override
    protected void lost(IOException why) {
        release();
        LockSupport.parkNanos(this, outage.goesOn(why, "; it tries again"));
    }

    @Override
    protected void disconnect() {
        if (peer != null) {
            tellDropped(true);
            peer.close();
            peer = null;
        }
    }
}
