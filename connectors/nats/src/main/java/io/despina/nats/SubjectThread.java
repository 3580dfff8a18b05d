package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Delivery;
import io.despina.connect.DeliveryHost;
import io.despina.connect.ReadingThread;
import io.despina.connect.ServerOutage;
import io.nats.client.Message;
import io.nats.client.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes messages of a subject, and gives them to the host. A server does not wait: while the host has no room, the client keeps
 * as many bytes as the graph allows, and drops what comes then.
 */
final class SubjectThread extends ReadingThread {
    private static final Runnable NOTHING = () -> { };
    private static final Duration WAIT = Duration.ofMillis(500);
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ConnectorSettings settings;
    private final DeliveryHost host;
    private final ServerOutage outage;
    private Link link;
    private Subscription subscription;
    /** Messages that the subscription had dropped when the user was told last. */
    private long dropped;
    private long told = System.nanoTime() - TELL_NANOS;

    SubjectThread(ConnectorSettings settings, DeliveryHost host) {
        super("nats", host, settings);
        this.settings = settings;
        this.host = host;
        outage = new ServerOutage(host.operator(), settings.text("servers"), host::warn);
    }

    /** Connects, and subscribes. Before {@link #start}, and then of this thread. Blocks. */
    void listen() throws IOException, InterruptedException {
        long millis = settings.whole("connect_ms");
        link = Link.open(settings, host.operator() + "." + host.instance(), millis);
        String subject = settings.text("subject");
        try {
            subscription = settings.has("group") ? link.connection().subscribe(subject, settings.text("group"))
                    : link.connection().subscribe(subject);
            subscription.setPendingLimits(0, settings.whole("buffer_bytes"));
            dropped = 0;
            link.connection().flush(Duration.ofMillis(millis));
        } catch (IllegalStateException | TimeoutException e) {
            throw Words.unpublished(settings, e, link);
        }
        if (link.denied() != null || !link.isOpen()) {
            throw Words.unpublished(settings, link.told(), link);
        }
    }

    @Override
    protected void step() throws IOException, InterruptedException {
        if (isStopped()) {
            rest();
        } else if (link == null) {
            listen();
            outage.ends();
        } else if (host.hasRoom()) {
            take();
        } else {
            awaitRoom();
        }
    }

    @Override
    protected void lost(IOException why) {
        release();
        LockSupport.parkNanos(this, outage.goesOn(why, "; what is published until it answers is lost"));
    }


    private void take() throws IOException, InterruptedException {
        Message message;
        try {
            message = subscription.nextMessage(WAIT);
        } catch (IllegalStateException e) {
            throw Words.unpublished(settings, e, link);
        }
        if (message != null) {
            long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
            host.put(new Delivery(SubjectMessage.of(message, now), null, null, false, NOTHING));
        } else if (!link.isOpen()) {
            throw Words.unpublished(settings, link.told(), link);
        }
        tellDropped(System.nanoTime() - told > TELL_NANOS);
    }

    private void tellDropped(boolean atOnce) {
        long now = subscription.getDroppedCount();
        if (now > dropped && atOnce) {
            host.warn("`" + host.operator() + "`: " + (now - dropped) + " messages of " + settings.text("subject")
                    + " were dropped: they came faster than the graph takes them (`buffer_bytes`)");
            dropped = now;
            told = System.nanoTime();
        }
    }

    @Override
    protected void disconnect() {
        if (link != null) {
            if (subscription != null) {
                tellDropped(true);
                subscription = null;
            }
            link.close();
            link = null;
        }
    }
}
