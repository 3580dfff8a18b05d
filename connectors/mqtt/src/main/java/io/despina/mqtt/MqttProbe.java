package io.despina.mqtt;

import io.despina.connect.Connector.Use;
import io.despina.connect.ConnectorSettings;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubAckMessage;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption.RetainedHandlingPolicy;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connects to a broker under a name that nobody else has, in a session that ends with the connection. For a source it
 * subscribes, by itself and not in the group, so that it takes no message away from anybody; what comes is dropped. It publishes
 * nothing: whether it may cannot be asked.
 */
final class MqttProbe implements Link.User {
    private static final int MOST_PACKET = 1 << 16;
    private static final int SUBSCRIBE_ID = 1;

    private final ConnectorSettings settings;
    private final Use use;
    private final CompletableFuture<String> answer = new CompletableFuture<>();
    private Broker broker;

    MqttProbe(ConnectorSettings settings, Use use) {
        this.settings = settings;
        this.use = use;
    }

    String run(long millis) throws Exception {
        broker = Broker.of(settings, "despina-check-" + UUID.randomUUID()).within(millis);
        Link link = Link.open(broker, new Link.Opening(true, MqttProperties.NO_PROPERTIES, MOST_PACKET), this);
        try {
            return answer.get(millis, TimeUnit.MILLISECONDS) + " at " + broker;
        } catch (ExecutionException e) {
            throw (IOException) e.getCause();
        } catch (TimeoutException e) {
            throw new IOException("`broker` " + broker + " does not answer within " + millis + " ms", e);
        } finally {
            link.close(MqttProperties.NO_PROPERTIES);
        }
    }

    @Override
    public void connected(Link link, boolean session, MqttProperties limits) {
        if (use == Use.READ) {
            subscribe(link);
            return;
        }
        IOException lacking = MqttWriter.lacking(broker, limits, settings.flag("retain"), qos());
        if (lacking != null) {
            answer.completeExceptionally(lacking);
        } else {
            answer.complete("the broker takes the login (whether it takes messages, it tells only when they come)");
        }
    }

    private MqttQoS qos() {
        return MqttQoS.valueOf((int) settings.whole("qos"));
    }

    private void subscribe(Link link) {
        MqttMessageBuilders.SubscribeBuilder subscribe = MqttMessageBuilders.subscribe().messageId(SUBSCRIBE_ID);
        for (String each : new Filters(settings.texts("topics"), settings.texts("levels")).texts()) {
            if (broker.isFive()) {
                subscribe.addSubscription(each, new MqttSubscriptionOption(qos(), false, false,
                        RetainedHandlingPolicy.DONT_SEND_AT_SUBSCRIBE));
            } else {
                subscribe.addSubscription(qos(), each);
            }
        }
        link.write(subscribe.build());
        link.flush();
    }

    @Override
    public void received(Link link, MqttMessage message) {
        try {
            if (message instanceof MqttSubAckMessage answered) {
                subscribed(answered.payload().reasonCodes());
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void subscribed(List<Integer> codes) {
        List<String> topics = settings.texts("topics");
        for (int k = 0; k < codes.size(); k++) {
            if (codes.get(k) >= Words.FAILED) {
                answer.completeExceptionally(Words.unread(broker, topics.get(k), codes.get(k)));
                return;
            }
        }
        answer.complete((topics.size() == 1 ? "topic " : "topics ") + String.join(", ", topics));
    }

    @Override
    public void lost(Link link, IOException why) {
        answer.completeExceptionally(why);
    }
}
