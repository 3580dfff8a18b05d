package io.despina.python;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.arrow.ArrowException;
import io.despina.json.Json;
import io.despina.packet.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What a worker says, or what becomes of it. */
public sealed interface WorkerEvent {

    /** The bytes of what may be large; 0 for all else. */
    default int size() {
        return 0;
    }

    /** Of which batch it is; 0 for none. */
    default long batch() {
        return 0;
    }

    /**
     * It has imported the function.
     *
     * @param columns of the input that the function reads, in the order of its batches
     * @param methods those of its class that it may be asked for: {@code position}, {@code flush}, {@code prepare} …
     * @param behind  how many of the functions behind it are open too
     * @param lacking why the next one is not; null if all are
     */
    record Opened(List<String> columns, List<String> methods, int behind, String lacking) implements WorkerEvent {
        public Opened {
            columns = List.copyOf(columns);
            methods = List.copyOf(methods);
        }

        public Opened(List<String> columns) {
            this(columns, List.of());
        }

        public Opened(List<String> columns, List<String> methods) {
            this(columns, methods, 0, null);
        }
    }

    /** The function cannot be used. */
    record Refused(String why) implements WorkerEvent {
    }

    /** Rows of a batch that gave none, in order: they come before the batch's last rows. */
    record Errors(long batch, List<Error> rows) implements WorkerEvent {
        public Errors {
            rows = List.copyOf(rows);
        }
    }

    /**
     * One of them.
     *
     * @param row    from 0
     * @param record what it is if it is no packet of the batch but comes before that, as what a timer has raised; else null
     */
    record Error(int row, String why, String record) {
        public Error(int row, String why) {
            this(row, why, null);
        }
    }

    /** Where a source is behind the rows of a batch, which follow. @param json as the user's class gives it */
    record Position(long batch, byte[] json) implements WorkerEvent {
    }

    /** A source has no more rows. @param why it has failed; null if it has not */
    record Ended(String why) implements WorkerEvent {
    }

    /**
     * Rows of an answer.
     *
     * @param isLast      whether the batch is answered with them
     * @param workedNanos of the last: how long the process has worked on the batch, as well as it says it; else 0
     */
    record Rows(long batch, byte[] message, boolean isLast, long workedNanos) implements WorkerEvent {
        /** Of a batch that has taken no time. */
        public Rows(long batch, byte[] message, boolean isLast) {
            this(batch, message, isLast, 0);
        }

        @Override
        public int size() {
            return message.length;
        }
    }

    /**
     * What a batch has made of states, before its rows.
     *
     * @param slots   of the keys whose state rows, timers or ends have changed
     * @param message of each the state behind the whole batch; one in which all is NULL is none
     */
    record Changes(long batch, int[] slots, byte[] message) implements WorkerEvent {
        static Changes of(long batch, byte[] payload) {
            int count = payload.length < Integer.BYTES ? -1 : Bytes.getInt(payload, 0);
            if (count < 0 || count > payload.length / Integer.BYTES - 1) {
                throw new ArrowException("changes of " + count + " states in " + payload.length + " bytes");
            }
            int[] slots = IntStream.rangeClosed(1, count).map(k -> Bytes.getInt(payload, k * Integer.BYTES)).toArray();
            return new Changes(batch, slots, Arrays.copyOfRange(payload, (1 + count) * Integer.BYTES, payload.length));
        }

        @Override
        public int size() {
            return slots.length * Integer.BYTES + message.length;
        }
    }

    /**
     * What the function has counted since it was told last, by name: before the last rows of a batch, with which it counts.
     *
     * @param batch 0 for what is of none
     */
    record Counted(long batch, Map<String, Long> counts) implements WorkerEvent {
        public Counted {
            counts = Map.copyOf(counts);
        }
    }

    /**
     * What follows, up to the last rows, is what the function behind gives for rows whose own answer follows that. It stands
     * within another if that function has one behind it too.
     *
     * @param rows how many
     */
    record Ahead(long batch, int rows) implements WorkerEvent {
        static Ahead of(long batch, byte[] payload) {
            int rows = payload.length == Integer.BYTES ? Bytes.getInt(payload, 0) : 0;
            if (rows <= 0) {
                throw new ArrowException("what " + rows + " rows give, in " + payload.length + " bytes");
            }
            return new Ahead(batch, rows);
        }
    }

    /** It has ended; nothing follows. */
    record Gone(String why) implements WorkerEvent {
    }

    /**
     * What a frame says.
     *
     * @param head its kind, and in the upper 3 bytes the time of an answer
     * @throws ArrowException if it is no frame that a worker sends
     */
    static WorkerEvent of(int head, long number, byte[] payload) {
        int code = head & FrameKind.CODE;
        FrameKind kind = FrameKind.of(code);
        if (kind == FrameKind.PART || kind == FrameKind.ANSWER) {
            return new Rows(number, payload, kind == FrameKind.ANSWER, FrameKind.workedNanos(head));
        }
        if (kind == FrameKind.CHANGES) {
            return Changes.of(number, payload);
        }
        if (kind == FrameKind.POSITION) {
            return new Position(number, payload);
        }
        if (kind == FrameKind.AHEAD) {
            return Ahead.of(number, payload);
        }
        try {
            JsonNode said = Json.tree(payload);
            if (kind == FrameKind.OPENED) {
                return new Opened(texts(said.path("columns")), texts(said.path("methods")),
                        said.path("behind").asInt(), said.path("lacking").textValue());
            }
            if (kind == FrameKind.ENDED) {
                return new Ended(said.path("why").textValue());
            }
            if (kind == FrameKind.REFUSED) {
                return new Refused(said.path("why").asText());
            }
            if (kind == FrameKind.COUNTED) {
                Map<String, Long> counts = new HashMap<>();
                said.properties().forEach(each -> counts.put(each.getKey(), each.getValue().asLong()));
                return new Counted(number, counts);
            }
            if (kind == FrameKind.ERRORS) {
                List<Error> rows = new ArrayList<>();
                said.forEach(row -> rows.add(new Error(row.path(0).asInt(), row.path(1).asText(),
                        row.path(2).textValue())));
                return new Errors(number, rows);
            }
        } catch (IOException e) {
            throw new ArrowException("a frame that is no JSON: " + new String(payload, StandardCharsets.UTF_8));
        }
        throw new ArrowException("a frame of kind " + code);
    }

    private static List<String> texts(JsonNode listed) {
        List<String> texts = new ArrayList<>();
        listed.forEach(each -> texts.add(each.asText()));
        return texts;
    }
}
