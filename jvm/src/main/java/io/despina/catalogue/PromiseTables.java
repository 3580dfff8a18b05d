package io.despina.catalogue;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Descriptor;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Graph;
import io.despina.descriptor.JsonPrinter;
import io.despina.descriptor.Node;
import io.despina.descriptor.OperatorType;
import io.despina.expr.Expressions;
import io.despina.plan.Guarantees;
import io.despina.plan.OperatorSpec.SparkGap;
import io.despina.plan.Plan;
import io.despina.plan.PlanOptions;
import io.despina.plan.Planner;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is made of the page that a declaration names by {@code docs/….md says more}: notes, tables of what sources and sinks
 * promise, and what they say of Spark. The example of the reference is planned: as it is, with each word that a field of it may
 * hold, and without each field that may be left out.
 */
final class PromiseTables {
    private static final Pattern PAGE = Pattern.compile("\\b(docs/[\\w-]+\\.md) says more");
    private static final String BEGIN = "<!-- Made by make generate; do not edit. -->\n";
    private static final String END = "<!-- End of what is made. -->\n";
    private static final String HEAD = "\n## What `check` says\n\n| | `check --guarantee` says | what keeps it from more |"
            + "\n|---|---|---|\n";
    private static final String SPARK = "\nOn Spark:\n\n";
    private static final String IT = "it";
    /** Fields that may need what is left out; so may whatever is true. */
    private static final Set<String> DEPENDENT = Set.of("event_time", "metadata");
    /** What it reads from, where it is no source. */
    private static final String BEFORE = "{\"type\": \"generator_source\", \"count\": 1, \"rows\": {\"type\": \"select\", "
            + "\"select\": [\"timestamp_seconds(0) AS ts\", \"id\", \"'d' AS device\", \"0D AS celsius\", "
            + "\"array('t') AS tags\"]}, \"event_time\": {\"column\": \"ts\", \"order_by\": [\"id\"]}}";

    /** What one operator says of itself. */
    private record Said(Promise<?> promise, List<SparkGap> gaps) {
        boolean isAlike(Said other) {
            return promise.equals(other.promise);
        }
    }

    private PromiseTables() {
    }

    /** The pages that have a table, relative to the project's folder. */
    static Set<String> pages() {
        Set<String> pages = new LinkedHashSet<>();
        Catalogue.types().stream().map(PromiseTables::page).filter(each -> each != null).forEach(pages::add);
        return pages;
    }

    /** Null for none. */
    private static String page(OperatorType type) {
        Matcher named = PAGE.matcher(type.doc());
        return (type.isSource() || type.isSink()) && named.find() ? named.group(1) : null;
    }

    /**
     * The page's text with tables of today.
     *
     * @throws IllegalStateException if it does not say where they stand
     */
    static String within(String text, String page) {
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalStateException(page + " has no lines " + BEGIN + END);
        }
        StringBuilder table = new StringBuilder(ConnectorNotes.sections(page)).append(HEAD);
        Set<String> gaps = new LinkedHashSet<>();
        Catalogue.types().stream().filter(type -> page.equals(page(type))).forEach(type -> rows(type, table, gaps));
        if (!gaps.isEmpty()) {
            table.append(SPARK).append(String.join("", gaps));
        }
        return text.substring(0, begin + BEGIN.length()) + table + "\n" + text.substring(end);
    }

    private static void rows(OperatorType type, StringBuilder table, Set<String> gaps) {
        Map<String, Object> example = example(type);
        Said first = said(type, example);
        if (first == null) {
            throw new IllegalStateException("the example of " + type.word() + " does not pass check");
        }
        String link = "[`" + type.word() + "`](reference/" + type.family().page() + ".md#" + type.word() + ")";
        table.append(row(link, first.promise));
        variants(type, example).forEach((words, fields) -> {
            Said said = said(type, fields);
            if (said != null && !said.isAlike(first)) {
                table.append(row(words, said.promise));
            }
        });
        first.gaps.forEach(gap -> gaps.add("- `" + type.word() + "`: " + gap.why() + ". " + upper(gap.hint()) + ".\n"));
    }

    private static String row(String operator, Promise<?> promise) {
        String why = promise.why() == null ? "" : promise.why() + (promise.hint() == null ? "" : ": " + promise.hint());
        return "| " + operator + " | " + promise.guarantee().name().toLowerCase(Locale.ROOT).replace('_', ' ') + " | "
                + why + " |\n";
    }

    private static String upper(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    /** The example's fields otherwise, by words for it. */
    private static Map<String, Map<String, Object>> variants(OperatorType type, Map<String, Object> example) {
        Map<String, Map<String, Object>> variants = new LinkedHashMap<>();
        for (FieldSpec field : type.fields()) {
            if (field.kind() instanceof FieldKind.Words words) {
                for (String word : words.names()) {
                    Map<String, Object> other = new LinkedHashMap<>(example);
                    other.put(field.name(), word);
                    variants.put("– with `" + field.name() + "` `" + word + "`", other);
                }
            } else if (!field.required() && example.containsKey(field.name())) {
                Map<String, Object> other = new LinkedHashMap<>(example);
                other.remove(field.name());
                other.keySet().removeAll(DEPENDENT);
                other.values().removeIf(Boolean.TRUE::equals);
                variants.put("– without `" + field.name() + "`", other);
            }
        }
        return variants;
    }

    private static Map<String, Object> example(OperatorType type) {
        Node.Obj entry = (Node.Obj) Descriptor.readAny("{" + type.example() + "}", "example").value();
        Map<String, Object> fields = new LinkedHashMap<>();
        Node.Obj operator = (Node.Obj) entry.members().values().iterator().next();
        operator.members().forEach((name, value) -> fields.put(name, plain(value)));
        return fields;
    }

    private static Object plain(Node value) {
        if (value instanceof Node.Obj object) {
            Map<String, Object> members = new LinkedHashMap<>();
            object.members().forEach((name, member) -> members.put(name, plain(member)));
            return members;
        }
        return value instanceof Node.Arr array ? array.items().stream().map(PromiseTables::plain).toList()
                : value instanceof Node.Str text ? text.value() : value instanceof Node.Bool flag ? (Object) flag.value()
                : new JsonPrinter.Raw(((Node.Num) value).text());
    }

    /** Null if it does not pass check. */
    private static Said said(OperatorType type, Map<String, Object> fields) {
        Map<String, Object> operators = new LinkedHashMap<>();
        Function<String, JsonPrinter.Raw> raw = JsonPrinter.Raw::new;
        if (type.isSource()) {
            operators.put(IT, fields);
            operators.put("other", raw.apply("{\"type\": \"discard_sink\"}"));
        } else {
            operators.put("other", raw.apply(BEFORE));
            operators.put(IT, fields);
        }
        Map<String, String> link = type.isSource() ? Map.of("from", IT, "to", "other") : Map.of("from", "other", "to", IT);
        String text = new JsonPrinter().print(Map.of("format", 1, "name", "example", "operators", operators, "links",
                List.of(link)));
        Graph graph = Catalogue.DESCRIPTOR.load(text, "example", Map.of()).value();
        Checked<Plan> plan = Planner.plan(graph, Catalogue::planner, s -> Expressions.compiler(s.ansi(), s.timeZone(), 0),
                new PlanOptions(Target.ENGINE, "/"));
        if (!plan.ok()) {
            return null;
        }
        Guarantees all = Guarantees.of(plan.value(), UserPromises.NONE);
        return new Said(type.isSource() ? all.sources().get(0).promise() : all.ends().get(0).promise(),
                plan.value().operator(IT).spec().sparkGaps(Target.SPARK));
    }
}
