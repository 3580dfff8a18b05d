package io.despina.mqtt;

import io.despina.connect.AcknowledgingReader;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.Delivery;
import io.despina.connect.DeliveryHost;
import io.despina.connect.LoginPatience;
import io.despina.connect.RecordContent;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption.RetainedHandlingPolicy;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reads topics in a session that the broker keeps. It acknowledges a message when the source says so, on the connection by which
 * it came; if that has ended, the broker sends the message again by the next one.
 */
final class MqttReader implements AcknowledgingReader, KeptLink.User {
    private static final Runnable NOTHING = () -> { };
    /** What may stand before a payload: a topic, and properties. */
    private static final int HEAD_BYTES = 1 << 17;
    private static final int SUBSCRIBE_ID = 1;
    private static final long FORGET_MS = 1_000;

    private final ConnectorSettings settings;
    private final DeliveryHost host;
    private final Filters filters;
    private final Message view;
    private Broker broker;
    private KeptLink kept;
    /** Written by threads of connections, one after the other. */
    private volatile Acknowledgements acknowledgements;
    private volatile Link link;
    private volatile boolean stopped;
    /** Whether this process has subscribed; of a connection's thread. */
    private volatile boolean subscribed;

    MqttReader(ConnectorSettings settings, DeliveryHost host) {
        this.settings = settings;
        this.host = host;
        filters = new Filters(settings.texts("topics"), settings.texts("levels"));
        view = new Message(filters);
    }

    @Override
    public void open() throws Exception {
        broker = Broker.of(settings, client());
        kept = new KeptLink(broker, new Link.Opening(false, properties(), (int) settings.whole("max_record_bytes") + HEAD_BYTES),
                this, new LoginPatience(settings));
        kept.open(broker.connectMs());
    }

    private String client() {
        if (!settings.has("client_id")) {
            return host.name();
        }
        return settings.text("client_id") + (host.parallelism() > 1 ? "." + host.instance() : "");
    }

    private MqttProperties properties() {
        MqttProperties properties = new MqttProperties();
        properties.add(new MqttProperties.IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL,
                (int) TimeUnit.MILLISECONDS.toSeconds(settings.whole("session_expiry_ms"))));
        properties.add(new MqttProperties.IntegerProperty(MqttProperties.RECEIVE_MAXIMUM, (int) settings.whole("max_in_flight")));
        return properties;
    }

    @Override
    public boolean connected(Link made, boolean session, MqttProperties limits) {
        link = made;
        acknowledgements = new Acknowledgements(made);
        if (stopped) {
            made.pause();
            return true;
        }
        if (subscribed && session) {
            return true;
        }
        if (subscribed) {
            warn("`broker` " + broker + " has forgotten the session of `" + broker.client() + "`, and what it kept for it");
        }
        MqttMessageBuilders.SubscribeBuilder subscribe = MqttMessageBuilders.subscribe().messageId(SUBSCRIBE_ID);
        MqttQoS qos = MqttQoS.valueOf((int) settings.whole("qos"));
        for (String each : texts()) {
            if (broker.isFive()) {
                subscribe.addSubscription(each, new MqttSubscriptionOption(qos, false, false,
                        RetainedHandlingPolicy.SEND_AT_SUBSCRIBE_IF_NOT_YET_EXISTS));
            } else {
                subscribe.addSubscription(qos, each);
            }
        }
        made.write(subscribe.build());
        made.flush();
        return false;
    }

    private List<String> texts() {
        String group = settings.has("group") ? "$share/" + settings.text("group") + "/" : "";
        return filters.texts().stream().map(each -> group + each).toList();
    }

    @Override
    public void received(Link from, MqttMessage message) {
        try {
            if (message instanceof MqttPublishMessage publish) {
                take(from, publish);
            } else if (message instanceof MqttSubAckMessage answer) {
                check(answer);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void check(MqttSubAckMessage answer) {
        List<Integer> codes = answer.payload().reasonCodes();
        for (int k = 0; k < codes.size(); k++) {
            String topic = settings.texts("topics").get(k);
            if (codes.get(k) >= Words.FAILED) {
                kept.refuse(Words.unread(broker, topic, codes.get(k)));
                return;
            }
            if (codes.get(k) < settings.whole("qos")) {
                warn("`broker` " + broker + " gives `" + topic + "` with qos 0: what is lost on the way does not come again");
            }
        }
        subscribed = true;
        kept.ready();
    }

    private void take(Link from, MqttPublishMessage message) {
        byte[] bytes = Message.of(message, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
        if (message.fixedHeader().qosLevel() == MqttQoS.AT_MOST_ONCE) {
            host.put(new Delivery(bytes, null, null, false, NOTHING));
        } else {
            int id = message.variableHeader().packetId();
            Acknowledgements by = acknowledgements;
            host.put(new Delivery(bytes, Integer.toString(id), Message.digest(bytes), message.fixedHeader().isDup(),
                    () -> by.add(id)));
        }
        if (!host.hasRoom() && from.isReading()) {
            from.pause();
            host.whenRoom(() -> resume(from));
        }
    }

    private void resume(Link paused) {
        if (!stopped) {
            paused.read(true);
        }
    }

    @Override
    public void stop() {
        stopped = true;
        Link last = link;
        if (last != null) {
            last.read(false);
        }
    }

    @Override
    public void lost(Link ended) {
        // what it gave and nobody has acknowledged comes again
    }

    @Override
    public void failed(IOException why) {
        host.failed(why);
    }

    @Override
    public void warn(String what) {
        host.warn("`" + host.operator() + "`: " + what);
    }

    @Override
    public RecordContent content(byte[] bytes, int length) throws IOException {
        return view.read(bytes, length);
    }

    /** A job that keeps no state leaves no session behind. */
    @Override
    public void close() {
        if (kept == null) {
            return;
        }
        boolean leaves = !host.isKept() && !settings.has("client_id");
        MqttProperties farewell = new MqttProperties();
        if (leaves) {
            farewell.add(new MqttProperties.IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, 0));
        }
        kept.close(farewell);
        if (leaves && !broker.isFive() && subscribed) {
            forget();
        }
    }

    /** In 3.1.1 only a client that begins afresh ends its session. */
    private void forget() {
        KeptLink fresh = new KeptLink(broker.within(FORGET_MS), new Link.Opening(true, MqttProperties.NO_PROPERTIES, HEAD_BYTES),
                new Forgetting(), new LoginPatience(settings));
        try {
            fresh.open(FORGET_MS);
        } catch (IOException leftToTheBroker) {
            // it is away; it may end sessions by itself
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        fresh.close(MqttProperties.NO_PROPERTIES);
    }

    /** Wants no more than to have been there. */
    private static final class Forgetting implements KeptLink.User {
        @Override
        public boolean connected(Link link, boolean session, MqttProperties limits) {
            return true;
        }

        @Override
        public void received(Link link, MqttMessage message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void lost(Link link) {
            // it was not needed
        }

        @Override
        public void failed(IOException why) {
            // likewise
        }

        @Override
        public void warn(String what) {
            // nobody needs to know
        }
    }
}
