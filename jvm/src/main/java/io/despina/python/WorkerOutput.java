package io.despina.python;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** What a worker prints: it goes to a log at a bounded rate, and the last lines are kept for the report of its end. */
final class WorkerOutput {
    private static final int LAST_LINES = 12;
    /** What Python says of where it was, the innermost frame first, has no more. */
    private static final int MOST_KEPT = 120;
    private static final int LONGEST_LINE = 500;
    /** So many lines a second go to the log. */
    private static final int MOST_LINES = 100;
    private static final int CHARS = 4096;
    private static final long END_MS = 500;
    private static final String FRAME = "  File ";
    /** What {@code faulthandler} writes when it is asked, or when the process crashes. */
    private static final Pattern OF_DUMPS = Pattern.compile("( {2}File | {2}\\.\\.\\.|Fatal Python error|Python runtime state|"
            + "(Current t|T)hread 0x|Stack \\(most recent|Extension modules|$).*");
    /** Of these, what says nothing of the user's code. */
    private static final Pattern OF_NOBODY = Pattern.compile("| {2}File (\"<frozen |.*(/despina_worker\\.zip/"
            + "|/importlib/__init__\\.py\")).*|(Current t|T)hread 0x.*|Stack \\(.*|Extension modules.*|Python runtime state.*");
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Consumer<String> log;
    private final Thread reader;
    /** Guarded by itself. */
    private final Deque<String> last = new ArrayDeque<>();
    // of the reading thread
    private final StringBuilder line = new StringBuilder();
    private char before;
    private long since = System.nanoTime();
    private int lines;
    private long left;

    WorkerOutput(InputStream stream, Consumer<String> log) {
        this.log = log;
        reader = new Thread(() -> read(stream), "despina-python-output");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream stream) {
        try (Reader in = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
            char[] chars = new char[CHARS];
            for (int length = in.read(chars); length >= 0; length = in.read(chars)) {
                for (int k = 0; k < length; k++) {
                    take(chars[k]);
                }
            }
        } catch (IOException closed) {
            System.getLogger(WorkerOutput.class.getName()).log(System.Logger.Level.DEBUG, "a worker's output is closed", closed);
        } finally {
            if (line.length() > 0 && line.length() <= LONGEST_LINE) {
                take(line.toString());
            }
            tellLeft();
        }
    }

    /** No more is kept of a line than is told of it, whatever comes. */
    private void take(char next) {
        if (next == '\n' || next == '\r') {
            if (line.length() <= LONGEST_LINE && (line.length() > 0 || next == '\n' && before != '\r')) {
                take(line.toString());
            }
            line.setLength(0);
        } else if (line.length() < LONGEST_LINE) {
            line.append(next);
        } else if (line.length() == LONGEST_LINE) {
            take(line.append('…').toString());
        }
        before = next;
    }

    private void take(String whole) {
        synchronized (last) {
            last.add(whole);
            if (last.size() > MOST_KEPT) {
                last.remove();
            }
        }
        long now = System.nanoTime();
        if (now - since >= SECOND) {
            since = now;
            lines = 0;
            tellLeft();
        }
        if (lines++ < MOST_LINES) {
            log.accept(whole);
        } else {
            left++;
        }
    }

    private void tellLeft() {
        if (left > 0) {
            log.accept("… and " + left + " lines more, since no more than " + MOST_LINES + " a second are shown");
            left = 0;
        }
    }

    /** Waits a moment for what is still to be read of a process that has ended. */
    void awaitEnd() {
        try {
            reader.join(END_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The last lines as one, or an empty text. Of where Python says that it was, the innermost frames, none of the worker's. */
    String last() {
        List<String> lines;
        synchronized (last) {
            lines = List.copyOf(last);
        }
        int from = lines.size();
        while (from > 0 && OF_DUMPS.matcher(lines.get(from - 1)).matches()) {
            from--;
        }
        List<String> dump = lines.subList(from, lines.size()).stream()
                .filter(each -> !OF_NOBODY.matcher(each).matches()).toList();
        boolean isThere = dump.stream().anyMatch(each -> each.startsWith(FRAME));
        List<String> told = isThere ? dump.subList(0, Math.min(dump.size(), LAST_LINES))
                : lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
        return String.join(" | ", told);
    }
}
