package io.despina.opcua;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Delivery;
import io.despina.connect.DeliveryHost;
import io.despina.connect.ReadingThread;
import io.despina.connect.RefusedException;
import io.despina.connect.ServerOutage;
import io.despina.connect.StartPatience;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;

/**
 * Watches nodes, and gives the host each value that comes. What it has missed it reads from the server's history, if it is to:
 * first without a subscription, whose queues would run over, until little is missing; then, while a subscription's values wait at
 * the server, what is before them.
 */
final class ReadThread extends ReadingThread {
    private static final Runnable NOTHING = () -> { };
    private static final long WAIT_MS = 500;
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A history that takes longer has let something happen meanwhile that is worth to be read as well. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** Clocks of devices may be ahead of ours. */
    private static final long AHEAD_MICROS = TimeUnit.DAYS.toMicros(1);
    private static final int AT_ONCE = 1_000;
    private static final String FROM = "history_from";
    private static final String TO = "history_to";
    private static final Set<Long> GONE = Set.of(StatusCodes.Bad_NoSubscription, StatusCodes.Bad_SubscriptionIdInvalid);

    private final ConnectorSettings settings;
    private final DeliveryHost host;
    private final ServerOutage outage;
    private final long browseNanos;
    private final String column;
    /** Whether what is missed is read from the server's history. */
    private final boolean history;
    /** From when on all of it is read, and up to when, in microseconds since 1970. */
    private final long from;
    private final long to;
    private final Given given = new Given();
    /** Of the history, not given yet. */
    private final Deque<History.Past> waiting = new ArrayDeque<>();
    /** Whether something is missing that the history may have. */
    private boolean behind;
    /** That; null as long as it is not known how much that is. */
    private History past;
    private long pastBegan;
    private long pastTook = Long.MAX_VALUE;
    /** What an earlier process had last. Written once, by the host's thread; null before. */
    private volatile Map<String, String> before;
    private Link link;
    private Session session;
    /** Null before the first, and while the history is read without one. */
    private Subscription subscription;
    private boolean started;
    /** Whether all is read that is to be. */
    private boolean over;
    /** Of the server as it is: one that begins anew may give other numbers. */
    private Structures structures = new Structures();
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
        column = settings.text("column");
        history = settings.flag("history");
        from = settings.has(FROM) ? settings.whole(FROM) : Long.MIN_VALUE;
        to = settings.has(TO) ? settings.whole(TO) : Long.MAX_VALUE;
        browseNanos = TimeUnit.MILLISECONDS.toNanos(settings.whole("browse_ms"));
    }

    /** Connects for the first time. Before {@link #start}. Blocks. */
    void listen() throws IOException, InterruptedException {
        new StartPatience(settings).await(this::connect);
        if (link.isOpen()) {
            warn("the password travels in the clear: `security` is none");
        }
        if (history) {
            lookForHistory();
        } else {
            subscribe();
        }
    }

    /** What an earlier process has left is read. Any thread. @param last when each node's last value was measured, by name */
    @Override
    protected void goOn(Map<String, String> last) {
        before = last;
        LockSupport.unpark(this);
    }

    private void lookForHistory() throws IOException, InterruptedException {
        Nodes.Found found = find();
        refuse(found.missing());
        List<Item> lacking = new HistoryService(link).lacking(settings.text("server"), found.items());
        if (!lacking.isEmpty()) {
            warn("nodes without a history that may be read: " + Words.nodes(lacking.stream().map(Item::text).toList()));
        }
    }

    /** Looks for nodes, and what structures they may have. */
    private Nodes.Found find() throws IOException, InterruptedException {
        Nodes.Found found = Nodes.find(settings, link);
        structures.learn(found.items(), new StructureService(link));
        return found;
    }

    private void refuse(List<String> nodes) throws RefusedException {
        if (!nodes.isEmpty()) {
            throw new RefusedException("not all `nodes` can be watched at " + settings.text("server") + ": "
                    + Words.nodes(nodes), null);
        }
    }

    private void tellKept() {
        if (subscription.keptMs() < settings.whole("keep_ms")) {
            warn("the server keeps what changes for " + subscription.keptMs() + " ms, and not for keep_ms="
                    + settings.whole("keep_ms"));
        }
        if (subscription.queue() < settings.whole("queue_size")) {
            warn("the server keeps " + subscription.queue() + " values of a node, and not queue_size="
                    + settings.whole("queue_size"));
        }
    }

    private Link connect() throws IOException, InterruptedException {
        link = Link.open(settings, "despina." + host.operator(), session, settings.whole("connect_ms"));
        session = link.session();
        return link;
    }

    private void connectAgain() throws IOException, InterruptedException {
        connect();
        past = null;            // what was not given is still missing
        waiting.clear();
        String why = subscription == null ? null : resumed();
        if (why != null) {
            anew(why);
        }
        heard = System.nanoTime();
    }

    /** @return why another subscription is needed; null if the one that is there goes on */
    private String resumed() throws IOException, InterruptedException {
        if (!known) {       // who tells the server again has it watch nodes twice
            return "the connection broke while the server was told what to watch";
        }
        String why = subscription.resume(link);
        return why == null ? null : ended(why);
    }

    private static String ended(String why) {
        return "the server has ended the subscription (" + why + ")";
    }

    /** The subscription does not go on. */
    private void anew(String why) throws IOException, InterruptedException {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - heard);
        warn(why + (history ? ": what changed in the " + millis + " ms before this comes from the server's history"
                : ": of what changed in the " + millis + " ms before this, only each node's last value comes"));
        subscription.delete(link);
        structures = new Structures();
        if (history) {
            subscription = null;
            behind = true;
        } else {
            subscribe();
        }
    }

    /** Makes a subscription. */
    private void subscribe() throws IOException, InterruptedException {
        known = false;
        subscription = new Subscription(link, settings, this::give);
        look(!started);
        if (!started) {
            started = true;
            tellKept();
        }
    }

    /** Looks for nodes, and has those watched that are not yet. @param first whether all must be there */
    private void look(boolean first) throws IOException, InterruptedException {
        Nodes.Found found = find();
        List<String> now = new ArrayList<>(found.missing());
        known = false;
        now.addAll(subscription.add(found.items()));
        known = true;
        looked = System.nanoTime();
        if (first) {
            refuse(now);
        }
        if (!now.equals(missing) && !now.isEmpty()) {
            warn("nodes that cannot be watched just now: " + Words.nodes(now));
        }
        missing = now;
        mayCome = !now.isEmpty() || settings.texts("nodes").stream().anyMatch(each -> each.startsWith("/"));
    }

    @Override
    protected void step() throws IOException, InterruptedException {
        if (isStopped() || over) {
            rest();
        } else if (link == null) {
            connectAgain();
            outage.ends();
        } else {
            link.live();
            if (!host.hasRoom()) {
                awaitRoom();
            } else if (behind) {
                catchUp();
            } else if (subscription != null) {
                take();
            } else if (before == null) {
                rest();
            } else {
                given.remember(before);
                behind = true;
            }
        }
    }

    /** What the history has from each node's last value on; that of a node without one is asked for from a given time on. */
    private History missed() throws IOException, InterruptedException {
        pastBegan = System.nanoTime();
        List<Item> items = find().items();
        if (from > Long.MIN_VALUE) {
            given.missing(items, from);
        }
        return new History(new HistoryService(link), given.known(items), Math.min(to, nowMicros() + AHEAD_MICROS));
    }

    private static long nowMicros() {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    }

    /** Gives some of the history. When all is given, a subscription follows, and the little that is missing before that. */
    private void catchUp() throws IOException, InterruptedException {
        if (past == null) {
            past = missed();
        }
        if (waiting.isEmpty()) {
            waiting.addAll(past.next());
        }
        for (int k = 0; k < AT_ONCE && !waiting.isEmpty(); k++) {
            History.Past each = waiting.remove();
            given.past(each);
            put(each.item(), each.value(), each.micros());
        }
        if (!waiting.isEmpty() || !past.isDone()) {
            return;
        }
        if (to < Long.MAX_VALUE) {
            tellRefused();
            over = true;
            host.ended();
            return;
        }
        long took = System.nanoTime() - pastBegan;
        boolean again = subscription == null && took > LONG_NANOS && took < pastTook;
        pastTook = took;
        if (subscription != null) {
            tellRefused();
            behind = false;
            pastTook = Long.MAX_VALUE;
        } else if (!again) {
            given.subscribed();
            subscribe();
        }
        past = null;
        heard = System.nanoTime();
    }

    private void tellRefused() {
        if (!past.refused().isEmpty()) {
            warn("the server gives no history of " + Words.nodes(past.refused()) + (to < Long.MAX_VALUE ? ""
                    : ": of what changed before this, only the last value comes"));
        }
    }

    private void take() throws IOException, InterruptedException {
        try {
            subscription.ask();
            if (subscription.take(WAIT_MS)) {
                heard = System.nanoTime();
            }
            if (subscription.isEnded()) {
                anew(ended("its time was over, or another client has it"));
                return;
            }
        } catch (FaultException fault) {
            if (!GONE.contains(fault.code())) {
                throw fault;
            }
            anew(ended(fault.getMessage()));
            return;
        }
        lost += subscription.takeLost();
        tell(System.nanoTime() - told > TELL_NANOS);
        if (mayCome && System.nanoTime() - looked > browseNanos) {
            look(false);
        }
    }

    private void give(Item item, DataValue value, boolean first) {
        long micros = Reading.micros(value.getSourceTime());
        if (!given.isNew(item, micros, first)) {
            return;
        }
        if (value.getStatusCode() != null && value.getStatusCode().isOverflowSet()) {
            overflows++;
        }
        put(item, value, micros);
    }

    /** With when it was measured, so that the next process knows from when on values are missing. */
    private void put(Item item, DataValue value, long micros) {
        boolean named = history && micros != Reading.NO_TIME;
        host.put(new Delivery(Reading.of(item, value, this::text, nowMicros()), named ? item.name() : null,
                named ? Long.toString(micros) : null, false, NOTHING));
    }

    private String text(Object value) {
        return ValueText.of(column, value, each -> structures.read(each, link.context()));
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
