package io.despina.descriptor;

import java.util.regex.Pattern;

/**
 * The one declaration of a field. Parser, checker, JSON schema and reference page all use it.
 *
 * @param required     whether the file must contain it
 * @param defaultJson  the default, as JSON text; null for no default
 * @param defaultWords the default in words, if JSON cannot express it; null otherwise
 * @param doc          a sentence or a few; lines that begin with {@code "- "} behind them are items of a list
 */
public record FieldSpec(String name, FieldKind kind, boolean required, String defaultJson, String defaultWords, String doc) {
    private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.?])\\s+(?=[A-Z`])");

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

    /** The first sentence of what is said of it. */
    String summary() {
        return firstSentence(doc);
    }

    static String firstSentence(String text) {
        return SENTENCE_END.split(text.split("\n", 2)[0], 2)[0];
    }
}
