package io.despina.operator.source.file;

import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A source's position in one file. As text it is one line of words, with the path URL-encoded because a name may contain spaces
 * and line feeds.
 *
 * @param key   the identity of a followed file, whatever its name
 * @param done  whether the file is read to its end
 * @param place before the next line to read
 * @param sent  how many packets of that line have been sent
 */
record FileMark(Path path, String key, boolean done, FileRecords.Place place, long sent) {
    private static final int WORDS = 6;
    private static final int WORDS_WHEN_DONE = 3;
    /** The key of a file that is not followed. */
    static final String NO_KEY = "-";
    private static final String DONE = "done";

    static FileMark start(Path path) {
        return new FileMark(path, NO_KEY, false, FileRecords.Place.START, 0);
    }

    static FileMark finished(Path path) {
        return new FileMark(path, NO_KEY, true, FileRecords.Place.START, 0);
    }

    /** The file's identity. */
    String id() {
        return key.equals(NO_KEY) ? path.toString() : key;
    }

    /** The instance that reads it. */
    int instance(int parallelism) {
        return InputFiles.instanceOf(id(), parallelism);
    }

    @Override
    public String toString() {
        String name = URLEncoder.encode(path.toString(), StandardCharsets.UTF_8);
        LineBlocks.Place line = place.line();
        return done ? DONE + " " + URLEncoder.encode(key, StandardCharsets.UTF_8) + " " + name
                : line.offset() + " " + line.line() + " " + (place.headerRead() ? 1 : 0) + " " + sent + " "
                + URLEncoder.encode(key, StandardCharsets.UTF_8) + " " + name;
    }

    /** Reads what {@link #toString} has written. */
    static FileMark parse(String text) throws IOException {
        String[] words = text.split(" ");
        Path path = Path.of(decoded(words[words.length - 1]));
        if (words[0].equals(DONE)) {
            String key = words.length < WORDS_WHEN_DONE ? NO_KEY : decoded(words[1]);
            return new FileMark(path, key, true, FileRecords.Place.START, 0);
        }
        if (words.length != WORDS) {
            throw new IOException("not a file's position: " + text);
        }
        LineBlocks.Place line = new LineBlocks.Place(Long.parseLong(words[0]), Long.parseLong(words[1]));
        return new FileMark(path, decoded(words[4]), false,
                new FileRecords.Place(line, words[2].equals("1")), Long.parseLong(words[3]));
    }

    private static String decoded(String word) {
        return URLDecoder.decode(word, StandardCharsets.UTF_8);
    }
}
