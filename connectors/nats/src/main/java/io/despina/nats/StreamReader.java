package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.connect.RefusedException;
import io.despina.connect.StartPatience;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.api.StreamState;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Reads a stream from a number on. The server keeps no place for it. */
final class StreamReader implements PositionReader {
    private static final long CLOSE_MS = TimeUnit.SECONDS.toMillis(3);

    private final ConnectorSettings settings;
    private final ReaderHost host;
    private final Place place;
    private StreamThread thread;

    StreamReader(ConnectorSettings settings, ReaderHost host) {
        this.settings = settings;
        this.host = host;
        place = new Place(settings, host);
    }

    /** A stream is one partition. */
    @Override
    public List<Start> open(Map<String, String> known, boolean resumed) throws Exception {
        thread = new StreamThread(settings, host, place);
        Link link = new StartPatience(settings).await(thread::connect);
        String before = known.get(place.stream);
        if (before == null && !known.isEmpty()) {
            host.warn("`" + host.operator() + "` has read " + String.join(", ", known.keySet()) + " before, and no longer does");
        }
        StreamInfo stream = link.stream();
        if (stream.getConfiguration().getRetentionPolicy() != RetentionPolicy.Limits) {
            throw new RefusedException("`stream` " + place.stream + " keeps a message until it is acknowledged: a source needs "
                    + "--retention limits, or a stream that has this one as its source", null);
        }
        if (settings.has("subject") && !mayHave(stream.getConfiguration(), settings.text("subject"))) {
            host.warn("`" + host.operator() + "`: " + Words.strange(settings));
        }
        StreamState state = stream.getStreamState();
        place.end = state.getLastSequence();
        if (before == null) {
            place.next = start(link, state, resumed);
        } else {
            place.next = Long.parseLong(before);
            place.passGap(state);
        }
        boolean isWaiting = thread.pull() > 0;
        return List.of(new Start(place.stream, Long.toString(place.next), isWaiting));
    }

    /** Servers of 2.9 refuse a subject that a stream does not take. Later ones do not, as old messages may have it. */
    private static boolean mayHave(StreamConfiguration stream, String filter) {
        return stream.getMirror() != null || !stream.getSources().isEmpty() || stream.getSubjectTransform() != null
                || stream.getSubjects().stream().anyMatch(each -> Subjects.overlap(each, filter));
    }

    private long start(Link link, StreamState state, boolean resumed) throws IOException {
        long first = Math.max(1, state.getFirstSequence());
        return switch (resumed ? "earliest" : settings.text("start")) {
            case "latest" -> state.getLastSequence() + 1;
            case "timestamp" -> {
                ConsumerConfiguration.Builder since = ConsumerConfiguration.builder().deliverPolicy(DeliverPolicy.ByStartTime)
                        .startTime(Instant.ofEpochMilli(settings.whole("start_millis")).atZone(ZoneOffset.UTC));
                try (Pulls found = new Pulls(link, thread.wanted(), since)) {
                    yield Math.max(first, found.from());
                }
            }
            default -> first;
        };
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public void stop() {
        thread.end(false);
    }

    /** The thread removes the consumer. */
    @Override
    public void close() {
        if (thread != null) {
            thread.close(CLOSE_MS);
        }
    }
}
