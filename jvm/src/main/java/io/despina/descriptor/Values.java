package io.despina.descriptor;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The fields of one checked object, with parameters and defaults filled in. The checker makes it; its values are only valid if
 * the checker found no error.
 */
public final class Values {

    /** The context of reading: the file and the parameters. */
    record Context(FileText source, Parameters parameters) {

        /** A string, or an array of lines; null if there is none. */
        Text text(Node found) {
            if (found instanceof Node.Str string) {
                return lines(string.place(), List.of(string));
            }
            return found instanceof Node.Arr array ? lines(array.place(), array.items()) : null;
        }

        private Text lines(Place place, List<? extends Node> strings) {
            StringBuilder joined = new StringBuilder();
            List<Text.Line> lines = new ArrayList<>();
            for (Node item : strings) {
                if (!lines.isEmpty()) {
                    joined.append('\n');
                }
                Node.Str string = (Node.Str) item;
                Parameters.Filled filled = parameters.fill(string.value());
                lines.add(new Text.Line(joined.length(), string, filled.origin()));
                joined.append(filled.value());
            }
            return new Text(place, joined.toString(), source, lines);
        }
    }

    private final Context context;
    private final Section section;
    private final Node.Obj node;

    Values(Context context, Section section, Node.Obj node) {
        this.context = context;
        this.section = section;
        this.node = node;
    }

    /** The word of {@code type}, for a variant; else the section's name. */
    public String word() {
        return section.name();
    }

    public Place place() {
        return node.place();
    }

    /** The place of that field, or of the object if the field is absent. */
    public Place place(String name) {
        return isWritten(name) ? node.get(name).place() : node.place();
    }

    public boolean isWritten(String name) {
        return node.get(name) != null;
    }

    /** Whether there is a field of that name, written or not. */
    public boolean declares(String name) {
        return section.field(name) != null;
    }

    /** The text of that field, or null. */
    public Text text(String name) {
        return text(find(name));
    }

    /** The string of that field, or {@code otherwise}. */
    public String string(String name, String otherwise) {
        Text text = text(name);
        return text == null ? otherwise : text.value();
    }

    /** The string of that field, which must be present, as a constant of an enum. */
    public <E extends Enum<E>> E constant(String name, Class<E> type) {
        return Enum.valueOf(type, string(name, "").toUpperCase(Locale.ROOT));
    }

    public long whole(String name, long otherwise) {
        Node found = find(name);
        return found == null ? otherwise : Long.parseLong(scalar(found));
    }

    public double real(String name, double otherwise) {
        Node found = find(name);
        return found == null ? otherwise : Double.parseDouble(scalar(found));
    }

    /** The numbers of that map by key; empty if it is absent. */
    public Map<String, Double> reals(String name) {
        Map<String, Double> all = new LinkedHashMap<>();
        if (find(name) instanceof Node.Obj object) {
            object.members().forEach((key, member) -> all.put(key, Double.parseDouble(scalar(member))));
        }
        return all;
    }

    /** The flag of that field, which must have a default. */
    public boolean flag(String name) {
        return Boolean.parseBoolean(scalar(find(name)));
    }

    /** The strings (or expressions) of that field; empty if it is absent. */
    public List<Text> texts(String name) {
        return find(name) instanceof Node.Arr array ? array.items().stream().map(this::text).toList() : List.of();
    }

    /** The fields of that object (section or variant), or null. */
    public Values fields(String name) {
        return find(name) instanceof Node.Obj object ? values(kind(name), object) : null;
    }

    /** The objects of that array; empty if it is absent. */
    public List<Values> list(String name) {
        List<Values> all = new ArrayList<>();
        if (find(name) instanceof Node.Arr array) {
            FieldKind item = ((FieldKind.ListOf) kind(name)).item();
            array.items().forEach(i -> all.add(values(item, (Node.Obj) i)));
        }
        return all;
    }

    /** The objects of that map by key; empty if it is absent. */
    public Map<String, Values> map(String name) {
        Map<String, Values> all = new LinkedHashMap<>();
        if (find(name) instanceof Node.Obj object) {
            FieldKind value = ((FieldKind.MapOf) kind(name)).value();
            object.members().forEach((key, member) -> all.put(key, values(value, (Node.Obj) member)));
        }
        return all;
    }

    /** The strings of that map by key; empty if it is absent. */
    public Map<String, String> strings(String name) {
        Map<String, String> all = new LinkedHashMap<>();
        namedTexts(name).forEach((key, text) -> all.put(key, text.value()));
        return all;
    }

    /** The same, with their places. */
    public Map<String, Text> namedTexts(String name) {
        Map<String, Text> all = new LinkedHashMap<>();
        if (find(name) instanceof Node.Obj object) {
            object.members().forEach((key, member) -> all.put(key, text(member)));
        }
        return all;
    }

    /** The lists of strings of that map by key; empty if it is absent. */
    public Map<String, List<Text>> lists(String name) {
        Map<String, List<Text>> all = new LinkedHashMap<>();
        if (find(name) instanceof Node.Obj object) {
            object.members().forEach((key, member) ->
                    all.put(key, ((Node.Arr) member).items().stream().map(this::text).toList()));
        }
        return all;
    }

    /**
     * All fields except some, as maps, lists, strings, numbers and booleans, with parameters and defaults filled in, and each
     * expression as one string. A variant has its {@code type} first. Absent fields without a default are left out.
     */
    public Map<String, Object> plain(List<String> without) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (FieldSpec field : section.fields()) {
            Node found = without.contains(field.name()) ? null : find(field.name());
            if (found != null) {
                all.put(field.name(), plain(found, field.kind()));
            }
        }
        return all;
    }

    private Object plain(Node found, FieldKind declared) {
        FieldKind kind = FieldKinds.resolve(declared);
        if (kind instanceof FieldKind.ListOf list) {
            return ((Node.Arr) found).items().stream().map(i -> plain(i, list.item())).toList();
        }
        if (kind instanceof FieldKind.MapOf map) {
            Map<String, Object> all = new LinkedHashMap<>();
            ((Node.Obj) found).members().forEach((key, member) -> all.put(key, plain(member, map.value())));
            return all;
        }
        if (found instanceof Node.Obj object) {
            Map<String, Object> all = new LinkedHashMap<>();
            if (kind instanceof FieldKind.Variant) {
                all.put("type", ((Node.Str) object.get("type")).value());
            }
            all.putAll(values(kind, object).plain(List.of()));
            return all;
        }
        boolean raw = kind instanceof FieldKind.Whole || kind instanceof FieldKind.Real || kind instanceof FieldKind.Flag;
        return raw ? new JsonPrinter.Raw(scalar(found)) : text(found).value();
    }

    private FieldKind kind(String name) {
        return FieldKinds.resolve(section.field(name).kind());
    }

    private Values values(FieldKind kind, Node.Obj object) {
        FieldKind resolved = FieldKinds.resolve(kind);
        Section its = resolved instanceof FieldKind.Variant variant
                ? variant.section(((Node.Str) object.get("type")).value()) : ((FieldKind.Fields) resolved).section();
        return new Values(context, its, object);
    }

    private Node find(String name) {
        Node written = node.get(name);
        if (written != null) {
            return written;
        }
        String json = section.field(name).defaultJson();
        return json == null ? null : new JsonReader(new FileText(json), new Diagnostics("default of " + name)).read();
    }

    private String scalar(Node found) {
        return found instanceof Node.Num number ? number.text()
                : found instanceof Node.Bool flag ? Boolean.toString(flag.value()) : text(found).value();
    }

    private Text text(Node found) {
        return context.text(found);
    }
}
