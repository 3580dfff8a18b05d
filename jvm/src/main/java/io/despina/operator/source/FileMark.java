package io.despina.operator.source;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Where a source stands in one file. As text it is one line of four numbers and the path, which is URL-encoded: a name may
 * have spaces and line feeds.
 *
 * @param done  it is read to its end
 * @param place before the line to go on with
 * @param sent  how many packets of that line have been sent
 */
record FileMark(Path path, boolean done, FileLines.Place place, long sent) {
    private static final int WORDS = 5;
    private static final String DONE = "done";

    static FileMark start(Path path) {
        return new FileMark(path, false, FileLines.Place.START, 0);
    }

    static FileMark finished(Path path) {
        return new FileMark(path, true, FileLines.Place.START, 0);
    }

    @Override
    public String toString() {
        String name = URLEncoder.encode(path.toString(), StandardCharsets.UTF_8);
        LineBlocks.Place line = place.line();
        return done ? DONE + " " + name
                : line.offset() + " " + line.line() + " " + (place.headerRead() ? 1 : 0) + " " + sent + " " + name;
    }

    /** Reads what {@link #toString} has written. */
    static FileMark parse(String text) throws IOException {
        String[] words = text.split(" ");
        Path path = Path.of(URLDecoder.decode(words[words.length - 1], StandardCharsets.UTF_8));
        if (words[0].equals(DONE)) {
            return finished(path);
        }
        if (words.length != WORDS) {
            throw new IOException("not a file's position: " + text);
        }
        LineBlocks.Place line = new LineBlocks.Place(Long.parseLong(words[0]), Long.parseLong(words[1]));
        return new FileMark(path, false, new FileLines.Place(line, words[2].equals("1")), Long.parseLong(words[3]));
    }
}
