package io.despina.kafka;

import io.despina.connect.ConnectorSettings;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Which of the topics that rows name are not there. A producer would wait for such a topic for as long as for a broker that is
 * away, and all rows with it.
 */
final class NamedTopics {
    /** Names of each kind that are kept. */
    private static final int MOST = 10_000;
    /** A topic that is missing is asked for again after that. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ConnectorSettings settings;
    private final String client;
    private final Set<String> known = new HashSet<>();
    /** When it was found to be missing, by name. */
    private final Map<String, Long> missing = new HashMap<>();

    NamedTopics(ConnectorSettings settings, String client) {
        this.settings = settings;
        this.client = client;
    }

    /** False also if brokers would make it, or do not say: then the producer finds out. */
    boolean isMissing(String topic) throws InterruptedException {
        if (known.contains(topic)) {
            return false;
        }
        Long since = missing.get(topic);
        if (since != null && System.nanoTime() - since < AGAIN_NANOS) {
            return true;
        }
        boolean isMissing = asked(topic);
        if (known.size() + missing.size() >= MOST) {
            known.clear();
            missing.clear();
        }
        if (isMissing) {
            missing.put(topic, System.nanoTime());
        } else {
            missing.remove(topic);
            known.add(topic);
        }
        return isMissing;
    }

    private boolean asked(String topic) throws InterruptedException {
        try {
            Properties properties = ClientProperties.of(settings, client + ".admin");
            String millis = Long.toString(settings.whole("connect_ms"));
            properties.setProperty("default.api.timeout.ms", millis);
            properties.setProperty("request.timeout.ms", millis);
            try (Admin admin = ClientProperties.made(() -> Admin.create(properties))) {
                return !isThere(admin, topic) && !areMade(admin);
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (InterruptException e) {
            Thread.interrupted();       // the client has set it again
            throw new InterruptedException(e.getMessage());
        } catch (Exception doNotSay) {
            return false;
        }
    }

    private static boolean isThere(Admin admin, String topic) throws ExecutionException, InterruptedException {
        try {
            admin.describeTopics(List.of(topic)).allTopicNames().get();
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw e;
        }
    }

    /** Whether a broker makes topics that are not there. */
    private static boolean areMade(Admin admin) throws ExecutionException, InterruptedException {
        Collection<Node> nodes = admin.describeCluster().nodes().get();
        for (Node node : nodes) {
            ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, node.idString());
            ConfigEntry made = admin.describeConfigs(List.of(broker)).all().get().get(broker).get("auto.create.topics.enable");
            if (made == null || Boolean.parseBoolean(made.value())) {
                return true;
            }
        }
        return false;
    }
}
