package io.despina.descriptor;

/**
 * The one declaration of a field: parse, check, JSON schema and reference page are made from it.
 *
 * @param required     whether it must be written
 * @param defaultJson  what holds when it is not, as JSON text; null if then nothing holds
 * @param defaultWords the default in words, where JSON does not say it; null otherwise
 * @param doc          one line
 */
public record FieldSpec(String name, FieldKind kind, boolean required, String defaultJson, String defaultWords, String doc) {

    /** A field that must be written. */
    public static FieldSpec required(String name, FieldKind kind, String doc) {
        return new FieldSpec(name, kind, true, null, null, doc);
    }

    /** A field with a default, given as JSON text. */
    public static FieldSpec or(String name, FieldKind kind, String defaultJson, String doc) {
        return new FieldSpec(name, kind, false, defaultJson, null, doc);
    }

    /** A field that may be missing; {@code otherwise} says what then holds. */
    public static FieldSpec optional(String name, FieldKind kind, String otherwise, String doc) {
        return new FieldSpec(name, kind, false, null, otherwise, doc);
    }
}
