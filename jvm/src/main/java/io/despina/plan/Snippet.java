package io.despina.plan;

import io.despina.descriptor.Text;
import io.despina.packet.Column;
import java.util.List;

/**
 * SQL that is compiled for a text of the file.
 *
 * @param shift characters before the text in {@code sql}
 */
public record Snippet(String sql, Text text, int shift) {

    public static Snippet of(Text text) {
        return new Snippet(text.value(), text, 0);
    }

    public static List<Snippet> of(List<Text> texts) {
        return texts.stream().map(Snippet::of).toList();
    }

    /** The text as a column of that name; the newline ends a comment at the text's end. */
    public static Snippet named(Text text, String name) {
        return new Snippet("(" + text.value() + "\n) AS " + Column.inSql(name), text, 1);
    }

    /** Whether that index in the SQL is behind the text. */
    public boolean isBehind(int index) {
        return index - shift >= text.value().length();
    }

    public static List<String> sql(List<Snippet> snippets) {
        return snippets.stream().map(Snippet::sql).toList();
    }
}
