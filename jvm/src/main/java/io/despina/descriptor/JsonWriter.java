package io.despina.descriptor;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes the one canonical form: two spaces per level; a value is on one line if it fits within {@link #WIDTH} characters; {@code
 * parameters}, {@code parts}, {@code operators} and {@code links} of a graph or a part always have a line per entry; fields in
 * the order of their declaration ({@code doc} and {@code type} first), unknown ones after them in their order; numbers as they
 * were written; strings with only the escapes that JSON needs. Adds nothing and omits nothing.
 */
public final class JsonWriter {
    static final int WIDTH = 120;
    private static final Set<String> ALWAYS_BROKEN = Set.of("parameters", "parts", "operators", "links");
    private static final int SPACE = 0x20;
    private final StringBuilder out = new StringBuilder();

    private JsonWriter() {
    }

    /** The canonical form of a document, with a newline at its end. */
    static String write(Node root, Section section) {
        JsonWriter writer = new JsonWriter();
        writer.value(root, new FieldKind.Fields(section), new Line("", 0, 0, true));
        return writer.out.append('\n').toString();
    }

    /**
     * The surroundings of a value.
     *
     * @param used   characters before it on its line
     * @param tail   characters that follow on the same line
     * @param broken whether it takes several lines even if one would be enough
     */
    private record Line(String indent, int used, int tail, boolean broken) {
    }

    private void value(Node node, FieldKind kind, Line line) {
        boolean container = (node instanceof Node.Obj || node instanceof Node.Arr) && !isEmpty(node);
        if (!container || !line.broken()) {
            String text = line(node, kind);
            if (!container || line.used() + text.codePointCount(0, text.length()) + line.tail() <= WIDTH) {
                out.append(text);
                return;
            }
        }
        String indent = line.indent();
        String inner = indent + "  ";
        if (node instanceof Node.Obj object) {
            members(object, kind, inner);
            out.append('\n').append(indent).append('}');
        } else {
            items((Node.Arr) node, kind, inner);
            out.append('\n').append(indent).append(']');
        }
    }

    private void members(Node.Obj object, FieldKind kind, String inner) {
        List<Map.Entry<String, Node>> members = ordered(object, kind);
        Section section = section(object, kind);
        boolean ofParts = inner.length() == 2 || section != null && section.field("operators") != null;
        for (int k = 0; k < members.size(); k++) {
            String name = quoted(members.get(k).getKey());
            out.append(k == 0 ? "{\n" : ",\n").append(inner).append(name).append(": ");
            int used = inner.length() + name.codePointCount(0, name.length()) + 2;
            value(members.get(k).getValue(), member(object, kind, members.get(k).getKey()), new Line(inner, used,
                    k < members.size() - 1 ? 1 : 0, ofParts && ALWAYS_BROKEN.contains(members.get(k).getKey())));
        }
    }

    private void items(Node.Arr array, FieldKind kind, String inner) {
        for (int k = 0; k < array.items().size(); k++) {
            out.append(k == 0 ? "[\n" : ",\n").append(inner);
            value(array.items().get(k), item(kind),
                    new Line(inner, inner.length(), k < array.items().size() - 1 ? 1 : 0, false));
        }
    }

    private static boolean isEmpty(Node node) {
        return node instanceof Node.Obj object ? object.members().isEmpty() : ((Node.Arr) node).items().isEmpty();
    }

    private static String line(Node node, FieldKind kind) {
        if (node instanceof Node.Obj object) {
            List<String> members = new ArrayList<>();
            for (Map.Entry<String, Node> m : ordered(object, kind)) {
                members.add(quoted(m.getKey()) + ": " + line(m.getValue(), member(object, kind, m.getKey())));
            }
            return "{" + String.join(", ", members) + "}";
        }
        if (node instanceof Node.Arr array) {
            return "[" + String.join(", ", array.items().stream().map(i -> line(i, item(kind))).toList()) + "]";
        }
        if (node instanceof Node.Str string) {
            return quoted(string.value());
        }
        return node instanceof Node.Num number ? number.text() : node.what();
    }

    private static List<Map.Entry<String, Node>> ordered(Node.Obj object, FieldKind kind) {
        Section section = section(object, kind);
        if (section == null) {
            return List.copyOf(object.members().entrySet());
        }
        List<String> order = new ArrayList<>(section.names());
        if (FieldKinds.resolve(kind) instanceof FieldKind.Variant) {
            order.add(order.contains("doc") ? 1 : 0, "type");
        }
        Map<String, Node> sorted = new LinkedHashMap<>();
        for (String name : order) {
            if (object.get(name) != null) {
                sorted.put(name, object.get(name));
            }
        }
        object.members().forEach(sorted::putIfAbsent);
        return List.copyOf(sorted.entrySet());
    }

    /** The declaration that an object follows, or null. */
    private static Section section(Node.Obj object, FieldKind kind) {
        FieldKind resolved = FieldKinds.resolve(kind);
        if (resolved instanceof FieldKind.Fields fields) {
            return fields.section();
        }
        return resolved instanceof FieldKind.Variant variant && object.get("type") instanceof Node.Str word
                ? variant.section(word.value()) : null;
    }

    static FieldKind member(Node.Obj object, FieldKind kind, String name) {
        if (FieldKinds.resolve(kind) instanceof FieldKind.MapOf map) {
            return map.value();
        }
        Section section = section(object, kind);
        FieldSpec field = section == null ? null : section.field(name);
        return field == null ? null : field.kind();
    }

    static FieldKind item(FieldKind kind) {
        return FieldKinds.resolve(kind) instanceof FieldKind.ListOf list ? list.item() : null;
    }

    /** The string as JSON, quotes included. */
    public static String quoted(String value) {
        StringBuilder json = new StringBuilder(value.length() + 2).append('"');
        for (int k = 0; k < value.length(); k++) {
            char c = value.charAt(k);
            switch (c) {
                case '"' -> json.append("\\\"");
                case '\\' -> json.append("\\\\");
                case '\n' -> json.append("\\n");
                case '\t' -> json.append("\\t");
                case '\r' -> json.append("\\r");
                case '\b' -> json.append("\\b");
                case '\f' -> json.append("\\f");
                default -> {
                    if (c < SPACE || Character.isSurrogate(c) && !paired(value, k)) {
                        json.append(String.format("\\u%04x", (int) c));
                    } else {
                        json.append(c);
                    }
                }
            }
        }
        return json.append('"').toString();
    }

    private static boolean paired(String value, int k) {
        return Character.isHighSurrogate(value.charAt(k))
                ? k + 1 < value.length() && Character.isLowSurrogate(value.charAt(k + 1))
                : k > 0 && Character.isHighSurrogate(value.charAt(k - 1));
    }
}
