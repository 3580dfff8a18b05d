package io.despina.opcua;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.ubyte;
import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import io.despina.connect.ConnectorSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.milo.opcua.stack.core.AttributeId;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.UInteger;
import org.eclipse.milo.opcua.stack.core.types.enumerated.DataChangeTrigger;
import org.eclipse.milo.opcua.stack.core.types.enumerated.MonitoringMode;
import org.eclipse.milo.opcua.stack.core.types.enumerated.TimestampsToReturn;
import org.eclipse.milo.opcua.stack.core.types.structured.CreateMonitoredItemsRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.CreateMonitoredItemsResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.CreateSubscriptionRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.CreateSubscriptionResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.DataChangeFilter;
import org.eclipse.milo.opcua.stack.core.types.structured.DataChangeNotification;
import org.eclipse.milo.opcua.stack.core.types.structured.DeleteSubscriptionsRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.DeleteSubscriptionsResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.MonitoredItemCreateRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.MonitoredItemCreateResult;
import org.eclipse.milo.opcua.stack.core.types.structured.MonitoredItemNotification;
import org.eclipse.milo.opcua.stack.core.types.structured.MonitoringParameters;
import org.eclipse.milo.opcua.stack.core.types.structured.NotificationMessage;
import org.eclipse.milo.opcua.stack.core.types.structured.PublishResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadValueId;
import org.eclipse.milo.opcua.stack.core.types.structured.RepublishRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.RepublishResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.StatusChangeNotification;
import org.eclipse.milo.opcua.stack.core.types.structured.SubscriptionAcknowledgement;
import org.eclipse.milo.opcua.stack.core.types.structured.TransferSubscriptionsRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.TransferSubscriptionsResponse;

/**
 * A subscription at the server. It outlives connections: a message that was lost with one is asked for again by its number.
 * Milo's own subscriptions do the same, but ask for more however full the graph is, and let the server forget what has not come.
 */
final class Subscription {
    private static final double ALIVE_MS = 2_000;
    private static final double AS_PUBLISHED = -1;
    private static final int SILENCES = 3;
    private static final int VALUES_PER_MESSAGE = 1_000;
    /** Messages that are asked for one by one; if more are missing, something else is wrong. */
    private static final int MOST_MISSING = 10_000;
    private static final int ABSOLUTE = 1;
    private static final int PERCENT = 2;

    /** Takes what comes. */
    interface Taker {
        /** @param first whether it is the first of its node that this subscription brings */
        void value(Item item, DataValue value, boolean first);
    }

    private final ConnectorSettings settings;
    private final Taker taker;
    private final UInteger id;
    private final double intervalMs;
    private final double aliveMs;
    private final double keptMs;
    private final Sequence sequence = new Sequence();
    private final List<UInteger> seen = new ArrayList<>();
    /** By their handles. */
    private final List<Item> items = new ArrayList<>();
    private final Map<NodeId, Integer> handles = new HashMap<>();
    private final Set<NodeId> watched = new HashSet<>();
    private final BitSet begun = new BitSet();
    private final Batches batches = new Batches();
    private Link link;
    private Publishing publishing;
    /** Whether a number may be that of the word to the session before, that it has the subscription no more. */
    private boolean transferred;
    private long lost;
    private long queue = Long.MAX_VALUE;
    private boolean ended;

    /** Has the server make one. Blocks. */
    Subscription(Link link, ConnectorSettings settings, Taker taker) throws IOException, InterruptedException {
        this.settings = settings;
        this.taker = taker;
        double interval = settings.whole("publish_ms");
        long alive = (long) Math.ceil(ALIVE_MS / interval);
        long kept = Math.max(SILENCES * alive, (long) Math.ceil(settings.whole("keep_ms") / interval));
        CreateSubscriptionResponse made = link.ask(CreateSubscriptionResponse.class, header -> new CreateSubscriptionRequest(
                header, interval, uint(kept), uint(alive), uint(VALUES_PER_MESSAGE), true, ubyte(0)));
        id = made.getSubscriptionId();
        intervalMs = made.getRevisedPublishingInterval();
        aliveMs = intervalMs * made.getRevisedMaxKeepAliveCount().longValue();
        keptMs = intervalMs * made.getRevisedLifetimeCount().longValue();
        use(link);
    }

    private void use(Link next) {
        link = next;
        publishing = new Publishing(link, settings, (long) aliveMs + settings.whole("connect_ms"));
    }

    /** How long the server keeps it while nobody asks. */
    long keptMs() {
        return (long) keptMs;
    }

    /** The shortest queue that the server has made for a node; very long if there is none. */
    long queue() {
        return queue;
    }

    /** Whether the server has ended it. */
    boolean isEnded() {
        return ended;
    }

    /** How many messages have been lost since this was asked last. */
    long takeLost() {
        long now = lost;
        lost = 0;
        return now;
    }

    /**
     * Goes on with it over another connection, with what was lost on the way. If that has another session, the server is asked to
     * give it the subscription. Blocks.
     *
     * @return null if that was done; why the server would not, if it would not
     */
    String resume(Link next) throws IOException, InterruptedException {
        try {
            String why = next.isResumed() ? null : transfer(next);
            if (why != null) {
                return why;
            }
            use(next);
            while (again()) {
                continue;       // what the server does not have any more is seen by the number of the next message
            }
            return null;
        } catch (FaultException fault) {
            return fault.getMessage();
        }
    }

    private String transfer(Link next) throws IOException, InterruptedException {
        StatusCode status = Batches.only(next.ask(TransferSubscriptionsResponse.class, header ->
                new TransferSubscriptionsRequest(header, new UInteger[] {id}, false)).getResults()).getStatusCode();
        transferred = status.isGood();
        return transferred ? null : Words.name(status);
    }

    /** Has the server forget it, if this session has it still: its messages would take the place of another's. Blocks. */
    void delete(Link session) throws IOException, InterruptedException {
        try {
            session.ask(DeleteSubscriptionsResponse.class, header -> new DeleteSubscriptionsRequest(header,
                    new UInteger[] {id}));
        } catch (FaultException gone) {
            // then there is nothing to forget
        }
    }

    /**
     * Has the server watch nodes. Blocks. If it fails, nobody knows which of them the server watches.
     *
     * @return those that it will not watch, each with why
     */
    List<String> add(List<Item> all) throws IOException, InterruptedException {
        List<Item> more = all.stream().filter(each -> !watched.contains(each.node())).toList();
        List<MonitoredItemCreateRequest> requests = new ArrayList<>();
        for (Item each : more) {
            requests.add(new MonitoredItemCreateRequest(new ReadValueId(each.node(), AttributeId.Value.uid(), null,
                    QualifiedName.NULL_VALUE), MonitoringMode.Reporting, new MonitoringParameters(uint(handle(each)),
                    settings.has("sampling_ms") ? settings.whole("sampling_ms") : AS_PUBLISHED, filter(),
                    uint(settings.whole("queue_size")), true)));
        }
        List<MonitoredItemCreateResult> results = batches.ask(requests, some -> link.ask(CreateMonitoredItemsResponse.class,
                header -> new CreateMonitoredItemsRequest(header, id, TimestampsToReturn.Both,
                        some.toArray(MonitoredItemCreateRequest[]::new))).getResults());
        List<String> refused = new ArrayList<>();
        for (int k = 0; k < results.size(); k++) {
            if (results.get(k).getStatusCode().isGood()) {
                watched.add(more.get(k).node());
                queue = Math.min(queue, results.get(k).getRevisedQueueSize().longValue());
            } else {
                refused.add(more.get(k).text() + " (" + Words.name(results.get(k).getStatusCode()) + ")");
            }
        }
        return refused;
    }

    private int handle(Item item) {
        Integer known = handles.putIfAbsent(item.node(), items.size());
        if (known == null) {
            items.add(item);
            return items.size() - 1;
        }
        return known;
    }

    /** Null for what servers do without. */
    private ExtensionObject filter() {
        boolean absolute = settings.has("deadband");
        boolean percent = settings.has("deadband_percent");
        boolean times = settings.text("trigger").equals("time");
        if (!absolute && !percent && !times) {
            return null;
        }
        double band = absolute ? Double.parseDouble(settings.text("deadband"))
                : percent ? Double.parseDouble(settings.text("deadband_percent")) : 0;
        return ExtensionObject.encode(link.context(), new DataChangeFilter(times ? DataChangeTrigger.StatusValueTimestamp
                : DataChangeTrigger.StatusValue, uint(absolute ? ABSOLUTE : percent ? PERCENT : 0), band));
    }

    /** Asks for more messages. */
    void ask() {
        publishing.ask(this::acknowledged);
    }

    private SubscriptionAcknowledgement[] acknowledged() {
        SubscriptionAcknowledgement[] all = seen.stream().map(each -> new SubscriptionAcknowledgement(id, each))
                .toArray(SubscriptionAcknowledgement[]::new);
        seen.clear();
        return all;
    }

    /**
     * Gives the taker what the next message has, and what those have that are missing before it. Waits for a moment.
     *
     * @return whether the server has said something
     */
    boolean take(long millis) throws IOException, InterruptedException {
        PublishResponse response = publishing.take(millis);
        if (response == null) {
            return false;
        }
        if (response.getSubscriptionId().equals(id)) {
            NotificationMessage message = response.getNotificationMessage();
            fill(message.getSequenceNumber().longValue());
            transferred = false;
            take(message);
        }
        return true;
    }

    /** Also before the first: it may have been the answer to a question of an earlier connection, or subscription. */
    private void fill(long upTo) throws IOException, InterruptedException {
        long missing = sequence.ahead(upTo);
        if (missing > MOST_MISSING) {
            lost += missing;
            sequence.passTo(upTo);
            return;
        }
        for (; missing > 0; missing--) {
            if (!again()) {
                sequence.pass();
                lost += transferred ? 0 : 1;
                transferred = false;
            }
        }
    }

    /** Takes the next message, which was on a way that has ended. @return whether the server still has it */
    private boolean again() throws IOException, InterruptedException {
        long number = sequence.next();
        try {
            take(link.ask(RepublishResponse.class, header -> new RepublishRequest(header, id, uint(number)))
                    .getNotificationMessage());
            return sequence.next() != number;
        } catch (FaultException fault) {
            if (fault.code() != StatusCodes.Bad_MessageNotAvailable) {
                throw fault;
            }
            return false;
        }
    }

    private void take(NotificationMessage message) {
        ExtensionObject[] parts = message.getNotificationData();
        if (parts == null || parts.length == 0) {
            return;         // it only says that it is there; its number is that of the next one
        }
        long number = message.getSequenceNumber().longValue();
        seen.add(message.getSequenceNumber());
        if (sequence.ahead(number) < 0) {
            return;
        }
        sequence.pass();
        for (ExtensionObject each : parts) {
            take(each.decode(link.context()));
        }
    }

    private void take(Object part) {
        if (part instanceof DataChangeNotification changes && changes.getMonitoredItems() != null) {
            for (MonitoredItemNotification each : changes.getMonitoredItems()) {
                int handle = each.getClientHandle().intValue();
                if (handle >= 0 && handle < items.size()) {
                    taker.value(items.get(handle), each.getValue(), !begun.get(handle));
                    begun.set(handle);
                }
            }
        } else if (part instanceof StatusChangeNotification) {
            ended = true;       // its time is over, or another session has it
        }
    }
}
