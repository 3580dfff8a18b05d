package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Leftovers;
import io.despina.nats.Marks.Mark;
import java.util.ArrayList;
import java.util.List;

/** The mark that each outbox of a sink has left. */
final class NatsOutboxes {
    private final ConnectorSettings settings;
    private final Leftovers of;

    NatsOutboxes(ConnectorSettings settings, Leftovers of) {
        this.settings = settings;
        this.of = of;
    }

    String run() throws Exception {
        String at = " at " + settings.text("servers");
        String stream = settings.text("markers");
        try (Link link = Link.open(settings, "despina-leftovers", Math.min(of.millis(), settings.whole("connect_ms")))) {
            Marks marks = new Marks(settings);
            if (marks.found(link) == null) {
                return "nothing: there is no stream " + stream + " for markers" + at;
            }
            List<String> words = new ArrayList<>();
            List<String> marked = new ArrayList<>();
            for (String outbox : of.names()) {
                Mark mark = marks.last(link, outbox);
                if (mark.number() > 0) {
                    marked.add(outbox);
                    words.add(outbox + " (epoch " + mark.epoch() + (mark.isDone() ? ")" : ", not complete)"));
                }
            }
            if (of.removes()) {
                marks.remove(link, marked);
            }
            String found = "in stream " + stream + " the marker" + (words.size() == 1 ? " of " : "s of ");
            return words.isEmpty() ? "no marker in stream " + stream + at : found + String.join(", ", words) + at;
        }
    }
}
