package io.despina.descriptor;

import java.util.List;

/**
 * An object of the file and its fields, in the order of the canonical form.
 *
 * @param name the section's name; in a {@link FieldKind.Variant} the word that {@code type} holds
 * @param doc  one line or a few
 */
public record Section(String name, String doc, List<FieldSpec> fields) {

    public Section {
        fields = List.copyOf(fields);
    }

    public static Section of(String name, String doc, FieldSpec... fields) {
        return new Section(name, doc, List.of(fields));
    }

    /** The field of that name, or null. */
    public FieldSpec field(String name) {
        return fields.stream().filter(f -> f.name().equals(name)).findFirst().orElse(null);
    }

    public List<String> names() {
        return fields.stream().map(FieldSpec::name).toList();
    }
}
