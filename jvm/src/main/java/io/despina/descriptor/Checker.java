package io.despina.descriptor;

import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.Misplaced.Around;
import io.despina.packet.Column;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Checks a document against the declaration, and reports every difference at its place. */
final class Checker {
    private static final String AS_ANOTHER = "not in this version: let Spark read it, and write it as parquet, csv or json";
    /** Words of other engines that a graph may support one day. */
    private static final Map<String, String> NOT_YET = Map.of("orc", AS_ANOTHER, "avro", AS_ANOTHER,
            "delta", AS_ANOTHER, "session", "it is a window of `aggregate`");

    private static final String WHOLE = "-?(0|[1-9][0-9]*)";
    private static final String NUMBER = WHOLE + "(\\.[0-9]+)?([eE][+-]?[0-9]+)?";
    private static final String ONE_PARAMETER = "\\$\\{[^}]*\\}";
    private final Diagnostics diagnostics;
    private final Values.Context context;
    private final boolean ofGraph;
    /** Expressions that are valid JSON, even if the object around them is not valid. */
    private final List<Text> expressions = new ArrayList<>();
    /** The objects around the one that is checked, the nearest one first. */
    private final Deque<Around> around = new ArrayDeque<>();

    /** @param ofGraph whether it is a graph, or part of one */
    Checker(Diagnostics diagnostics, Values.Context context, boolean ofGraph) {
        this.diagnostics = diagnostics;
        this.context = context;
        this.ofGraph = ofGraph;
    }

    Values.Context context() {
        return context;
    }

    /** All expressions found, including those in invalid operators and links. */
    List<Text> expressions() {
        return expressions;
    }

    /** @return whether the node is as declared; if not, the difference is reported */
    boolean check(Node node, FieldKind declared) {
        FieldKind kind = FieldKinds.resolve(declared);
        if (node instanceof Node.Null) {
            return false;
        }
        if (kind instanceof FieldKind.Whole whole) {
            return scalar(node, kind, WHOLE, text -> inRange(node, whole, text));
        }
        if (kind instanceof FieldKind.Real real) {
            return scalar(node, kind, NUMBER, text -> inRange(node, real, text));
        }
        if (kind instanceof FieldKind.Flag) {
            return scalar(node, kind, "true|false", text -> true);
        }
        if (kind instanceof FieldKind.Expression) {
            boolean sound = expression(node, kind);
            if (sound) {
                expressions.add(context.text(node));
            }
            return sound;
        }
        if (kind instanceof FieldKind.ListOf list) {
            return list(node, list);
        }
        if (node instanceof Node.Obj object) {
            return object(object, kind);
        }
        return node instanceof Node.Str string && isText(kind) ? text(string, kind) : wrongType(node, kind);
    }

    private static boolean isText(FieldKind kind) {
        return kind instanceof FieldKind.Text || kind instanceof FieldKind.Doc || kind instanceof FieldKind.Words
                || kind instanceof FieldKind.Ddl;
    }

    private boolean object(Node.Obj object, FieldKind kind) {
        if (kind instanceof FieldKind.Fields fields) {
            return fields(object, fields.section(), false);
        }
        if (kind instanceof FieldKind.MapOf map) {
            return map(object, map);
        }
        return kind instanceof FieldKind.Variant variant ? variant(object, variant) : wrongType(object, kind);
    }

    private boolean wrongType(Node node, FieldKind kind) {
        String hint = node instanceof Node.Str string ? instead(string, kind)
                : isText(kind) && !(node instanceof Node.Obj || node instanceof Node.Arr) ? "put it in quotes" : null;
        diagnostics.error(node.place(), Rule.WRONG_TYPE, "found " + node.what() + " where " + FieldKinds.what(kind)
                + " should be",
                hint);
        return false;
    }

    /** What the author of a string most likely means; null if unknown. */
    private static String instead(Node.Str string, FieldKind kind) {
        if (kind instanceof FieldKind.MapOf map && map.value() instanceof FieldKind.Variant each
                && each.section(string.value()) != null) {
            return "name each " + map.keyDoc() + ": {\"NAME\": {\"type\": " + JsonWriter.quoted(string.value()) + "}}";
        }
        if (!(kind instanceof FieldKind.Variant variant)) {
            return Amount.hint(name(string), string.value());
        }
        if (variant.section(string.value()) != null) {
            return "write {\"type\": " + JsonWriter.quoted(string.value()) + "}";
        }
        Section first = variant.sections().get(0);
        List<String> needed = first.fields().stream().filter(FieldSpec::required).map(FieldSpec::name).toList();
        String number = needed.size() == 1 ? Amount.number(needed.get(0), string.value()) : null;
        return number == null ? null : "write {\"type\": \"" + first.name() + "\", \"" + needed.get(0) + "\": " + number + "}";
    }

    /** The node's field name, for example {@code size_ms}. */
    private static String name(Node node) {
        String pointer = node.place().pointer();
        return pointer.substring(pointer.lastIndexOf('/') + 1);
    }

    /** Numbers and flags; a string that is one parameter may stand for them. */
    private boolean scalar(Node node, FieldKind kind, String pattern, Predicate<String> inRange) {
        String text;
        if (node instanceof Node.Num number) {
            text = number.text();
        } else if (node instanceof Node.Bool flag) {
            text = Boolean.toString(flag.value());
        } else if (node instanceof Node.Str string && string.value().matches(ONE_PARAMETER)) {
            if (!fill(string)) {
                return false;
            }
            text = context.parameters().fill(string.value()).value();
            if (!text.matches(pattern)) {
                diagnostics.error(node.place(), Rule.WRONG_TYPE, "`" + string.value() + "` is `" + text + "` where "
                        + FieldKinds.what(kind) + " should be", Amount.hint(name(node), text));
                return false;
            }
        } else if (node instanceof Node.Str string && string.value().matches(pattern)) {
            diagnostics.error(node.place(), Rule.WRONG_TYPE, "found a string where " + FieldKinds.what(kind) + " should be",
                    "write " + string.value() + " without quotes");
            return false;
        } else {
            return wrongType(node, kind);
        }
        return text.matches(pattern) ? inRange.test(text) : wrongType(node, kind);
    }

    private boolean inRange(Node node, FieldKind.Whole kind, String text) {
        BigInteger value = new BigInteger(text);
        if (value.compareTo(BigInteger.valueOf(kind.min())) >= 0
                && value.compareTo(BigInteger.valueOf(kind.max())) <= 0) {
            return true;
        }
        diagnostics.error(node.place(), Rule.OUT_OF_RANGE, text + " is out of range: " + FieldKinds.bounds(kind), null);
        return false;
    }

    private boolean inRange(Node node, FieldKind.Real kind, String text) {
        double value = Double.parseDouble(text);
        if ((kind.minExcluded() ? value > kind.min() : value >= kind.min()) && !Double.isInfinite(value)) {
            return true;
        }
        diagnostics.error(node.place(), Rule.OUT_OF_RANGE, text + " is out of range: " + FieldKinds.bounds(kind), null);
        return false;
    }

    private boolean text(Node.Str string, FieldKind kind) {
        if (kind instanceof FieldKind.Doc) {
            return true;
        }
        if (!fill(string)) {
            return false;
        }
        String value = context.parameters().fill(string.value()).value();
        if (kind instanceof FieldKind.Words words && !words.names().contains(value)) {
            return unknownWord(string, value, words.names());
        }
        return kind instanceof FieldKind.Text limited ? fits(string, value, limited.mostBytes())
                : !(kind instanceof FieldKind.Ddl ddl) || value.equals(ddl.word()) || ddl(string, value, ddl.defaults());
    }

    private boolean fits(Node.Str string, String value, int mostBytes) {
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > mostBytes) {
            diagnostics.error(string.place(), Rule.OUT_OF_RANGE, "a text of " + bytes + " bytes is too long: at most "
                    + mostBytes, null);
        }
        return bytes <= mostBytes;
    }

    private boolean unknownWord(Node node, String value, Collection<String> known) {
        String guess = known.size() > 1 ? Nearest.guess(value, known) : null;
        diagnostics.error(node.place(), Rule.UNKNOWN_WORD, "`" + value + "` is none of " + String.join(", ", known),
                guess == null ? NOT_YET.get(value) : guess);
        return false;
    }

    private boolean ddl(Node.Str string, String value, boolean defaults) {
        try {
            List<Column> given = Ddl.parse(value).defaults();
            if (!defaults && !given.isEmpty()) {
                diagnostics.error(string.place(), Rule.SCHEMA, "column `" + given.get(0).name() + "` has a default, which only a "
                        + "source's columns have", "leave DEFAULT out; a `project` can fill in a value: coalesce(…)");
            }
            return defaults || given.isEmpty();
        } catch (Ddl.DdlException e) {
            diagnostics.error(context.text(string).place(e.index()), Rule.SCHEMA, e.getMessage(), e.hint());
            return false;
        }
    }

    /** Reports what is wrong with the parameters in a string. */
    private boolean fill(Node.Str string) {
        List<Parameters.Problem> problems = context.parameters().fill(string.value()).problems();
        for (Parameters.Problem problem : problems) {
            diagnostics.error(context.source().inside(string, problem.index()), Rule.PARAMETER, problem.message(),
                    problem.hint());
        }
        return problems.isEmpty();
    }

    private boolean expression(Node node, FieldKind kind) {
        if (node instanceof Node.Str string) {
            return fill(string);
        }
        if (!(node instanceof Node.Arr lines)) {
            return wrongType(node, kind);
        }
        boolean sound = true;
        if (lines.items().isEmpty()) {
            diagnostics.error(node.place(), Rule.OUT_OF_RANGE, "an expression needs at least one line", null);
            sound = false;
        }
        for (Node line : lines.items()) {
            sound &= check(line, CommonFields.TEXT);
        }
        return sound;
    }

    private boolean list(Node node, FieldKind.ListOf kind) {
        if (!(node instanceof Node.Arr array)) {
            diagnostics.error(node.place(), Rule.WRONG_TYPE, "found " + node.what() + " where an array should be",
                    node instanceof Node.Str
                            ? "put it in brackets: [" + JsonWriter.quoted(((Node.Str) node).value()) + "]" : null);
            return false;
        }
        boolean sound = true;
        if (array.items().size() < kind.min()) {
            diagnostics.error(node.place(), Rule.OUT_OF_RANGE, "an empty array where at least " + kind.min() + " item should be",
                    null);
            sound = false;
        }
        for (Node item : array.items()) {
            sound &= check(item, kind.item());
        }
        return sound;
    }

    private boolean map(Node.Obj object, FieldKind.MapOf kind) {
        boolean sound = true;
        for (Map.Entry<String, Node> member : object.members().entrySet()) {
            if (kind.keyPattern() != null && !member.getKey().matches(kind.keyPattern())) {
                diagnostics.error(member.getValue().place(), Rule.BAD_NAME,
                        "`" + member.getKey() + "` is not a valid " + kind.keyDoc(), "it must match " + kind.keyPattern());
                sound = false;
            }
            String place = kind.names().isEmpty() || kind.known(member.getKey()) != null ? null
                    : Misplaced.further(member.getKey(), around);
            if (place != null) {
                diagnostics.error(member.getValue().place(), Rule.UNKNOWN_FIELD, "there is no " + kind.keyDoc() + " `"
                        + member.getKey() + "`", place);
                sound = false;
            } else {
                sound &= check(member.getValue(), kind.value());
            }
        }
        return sound;
    }

    private boolean variant(Node.Obj object, FieldKind.Variant kind) {
        Node type = object.get("type");
        if (type == null) {
            diagnostics.error(object.place(), Rule.MISSING_FIELD, "field `type` is missing",
                    "it is one of " + String.join(", ", kind.names()));
            return false;
        }
        if (!(type instanceof Node.Str word)) {
            return !(type instanceof Node.Null) && wrongType(type, CommonFields.TEXT);
        }
        Section section = kind.section(word.value());
        if (section == null && kind.name().equals(UnknownOperator.KIND)) {
            diagnostics.error(type.place(), Rule.UNKNOWN_WORD, "there is no operator type `" + word.value()
                    + "` in this version", UnknownOperator.hint(word.value(), kind.names()));
            return false;
        }
        return section == null ? unknownWord(type, word.value(), kind.names()) : fields(object, section, true);
    }

    private boolean fields(Node.Obj object, Section section, boolean variant) {
        boolean sound = true;
        Set<String> meant = new HashSet<>();
        for (Map.Entry<String, Node> member : object.members().entrySet()) {
            FieldSpec field = section.field(member.getKey());
            if (field != null) {
                around.push(new Around(section, field.name()));
                sound &= check(member.getValue(), field.kind());
                around.pop();
            } else if (!variant || !member.getKey().equals("type")) {
                List<String> known = new ArrayList<>(section.names());
                known.removeAll(object.members().keySet());
                unknownField(member.getKey(), object, section, known);
                meant.add(Nearest.of(member.getKey(), known));
                sound = false;
            }
        }
        for (FieldSpec field : section.fields()) {
            if (field.required() && object.get(field.name()) == null) {
                sound = false;
                if (!meant.contains(field.name())) {    // else it is misspelt, which was reported
                    diagnostics.error(object.place(), Rule.MISSING_FIELD, "field `" + field.name() + "` is missing in "
                            + section.name(), field.summary() + FieldKinds.example(field));
                }
            }
        }
        return sound;
    }

    private void unknownField(String name, Node.Obj object, Section section, List<String> known) {
        Node value = object.get(name);
        if (name.equals("keys") && section.field("mode") != null && section.name().endsWith("_sink")) {
            // the mode that keys are for is refused as well, and one message says both
            diagnostics.error(value.place(), Rule.UNKNOWN_FIELD, "unknown field `keys` in " + section.name() + ": it cannot "
                    + "change or take back a row that it has given on, so its `mode` is append", CommonFields.WHAT_UPSERTS);
            return;
        }
        String nearest = Nearest.of(name, known);
        String place = nearest != null && name.endsWith("_" + nearest) ? null
                : Misplaced.hint(name, object, section, around);
        place = place == null && ofGraph ? Misplaced.apart(name, section) : place;
        String hint = place != null ? place : nearest != null ? Nearest.hint(name, known)
                : Nearest.hint(name, section.names()) + Misplaced.option(name, object, section);
        String amount = place == null && nearest != null && value instanceof Node.Str string
                ? Amount.hint(nearest, string.value()) : null;
        diagnostics.error(value.place(), Rule.UNKNOWN_FIELD, "unknown field `" + name + "` in " + section.name(),
                amount == null ? hint : hint + " " + amount);
    }
}
