package io.despina.asking;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.despina.asking.FoundRecord.Beside;
import io.despina.asking.FoundRecord.Page;
import io.despina.json.JsonPieces;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Cuts a stream into records, part by part, and leaves out those that were given before it was connected to again. */
final class StreamCutter {
    private final StreamOptions options;
    private final StreamProgress given;
    private final LineSplitter lines;
    private final EventLines events;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<Integer> ends = new ArrayList<>();
    private final List<Beside> besides = new ArrayList<>();
    /** Whether the server may be repeating events: until one comes that is new. */
    private boolean repeats;
    /** Whether the event was left out whose id those without one have. */
    private boolean passesOver;
    private long number;

    /** @param given what has been given, which moves on with what is cut */
    StreamCutter(StreamOptions options, StreamProgress given) {
        this.options = options;
        this.given = given;
        lines = new LineSplitter(options.recordBytes(), options.events());
        events = options.events() ? new EventLines(options.recordBytes()) : null;
    }

    /** A connection begins. */
    void begin() {
        lines.end(false, this::line);
        repeats = true;
        passesOver = false;
        if (events != null) {
            events.begin(given.id());
        }
    }

    /** How long the server wants us to wait before we connect again, in milliseconds; -1 if it has not said so. */
    long retryMillis() {
        return events == null ? -1 : events.retryMillis();
    }

    void add(byte[] part) {
        lines.add(part, this::line);
    }

    /** The answer has come to its end. @param whole whether a last line without an end is one all the same */
    void end(boolean whole) {
        lines.end(whole && events == null, this::line);
    }

    private void line(byte[] line, int length) {
        if (events != null) {
            events.line(line, length, this::event);
        } else if (!FoundRecords.isBlank(line, 0, length)) {
            String id = options.id() == null ? null : id(Arrays.copyOf(line, length));
            if (id == null || !given.knows(id)) {
                keep(line, length, id == null ? Beside.NOTHING : new Beside(null, id, null, true));
            }
        }
    }

    /** Null if the line has none: it may be no JSON at all, which its reader tells. */
    private String id(byte[] line) {
        String[] found = {null};
        try {
            JsonPieces.read(line, new JsonPieces.Wanted(List.of(), options.id().column(), null), new JsonPieces.PieceTaker() {
                @Override
                public void record(int from, int to, String member) {
                    found[0] = member != null && StreamProgress.isKept(member) ? member : null;
                }

                @Override
                public void other(String text) {
                    throw new IllegalStateException("nothing else is wanted");
                }
            });
        } catch (JsonProcessingException malformed) {
            return null;
        }
        return found[0];
    }

    /** Ids of events need not differ, so only those are left out that come before the first new one of a connection. */
    private void event(byte[] data, int length, Beside beside) {
        if (beside.named()) {
            repeats = repeats && given.knows(beside.id());
            passesOver = repeats;
        }
        if (!passesOver) {
            keep(data, length, beside);
        }
    }

    private void keep(byte[] from, int length, Beside beside) {
        given.passed(beside);
        bytes.write(from, 0, length);
        ends.add(bytes.size());
        besides.add(beside);
    }

    /**
     * What has been cut since it was called last.
     *
     * @param shown  the URL, without secrets
     * @param micros when it came
     */
    List<FoundRecord> taken(String shown, long micros) {
        if (ends.isEmpty()) {
            return List.of();
        }
        Page page = new Page(shown, bytes.toByteArray(), micros);
        List<FoundRecord> records = new ArrayList<>();
        int from = 0;
        for (int k = 0; k < ends.size(); k++) {
            number++;
            FoundRecord record = new FoundRecord(page, (int) Math.min(Integer.MAX_VALUE, number), from, ends.get(k),
                    besides.get(k), null);
            records.add(record);
            from = ends.get(k);
        }
        bytes.reset();
        ends.clear();
        besides.clear();
        return records;
    }
}
