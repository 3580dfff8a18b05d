package io.despina.opcua;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Delivery;
import io.despina.connect.DeliveryHost;
import io.despina.connect.ReadingThread;
import io.despina.connect.RefusedException;
import io.despina.connect.ServerOutage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;

/** Watches nodes, and gives the host each value that comes. */
final class ReadThread extends ReadingThread {
    private static final Runnable NOTHING = () -> { };
    private static final long WAIT_MS = 500;
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Set<Long> GONE = Set.of(StatusCodes.Bad_NoSubscription, StatusCodes.Bad_SubscriptionIdInvalid);

    private final ConnectorSettings settings;
    private final DeliveryHost host;
    private final ServerOutage outage;
    private final long browseNanos;
    /** When each node's last value was measured, by {@link Item#name}. */
    private final Map<String, DateTime> latest = new HashMap<>();
    private Link link;
    private Session session;
    private Subscription subscription;
    private long heard = System.nanoTime();
    private long looked;
    /** Whether it is known which nodes the subscription watches: not, if a connection broke while the server was told. */
    private boolean known;
    /** Whether there may be more of them later. */
    private boolean mayCome;
    /** Of which the user has been told. */
    private List<String> missing = List.of();
    private long overflows;
    private long lost;
    private long told = System.nanoTime() - TELL_NANOS;

    ReadThread(ConnectorSettings settings, DeliveryHost host) {
        super("opcua", host, settings);
        this.settings = settings;
        this.host = host;
        outage = new ServerOutage(host.operator(), settings.text("server"), host::warn);
        browseNanos = TimeUnit.MILLISECONDS.toNanos(settings.whole("browse_ms"));
    }

    /** Connects for the first time. Before {@link #start}. Blocks. */
    void listen() throws IOException, InterruptedException {
        connect(true);
        if (link.isOpen()) {
            warn("the password travels in the clear: `security` is none");
        }
        if (subscription.keptMs() < settings.whole("keep_ms")) {
            warn("the server keeps what changes for " + subscription.keptMs() + " ms, and not for keep_ms="
                    + settings.whole("keep_ms"));
        }
        if (subscription.queue() < settings.whole("queue_size")) {
            warn("the server keeps " + subscription.queue() + " values of a node, and not queue_size="
                    + settings.whole("queue_size"));
        }
    }

    private void connect(boolean first) throws IOException, InterruptedException {
        link = Link.open(settings, "despina." + host.operator(), session, settings.whole("connect_ms"));
        session = link.session();
        String why = first ? null : goOn();
        if (first || why != null) {
            begin(why);
        }
        heard = System.nanoTime();
    }

    /** @return why another subscription is needed; null if the one that is there goes on */
    private String goOn() throws IOException, InterruptedException {
        if (!known) {       // who tells the server again has it watch nodes twice
            return "the connection broke while the server was told what to watch";
        }
        String why = subscription.resume(link);
        return why == null ? null : ended(why);
    }

    private static String ended(String why) {
        return "the server has ended the subscription (" + why + ")";
    }

    /** Makes a subscription. @param why the one before it does not go on; null if there was none */
    private void begin(String why) throws IOException, InterruptedException {
        if (why != null) {
            warn(why + ": of what changed in the " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - heard)
                    + " ms before this, only each node's last value comes");
            subscription.delete(link);
        }
        known = false;
        subscription = new Subscription(link, settings, this::give);
        look(why == null);
    }

    /** Looks for nodes, and has those watched that are not yet. @param first whether all must be there */
    private void look(boolean first) throws IOException, InterruptedException {
        Nodes.Found found = Nodes.find(settings, link);
        List<String> now = new ArrayList<>(found.missing());
        known = false;
        now.addAll(subscription.add(found.items()));
        known = true;
        looked = System.nanoTime();
        if (first && !now.isEmpty()) {
            throw new RefusedException("not all `nodes` can be watched at " + settings.text("server") + ": "
                    + Words.nodes(now), null);
        }
        if (!now.equals(missing) && !now.isEmpty()) {
            warn("nodes that cannot be watched just now: " + Words.nodes(now));
        }
        missing = now;
        mayCome = !now.isEmpty() || settings.texts("nodes").stream().anyMatch(each -> each.startsWith("/"));
    }

    @Override
    protected void step() throws IOException, InterruptedException {
        if (isStopped()) {
            rest();
        } else if (link == null) {
            connect(false);
            outage.ends();
        } else if (host.hasRoom()) {
            link.live();
            take();
        } else {
            link.live();
            awaitRoom();
        }
    }

    private void take() throws IOException, InterruptedException {
        try {
            subscription.ask();
            if (subscription.take(WAIT_MS)) {
                heard = System.nanoTime();
            }
            if (subscription.isEnded()) {
                begin(ended("its time was over, or another client has it"));
            }
        } catch (FaultException fault) {
            if (!GONE.contains(fault.code())) {
                throw fault;
            }
            begin(ended(fault.getMessage()));
        }
        lost += subscription.takeLost();
        tell(System.nanoTime() - told > TELL_NANOS);
        if (mayCome && System.nanoTime() - looked > browseNanos) {
            look(false);
        }
    }

    private void give(Item item, DataValue value, boolean first) {
        DateTime time = value.getSourceTime();
        if (time != null && time.equals(latest.put(item.name(), time)) && first) {
            return;         // another subscription has brought it
        }
        if (value.getStatusCode() != null && value.getStatusCode().isOverflowSet()) {
            overflows++;
        }
        host.put(new Delivery(Reading.of(item, value, settings.text("column"),
                TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis())), null, null, false, NOTHING));
    }

    private void tell(boolean atOnce) {
        if (!atOnce || lost + overflows == 0) {
            return;
        }
        if (overflows > 0) {
            warn("the server has dropped values before " + overflows + " others: the queues of their nodes were full "
                    + "(`queue_size`)");
        }
        if (lost > 0) {
            warn(lost + " messages are lost: the server does not have them any more");
        }
        overflows = 0;
        lost = 0;
        told = System.nanoTime();
    }

    private void warn(String what) {
        host.warn("`" + host.operator() + "`: " + what);
    }

    @Override
    protected void lost(IOException why) {
        if (link != null) {
            link.abandon();
            link = null;
        }
        LockSupport.parkNanos(this, outage.goesOn(why, "; it tries again"));
    }

    @Override
    protected void disconnect() {
        tell(true);
        if (link != null) {
            link.close();
            link = null;
        }
    }
}
