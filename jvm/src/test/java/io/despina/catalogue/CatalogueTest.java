package io.despina.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.despina.descriptor.OperatorType;
import io.despina.plan.Graphs;
import io.despina.plan.OperatorSpec;
import io.despina.plan.Promise;
import io.despina.plan.UserPromises;
import io.despina.spec.Guarantee;
import io.despina.spec.SinkGuarantee;
import io.despina.spec.SourceGuarantee;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CatalogueTest {
    private static final List<OperatorType> TYPES = Catalogue.types();

    @Test
    void everyTypeHasAWordOfItsOwnAndAPlanner() {
        List<String> words = TYPES.stream().map(OperatorType::word).toList();
        assertEquals(words.size(), new HashSet<>(words).size(), words.toString());
        TYPES.forEach(type -> assertNotNull(Catalogue.planner(type), type.word()));
    }

    @Test
    void everySourceAndEverySinkPromisesSomethingAndSaysWhatIsAgainstMore() {
        for (OperatorType type : TYPES) {
            if (type.isSource() || type.isSink()) {
                OperatorSpec spec = example(type.word());
                Promise<?> promise = type.isSource() ? spec.comesAgain(UserPromises.NONE) : spec.leaves(UserPromises.NONE);
                assertNotNull(promise, type.word());
                Guarantee most = promise.guarantee() instanceof SourceGuarantee in ? in.level()
                        : ((SinkGuarantee) promise.guarantee()).level();
                assertEquals(most == Guarantee.EXACTLY_ONCE, promise.why() == null, type.word());
            }
        }
    }

    /** Every Python class has every method, and no class in Java keeps a promise. */
    private static final UserPromises METHODS = new UserPromises() {
        @Override
        public boolean keeps(String className, Class<?> promise) {
            return false;
        }

        @Override
        public boolean hasMethod(String function, String method) {
            return true;
        }
    };

    @Test
    void thePageOfRecoverySaysWhatEachPromises() throws IOException {
        UserPromises all = (className, promise) -> true;
        Map<String, Promise<?>> made = new TreeMap<>();
        for (OperatorType type : TYPES) {
            if (type.isSource() || type.isSink()) {
                OperatorSpec spec = example(type.word());
                made.put("`" + type.word() + "`", type.isSource() ? spec.comesAgain(UserPromises.NONE)
                        : spec.leaves(UserPromises.NONE));
            }
        }
        made.put("`file_source`, path `-`", planned("file_source", written("file_source").replaceFirst("readings/[*].csv", "-"))
                .comesAgain(all));
        made.put("`jdbc_source` without `column`", planned("jdbc_source", written("jdbc_source").replaceFirst(
                "\"column\": \"ts\",\\s*\"follow\": true,", "").replaceAll(",\\s*\"event_time\": \\{[^}]*}", ""))
                .comesAgain(all));
        made.put("`nats_source` without `stream`", planned("nats_source", written("nats_source").replaceFirst(
                "\"stream\": \"readings\",", "").replace(", \"sequence\": \"n\"", "").replace(", \"order_by\": [\"n\"]", ""))
                .comesAgain(all));
        made.put("`nats_sink` without `stream`", planned("nats_sink", written("nats_sink").replaceFirst(
                "\"stream\": \"alarms\",", "")).leaves(all));
        made.put("`http_poll_source` with `cursor`", planned("http_poll_source", written("http_poll_source").replaceFirst(
                "\"metadata\"", "\"cursor\": {\"column\": \"last_reported\"}, \"metadata\"")).comesAgain(all));
        made.put("`http_stream_source`, lines without a `line_id` that has a `parameter`", planned("http_stream_source",
                written("http_stream_source").replaceFirst("\"events\"", "\"lines\"")).comesAgain(all));
        made.put("`java_source`, a `ReplayableSource`", example("java_source").comesAgain(all));
        made.put("`python_source`, a class with `position` and `seek`", example("python_source").comesAgain(METHODS));
        made.put("any source that Python gives rows to", new PythonSourceSpec().comesAgain(all));
        made.put("`file_sink`, path `-`", planned("file_sink", "{\"type\": \"file_sink\", \"path\": \"-\", "
                + "\"format\": \"json\"}").leaves(all));
        made.put("`java_sink`, a `TransactionalSink`", example("java_sink").leaves(all));
        made.put("`python_sink`, a class with `prepare` and `commit`", example("python_sink").leaves(METHODS));
        made.put("`jdbc_sink`, `delivery` at_least_once", planned("jdbc_sink", written("jdbc_sink").replaceFirst("\"table\"",
                "\"delivery\": \"at_least_once\", \"table\"")).leaves(all));
        made.put("`jdbc_sink`, the same with `keys`", planned("jdbc_sink", written("jdbc_sink").replaceFirst("\"table\"",
                "\"delivery\": \"at_least_once\", \"mode\": \"upsert\", \"keys\": [\"device\"], \"table\"")).leaves(all));
        made.put("any sink that Spark or another program reads", new SpooledSinkSpec().leaves(all));
        made.put("`java`", example("java").leaves(UserPromises.NONE));
        made.put("`java`, a `PureOperator`", example("java").leaves(all));
        made.put("`sql`", example("sql").leaves(all));
        made.put("`sql`, a `SELECT` with `schema`", planned("sql", written("sql").replaceFirst("INSERT INTO .*\"",
                "SELECT n FROM t WHERE d = :device\", \"schema\": \"n INT\"").replaceFirst(",\\s*\"batch_rows\": 500", ""))
                .leaves(all));
        Map<String, String> words = new TreeMap<>();
        made.forEach((name, promise) -> words.put(name, promise == null ? ""
                : promise.guarantee().name().toLowerCase(Locale.ROOT).replace('_', ' ')));
        assertEquals(words, table(Path.of("docs/recovery.md")));
    }

    /** By the first column of all tables whose second is called promise: that one. */
    private static Map<String, String> table(Path page) throws IOException {
        Map<String, String> rows = new TreeMap<>();
        boolean promises = false;
        for (String line : Files.readAllLines(page)) {
            String[] cells = line.split("[|]", -1);
            boolean begins = cells.length == 4 && cells[2].strip().equals("promise");
            promises = begins || promises && cells.length == 4;
            if (promises && !begins && !cells[1].startsWith("-")) {
                rows.put(cells[1].strip(), cells[2].strip());
            }
        }
        return rows;
    }

    private static OperatorSpec example(String word) {
        return planned(word, written(word));
    }

    /** The fields of the reference's example. */
    private static String written(String word) {
        String example = TYPES.stream().filter(type -> type.word().equals(word)).findFirst().orElseThrow().example();
        return example.substring(example.indexOf('{'));
    }

    /** With a source before it and a sink behind it, as far as it has ports for them. */
    private static OperatorSpec planned(String word, String fields) {
        OperatorType type = TYPES.stream().filter(each -> each.word().equals(word)).findFirst().orElseThrow();
        Map<String, String> operators = new HashMap<>();
        List<String> links = new ArrayList<>();
        // an event time of the example may be an expression, which is not worked out here
        operators.put("it", type.isSource() ? fields.replaceAll(",\\s*\"event_time\": \\{[^}]*}", "") : fields);
        if (!type.isSource()) {
            operators.put("begin", Graphs.source("").replace("index BIGINT, a INT, name STRING",
                    "index BIGINT, id BIGINT, device STRING, celsius DOUBLE"));
            links.add("begin->it");
        }
        if (!type.isSink()) {
            operators.put("end", "{\"type\": \"discard_sink\"}");
            links.add("it->end");
        }
        return Graphs.sound(Graphs.plan(operators, links.toArray(String[]::new))).operator("it").spec();
    }

    @Test
    void deadLettersLeaveByTheLastPort() {
        TYPES.forEach(type -> assertEquals("errors", type.outputs().get(type.outputs().size() - 1), type.word()));
    }
}
