package io.despina.operator.source;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines of several files as one sequence: file after file, or, where they are followed, in turns as they grow. CSV
 * headers, comments and blank lines are passed over as Spark does.
 */
final class FileLines implements Closeable {

    /**
     * How lines are told apart.
     *
     * @param dialect   null where every line counts
     * @param separator null for LF, CR LF and CR
     */
    record Options(CsvDialect dialect, byte[] separator, boolean follow) {
    }

    /** One file, opened when its turn comes. */
    private static final class File {
        private final Path path;
        private LineBlocks.Place from = LineBlocks.Place.START;
        private LineBlocks blocks;
        private boolean headerRead;
        private boolean headerReadBefore;

        File(Path path) {
            this.path = path;
        }
    }

    private final Options options;
    private final List<File> files = new ArrayList<>();
    /** The file whose turn it is; all are done when it is their number. */
    private int current;
    /** The file of the line found last. */
    private LineBlocks last;
    private long found;

    FileLines(List<Path> paths, Options options) {
        this.options = options;
        paths.forEach(path -> files.add(new File(path)));
    }

    /** Finds the next line; false at the end of all files, for now if they are followed. */
    boolean next() throws IOException {
        for (int silent = 0; current < files.size() && silent < files.size();) {
            File file = files.get(current);
            if (file.blocks == null) {
                file.blocks = new LineBlocks(file.path, file.from, options.separator, options.follow);
            }
            if (file.blocks.next()) {
                silent = 0;
                file.headerReadBefore = file.headerRead;
                if (isRecord(file)) {
                    last = file.blocks;
                    found++;
                    return true;
                }
            } else if (options.follow) {
                current = (current + 1) % files.size();
                silent++;
            } else {
                file.blocks.close();
                file.blocks = null;
                current++;
            }
        }
        return false;
    }

    private boolean isRecord(File file) {
        CsvDialect dialect = options.dialect;
        if (dialect == null) {
            return true;
        }
        LineBlocks line = file.blocks;
        if (dialect.header() && !file.headerRead) {
            file.headerRead = !dialect.skipsBeforeHeader(line.bytes(), line.start(), line.end());
            return false;
        }
        return !dialect.skips(line.bytes(), line.start(), line.end());
    }

    byte[] bytes() {
        return last.bytes();
    }

    int start() {
        return last.start();
    }

    int end() {
        return last.end();
    }

    int length() {
        return last == null ? 0 : last.end() - last.start();
    }

    /** The line found last as {@code file:line}. */
    String where() {
        return last.path() + ":" + last.line();
    }

    /** Whether there is nothing to read, now or ever. */
    boolean hasNoFiles() {
        return files.isEmpty();
    }

    /** Whether no line was ever found. */
    boolean isEmpty() {
        return found == 0;
    }

    /** Begins again with the first file. */
    void restart() throws IOException {
        close();
        for (File file : files) {
            file.from = LineBlocks.Place.START;
            file.blocks = null;
            file.headerRead = false;
        }
        current = 0;
    }

    /** Per file that is not done, and has been begun or comes next: a line end, then offset, line, header, path. */
    String position(boolean beforeLast) {
        StringBuilder text = new StringBuilder();
        for (int k = options.follow ? 0 : current; k < (options.follow ? files.size() : Math.min(current + 1, files.size())); k++) {
            File file = files.get(k);
            boolean before = beforeLast && file.blocks != null && file.blocks == last;
            LineBlocks.Place place = file.blocks == null ? file.from : before ? last.lineStart() : file.blocks.place();
            boolean header = before ? file.headerReadBefore : file.headerRead;
            text.append('\n').append(place.offset()).append(' ').append(place.line()).append(' ').append(header ? 1 : 0)
                    .append(' ').append(file.path);
        }
        return text.toString();
    }

    /** Goes on from a {@link #position}. */
    void seek(String position) throws IOException {
        for (String line : position.lines().filter(text -> !text.isEmpty()).toList()) {
            String[] parts = line.split(" ", 4);
            File file = files.stream().filter(f -> f.path.toString().equals(parts[3])).findFirst()
                    .orElseThrow(() -> new IOException("no such file, to go on with: " + parts[3]));
            file.from = new LineBlocks.Place(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
            file.headerRead = parts[2].equals("1");
            current = options.follow ? 0 : files.indexOf(file);
        }
    }

    @Override
    public void close() throws IOException {
        for (File file : files) {
            if (file.blocks != null) {
                file.blocks.close();
            }
        }
    }
}
