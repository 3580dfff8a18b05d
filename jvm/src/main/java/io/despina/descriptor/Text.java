package io.despina.descriptor;

import java.util.List;

/** A text of the file with its parameters filled in, which knows where each of its characters stands. */
public final class Text {

    /**
     * One line of it.
     *
     * @param start  where it begins in the text
     * @param origin per character, the index in the string as written; null if nothing was filled in
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

    /** Where the whole of it stands. */
    public Place place() {
        return place;
    }

    /** Where the character at that index stands; the whole's place for -1. */
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
