package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LostException;
import io.despina.connect.RefusedException;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.PurgeOptions;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * How far each outbox is, in a stream that keeps the last message of each subject: {@code begun 7 4711 NAME} before the first row
 * of epoch 7 is sent, with the number of the last message that the target had then; {@code done 7 NAME} when it has all rows. A
 * mark takes the place of the one that its writer knows, and has the writer's name, so of two writers one fails.
 */
final class Marks {
    private static final int NAME_IN_USE = 10_058;
    private static final int NO_MESSAGE = 10_037;
    private static final int WRONG_LAST = 10_071;
    private static final String EXPECTED = "Nats-Expected-Last-Subject-Sequence";

    /**
     * What an outbox has said last.
     *
     * @param number of the mark in its stream; 0 for none
     * @param from   number of the last message that the target had before the epoch; -1 when it has the epoch
     * @param by     name of who has written the mark
     */
    record Mark(long number, long epoch, long from, String by) {
        private static final long ALL = -1;
        private static final Mark NONE = new Mark(0, 0, ALL, "");

        static Mark begun(long epoch, long from, String by) {
            return new Mark(0, epoch, from, by);
        }

        static Mark done(long epoch, String by) {
            return new Mark(0, epoch, ALL, by);
        }

        boolean isDone() {
            return from == ALL;
        }

        private static Mark of(MessageInfo message) throws RefusedException {
            String text = message.getData() == null ? "" : new String(message.getData(), StandardCharsets.UTF_8);
            String[] words = text.split(" ");
            try {
                if (words[0].equals("done") && words.length == 3) {
                    return new Mark(message.getSeq(), Long.parseLong(words[1]), ALL, words[2]);
                }
                if (words[0].equals("begun") && words.length == 4) {
                    return new Mark(message.getSeq(), Long.parseLong(words[1]), Long.parseLong(words[2]), words[3]);
                }
            } catch (NumberFormatException e) {
                throw strange(text, message, e);
            }
            throw strange(text, message, null);
        }

        private static RefusedException strange(String text, MessageInfo message, Exception why) {
            return new RefusedException("the message " + message.getSeq() + " of `markers` " + message.getStream()
                    + " is no mark: " + text, why);
        }

        private String text() {
            return (isDone() ? "done " + epoch : "begun " + epoch + " " + from) + " " + by;
        }
    }

    private final ConnectorSettings settings;
    private final String stream;

    Marks(ConnectorSettings settings) {
        this.settings = settings;
        stream = settings.text("markers");
    }

    private String subject(String outbox) {
        return stream + "." + outbox;
    }

    /** What its stream is; null if it is not there. @throws RefusedException if marks would get lost in it */
    StreamConfiguration found(Link link) throws IOException {
        StreamConfiguration found;
        try {
            found = link.management().getStreamInfo(stream).getConfiguration();
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == Words.NO_STREAM) {
                return null;
            }
            throw Words.unanswered(settings, e, link.denied());
        } catch (IOException | IllegalStateException e) {
            throw Words.unpublished(settings, e, link);
        }
        if (found.getMaxMsgsPerSubject() != 1 || found.getRetentionPolicy() != RetentionPolicy.Limits || found.getMaxMsgs() > 0
                || found.getMaxBytes() > 0 || !found.getMaxAge().isZero() || !found.getSubjects().contains(stream + ".*")) {
            throw new RefusedException("`markers` " + stream + " is a stream in which marks get lost: it must take " + stream
                    + ".*, keep one message of a subject (--max-msgs-per-subject 1), and have no other limits. The sink makes "
                    + "such a one if there is none", null);
        }
        return found;
    }

    /** Makes its stream if it is not there. */
    void ensure(Link link, int replicas) throws IOException {
        if (found(link) != null) {
            return;
        }
        StreamConfiguration made = StreamConfiguration.builder().name(stream).description("how far sinks of Despina are")
                .subjects(stream + ".*").maxMessagesPerSubject(1).storageType(StorageType.File).replicas(replicas).build();
        try {
            link.management().addStream(made);
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() != NAME_IN_USE || found(link) == null) {
                throw Words.unanswered(settings, e, link.denied());
            }
        } catch (IOException | IllegalStateException e) {
            throw Words.unpublished(settings, e, link);
        }
    }

    Mark last(Link link, String outbox) throws IOException {
        try {
            return Mark.of(link.management().getLastMessage(stream, subject(outbox)));
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == NO_MESSAGE) {
                return Mark.NONE;
            }
            throw Words.unanswered(settings, e, link.denied());
        } catch (IOException | IllegalStateException e) {
            throw e instanceof RefusedException refused ? refused : Words.unpublished(settings, e, link);
        }
    }

    /**
     * Writes a mark in place of another one.
     *
     * @return with its number
     * @throws LostException if the other one is not the last any more, or may not be
     */
    Mark replace(Link link, String outbox, Mark before, Mark next) throws IOException {
        Headers headers = new Headers().put(Made.STREAM, stream).put(EXPECTED, Long.toString(before.number));
        try {
            long number = link.connection().jetStream(link.patient()).publish(subject(outbox), headers,
                    next.text().getBytes(StandardCharsets.UTF_8)).getSeqno();
            return new Mark(number, next.epoch, next.from, next.by);
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == WRONG_LAST) {
                throw new LostException(replaced(outbox), e);
            }
            throw Words.unpublished(settings, e, link);
        } catch (IOException | IllegalStateException e) {
            throw Words.unpublished(settings, e, link);
        }
    }

    static String replaced(String outbox) {
        return "another attempt of the job, or another job, has taken over the outbox " + outbox;
    }

    /** Forgets an outbox. */
    void remove(Link link, List<String> outboxes) throws IOException {
        JetStreamManagement management = link.management();
        for (String each : outboxes) {
            link.asked(() -> management.purgeStream(stream, PurgeOptions.subject(subject(each))));
        }
    }
}
