package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A job of a {@link ControlScene}: of files, in a folder of its own, or of rows in memory, which cost less. */
final class ControlWork {
    static final int BUCKETS = 4;
    static final int INSTANCES = 3;
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final String COUNTS = """
            {"type": "scan", "group_by": ["id %% 1"], "state": {"n": {"initial": "0L", "next": "n + 1L"}}, "select": ["n AS id"],
             "parallelism": 2, "most_instances": %d, "accept": ["order"]}""".formatted(INSTANCES);

    /** What jobs read and write, and whether they keep a state. */
    enum Keeping { FILES, NOTHING, STATE }

    private final Path here;
    private final int rows;
    private final String input;
    /** Null if it works with files. */
    private final SimulatedRows memory;
    /** The savepoint from which it goes on; null if it begins. */
    private final String from;
    /** Who runs it: the last that has taken it. */
    private SimulatedCoordinator by;
    private String job;
    /** How often another process has taken it. */
    private int resumed;
    /** Somebody tries to run it, and is refused. */
    private boolean asked;
    /** Who else would run it has seen that it has ended, and does not ask again. */
    private boolean left;
    private JsonNode status;

    ControlWork(Path here, int rows, String input, Keeping keeping) throws IOException {
        boolean files = keeping == Keeping.FILES;
        this.here = here;
        this.rows = rows;
        this.input = input;
        from = null;
        memory = files ? null : new SimulatedRows(Long.toString(NUMBERS.incrementAndGet()), rows, keeping == Keeping.STATE);
        if (files) {
            Files.createDirectory(here);
            Files.writeString(here.resolve("in.txt"), String.join("\n", lines(rows)) + (rows == 0 ? "" : "\n"));
        }
    }

    private ControlWork(ControlWork before, String from, int shown) {
        here = before.here;
        rows = before.rows;
        input = before.input;
        this.from = from;
        memory = before.memory.successor(Long.toString(NUMBERS.incrementAndGet()), shown);
    }

    /**
     * The same job, which goes on from a savepoint, and writes to a target of its own.
     *
     * @param shown how many rows that target has already
     */
    ControlWork successor(String savepoint, int shown) {
        return new ControlWork(this, savepoint, shown);
    }

    /** @param usual what all jobs are run with */
    String options(ObjectNode usual) {
        return from == null ? usual.toString() : usual.deepCopy().put("state", "state-of-successor").put("from", from).toString();
    }

    /**
     * On which resources jobs run.
     *
     * @param joins  how many of them join by themselves, from that port on; the others are children
     * @param losses what is said of losses
     * @param placed the resources of the source, the operator behind it and the sink
     */
    static String deployment(List<String> resources, int joins, int port, String losses, List<String> placed) {
        StringBuilder written = new StringBuilder("{\"format\": 1, \"resources\": {");
        for (int k = 0; k < resources.size(); k++) {
            String start = k < joins
                    ? "\"start\": \"join\", \"host\": \"127.0.0.1\", \"control_port\": " + (port + k) + ", " : "";
            written.append(k == 0 ? "" : ", ").append('"').append(resources.get(k)).append("\": {").append(start)
                    .append("\"allow_classes\": [\"*\"]}");
        }
        return written + "}, " + losses + ", \"place\": {\"source\": [\"%s\"], \"relay\": [\"%s\", \"%s\"], \"sink\": [\"%s\"]}}"
                .formatted(placed.get(0), placed.get(1), placed.get(0), placed.get(2));
    }

    private static List<String> lines(int rows) {
        return IntStream.range(0, rows).mapToObj(Integer::toString).toList();
    }

    /** The first of the rows that must come; all that there are if there are not so many. */
    private List<String> expected(int count) {
        long poison = memory == null ? -1 : memory.poison();
        return IntStream.range(0, rows).filter(row -> row != poison).limit(count).mapToObj(Integer::toString).toList();
    }

    int rows() {
        return rows;
    }

    SimulatedRows memory() {
        return memory;
    }

    String graph(int capacity) {
        return """
                {"format": 1, "name": "simulated%s",
                 "settings": {"buckets": %d},
                 "operators": {%s, "relay": %s},
                 "links": [{"from": "source", "to": "relay", "fuse": false, "buffer": {"capacity_bytes": %d}},
                           {"from": "relay", "to": "sink", "fuse": false}]}
                """.formatted(here.getFileName(), BUCKETS, memory == null ? ofFiles() : memory.operators(),
                isKeyed() ? COUNTS : "{\"type\": \"relay\"}", capacity);
    }

    /** Whether the operator in the middle counts the rows of a key, which all have, and gives the count in place of each. */
    boolean isKeyed() {
        return memory != null && memory.keeps() && rows % 2 == 0;
    }

    private String ofFiles() {
        return """
                "source": {"type": "file_source", "path": "%s", "format": "text"},
                "sink": {"type": "file_sink", "path": "%s", "single_file": true, "format": "text", "if_exists": "replace"}
                """.formatted(here.resolve(input), here.resolve("out.txt"));
    }

    /** It is taken by that process, under that id. */
    void taken(SimulatedCoordinator coordinator, String id) {
        resumed += by == null || by == coordinator ? 0 : 1;
        by = coordinator;
        job = id;
        asked = false;
        left = false;
    }

    /** Nobody else asks for it any more. */
    void leave() {
        left = true;
    }

    boolean isLeftWith(SimulatedCoordinator one) {
        return left && by == one;
    }

    /** Somebody else wants to run it. */
    void asked() {
        asked = true;
    }

    /** There is nothing left to do, as its state says. */
    void ended() {
        asked = false;
        by = null;
        status = Json.object().put("state", "done");
    }

    /** Whether who runs it has nothing more to do for it. */
    boolean isOver(SimulatedCoordinator one) {
        try {
            return by != one || by.coordinator().hasEnded(job);
        } catch (Refusal e) {
            throw new AssertionError(e);
        }
    }

    /** The process of its run ends. What has failed there is for another to run. */
    void letGo() {
        look();
        if (end().startsWith("failed")) {
            status = null;
        } else {
            by = null;
        }
    }

    /** It has failed for a reason that may have passed: it is to be run again. */
    void again() {
        resumed++;
        by = null;
        status = null;
    }

    /**
     * Whether it failed because the disk was in trouble for as long as its last epoch is tried, or when it was claimed before it
     * ran, or because a process claimed it which died of that: whoever runs it again goes on from the epoch before.
     */
    boolean isForAnother() {
        return end().equals("failed epoch") || end().equals("failed fenced")
                || end().equals("failed state_unreachable") && memory.visible().isEmpty();
    }

    boolean wasResumed() {
        return resumed > 0 || by == null;
    }

    /** Whether the process that has it at its end goes on with the attempt of another. */
    boolean wasTakenOver() {
        return resumed > 0 && by != null && status.path("attempt").asInt() == 1;
    }

    SimulatedCoordinator by() {
        return by;
    }

    String job() {
        return job;
    }

    /** Whether it is over, whatever else is tried. */
    boolean hasEnded() {
        try {
            if (by == null || by.isDead() || !by.coordinator().hasEnded(job)) {
                return status != null && by == null;
            }
            return !asked || !by.coordinator().await(job, 0).path("state").asText().equals("failed");
        } catch (Refusal e) {
            throw new AssertionError(e);
        }
    }

    /** Once it has ended. */
    void look() {
        try {
            status = by == null ? status : by.coordinator().await(job, 0);
        } catch (Refusal e) {
            throw new AssertionError(e);
        }
    }

    JsonNode status() {
        return status;
    }

    String end() {
        String rule = status.at("/error/rule").asText();
        return status.path("state").asText() + (rule.isEmpty() ? "" : " " + rule);
    }

    boolean isDone() {
        return end().equals("done");
    }

    /** What can be seen is whole lines from the first one on, all of them if the job is done. */
    void checkRows() throws IOException {
        Path out = here.resolve("out.txt");
        if (memory == null && !Files.exists(out)) {
            assertTrue(!isDone() || rows == 0, "no output: " + status);
            return;
        }
        if (memory != null) {
            assertNull(memory.fault());
        }
        List<String> found = memory == null ? Files.readAllLines(out) : memory.visible().stream().map(String::valueOf).toList();
        assertEquals(expected(isDone() ? rows : found.size()), found);
    }

    /** No file is left that nobody has told of, but for the rows of a resource that was lost: it has nobody to tell. */
    void checkFiles(boolean lost) throws IOException {
        if (memory != null) {
            // what a stopped job, a dead resource or a zombie has prepared, only one that goes on from it would commit or give up
            boolean tried = lost || wasResumed() || status.path("attempt").asInt() > 1 || !isDone();
            assertTrue(memory.open() == 0 || memory.keeps() && tried, "transactions are left");
            memory.remove();
            return;
        }
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(here)) {
            files.forEach(file -> names.add(file.getFileName().toString()));
        }
        names.removeAll(Set.of("in.txt", "out.txt"));
        status.path("left_behind").forEach(left -> names.remove(Path.of(left.asText()).getFileName().toString()));
        names.removeIf(name -> lost && name.endsWith(".left"));
        assertEquals(Set.of(), names);
    }
}
