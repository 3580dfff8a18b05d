package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.RefusedException;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import io.nats.client.api.StreamState;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The stream that a sink writes to, and what it takes. Of one thread. */
final class SinkStream {
    /** A stream may get subjects while the job runs; it is not asked for each bad row. */
    private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Duration SHORTEST_WINDOW = Duration.ofSeconds(5);
    private static final String OTHERWISE = ". With \"delivery\": \"at_least_once\" the sink can write to it";

    private final ConnectorSettings settings;
    private final String name;
    /** Whether the sink must find out which rows of an epoch the stream has. */
    private final boolean readsBack;
    private StreamConfiguration known;
    private long asked;

    SinkStream(ConnectorSettings settings, boolean readsBack) {
        this.settings = settings;
        this.readsBack = readsBack;
        name = settings.text("stream");
    }

    /** Asks what it is. @throws RefusedException if the sink cannot write to it */
    StreamState learn(Link link) throws IOException {
        StreamInfo stream = asked(link);
        known = stream.getConfiguration();
        asked = System.nanoTime();
        String wrong = wrong();
        if (wrong != null) {
            throw new RefusedException("`stream` " + name + " " + wrong, null);
        }
        if (settings.has("subject") && !takes(settings.text("subject"))) {
            throw new RefusedException(Words.strange(settings), null);
        }
        return stream.getStreamState();
    }

    /** A stream that is not there is not waited for. */
    private static StreamInfo asked(Link link) throws IOException {
        try {
            return link.stream();
        } catch (IOException why) {
            throw link.denied() != null || Words.isMissing(why) ? new RefusedException(why.getMessage(), why) : why;
        }
    }

    private String wrong() {
        if (known.getNoAck()) {
            return "acknowledges nothing (--no-ack), so that nobody can tell what it has";
        }
        if (!readsBack) {
            return null;
        }
        if (known.getRetentionPolicy() != RetentionPolicy.Limits) {
            return "forgets messages that are acknowledged, so that nobody can tell which it had: the sink needs --retention "
                    + "limits" + OTHERWISE;
        }
        if (known.getMaxMsgsPerSubject() > 0) {
            return "keeps only " + known.getMaxMsgsPerSubject() + " of a subject (--max-msgs-per-subject), so that nobody can "
                    + "tell what it had" + OTHERWISE;
        }
        return window().compareTo(SHORTEST_WINDOW) >= 0 ? null : "tells messages that come again only for "
                + window().toMillis() + " ms: the sink needs --dupe-window 5s or more" + OTHERWISE;
    }

    /** For how long it knows a message again. */
    Duration window() {
        return known.getDuplicateWindow();
    }

    int replicas() {
        return known.getReplicas();
    }

    /** The one subject of the sink's messages; null if each row says it. */
    String subject() {
        return settings.has("subject") ? settings.text("subject") : null;
    }

    /** The one subject that the stream has them under; null if there are several, or it gives them others. */
    String filter() {
        return known.getSubjectTransform() == null ? subject() : null;
    }

    private boolean takes(String subject) {
        return known.getSubjects().stream().anyMatch(each -> Subjects.overlap(each, subject));
    }

    /** Why the stream does not take a message, as far as that is known before it is sent; null if it does. */
    String refusal(Link link, Made made) throws IOException {
        if (!settings.has("subject") && !takes(made.subject())) {
            if (System.nanoTime() - asked > ASK_NANOS) {
                learn(link);
            }
            if (!takes(made.subject())) {
                return "`stream` " + name + " does not take the subject `" + made.subject() + "`";
            }
        }
        long most = most(link);
        return made.payload() <= most ? null : "the message for subject `" + made.subject() + "` has " + made.payload()
                + " bytes with its headers, and `stream` " + name + " takes at most " + most;
    }

    private long most(Link link) {
        long server = link.connection().getMaxPayload();
        long own = known.getMaximumMessageSize();
        long most = server > 0 ? server : Long.MAX_VALUE;
        return own > 0 ? Math.min(own, most) : most;
    }
}
