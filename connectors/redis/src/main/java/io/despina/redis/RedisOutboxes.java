package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Leftovers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Protocol.Command;

/** The key with a mark that each outbox of a sink has left. */
final class RedisOutboxes {
    private final ConnectorSettings settings;
    private final Leftovers of;

    RedisOutboxes(ConnectorSettings settings, Leftovers of) {
        this.settings = settings;
        this.of = of;
    }

    String run() throws IOException {
        List<String> words = new ArrayList<>();
        try (Link link = Link.open(settings, "despina-leftovers", Math.min(of.millis(), settings.whole("connect_ms")))) {
            for (String outbox : of.names()) {
                String key = new String(EpochWriter.key(settings, outbox), StandardCharsets.UTF_8);
                Object found = link.ask(Command.GET, key);
                if (found == null) {
                    continue;
                }
                words.add(key + " (epoch " + Mark.of(found).epoch() + ")");
                if (of.removes()) {
                    link.ask(Command.DEL, key);
                }
            }
        }
        return (words.isEmpty() ? "no marker" : "the key" + (words.size() == 1 ? " " : "s ") + String.join(", ", words)) + " at "
                + settings.text("server");
    }
}
