package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.catalogue.Catalogue;
import io.despina.control.assembly.Instances.Step;
import io.despina.descriptor.OperatorType;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.user.Counting;
import io.despina.operator.user.CountingOnly;
import io.despina.operator.user.KnownBefore;
import io.despina.operator.user.PassingOn;
import io.despina.plan.Plan;
import io.despina.plan.PlanOptions;
import io.despina.plan.Planner;
import io.despina.plan.Target;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operator with inputs, as two instances that a snapshot is taken of after each few packets, while packets still
 * come: fresh instances, one, two or three of them, that go on from it give the rows, the late packets and the bad
 * records of instances that were never stopped. {@code DESPINA_EVERY_CASE=1} takes twice as many snapshots. Sources and
 * sinks have {@link SourceSnapshotTest} and {@link SinkSnapshotTest}.
 */
class SnapshotContractTest {
    static final int BUCKETS = 256;
    private static final int WRITERS = 2;
    private static final int STEPS = 36;
    private static final int EVERY = 3;
    /** Two streams take snapshots by turns, or each takes all. */
    private static final int STREAMS = 2;
    private static final boolean BY_TURNS = System.getenv("DESPINA_EVERY_CASE") == null;
    /** Of a snapshot, in bytes. */
    private static final int SLICE = 64;
    /** Steps from a snapshot of a chain to the next. */
    private static final int EACH = 7;
    /** Packets that come while a snapshot is written. */
    private static final int MEANWHILE = 6;
    private static final long SECOND = 1_000_000;
    static final long BASE = 1_700_000_000L * SECOND;
    private static final String SCHEMA = "ts TIMESTAMP, id BIGINT NOT NULL, k STRING, n INT, v DOUBLE, a ARRAY<STRING>";

    /** An operator of a graph file; of two inputs if it is a join, a lookup in a stream, or has a port {@code control}. */
    record Subject(String name, String json) {
        /** Names of its two inputs; none where it has one. */
        List<String> inputs() {
            return type().equals("join") ? List.of("left", "right")
                    : json.contains("\"stream\"") ? List.of("in", "table")
                    : json.contains("\"on\"") ? List.of("in", "control")
                    : json.contains("\"inputs\"") ? List.of("in", "more") : List.of();
        }

        String type() {
            return json.replaceAll("(?s).*?\"type\": \"(\\w+)\".*", "$1");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Subject subject(String name, String json) {
        return new Subject(name, json);
    }

    private static Subject window(String name, String window, String more) {
        return subject("aggregate, " + name, "{\"type\": \"aggregate\", \"window\": %s, %s}".formatted(window, more));
    }

    private static String byClock(String window) {
        return window.substring(0, window.length() - 1) + ", \"clock\": \"processing\"}";
    }

    private static Subject join(String name, String more) {
        return subject("join, " + name, ("{\"type\": \"join\", \"on\": [\"left.k = right.k\"], %s, \"select\": [\"left.id AS l\","
                + " \"right.id AS r\", \"left.v + right.v AS s\"]}").formatted(more));
    }

    private static String java(Class<?> of, String more) {
        return "{\"type\": \"java\", %s\"class\": \"%s\"}".formatted(more, of.getName());
    }

    /** In a subject's name: its stream has a clock for each {@code k}. */
    private static final String PER_KEY = ", per key";
    /** In a subject's name: each packet comes so many times that its values have parts of their own. */
    private static final String MANY = " of many";
    private static final int COPIES = 25;
    private static final String FLAT = "\"group_by\": [\"k\"], \"select\": [\"k\", \"count(*) AS c\", \"sum(v) AS s\","
            + " \"max(n) AS m\"]";
    private static final String OBJECTS = "\"group_by\": [\"k\"], \"select\": [\"k\", \"collect_list(id) AS ids\","
            + " \"count(DISTINCT n) AS d\", \"max(a) AS m\"]";
    /** Each packet adds more elements to a set than are apart at once. */
    private static final String LISTS = "\"group_by\": [\"k\"], \"select\": [\"k\","
            + " \"hash(sort_array(collect_union(sequence(id * 70, id * 70 + 99)))) AS h\", \"count(*) AS c\"]";
    private static final String NESTED = "\"group_by\": [\"a\"], \"select\": [\"a\", \"count(*) AS c\"]";
    private static final String ALL = "\"select\": [\"count(*) AS c\", \"first(id) AS f\", \"last(id) AS l\"]";

    static Stream<Subject> subjects() {
        return Stream.of(stateless(), scans(), keyed(), windows(), controlled(), joins(), others(), perKey(), many())
                .flatMap(each -> each);
    }

    /** Those that go by the clocks of keys. */
    private static Stream<Subject> perKey() {
        String within = "\"group_by\": [\"n % 2 AS h\", \"k\"], \"select\": [\"k\", \"h\", \"count(*) AS c\", \"sum(v) AS s\"]";
        return Stream.of(
                subject("scan" + PER_KEY, "{\"type\": \"scan\", \"group_by\": [\"k\"], \"state\": {\"sum\": {\"initial\": \"0\", "
                        + "\"next\": \"sum + n\"}}, \"select\": [\"k\", \"a\", \"id\", \"next.sum AS sum\"]}"),
                subject("changes" + PER_KEY, "{\"type\": \"changes\", \"group_by\": [\"n % 2\", \"k\"], \"of\": \"n\", "
                        + "\"select\": [\"id\", \"k\", \"previous\"]}"),
                subject("top" + PER_KEY, "{\"type\": \"top\", \"n\": 2, \"by\": [\"n DESC\"], \"group_by\": [\"n % 2\", "
                        + "\"k\"], \"window\": {\"type\": \"sliding\", \"size_ms\": 3000, \"slide_ms\": 1000}, \"select\": "
                        + "[\"id\", \"window_time\", \"k\"]}"),
                subject("sort" + PER_KEY, "{\"type\": \"sort\", \"by\": [\"n DESC\"], \"group_by\": [\"n % 2\", \"k\"], "
                        + "\"window\": {\"type\": \"tumbling\", \"size_ms\": 2000}}"),
                window("fired on change" + PER_KEY, "{\"type\": \"sliding\", \"size_ms\": 3000, \"slide_ms\": 1000, "
                        + "\"fire\": {\"type\": \"change\"}, \"late_within_ms\": 1000}", within),
                window("fired now and then" + PER_KEY, "{\"type\": \"tumbling\", \"size_ms\": 3000, "
                        + "\"fire\": {\"type\": \"every\", \"every_ms\": 500}}", OBJECTS),
                window("fired sessions" + PER_KEY, "{\"type\": \"session\", \"gap_ms\": 1500, "
                        + "\"fire\": {\"type\": \"every\", \"every_ms\": 700}, \"late_within_ms\": 500}", within),
                subject("deduplicate, approximately" + PER_KEY, "{\"type\": \"deduplicate\", \"by\": [\"n\", \"k\"], "
                        + "\"within_ms\": 2500, \"approximate\": {\"keys\": 40, \"bits_per_key\": 6}}"),
                subject("resample, groups that end" + PER_KEY, resample("{\"v\": {\"type\": \"linear\"}}", 2000)),
                subject("resample, rows in time" + PER_KEY, resample("{\"a\": {\"type\": \"previous\"}}", 2000)),
                subject("latest" + PER_KEY, "{\"type\": \"latest\", \"group_by\": [\"k\"], \"every_ms\": 1500}"),
                subject("aggregate, each" + PER_KEY, "{\"type\": \"aggregate\", \"emit\": \"each\", " + FLAT + "}"),
                window("count" + PER_KEY, "{\"type\": \"count\", \"size\": 3, \"slide\": 2}", OBJECTS),
                window("trailing count" + PER_KEY, "{\"type\": \"trailing_count\", \"size\": 4}", within),
                window("trailing" + PER_KEY, "{\"type\": \"trailing\", \"size_ms\": 2500}", within),
                window("trailing, objects" + PER_KEY, "{\"type\": \"trailing\", \"size_ms\": 2500}", OBJECTS),
                window("progress" + PER_KEY, "{\"type\": \"progress\", \"by\": \"id / 2.0\", \"size\": 4, \"slide\": 3}", FLAT),
                window("session" + PER_KEY, "{\"type\": \"session\", \"gap_ms\": 1500}", within),
                window("tumbling" + PER_KEY, "{\"type\": \"tumbling\", \"size_ms\": 2000}", FLAT),
                window("tumbling, groups in keys" + PER_KEY, "{\"type\": \"tumbling\", \"size_ms\": 2000}", within),
                window("sliding, objects" + PER_KEY, "{\"type\": \"sliding\", \"size_ms\": 3000, \"slide_ms\": 1000}", OBJECTS),
                join("as of" + PER_KEY, "\"as_of\": {}, \"how\": \"left\""),
                join("between, full" + PER_KEY, "\"between_ms\": {\"from\": -1000, \"to\": 500}, \"how\": \"full\""),
                join("window, sliding, full" + PER_KEY, "\"window\": {\"type\": \"sliding\", \"size_ms\": 3000, "
                        + "\"slide_ms\": 1000}, \"how\": \"full\""));
    }

    private static Stream<Subject> stateless() {
        return Stream.of(
                subject("relay", "{\"type\": \"relay\"}"),
                subject("delay", "{\"type\": \"delay\", \"hold_ms\": 1500}"),
                subject("relay that sleeps", "{\"type\": \"relay\", \"sleep_ms\": 0.001}"),
                subject("project", "{\"type\": \"project\", \"select\": [\"id\", \"upper(k) AS u\"]}"),
                subject("filter", "{\"type\": \"filter\", \"where\": \"n > 3\"}"),
                subject("route", "{\"type\": \"route\", \"match\": \"all\", \"cases\": {\"out\": \"n > 3\"}}"),
                subject("explode", "{\"type\": \"explode\", \"of\": \"a\", \"as\": \"e\"}"),
                subject("union", "{\"type\": \"union\"}"),
                subject("union, ordered", "{\"type\": \"union\", \"ordered\": true}"));
    }

    private static Stream<Subject> scans() {
        String scan = "{\"type\": \"scan\", \"group_by\": [\"k\"], \"state\": {\"count\": {\"initial\": \"0\", \"next\": "
                + "\"count + 1\"}%s},"
                + " \"select\": [\"k\", \"id\", \"count\"]%s}";
        return Stream.of(
                subject("scan", scan.formatted("", "")),
                subject("scan of texts, with a row at the end", scan.formatted(
                        ", \"texts\": {\"initial\": \"''\", \"next\": \"concat(texts, k)\"}", ", \"emit_at_end\": true")),
                subject("scan without groups", scan.replace("\"group_by\": [\"k\"], ", "").formatted("", "")));
    }

    private static Stream<Subject> windows() {
        String tumbling = "{\"type\": \"tumbling\", \"size_ms\": 2000}";
        String sliding = "{\"type\": \"sliding\", \"size_ms\": 3000, \"slide_ms\": 1000}";
        String trailing = "{\"type\": \"trailing\", \"size_ms\": 2500}";
        String top = "{\"type\": \"top\", \"n\": 2, \"by\": [\"n DESC\", \"k\"], \"window\": %s%s}";
        String sort = "{\"type\": \"sort\", \"by\": [\"a[0] DESC\", \"n\"]%s}";
        String session = "{\"type\": \"session\", \"gap_ms\": 1500}";
        String count = "{\"type\": \"count\", \"size\": 5, \"slide\": 2}";
        String fired = "{\"type\": \"%s, \"fire\": {\"type\": \"%s}, \"late_within_ms\": %d}";
        String progress = "{\"type\": \"progress\", \"by\": \"id / 2.0\", \"size\": 4, \"slide\": 3}";
        String counted = "{\"type\": \"control\", \"open\": \"n > 3\", \"close\": \"window.count > 3\", \"max_ms\": 4000}";
        String control = "{\"type\": \"control\", \"open\": \"n > 3\", \"close\": \"n < 2\", \"max_ms\": 4000}";
        return Stream.of(
                window("tumbling", tumbling, FLAT), window("tumbling, objects", tumbling, OBJECTS),
                subject("aggregate, long lists", "{\"type\": \"aggregate\", " + LISTS + "}"),
                window("tumbling, arrays as keys", tumbling, NESTED), window("tumbling, no keys", tumbling, ALL),
                window("sliding", sliding, FLAT), window("sliding, objects", sliding, OBJECTS),
                window("trailing", trailing, FLAT), window("trailing, objects", trailing, OBJECTS),
                window("trailing, no keys", trailing, ALL), window("sliding, long lists", sliding, LISTS),
                window("trailing count", "{\"type\": \"trailing_count\", \"size\": 7}", OBJECTS),
                window("session", session, FLAT), window("session, objects", session, OBJECTS),
                window("session, no keys", session, ALL), window("count", count, OBJECTS),
                window("count, no keys", count, ALL), window("progress", progress, FLAT),
                window("fired on change", fired.formatted("tumbling\", \"size_ms\": 2000", "change\"", 1000), FLAT),
                window("fired now and then", fired.formatted("sliding\", \"size_ms\": 3000, \"slide_ms\": 1000",
                        "every\", \"every_ms\": 500", 0), OBJECTS),
                window("tumbling by the clock", byClock(tumbling), OBJECTS),
                window("sliding by the clock", byClock(sliding), FLAT),
                window("session by the clock", byClock(session), FLAT),
                window("fired now and then by the clock", byClock("{\"type\": \"sliding\", \"size_ms\": 3000, \"slide_ms\": "
                        + "1000, \"fire\": {\"type\": \"every\", \"every_ms\": 500}}"), FLAT),
                window("progress, objects, no keys", progress, ALL), window("control", control, FLAT),
                window("control, objects", control, OBJECTS), window("control, counted", counted, FLAT),
                subject("aggregate, each", "{\"type\": \"aggregate\", \"emit\": \"each\", " + FLAT + "}"),
                subject("aggregate, each, objects", "{\"type\": \"aggregate\", \"emit\": \"each\", " + OBJECTS + "}"),
                subject("aggregate", "{\"type\": \"aggregate\", " + FLAT + "}"),
                subject("aggregate, objects", "{\"type\": \"aggregate\", " + OBJECTS + "}"),
                subject("aggregate, no keys", "{\"type\": \"aggregate\", " + ALL + "}"),
                subject("top", top.formatted(tumbling, ", \"group_by\": [\"k\"]")),
                subject("top, sliding, of a row", top.formatted(sliding, ", \"group_by\": [\"a\"], \"select\": [\"id\", "
                        + "\"window_time\"]")),
                subject("top without groups", top.formatted(sliding, "")),
                subject("sort", sort.formatted(", \"group_by\": [\"k\"], \"window\": " + tumbling)),
                subject("latest", "{\"type\": \"latest\", \"group_by\": [\"k\"], \"every_ms\": 1500}"),
                subject("latest at the end", "{\"type\": \"latest\", \"group_by\": [\"k\"]}"),
                subject("latest without groups", "{\"type\": \"latest\", \"select\": [\"id\"]}"),
                subject("top by the clock", top.formatted(byClock(sliding), ", \"group_by\": [\"k\"]")),
                subject("sort by the clock", sort.formatted(", \"window\": " + byClock(tumbling))),
                subject("sort of a whole stream", sort.formatted("")));
    }

    /** Those whose values have parts of their own. */
    private static Stream<Subject> many() {
        return Stream.of(
                subject("sort of many" + PER_KEY, "{\"type\": \"sort\", \"by\": [\"n DESC\"], \"group_by\": [\"k\"], "
                        + "\"window\": {\"type\": \"tumbling\", \"size_ms\": 8000}}"),
                subject("top of many", "{\"type\": \"top\", \"n\": 140, \"by\": [\"n\"], \"group_by\": [\"k IS NULL\"], "
                        + "\"window\": {\"type\": \"tumbling\", \"size_ms\": 8000}}"),
                subject("pattern of many", "{\"type\": \"pattern\", \"group_by\": [\"k IS NULL\"], \"within_ms\": 9000, "
                        + "\"skip\": \"to_next\", \"steps\": [{\"name\": \"low\", \"where\": \"n < 6\"}, "
                        + "{\"name\": \"more\", \"where\": \"n = 6 AND id % 9 = low.id % 9\", \"optional\": true}, "
                        + "{\"name\": \"last\", \"where\": \"n > 6 AND id % 25 = low.id % 25\"}], "
                        + "\"select\": [\"low.id AS low\", \"more.id AS more\", \"last.id AS last\"]}"));
    }

    private static Stream<Subject> controlled() {
        String control = "{\"type\": \"control\", \"on\": [%s], \"open\": \"control.n > 5\", "
                + "\"close\": \"control.n < 4 OR window.count > 3\", \"max_ms\": 4000}";
        return Stream.of(
                window("control of two streams", control.formatted("\"k\""), FLAT),
                window("control of two streams, objects", control.formatted("\"k\""), OBJECTS),
                window("control of two streams, no keys", control.formatted(""), ALL));
    }

    /** A file with rows for some keys; one has two. */
    private static Path table() {
        return file("{\"name\": \"k1\", \"c\": 1}\n{\"name\": \"k2\"}\n{\"name\": \"k1\", \"c\": 3}\n");
    }

    /** Two places, in GeoNames' columns. */
    private static Path gazetteer() {
        return file("1\tk1\tk1\t\t50.9\t6.9\tP\tPPL\tDE\t\t\t\t\t\t9\t\t\t\t\n"
                + "2\tk2\tk2\t\t48.8\t2.3\tP\tPPL\tFR\t\t\t\t\t\t8\t\t\t\t\n");
    }

    private static Path file(String text) {
        try {
            Path file = Files.createTempFile("table", "");
            file.toFile().deleteOnExit();
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String summing(String returned, int batch) {
        return ("{\"type\": \"python\", \"function\": \"mine:sum\", \"group_by\": [\"k\"], "
                + "\"state\": \"sum BIGINT, texts STRING\", "
                + "\"%s\": \"sum BIGINT, texts STRING\", \"batch_rows\": %d}").formatted(returned, batch);
    }

    private static Stream<Subject> others() {
        return Stream.of(
                subject("sql", "{\"type\": \"sql\", \"connection\": {\"url\": \"jdbc:sqlite::memory:\", \"driver\": "
                        + "\"org.sqlite.JDBC\"}, \"statement\": \"SELECT :n * 2, :k WHERE :n > 2 UNION ALL SELECT 1, 'one'\", "
                        + "\"schema\": \"twice INT, again STRING\"}"),
                subject("lookup", "{\"type\": \"lookup\", \"key\": {\"name\": \"k\"}, \"from\": {\"type\": \"file\", \"path\": \""
                        + table() + "\", \"format\": \"json\", \"schema\": \"name STRING, c INT\"}}"),
                lookup("lookup in a stream", "\"delete_when\": \"table.n > 6\""),
                lookup("lookup in a stream that ends", "\"wait_for_end\": true"),
                subject("geocode", "{\"type\": \"geocode\", \"name\": \"k\", \"path\": \"" + gazetteer() + "\"}"),
                subject("locate", "{\"type\": \"locate\", \"latitude\": \"50\", \"longitude\": \"n\", \"within_km\": 500, "
                        + "\"path\": \"" + gazetteer() + "\"}"),
                subject("python", "{\"type\": \"python\", \"function\": \"mine:twice\", \"adds\": \"twice BIGINT\"}"),
                subject("python with state", summing("adds", 7)), subject("python with state, rows of its own",
                        summing("schema", 1)),
                subject("java without state", java(PassingOn.class, "")),
                subject("java", java(Counting.class, "\"schema\": \"k STRING, c BIGINT, texts STRING\", \"group_by\": "
                        + "[\"k\"], ")),
                subject("java of two inputs and outputs", java(KnownBefore.class, "\"schema\": \"id BIGINT\", \"group_by\": "
                        + "[\"k\"], \"inputs\": {\"more\": [\"k\"]}, \"outputs\": {\"known\": \"id BIGINT, last BIGINT\"}, ")),
                subject("java of a state of fixed width", java(CountingOnly.class,
                        "\"schema\": \"k STRING, c BIGINT\", \"group_by\": [\"k\"], ")));
    }

    private static Subject lookup(String name, String more) {
        return subject(name, "{\"type\": \"lookup\", \"key\": {\"k\": \"k\"}, \"from\": {\"type\": \"stream\", " + more
                + "}, \"select\": [\"packet.id AS id\", \"table.id AS of\", \"table.a AS a\"]}");
    }

    private static Stream<Subject> joins() {
        return Stream.of(
                join("as of", "\"as_of\": {}"), join("as of, of an age", "\"as_of\": {\"max_age_ms\": 1500}, \"how\": \"left\""),
                join("between", "\"between_ms\": {\"from\": -1000, \"to\": 500}"),
                join("between, left", "\"between_ms\": {\"from\": -1000, \"to\": 500}, \"how\": \"left\""),
                join("window", "\"window\": {\"type\": \"tumbling\", \"size_ms\": 2000}"),
                join("window, sliding, full", "\"window\": {\"type\": \"sliding\", \"size_ms\": 3000, \"slide_ms\": 1000}, "
                        + "\"how\": \"full\""),
                join("window by the clock", "\"window\": " + byClock("{\"type\": \"tumbling\", \"size_ms\": 2000}")),
                join("between, full", "\"between_ms\": {\"from\": -1000, \"to\": 500}, \"how\": \"full\""));
    }

    /** Those of {@code operator.keyed}. */
    private static Stream<Subject> keyed() {
        String deduplicate = "{\"type\": \"deduplicate\", \"by\": [\"k\"%s]%s}";
        String absence = "{\"type\": \"absence\", \"group_by\": [\"k\"], \"within_ms\": 1500%s, \"select\": [\"k\", \"id\", "
                + "\"absence.at\", \"absence.since\"]}";
        String pattern = "{\"type\": \"pattern\", \"group_by\": [\"k\"], \"within_ms\": 4000%s, \"steps\": ["
                + "{\"name\": \"low\", \"where\": \"n < 5\"}, {\"name\": \"more\", \"where\": \"n > coalesce(more.n, low.n)\", "
                + "\"at_least\": 1, \"at_most\": 3}, {\"name\": \"last\", \"where\": \"n > 3\"}], \"select\": [\"k\", \"low.a\", "
                + "\"first(more.n) AS f\", \"count(more) AS c\", \"last.id\"]}";
        return Stream.of(
                subject("deduplicate", deduplicate.formatted(", \"n\"", ", \"within_ms\": 2500")),
                subject("deduplicate, last", deduplicate.formatted("", ", \"within_ms\": 2500, \"keep\": \"last\"")),
                subject("deduplicate, for ever", deduplicate.formatted(", \"a\"", "")),
                subject("deduplicate, approximately", deduplicate.formatted(", \"n\"", ", \"within_ms\": 2500, "
                        + "\"approximate\": {\"keys\": 40, \"bits_per_key\": 6}")),
                subject("deduplicate, approximately, for ever", deduplicate.formatted(", \"id\"", ", \"approximate\": "
                        + "{\"keys\": 20, \"bits_per_key\": 4}")),
                subject("changes", "{\"type\": \"changes\", \"group_by\": [\"k\"], \"of\": \"n\", \"tolerance\": 1, "
                        + "\"hysteresis\": 3, \"select\": [\"id\", \"k\", \"previous\"]}"),
                subject("absence", absence.formatted("")),
                subject("absence, repeated", absence.formatted(", \"repeat_ms\": 700")),
                subject("absence by the clock", absence.formatted(", \"repeat_ms\": 700, \"clock\": \"processing\"")),
                subject("pattern", pattern.formatted("")),
                subject("pattern, to next", pattern.formatted(", \"skip\": \"to_next\"")),
                subject("resample", "{\"type\": \"resample\", \"group_by\": [\"k\"], \"every_ms\": 500, \"fill\": "
                        + "{\"v\": {\"type\": \"linear\"}, \"a\": {\"type\": \"previous\"}, \"n\": {\"type\": \"null\"}}}"),
                subject("resample, groups that end", resample("{\"a\": {\"type\": \"expression\", \"of\": \"next.a\"}}", 1200)),
                subject("resample, rows in time", resample("{\"n\": {\"type\": \"previous\"}}", 1200)));
    }

    private static String resample(String fill, int ends) {
        return "{\"type\": \"resample\", \"group_by\": [\"k\"], \"every_ms\": 500, \"fill\": %s, \"ends_after_ms\": %d}"
                .formatted(fill, ends);
    }

    @Test
    void everyOperatorWithInputsIsHere() {
        Set<String> found = subjects().map(Subject::type).collect(Collectors.toSet());
        Set<String> all = Catalogue.DESCRIPTOR.types().stream().filter(type -> !type.inputs().isEmpty()).map(OperatorType::word)
                // the packets of `control` are commands, see SteeringTest
                .filter(word -> !word.endsWith("_sink") && !word.equals("control")).collect(Collectors.toSet());
        assertEquals(all, found);
    }

    static List<Step> steps(Random random, Subject subject) {
        int ports = Math.max(1, subject.inputs().size());
        int times = subject.name().contains(MANY) ? COPIES : 1;
        List<Step> steps = new ArrayList<>();
        long now = BASE;
        for (int k = 0; k < STEPS; k++) {
            now += random.nextInt((int) SECOND);
            long time = now - (random.nextInt(6) == 0 ? random.nextInt(4) * SECOND : 0);
            List<Object> texts = random.nextInt(5) == 0 ? null : List.of("x" + random.nextInt(2), "y");
            List<Object> row = Rows.row(time, (long) k, random.nextInt(8) == 0 ? null : "k" + random.nextInt(5),
                    random.nextInt(9),
                    random.nextInt(100) / 4.0, texts);
            steps.add(new Step(random.nextInt(ports), row, 0, times));
            if (random.nextInt(3) == 0) {
                steps.add(new Step(-1, null, now - SECOND, 1));
            }
        }
        return steps;
    }

    static Plan plan(Subject subject) {
        String source = "{\"type\": \"file_source\", \"path\": \"in\", \"format\": \"json\", \"schema\": \"" + SCHEMA
                + "\", \"parallelism\": 2, \"event_time\": {\"column\": \"ts\", \"order_by\": [\"id\"]"
                + (subject.name.endsWith(PER_KEY) ? ", \"per\": [\"k\"]}}" : "}}");
        boolean two = !subject.inputs().isEmpty();
        boolean single = !subject.json.contains("group_by") && !subject.type().equals("join")
                && subject.json.matches("(?s).*(scan|aggregate|\"top\"|\"sort\"|\"latest\"|ordered).*");
        String operator = subject.json.substring(0, subject.json.length() - 1) + ", \"parallelism\": "
                + (single ? 1 : WRITERS) + "}";
        String links = two ? "{\"from\": \"a\", \"to\": \"x.%s\"}, {\"from\": \"b\", \"to\": \"x.%s\"}"
                .formatted(subject.inputs().toArray())
                : "{\"from\": \"a\", \"to\": \"x\"}";
        boolean ports = subject.json.contains("\"outputs\"");
        links += ports ? ", {\"from\": \"x.known\", \"to\": \"other\"}" : "";
        String text = ("{\"format\": 1, \"name\": \"g\", \"operators\": {\"a\": %s%s, \"x\": %s, \"out\": {\"type\": "
                + "\"discard_sink\"}%s}, ")
                .formatted(source, two ? ", \"b\": " + source : "", operator,
                        ports ? ", \"other\": {\"type\": \"discard_sink\"}" : "")
                + "\"links\": [%s, {\"from\": \"x\", \"to\": \"out\"}]}".formatted(links);
        return io.despina.plan.Graphs.sound(Planner.plan(Catalogue.DESCRIPTOR.load(text, "g", Map.of()).value(),
                Catalogue::planner, s -> Expressions.compiler(s.ansi(), s.timeZone()),
                new PlanOptions(Target.ENGINE, "/", Set.of())));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void goesOnFromASnapshotAtAnyParallelism(Subject subject) throws Exception {
        Plan plan = plan(subject);
        int writers = plan.operator("x").parallelism();
        for (int seed = 1; seed <= STREAMS; seed++) {
            List<Step> steps = steps(new Random(seed), subject);
            List<List<String>> expected = run(plan, writers, steps);
            for (int cut = BY_TURNS ? (seed - 1) * EVERY : 0; cut <= steps.size(); cut += BY_TURNS ? STREAMS * EVERY : EVERY) {
                Cut at = cut(plan, writers, steps, cut, seed == STREAMS);
                for (int readers = 1; readers <= (writers == 1 ? 1 : 3); readers++) {
                    String told = "seed " + seed + ", cut at " + cut + ", restored at " + readers;
                    List<List<String>> found = goOn(plan, readers, at.sections, steps.subList(0, cut),
                            steps.subList(cut, steps.size()));
                    if (readers == writers) {
                        for (int k = 0; k < readers; k++) {
                            assertEquals(sorted(List.of(expected.get(k))), sorted(List.of(at.given.get(k), found.get(k))), told);
                        }
                    }
                    assertEquals(sorted(expected), sorted(Stream.concat(at.given.stream(), found.stream()).toList()), told);
                }
            }
        }
    }

    private static List<List<String>> run(Plan plan, int count, List<Step> steps) throws Exception {
        Instances instances = new Instances(plan, count, false);
        for (Step step : steps) {
            instances.take(step);
        }
        instances.end();
        instances.close();
        return instances.given();
    }

    /** What two instances had given at a cut, and wrote there. */
    private record Cut(List<List<String>> given, List<Sections> sections) {
    }

    /** @param chained whether there are snapshots before it, which it goes on from */
    private static Cut cut(Plan plan, int count, List<Step> steps, int cut, boolean chained) throws Exception {
        Instances instances = new Instances(plan, count, false);
        List<List<Map<String, byte[]>>> chains = new ArrayList<>();
        instances.all.forEach(each -> chains.add(new ArrayList<>()));
        for (int k = 0; k < cut; k++) {
            if (chained && k % EACH == 0) {
                for (int one = 0; one < count; one++) {
                    chains.get(one).add(begun(instances.all.get(one), k > 0).all());
                }
            }
            instances.take(steps.get(k));
        }
        List<List<String>> given = instances.given();
        List<Snapshots> snapshots = instances.all.stream().map(each -> begun(each, chained && cut > 0)).toList();
        for (Step step : steps.subList(cut, Math.min(steps.size(), cut + MEANWHILE))) {
            instances.take(step);
            for (Snapshots snapshot : snapshots) {
                snapshot.write();
            }
        }
        if (cut + MEANWHILE > steps.size()) {
            instances.end();
        }
        List<Sections> sections = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            chains.get(k).add(snapshots.get(k).all());
            snapshots.get(k).close();
            sections.add(Snapshots.chain(chains.get(k)));
        }
        instances.close();
        return new Cut(given, sections);
    }

    /** @param changes whether of what has changed since the snapshot before it */
    private static Snapshots begun(OperatorHarness of, boolean changes) {
        return new Snapshots(of.operator().states(), SLICE, changes);
    }

    /** @param before the steps before the snapshot, which say what the clock shows */
    static List<List<String>> goOn(Plan plan, int count, List<Sections> from, List<Step> before, List<Step> rest)
            throws Exception {
        Instances instances = new Instances(plan, count, true).after(before);
        for (int k = 0; k < count; k++) {
            Operator operator = instances.all.get(k).operator();
            new Share(k, count, BUCKETS).restore(operator.states(), from);
            operator.restored();
        }
        for (Step step : rest) {
            instances.take(step);
        }
        instances.end();
        instances.close();
        return instances.given();
    }

    /** All lines in one order; counts of late packets are added up. */
    static List<String> sorted(List<List<String>> given) {
        long late = given.stream().flatMap(List::stream).filter(line -> line.startsWith("late "))
                .mapToLong(line -> Long.parseLong(line.substring(5))).sum();
        return Stream.concat(given.stream().flatMap(List::stream).filter(line -> !line.startsWith("late ")).sorted(),
                Stream.of("late " + late)).toList();
    }
}
