package io.despina.descriptor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The text of a file, and its lines. Columns count characters (code points) from 1. */
final class FileText {
    private static final int HEX_DIGITS = 4;
    private final String text;
    private final List<Integer> lineStarts = new ArrayList<>(List.of(0));
    private final PartUse named;

    FileText(String text) {
        this(text, null);
    }

    /** @param named where the file is named; null for the graph's own */
    FileText(String text, PartUse named) {
        this.text = text;
        this.named = named;
        for (int k = text.indexOf('\n'); k >= 0; k = text.indexOf('\n', k + 1)) {
            lineStarts.add(k + 1);
        }
    }

    String text() {
        return text;
    }

    Place place(int offset, String pointer) {
        return place(offset, pointer, named);
    }

    private Place place(int offset, String pointer, PartUse use) {
        int at = Math.max(0, Math.min(offset, text.length()));
        int found = Collections.binarySearch(lineStarts, at);
        int line = found >= 0 ? found : -found - 2;
        int start = lineStarts.get(line);
        return new Place(at, line + 1, text.codePointCount(start, at) + 1, pointer, use);
    }

    /** The place in the file of the character at that index of the string's value; takes escapes into account. */
    Place inside(Node.Str string, int index) {
        int at = string.place().offset() + 1;
        for (int k = 0; k < index && at < text.length() && text.charAt(at) != '"'; k++) {
            if (text.charAt(at) != '\\') {
                at++;
            } else {
                at += text.charAt(at + 1) == 'u' ? 2 + HEX_DIGITS : 2;
            }
        }
        return place(at, string.place().pointer(), string.place().use());
    }
}
