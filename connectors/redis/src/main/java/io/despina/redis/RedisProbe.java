package io.despina.redis;

import io.despina.connect.Connector.Use;
import io.despina.connect.ConnectorSettings;
import io.despina.redis.StreamPlace.Known;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Protocol.Command;

/** Asks a server for streams, and whether it keeps what it acknowledges. It reads no entry and writes nothing. */
final class RedisProbe {
    private final ConnectorSettings settings;
    private final long millis;

    RedisProbe(ConnectorSettings settings, long millis) {
        this.settings = settings;
        this.millis = Math.min(millis, settings.whole("connect_ms"));
    }

    String run(Use use) throws IOException {
        try (Link link = Link.open(settings, "despina-check", millis)) {
            String at = " at " + settings.text("server");
            if (use == Use.READ) {
                List<String> found = new ArrayList<>();
                for (String each : settings.texts("streams")) {
                    Known known = new Reading(settings).known(link, each);
                    found.add("stream " + each + (known.last().equals(EntryId.NONE) ? " (not there yet)"
                            : " (" + known.length() + " entries)"));
                }
                return String.join(", ", found) + at;
            }
            Adding.refuseOther(settings, link);
            String found = settings.has("stream") ? "stream " + settings.text("stream") : "the server takes the login";
            return found + at + (use == Use.WRITE_EPOCHS ? kept(link) : "");
        }
    }

    /** A server that writes to its disk later than it answers may forget what it has answered, marks too. */
    private static String kept(Link link) {
        try {
            String always = value(link, "appendfsync");
            return value(link, "appendonly").equals("yes") && always.equals("always") ? ""
                    : "; it may lose what it has acknowledged when its machine fails (appendonly yes and appendfsync always keep "
                    + "it)";
        } catch (IOException | ClassCastException notAllowed) {
            return "; whether it keeps what it acknowledges (appendonly yes, appendfsync always) it does not say";
        }
    }

    private static String value(Link link, String name) throws IOException {
        List<?> answer = (List<?>) link.ask(Command.CONFIG, "GET", name);
        return answer.size() < 2 ? "" : new String((byte[]) answer.get(1), StandardCharsets.US_ASCII);
    }
}
