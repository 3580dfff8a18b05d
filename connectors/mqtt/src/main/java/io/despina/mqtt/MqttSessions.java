package io.despina.mqtt;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Leftovers;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * The sessions that instances of a source have at a broker. It cannot be asked for one without taking it over, and what waits in
 * it would be sent; so they are only named, or ended: a client that begins afresh under the same id ends the session before.
 */
final class MqttSessions {
    private static final int MOST_PACKET = 1 << 16;

    private final ConnectorSettings settings;
    private final Leftovers of;

    MqttSessions(ConnectorSettings settings, Leftovers of) {
        this.settings = settings;
        this.of = of;
    }

    String run() throws Exception {
        List<String> clients = clients();
        String named = (clients.size() == 1 ? "session " : "sessions ") + String.join(", ", clients);
        if (!of.removes()) {
            return named + " at " + settings.text("broker") + ", unless it has ended by itself";
        }
        for (String client : clients) {
            end(Broker.of(settings, client).within(of.millis()));
        }
        return named + " at " + settings.text("broker");
    }

    /** As the reader connects. */
    private List<String> clients() {
        if (!settings.has("client_id")) {
            return of.names();
        }
        String id = settings.text("client_id");
        int count = of.names().size();
        return count == 1 ? List.of(id) : IntStream.range(0, count).mapToObj(instance -> id + "." + instance).toList();
    }

    private void end(Broker broker) throws Exception {
        Ending ending = new Ending();
        Link link = Link.open(broker, new Link.Opening(true, MqttProperties.NO_PROPERTIES, MOST_PACKET), ending);
        try {
            ending.begun.get(of.millis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw (IOException) e.getCause();
        } catch (TimeoutException e) {
            throw new IOException("`broker` " + broker + " does not answer within " + of.millis() + " ms", e);
        } finally {
            link.close(MqttProperties.NO_PROPERTIES);
        }
    }

    /** A new session, which ends with its connection. */
    private static final class Ending implements Link.User {
        private final CompletableFuture<Void> begun = new CompletableFuture<>();

        @Override
        public void connected(Link link, boolean session, MqttProperties limits) {
            begun.complete(null);
        }

        @Override
        public void received(Link link, MqttMessage message) {
            ReferenceCountUtil.release(message);
        }

        @Override
        public void lost(Link link, IOException why) {
            begun.completeExceptionally(why);
        }
    }
}
