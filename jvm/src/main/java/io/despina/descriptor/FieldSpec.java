package io.despina.descriptor;

/**
 * The one declaration of a field. Parser, checker, JSON schema and reference page all use it.
 *
 * @param required     whether the file must contain it
 * @param defaultJson  the default, as JSON text; null for no default
 * @param defaultWords the default in words, if JSON cannot express it; null otherwise
 * @param doc          one line
 */
public record FieldSpec(String name, FieldKind kind, boolean required, String defaultJson, String defaultWords, String doc) {

    /** A required field. */
    public static FieldSpec required(String name, FieldKind kind, String doc) {
        return new FieldSpec(name, kind, true, null, null, doc);
    }

    /** A field with a default, given as JSON text. */
    public static FieldSpec or(String name, FieldKind kind, String defaultJson, String doc) {
        return new FieldSpec(name, kind, false, defaultJson, null, doc);
    }

    /** An optional field; {@code otherwise} describes the default. */
    public static FieldSpec optional(String name, FieldKind kind, String otherwise, String doc) {
        return new FieldSpec(name, kind, false, null, otherwise, doc);
    }
}
