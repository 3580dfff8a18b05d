package io.despina.mqtt;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LoginPatience;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.RefusedException;
import io.despina.connect.WriterHost;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttPublishVariableHeader;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Publishes messages. It keeps each until the broker has acknowledged it, and sends those that were not again by the next
 * connection, in order. With QoS 0 a message is done when it is in the socket.
 */
final class MqttWriter implements RecordWriter, KeptLink.User {
    private static final byte[] NOTHING = {};
    private static final int MOST_PACKET = 1 << 16;
    private static final int MOST_TEXT = 65_535;
    private static final int LENGTHS = 8;
    private static final byte[] ID = "despina-id".getBytes(StandardCharsets.UTF_8);

    private final ConnectorSettings settings;
    private final WriterHost host;
    private final MqttQoS qos;
    private final boolean retain;
    private final String topic;
    private final InFlight flight;
    private final long retryNanos;
    private KeptLink kept;
    private Broker broker;
    /** Written by threads of connections. */
    private volatile Link link;
    /** Of the broker: bytes of a packet. */
    private volatile long mostBytes = Long.MAX_VALUE;
    /** Of the epoch that is written; null without. */
    private String epochName;
    private long number;
    /** How long the first connection may take, tried again and again; 0 for that of the broker. */
    private long patienceMs;

    MqttWriter(ConnectorSettings settings, WriterHost host) {
        this.settings = settings;
        this.host = host;
        qos = MqttQoS.valueOf((int) settings.whole("qos"));
        retain = settings.flag("retain");
        topic = settings.has("topic") ? settings.text("topic") : null;
        flight = new InFlight((int) settings.whole("max_in_flight"), settings.whole("buffer_bytes"));
        retryNanos = TimeUnit.MILLISECONDS.toNanos(settings.whole("retry_for_ms"));
    }

    @Override
    public void open(boolean later) throws Exception {
        broker = Broker.of(settings, client());
        if (later) {
            patienceMs = Math.max(broker.connectMs(), settings.whole("retry_for_ms"));
        } else {
            connect();
        }
    }

    private String client() {
        if (settings.has("client_id")) {
            return settings.text("client_id") + (host.parallelism() > 1 ? "." + host.instance() : "");
        }
        return host.operator() + "." + host.instance() + "." + UUID.randomUUID();
    }

    /** A session is of no use: what the broker does not have is here. */
    private void connect() throws Exception {
        if (kept == null) {
            kept = new KeptLink(broker, new Link.Opening(true, MqttProperties.NO_PROPERTIES, MOST_PACKET), this,
                    new LoginPatience(settings));
            kept.open(Math.max(patienceMs, broker.connectMs()));
        }
    }

    @Override
    public void begin(String outbox, long epoch) {
        epochName = outbox + "/" + epoch + "/";
        number = 0;
    }

    @Override
    public void write(Outgoing record) throws Exception {
        connect();
        String to = record.target() == null ? topic : record.target();
        byte[] payload = record.value() == null ? NOTHING : record.value();
        byte[][] pairs = broker.isFive() ? pairs(record.pairs()) : record.pairs();
        String problem = problem(to, payload, pairs);
        if (problem != null) {
            host.refused(problem, payload);
            return;
        }
        Boolean tell = flight.add(to, payload, pairs, retryNanos);
        if (tell == null) {
            throw stuck();
        }
        Link by = link;
        if (tell && by != null) {
            by.run(() -> send(by));
        }
    }

    private IOException stuck() {
        return new IOException("`broker` " + broker + " has taken no message for retry_for_ms=" + settings.whole("retry_for_ms"));
    }

    /** With a name of the message behind them that is the same whenever its epoch is sent. */
    private byte[][] pairs(byte[][] of) {
        if (epochName == null) {
            return of;
        }
        byte[][] pairs = Arrays.copyOf(of, of.length + 2);
        pairs[of.length] = ID;
        pairs[of.length + 1] = (epochName + number++).getBytes(StandardCharsets.UTF_8);
        return pairs;
    }

    private String problem(String to, byte[] payload, byte[][] pairs) {
        int length = to.getBytes(StandardCharsets.UTF_8).length;
        if (to.isEmpty() || length > MOST_TEXT || to.indexOf('+') >= 0 || to.indexOf('#') >= 0 || to.indexOf('\0') >= 0) {
            return "`" + to + "` is no topic that a message can be sent to: it may have 1 to 65535 bytes, and no + and #";
        }
        long size = LENGTHS + length + payload.length;
        for (byte[] each : pairs) {
            if (each != null && each.length > MOST_TEXT) {
                return "a user property has " + each.length + " bytes: it may have at most 65535";
            }
            size += each == null ? 0 : LENGTHS + each.length;
        }
        return size <= mostBytes ? null : "the message for topic `" + to + "` has " + size + " bytes, and the broker takes at "
                + "most " + mostBytes;
    }

    @Override
    public boolean connected(Link made, boolean session, MqttProperties limits) {
        IOException wrong = learn(limits);
        if (wrong != null) {
            kept.refuse(wrong);
            return false;
        }
        link = made;
        flight.linked();
        send(made);
        return true;
    }

    /** @return what the broker cannot do; null if it can do all */
    private IOException learn(MqttProperties limits) {
        MqttProperties.MqttProperty<?> receive = limits.getProperty(MqttProperties.RECEIVE_MAXIMUM);
        if (receive != null) {
            flight.limit((Integer) receive.value());
        }
        MqttProperties.MqttProperty<?> packet = limits.getProperty(MqttProperties.MAXIMUM_PACKET_SIZE);
        if (packet != null) {
            mostBytes = Integer.toUnsignedLong((Integer) packet.value());
        }
        return lacking(broker, limits, retain, qos);
    }

    /** What the broker cannot do of that; null if it can do all. */
    static IOException lacking(Broker broker, MqttProperties limits, boolean retain, MqttQoS qos) {
        if (isZero(limits, MqttProperties.RETAIN_AVAILABLE) && retain) {
            return new RefusedException("`broker` " + broker + " retains no messages: leave `retain` out", null);
        }
        if (isZero(limits, MqttProperties.MAXIMUM_QOS) && qos != MqttQoS.AT_MOST_ONCE) {
            return new RefusedException("`broker` " + broker + " takes no messages of `qos` 1", null);
        }
        return null;
    }

    private static boolean isZero(MqttProperties limits, int property) {
        MqttProperties.MqttProperty<?> value = limits.getProperty(property);
        return value != null && (Integer) value.value() == 0;
    }

    /** Of a connection's thread: sends all that waits. */
    private void send(Link by) {
        List<InFlight.Sent> all = flight.takeUnsent();
        Future<Void> written = null;
        for (InFlight.Sent each : all) {
            written = by.write(packet(each));
        }
        if (written != null && qos == MqttQoS.AT_MOST_ONCE) {
            written.addListener(done -> flight.done(all));
        }
        by.flush();
    }

    private MqttPublishMessage packet(InFlight.Sent of) {
        MqttProperties properties = new MqttProperties();
        for (int k = 0; k < of.pairs().length; k += 2) {
            if (of.pairs()[k + 1] != null) {
                properties.add(new MqttProperties.UserProperty(new String(of.pairs()[k], StandardCharsets.UTF_8),
                        new String(of.pairs()[k + 1], StandardCharsets.UTF_8)));
            }
        }
        return new MqttPublishMessage(new MqttFixedHeader(MqttMessageType.PUBLISH, false, qos, retain, 0),
                new MqttPublishVariableHeader(of.topic(), of.id(), properties), Unpooled.wrappedBuffer(of.payload()));
    }

    @Override
    public void received(Link from, MqttMessage message) {
        if (message.fixedHeader().messageType() == MqttMessageType.PUBACK) {
            MqttMessageIdVariableHeader header = (MqttMessageIdVariableHeader) message.variableHeader();
            int reason = header instanceof MqttPubReplyMessageVariableHeader reply ? reply.reasonCode() & 0xFF : 0;
            if (reason >= Words.FAILED) {
                refused(flight.get(header.messageId()), reason);
            }
            flight.done(header.messageId());        // last: whoever waits for it then finds what was refused
        }
        ReferenceCountUtil.release(message);
    }

    /** A quota may be free again, and every row after it would be refused too; other reasons are of the message. */
    private void refused(InFlight.Sent message, int reason) {
        if (message == null) {
            return;
        }
        String why = "`broker` " + broker + " does not take the message for topic `" + message.topic() + "`: " + Words.of(reason);
        if (reason == Words.QUOTA_EXCEEDED) {
            flight.fail(new IOException(why));
        } else {
            host.refused(why, message.payload());
        }
    }

    @Override
    public void lost(Link ended) {
        link = null;
        flight.unlinked();
    }

    @Override
    public void failed(IOException why) {
        flight.fail(why);
    }

    @Override
    public void warn(String what) {
        host.warn("`" + host.operator() + "`: " + what);
    }

    @Override
    public void flush() throws Exception {
        if (kept != null && !flight.awaitEmpty(retryNanos)) {
            throw stuck();
        }
    }

    @Override
    public void close() {
        if (kept != null) {
            kept.close(MqttProperties.NO_PROPERTIES);
        }
    }
}
