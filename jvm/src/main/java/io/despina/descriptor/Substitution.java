package io.despina.descriptor;

import java.util.LinkedHashMap;
import java.util.Map;

/** Writes out what the parameters of a part stand for, as the graph would have it: {@code ${name}} of the graph's own stays. */
final class Substitution {
    private static final String NUMBER = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?";

    private final Map<String, String> given;

    /** @param given by parameter, as the graph would have it; null for the graph's own text, which stays as it is */
    Substitution(Map<String, String> given) {
        this.given = given;
    }

    /**
     * The text with these values for {@code ${name}}; {@code $${} stays. What is more than a text with parameters may have is cut
     * off, but for one character at least.
     *
     * @param given as of the constructor
     */
    static String filled(String written, Map<String, String> given) {
        if (given == null || !written.contains("${")) {
            return written;
        }
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < written.length() && text.length() <= Parameters.MOST_CHARACTERS) {
            int close = written.startsWith("${", at) ? written.indexOf('}', at) : -1;
            String value = close < 0 ? null : given.get(written.substring(at + 2, close));
            int next = written.startsWith("$${", at) ? at + 3 : value == null ? at + 1 : close + 1;
            text.append(value == null ? written.substring(at, next) : value);
            at = next;
        }
        return text.toString();
    }

    /** The value with its strings filled in; a number or a flag where that is what a parameter stands for, and what is wanted. */
    Node of(Node node, FieldKind declared) {
        FieldKind kind = declared == null ? null : FieldKinds.resolve(declared);
        if (given == null) {
            return node;
        }
        if (node instanceof Node.Obj object) {
            Map<String, Node> members = new LinkedHashMap<>();
            object.members().forEach((name, member) -> members.put(name, of(member, kind == null ? null
                    : JsonWriter.member(object, kind, name))));
            return new Node.Obj(node.place(), members);
        }
        if (node instanceof Node.Arr array) {
            return new Node.Arr(node.place(), array.items().stream().map(item -> of(item, kind == null ? null
                    : JsonWriter.item(kind))).toList());
        }
        return node instanceof Node.Str string ? text(string, kind) : node;
    }

    private Node text(Node.Str string, FieldKind kind) {
        String value = filled(string.value(), given);
        if ((kind instanceof FieldKind.Whole || kind instanceof FieldKind.Real) && value.matches(NUMBER)) {
            return new Node.Num(string.place(), value);
        }
        return kind instanceof FieldKind.Flag && value.matches("true|false")
                ? new Node.Bool(string.place(), Boolean.parseBoolean(value)) : new Node.Str(string.place(), value);
    }
}
