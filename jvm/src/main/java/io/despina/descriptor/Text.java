package io.despina.descriptor;

import java.util.List;

/** A text of the file with its parameters filled in. It knows the place of each character in the file. */
public final class Text {

    /**
     * One line of the text.
     *
     * @param start  its index in the text
     * @param origin by character, the index in the string as written; null if nothing was filled in
     */
    record Line(int start, Node.Str node, int[] origin) {
    }

    private final Place place;
    private final String value;
    private final FileText source;
    private final List<Line> lines;

    Text(Place place, String value, FileText source, List<Line> lines) {
        this.place = place;
        this.value = value;
        this.source = source;
        this.lines = List.copyOf(lines);
    }

    /** The text, lines joined by newlines. */
    public String value() {
        return value;
    }

    /** The place of the whole text. */
    public Place place() {
        return place;
    }

    /** The place of the character at that index; for -1 that of the whole text. */
    public Place place(int index) {
        if (index < 0 || lines.isEmpty()) {
            return place;
        }
        Line line = lines.get(0);
        for (Line candidate : lines) {
            if (candidate.start() <= index) {
                line = candidate;
            }
        }
        int within = index - line.start();
        if (line.origin() != null) {
            within = within < line.origin().length ? line.origin()[within] : line.node().value().length();
        }
        return source.inside(line.node(), within);
    }

    @Override
    public String toString() {
        return value;
    }
}
