package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.ReaderHost;
import io.despina.connect.RefusedException;
import io.nats.client.api.StreamState;

/** Where a source is in its stream: numbers of messages. Of one thread at a time. */
final class Place {
    private final ConnectorSettings settings;
    private final ReaderHost host;
    final String stream;
    /** The number of the message that comes next. */
    long next;
    /** The last one that was there at the start. */
    long end;
    /** Whether the host was given a message. */
    boolean given;

    Place(ConnectorSettings settings, ReaderHost host) {
        this.settings = settings;
        this.host = host;
        stream = settings.text("stream");
    }

    /**
     * Goes on behind messages that are no longer there.
     *
     * @throws RefusedException if there is such a gap, and {@code on_gap} is fail
     */
    void passGap(StreamState now) throws RefusedException {
        long first = Math.max(1, now.getFirstSequence());
        long last = now.getLastSequence();
        if (next >= first && next <= last + 1) {
            return;
        }
        gap(next < first ? "the messages " + next + " to " + (first - 1) + " of " + stream + " are gone: it begins at " + first
                : stream + " ends at " + last + ", and `" + host.operator() + "` had read to " + (next - 1)
                + ": the stream was made anew, or messages are lost", first);
    }

    /** A message has come, and those before it have not. @param now after it came */
    void passGap(long came, StreamState now) throws RefusedException {
        if (now.getFirstSequence() > next) {
            gap("the messages " + next + " to " + (came - 1) + " of " + stream + " are gone: the stream dropped them before they "
                    + "were read", came);
        }
    }

    private void gap(String what, long from) throws RefusedException {
        if (settings.text("on_gap").equals("fail")) {
            throw new RefusedException(what + ". With \"on_gap\": \"skip\" the job goes on at " + from, null);
        }
        host.warn("`" + host.operator() + "`: " + what + "; it goes on at " + from);
        next = from;
    }

    /** Whether all that was there at the start has been read, and there was no message for it. */
    boolean isDrained() {
        return !given && next > end;
    }
}
