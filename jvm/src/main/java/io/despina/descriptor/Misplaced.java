package io.despina.descriptor;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Where a field belongs that was written into the wrong object: deeper, further out, or into another part of the graph. */
final class Misplaced {
    private static final Section SETTINGS = ((FieldKind.Fields) CommonFields.SETTINGS).section();
    private static final Section LINK = ((FieldKind.Fields) CommonFields.LINK).section();

    /** An object around the one that is checked. @param field which of its fields is entered */
    record Around(Section section, String field) {
    }

    private Misplaced() {
    }

    /**
     * A hint that says where the field belongs; null if it belongs nowhere.
     *
     * @param object  it was written there, among fields that belong there
     * @param section what {@code object} may have
     * @param around  from the nearest one outwards
     */
    static String hint(String name, Node.Obj object, Section section, Deque<Around> around) {
        String deeper = deeper(name, object.get(name), object, section);
        return deeper == null ? further(name, around) : deeper;
    }

    /** A hint that says which object around has the field; null if none has. @param around from the nearest one outwards */
    static String further(String name, Deque<Around> around) {
        for (Around outer : around) {
            if (outer.section().field(name) != null) {
                return "it is a field of " + outer.section().name() + ": write it beside `" + outer.field() + "`, not in it";
            }
        }
        return null;
    }

    private static String deeper(String name, Node value, Node.Obj object, Section section) {
        for (FieldSpec field : section.fields()) {
            FieldKind kind = FieldKinds.resolve(field.kind());
            String owner = "`" + field.name() + "`";
            boolean written = object.get(field.name()) != null;
            if (kind instanceof FieldKind.MapOf map && map.known(name) != null) {
                String option = JsonWriter.quoted(map.known(name)) + ": " + asText(value);
                return "it is one of the " + owner + ": write " + (written ? option + " there" : wrapped(field, option));
            }
            if (kind instanceof FieldKind.Fields fields && fields.section().field(name) != null) {
                String member = JsonWriter.quoted(name) + ": " + asJson(value);
                return "it is a field of " + owner + ": write " + (written ? member + " there" : wrapped(field, member));
            }
            if (kind instanceof FieldKind.Variant variant) {
                List<String> types = variant.sections().stream().filter(s -> s.field(name) != null).map(Section::name).toList();
                if (!types.isEmpty()) {
                    return "it is a field of " + owner + " of type " + String.join(" or ", types) + ": write it there";
                }
            }
        }
        return null;
    }

    /** A hint that says which other part of a graph has the field; null if none has. @param section where it was written */
    static String apart(String name, Section section) {
        List<String> parts = new ArrayList<>();
        if (section != LINK && LINK.field(name) != null) {
            parts.add("a link");
        }
        if (section != SETTINGS && SETTINGS.field(name) != null) {
            parts.add("the graph's `settings`");
        }
        if ((section == LINK || section == SETTINGS) && OperatorType.SHARED.stream().anyMatch(f -> f.name().equals(name))) {
            parts.add("an operator");
        }
        return parts.isEmpty() ? null : "it is a field of " + String.join(" and of ", parts);
    }

    /** What to add to the names of a section's fields where it has options of the author's own; else empty. */
    static String option(String name, Node.Obj object, Section section) {
        for (FieldSpec field : section.fields()) {
            if (field.name().equals("options") && field.kind() instanceof FieldKind.MapOf map && map.names().isEmpty()) {
                String option = JsonWriter.quoted(name) + ": " + asText(object.get(name));
                return "; or it is one of the `options`: write "
                        + (object.get("options") == null ? wrapped(field, option) : option + " there");
            }
        }
        return "";
    }

    private static String wrapped(FieldSpec field, String member) {
        return JsonWriter.quoted(field.name()) + ": {" + member + "}";
    }

    private static String asJson(Node value) {
        return value instanceof Node.Str string ? JsonWriter.quoted(string.value())
                : value instanceof Node.Num || value instanceof Node.Bool ? text(value) : "…";
    }

    private static String asText(Node value) {
        return value instanceof Node.Obj || value instanceof Node.Arr || value instanceof Node.Null ? "\"…\""
                : JsonWriter.quoted(text(value));
    }

    private static String text(Node scalar) {
        return scalar instanceof Node.Str string ? string.value()
                : scalar instanceof Node.Num number ? number.text() : scalar.what();
    }
}
