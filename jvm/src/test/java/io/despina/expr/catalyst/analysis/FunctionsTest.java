package io.despina.expr.catalyst.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.CatalystCompiler;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Schema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Nondeterministic;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.UserDefinedType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which of Spark's functions a graph may call: every one of its registry is one that somebody has looked at. */
class FunctionsTest {
    private static final CatalystCompiler COMPILER = new CatalystCompiler(true, "UTC");
    private static final Schema SCHEMA = Packets.schema("id BIGINT NOT NULL, n INT, s STRING, ts TIMESTAMP, session_user STRING");
    private static final FunctionRegistry SPARKS = FunctionRegistry$.MODULE$.builtin();
    /** The names in Spark's registry when they were last looked through: for what reads files, loads classes, knows its place. */
    private static final Path LOOKED_AT = Path.of("jvm/src/test/resources/spark_functions.txt");

    private static Set<String> names() {
        return Scala.<FunctionIdentifier>list(SPARKS.listFunction()).stream().map(FunctionIdentifier::funcName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** After a look at what is new: put it among those that are refused, or into the file. */
    @Test
    void noFunctionIsUnknown() throws Exception {
        assertEquals(String.join("\n", names()), Files.readString(LOOKED_AT).strip());
    }

    @Test
    void everyFunctionThatSparkCallsNondeterministicIsRefusedOrOneOfChance() throws Exception {
        Set<String> found = new TreeSet<>();
        for (String name : names()) {
            Class<?> type = Class.forName(info(name).getClassName());
            boolean ofItsOwn = Stream.<Class<?>>iterate(type, t -> t != null && t != Expression.class, Class::getSuperclass)
                    .flatMap(t -> Arrays.stream(t.getDeclaredMethods())).anyMatch(m -> m.getName().equals("deterministic"));
            if (Nondeterministic.class.isAssignableFrom(type) || ofItsOwn) {
                found.add(name);
            }
        }
        assertTrue(found.containsAll(Functions.RANDOM.keySet()), found.toString());
        found.removeAll(Functions.RANDOM.keySet());
        found.removeAll(Functions.REFUSED.keySet());
        assertEquals(Set.of(), found);
    }

    @Test
    void everyFunctionThatAsksForTheTimeIsGivenTheJobs() throws Exception {
        Set<String> ask = Set.of("now", "current_timestamp", "current_date", "curdate", "current_time", "localtime",
                "localtimestamp", "unix_timestamp");
        for (String name : names()) {
            if (ask.contains(name)) {
                List<String> select = List.of(name + "() = " + name + "() AS r", "CAST(" + name + "() AS STRING) AS s");
                assertEquals(Packets.apply(COMPILER.at(1_000_000).project(Scope.of(SCHEMA), select), row()),
                        Packets.apply(COMPILER.at(1_000_000).project(Scope.of(SCHEMA), select), row()), name);
            } else if (!Functions.REFUSED.containsKey(name) && !name.equals("current_timezone")) {
                assertFalse(name.startsWith("current_") || name.startsWith("local"), name);
            }
        }
    }

    private static io.despina.packet.Packet row() {
        return Packets.of(SCHEMA, 1L, 2, null, null, "x");
    }

    private static ExpressionInfo info(String name) {
        return Scala.<FunctionIdentifier>list(SPARKS.listFunction()).stream().filter(f -> f.funcName().equals(name))
                .map(f -> SPARKS.lookupFunction(f).get()).findFirst().orElseThrow();
    }

    @Test
    void allThatAreRefusedAreSparksAndAreRefusedInWords() {
        assertTrue(names().containsAll(Functions.REFUSED.keySet()));
        for (String name : Functions.REFUSED.keySet()) {
            for (String text : List.of(name + "(n) AS x", "concat(s, system.builtin." + name + "()) AS x",
                    "IDENTIFIER('" + name + "')(n, s) AS x")) {
                Problem problem = problem(text);
                assertEquals("forbidden_function", problem.rule(), text);
                assertTrue(problem.message().startsWith("`" + name + "` "), problem.message());
                assertNotNull(problem.hint());
                assertTrue(problem.from() >= 0, text);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"current_user", "user", "upper(Session_User)", "concat(s, user)"})
    void bareWordsAreRefusedToo(String text) {
        Schema schema = Packets.schema("s STRING");
        assertEquals("forbidden_function", problem(schema, text + " AS x").rule());
    }

    @Test
    void aColumnMayHaveTheNameOfOne() {
        assertNull(problem("upper(session_user) AS x"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rand(7)", "randn(id)", "random(NULL)", "uuid(1)", "shuffle(array(1, 2), 7)", "randstr(4, 7)",
        "uniform(1, 2, 3)", "IDENTIFIER('rand')(7)", "system.builtin.rand(7)"})
    void seedsAreRefused(String text) {
        Problem problem = problem(text + " AS x");
        assertEquals("forbidden_function", problem.rule());
        assertTrue(problem.message().contains("with a seed"), problem.message());
        assertTrue(problem.hint().contains("xxhash64"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rand() < 0.5                                          | 0  | 6
            concat(s, uuid())                                     | 10 | 16
            shuffle(array(1, 2))                                  | 0  | 20
            1 + system.builtin.Uniform(1, 2)                      | 4  | 32
            hex(aes_encrypt(s, '0000111122223333'))               | 4  | 38
            """)
    void chanceIsWarnedOf(String text, int from, int to) {
        List<Problem> cautions = COMPILER.cautions(List.of("id AS brand", text + " AS x"));
        assertEquals(List.of("chance 1 " + from + "-" + to),
                cautions.stream().map(p -> p.rule() + " " + p.text() + " " + p.from() + "-" + p.to()).toList());
        assertNull(problem(text + " AS x"));
    }

    @Test
    void whatIsAlikeInEveryRunIsNotWarnedOf() {
        assertEquals(List.of(), COMPILER.cautions(List.of("pmod(xxhash64(id, 7), 1000) / 1000D AS rand", "'uuid()' AS x",
                "aes_encrypt(s, '0000111122223333', 'ECB') AS e", "shuffle AS y",
                "aes_encrypt(s, '0000111122223333', 'GCM', 'DEFAULT', unhex('000000000000000000000000')) AS f")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            collect_list(id)                                               | 0-16
            1 + element_at(Array_Agg(id), 1)                               | 15-28
            array_join(sort_array(collect_list(s)), listagg(s, ','))       | 40-55
            sort_array(slice(collect_list(id), 1, 2))                      | 17-33
            concat_ws(',', collect_list(s) FILTER (WHERE id > 1))          | 15-52
            """)
    void listsInTheOrderOfArrivalAreFound(String text, String range) {
        List<Problem> found = COMPILER.arrivals(List.of("id", text + " AS x"), List.of("ts", "id"));
        assertEquals(List.of("order 1 " + range),
                found.stream().map(p -> p.rule() + " " + p.text() + " " + p.from() + "-" + p.to()).toList());
        assertTrue(found.get(0).hint().contains("ts, id"), found.get(0).hint());
    }

    @Test
    void listsWhoseOrderIsSettledOrDoesNotMatterAreNot() {
        assertEquals(List.of(), COMPILER.arrivals(List.of("collect_set(id) AS x", "sort_array(collect_list(id)) AS x",
                "transform(array_sort(collect_list(struct(ts, id))), each -> each.id) AS x",
                "sort_array(array_distinct(transform(collect_list(id), each -> each + 1)), false) AS x",
                "size(filter(collect_list(id), each -> each > 1)) AS x", "array_max(array_agg(id)) AS x",
                "listagg(s, ',') WITHIN GROUP (ORDER BY id) AS x", "first(id) AS x", "collect_list AS x"), List.of()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            any_value(s)             | write first(…), which goes by event order; or min(…), the same where all values are equal
            1 + length(Max_By(s, id % 3)) | break ties: max_by(…, struct(…, ts, `a b`))
            min_by(s, ts)            | break ties: min_by(…, struct(…, ts, `a b`))
            mode(s)                  | write mode(…, true), which takes the least of them
            """)
    void whatTakesTheFirstToArriveIsFound(String text, String hint) {
        List<Problem> found = COMPILER.arrivals(List.of(text + " AS x"), List.of("ts", "a b"));
        assertEquals(List.of(hint), found.stream().map(Problem::hint).toList());
        assertEquals("order", found.get(0).rule());
    }

    @Test
    void tiesThatAreBrokenAreNotWarnedOf() {
        assertEquals(List.of(), COMPILER.arrivals(List.of("max_by(s, struct(ts, s)) AS x", "min_by(s, -ID) AS x",
                "max_by(s, named_struct('a', ts, 'b', s)) AS x", "mode(s, true) AS x", "mode() WITHIN GROUP (ORDER BY s) AS x",
                "max(s) AS x", "any_value AS x"), List.of("ts", "id")));
        assertEquals(List.of("break ties: max_by(…, struct(…, …))", "write min(…), which is the same where all values are equal"),
                COMPILER.arrivals(List.of("max_by(s, id) AS x", "any_value(s) AS x"), List.of()).stream().map(Problem::hint)
                        .toList());
    }

    @Test
    void everyFunctionThatTakesATypeAsTextTakesDdlAlone() {
        List<String> types = List.of("{\"type\":\"struct\",\"fields\":[]}", " \"integer\"",
                "\n{\"type\":\"udt\",\"class\":\"x\"}", "[]");
        Functions.TYPE_TEXTS.forEach((name, at) -> {
            for (String type : types) {
                String text = name + (at == 1 ? "(s, '" : "(parse_json(s), '$.a', '") + type.replace("\n", "\\n") + "')";
                Problem problem = problem("concat('a', CAST(" + text + " AS STRING)) AS x");
                assertEquals("forbidden_function", problem.rule(), text);
                assertTrue(problem.message().contains("JSON"), problem.message());
                assertEquals("forbidden_function", problem(text.replace("'" + type.replace("\n", "\\n") + "'",
                        "concat('" + type.replace("\n", "\\n") + "', '')") + " AS x").rule(), "worked out: " + text);
            }
        });
    }

    /** A type of a user's own; counts those that have been made of it. */
    public static final class Loaded extends UserDefinedType<String> {
        private static final long serialVersionUID = 1L;
        private static int made;

        public Loaded() {
            made++;
        }

        @Override
        public DataType sqlType() {
            return DataTypes.IntegerType;
        }

        @Override
        public Object serialize(String value) {
            return value.length();
        }

        @Override
        public String deserialize(Object value) {
            return value.toString();
        }

        @Override
        public Class<String> userClass() {
            return String.class;
        }
    }

    @Test
    void aTypeLoadsNoClass() {
        String type = "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"nullable\":true,\"metadata\":{},"
                + "\"type\":{\"type\":\"udt\",\"class\":\""
                + Loaded.class.getName() + "\",\"pyClass\":null,\"sqlType\":\"integer\"}}]}";
        DataType.fromJson(type);
        assertEquals(1, Loaded.made, "Spark alone makes one");
        for (String text : List.of("from_json(s, '" + type + "')", "from_csv(s, '" + type + "')", "from_xml(s, '" + type + "')",
                "variant_get(parse_json(s), '$', '" + type + "')", "CAST(s AS " + type + ")")) {
            assertNotNull(problem(text + " AS x"), text);
        }
        assertEquals(1, Loaded.made);
    }

    @ParameterizedTest
    @ValueSource(strings = {"from_json(s, 'a INT')", "from_json(s, 'STRUCT<a: INT, b: ARRAY<STRING>>')",
        "from_json(s, schema_of_json('{\"a\": 1}'))",
        "from_csv(s, 'a INT COMMENT \"what it is\", b STRING', map('sep', ';'))",
        "from_xml(s, 'a INT', map('mode', 'PERMISSIVE'))",
        "variant_get(parse_json(s), '$.a', 'int')", "to_xml(named_struct('a', n))", "from_json(s, 'MAP<STRING, INT>')"})
    void ddlIsTaken(String text) {
        assertNull(problem(text + " AS x"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a INT DEFAULT 5", "a INT DEFAULT reflect(\"java.lang.System\", \"nanoTime\")",
        "STRUCT<a: INT DEFAULT 5>", "a INT GENERATED ALWAYS AS (1)"})
    void ddlTakesNoDefaults(String type) {
        for (String name : List.of("from_json", "from_csv", "from_xml")) {
            assertEquals("expression_syntax", problem(name + "(s, '" + type + "') AS x").rule(), name + " " + type);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"from_xml(s, 'a INT', map('mode', 'PERMISSIVE', '%s', '%s')).a",
        "to_xml(named_struct('a', n), map('%s', '%s'))", "schema_of_xml('<a/>', map('%s', '%s'))",
        "IDENTIFIER('from_xml')(s, 'a INT', map(concat('%s', ''), '%s')).a"})
    void xmlIsValidatedByNoFile(String text, @TempDir Path folder) throws Exception {
        Path schema = Files.writeString(folder.resolve("a.xsd"), "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>");
        for (String option : List.of("rowValidationXSDPath", "ROWVALIDATIONxsdpath")) {
            Problem problem = problem(text.formatted(option, schema) + " AS x");
            assertEquals("forbidden_function", problem.rule());
            assertTrue(problem.message().contains("rowValidationXSDPath"));
        }
    }

    @Test
    void anXmlEntityReadsNoFile(@TempDir Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "secret");
        String xml = "<!DOCTYPE a [<!ENTITY e SYSTEM \"" + secret.toUri() + "\">]><a><b>&e;</b></a>";
        var row = Packets.of(SCHEMA, 1L, 2, xml, null, null);
        for (String text : List.of("xpath_string(s, 'a/b')", "CAST(from_xml(s, 'b STRING') AS STRING)",
                "CAST(from_xml(s, 'b STRING', map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', 'b')) AS STRING)")) {
            String found;
            try {
                found = String.valueOf(Packets.apply(COMPILER.project(Scope.of(SCHEMA), List.of(text + " AS r")), row).get(0));
            } catch (RuntimeException refused) {
                continue;
            }
            assertFalse(found.replace(secret.toString(), "").contains("secret\n") || found.equals("secret"), found);
        }
    }

    private static Problem problem(String text) {
        return problem(SCHEMA, text);
    }

    /** Null if it may be. */
    private static Problem problem(Schema schema, String text) {
        try {
            COMPILER.project(Scope.of(schema), List.of(text));
            return null;
        } catch (ExpressionException e) {
            return e.problems().get(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeat(t, n)", "repeat(concat(t, t, t, t), CAST(n / 2 AS INT))", "space(n)", "lpad(t, n, 'ab')",
            "rpad(t, n, 'ab')", "array_repeat(t, n)", "sequence(1, n)", "sequence(1L, n * 1000L, 7)", "sequence(n, 1)"})
    void aValueThatNoPacketHoldsIsRefusedBeforeItIsMade(String text) throws Exception {
        Schema schema = Packets.schema("t STRING, n INT");
        ProjectionPlan plan = COMPILER.project(Scope.of(schema), List.of("size(array(" + text + ")) AS x", text + " AS y"));
        assertEquals(1, Packets.apply(plan, Packets.of(schema, "a", 3)).get(0));
        Packets.apply(plan, Packets.of(schema, "a", -3 + (text.startsWith("sequence(1L") ? 6 : 0)));
        Packets.apply(plan, Packets.of(schema, null, null));
        String message = assertThrows(IllegalArgumentException.class,
                () -> Packets.apply(plan, Packets.of(schema, "a", 2_000_000_000))).getMessage();
        assertTrue(message.contains("` would make a value of at least ") && message.contains("max_packet_bytes"), message);
    }

    @Test
    void aConstantThatNoPacketHoldsIsRefusedWhenItIsChecked() {
        Scope scope = Scope.of(SCHEMA);
        assertThrows(ExpressionException.class, () -> COMPILER.project(scope, List.of("repeat('x', 2000000000) AS x")));
    }
}
