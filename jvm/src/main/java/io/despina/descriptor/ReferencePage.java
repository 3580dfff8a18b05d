package io.despina.descriptor;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of the reference: tables of fields, and below each what is too long for a cell. A part that several tables name is
 * described once, behind the first of them; the others link to it.
 */
final class ReferencePage {
    /** A text of more words than this stands below the table, all but its first sentence. */
    private static final int MOST_WORDS = 40;

    /** A page of the project, as messages and docstrings name it. */
    private static final Pattern PAGE = Pattern.compile("\\bdocs/(reference/)?([\\w-]+)\\.md");

    /** The part that the index describes. */
    private static final String OPERATOR = "operator";
    static final String MADE = "<!-- Made by make generate; do not edit. -->\n";

    private final StringBuilder out = new StringBuilder();
    private final List<FieldKind> waiting = new ArrayList<>();
    private final Set<String> told = new HashSet<>();
    private final String name;
    private final Map<FieldKind, Place> parts;

    /** Where a part is described. */
    record Place(String page, String heading) {
        /** As GitHub makes it of a heading. */
        String anchor() {
            return heading.replaceAll("[()]", "").replace(' ', '-');
        }
    }

    /**
     * @param name  its file's, without the ending
     * @param parts that are described; this page adds its own
     */
    ReferencePage(String name, String title, Map<FieldKind, Place> parts) {
        this.name = name;
        this.parts = parts;
        out.append("# ").append(title).append("\n\n").append(MADE);
    }

    String text() {
        return out.toString();
    }

    void heading(String level, String text) {
        out.append('\n').append(level).append(' ').append(text).append('\n');
    }

    /** Text, and behind a line break its items. */
    void paragraph(String text) {
        String[] items = text.split("\n- ");
        out.append('\n').append(linked(items[0])).append('\n');
        for (int i = 1; i < items.length; i++) {
            out.append(i == 1 ? "\n- " : "- ").append(linked(items[i])).append('\n');
        }
    }

    void code(String json) {
        out.append("\n```json\n").append(json).append("```\n");
    }

    void section(Section section, String type) {
        paragraph((type == null ? "" : "`" + type + "`: ") + section.doc());
        table(section.fields());
    }

    void table(List<FieldSpec> fields) {
        if (fields.isEmpty()) {
            return;
        }
        out.append("\n| field | holds | default | |\n|---|---|---|---|\n");
        Map<String, String> notes = new LinkedHashMap<>();
        for (FieldSpec field : fields) {
            row(field, notes);
        }
        notes(notes);
    }

    /** What is too long for the table's cells, by field; what other tables of the page have said already stands there. */
    private void notes(Map<String, String> notes) {
        List<String> above = notes.keySet().stream().filter(f -> told.contains(notes.get(f))).toList();
        notes.keySet().removeAll(above);
        told.addAll(notes.values());
        if (notes.size() + above.size() > 0) {
            out.append('\n').append(String.join("", notes.values()))
                    .append(above.isEmpty() ? "" : "- " + ticked(above) + ": as above.\n");
        }
    }

    private void row(FieldSpec field, Map<String, String> notes) {
        String otherwise = field.required() ? "**required**" : field.defaultJson() != null ? "`" + field.defaultJson() + "`"
                : field.defaultWords();
        String holds = holds(field.kind());
        List<String> words = List.of();
        if (words(holds) > MOST_WORDS && FieldKinds.resolve(field.kind()) instanceof FieldKind.Words choice) {
            holds = ticked(choice.names());
            words = choice.words().stream().map(w -> "`" + w.name() + "`: " + w.doc()).toList();
        }
        String cell = isLong(field.doc()) ? field.summary() : field.doc();
        out.append("| `").append(field.name()).append("` | ").append(holds).append(" | ").append(otherwise)
                .append(" | ").append(linked(cell).replace("|", "\\|")).append(" |\n");
        List<String> items = new ArrayList<>(List.of(field.doc().substring(cell.length()).split("\n- ")));
        String first = items.remove(0).strip();
        items.addAll(0, words);
        if (!first.isEmpty() || !items.isEmpty()) {
            StringBuilder note = new StringBuilder("- `" + field.name() + "`: " + linked(first.isEmpty() ? cell : first) + "\n");
            items.forEach(item -> note.append("  - ").append(linked(item)).append('\n'));
            notes.put(field.name(), note.toString());
        }
    }

    private static boolean isLong(String text) {
        return text.contains("\n") || words(text) > MOST_WORDS;
    }

    private static int words(String text) {
        return text.split(" ").length;
    }

    private String holds(FieldKind declared) {
        FieldKind kind = FieldKinds.resolve(declared);
        if (kind instanceof FieldKind.Whole whole) {
            return ("whole number, " + FieldKinds.limits(whole)).replaceAll(", $", "");
        }
        if (kind instanceof FieldKind.Real real) {
            return "number, " + FieldKinds.limits(real);
        }
        if (kind instanceof FieldKind.Text text && text.mostBytes() < Integer.MAX_VALUE) {
            return "string, at most " + text.mostBytes() + " bytes";
        }
        if (kind instanceof FieldKind.Words words) {
            return String.join("; ", words.words().stream().map(w -> "`" + w.name() + "` " + w.doc()).toList());
        }
        if (kind instanceof FieldKind.ListOf list) {
            return "array: " + holds(list.item());
        }
        if (kind instanceof FieldKind.MapOf map) {
            return "object, " + map.keyDoc() + " → " + holds(map.value());
        }
        if (kind instanceof FieldKind.Fields fields) {
            return part(fields.section().name(), kind);
        }
        if (kind instanceof FieldKind.Variant variant) {
            return part(variant.name(), kind);
        }
        return kind instanceof FieldKind.Flag ? "true or false" : kind instanceof FieldKind.Expression ? "expression"
                : kind instanceof FieldKind.Ddl ? "schema, Spark DDL" : "string";
    }

    private String part(String part, FieldKind kind) {
        if (part.equals(OPERATOR)) {
            return "[" + part + "](README.md#operators)";
        }
        Place place = parts.get(kind);
        if (place == null) {
            place = new Place(name, free(part));
            parts.put(kind, place);
            waiting.add(kind);
        }
        return "[" + part + "](" + (place.page.equals(name) ? "" : place.page + ".md") + "#" + place.anchor() + ")";
    }

    /** A heading of a part that this page does not have yet: parts of one name may be others. */
    private String free(String part) {
        String heading = part;
        for (int k = 2; parts.containsValue(new Place(name, heading)); k++) {
            heading = part + " (" + k + ")";
        }
        return heading;
    }

    /** Writes the parts that tables have named so far, and the parts that these name, under headings of that level. */
    void parts(String level) {
        while (!waiting.isEmpty()) {
            FieldKind kind = waiting.remove(0);
            if (kind instanceof FieldKind.Fields fields) {
                heading(level, parts.get(kind).heading);
                section(fields.section(), null);
            } else if (kind instanceof FieldKind.Variant variant) {
                heading(level, parts.get(kind).heading);
                paragraph("An object with `type`, one of these:");
                variants(variant);
            }
        }
    }

    private void variants(FieldKind.Variant variant) {
        boolean bare = variant.sections().stream().allMatch(s -> s.fields().isEmpty());
        if (bare) {
            out.append('\n');
            variant.sections().forEach(s -> out.append("- `" + s.name() + "`: " + linked(s.doc()) + "\n"));
        } else {
            variant.sections().forEach(s -> section(s, s.name()));
        }
    }

    static String linked(String text) {
        return PAGE.matcher(text).replaceAll(m -> Matcher.quoteReplacement("[" + m.group(2) + "]("
                + (m.group(1) == null ? "../" : "") + m.group(2) + ".md)"));
    }

    static String ticked(List<String> names) {
        return String.join(", ", names.stream().map(n -> "`" + n + "`").toList());
    }
}
