package io.despina.operator.sink.file;

import io.despina.spec.FileFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The names of one file sink instance's files. In a folder they are {@code part-IIIII-EEEEE.ending} (instance, epoch). Until its
 * epoch is committed, a file's name begins with a dot, and Spark ignores it.
 *
 * <pre>
 * .part-00000.OWNER.lock                 held as long as this instance lives
 * .part-00000.OWNER.made                 only where this instance made the folder
 * .part-00000.OWNER.replaces names of older output to remove, now that a first epoch is in its place
 * .part-00000-00007.OWNER.csv.writing    in the writing since the epoch before; with snapshots the name until it is seen
 * .part-00000-00007.OWNER.csv.prepared   epoch 7, complete and on disk, not yet to be seen; with snapshots a file that is made of
 *                                        those of several epochs
 * .part-00000-00007.OWNER.csv.left       what a job that failed or was killed had not committed
 * part-00000-00007.csv                   committed
 * </pre>
 *
 * <p>Where the job takes snapshots, OWNER ends with {@code ~} and the attempt, except of marks: what an earlier attempt still
 * does, because it was only stopped for a while, is done to files of its own.
 */
final class OutputNames {
    static final String SUCCESS = "_SUCCESS";
    static final String LOCK = ".lock";
    static final String MADE = ".made";
    static final String REPLACES = ".replaces";
    static final String WRITING = ".writing";
    static final String PREPARED = ".prepared";
    static final String LEFT = ".left";
    /** A longer owner is cut, because a file name has at most 255 bytes. */
    private static final int MOST_OWNER = 120;
    /** The unfinished file of a killed sink is ordered after its prepared files. */
    private static final long LAST = 90_000;
    /** Of a format, and of what packs the files. */
    private static final String ENDING = "(?:[a-z0-9]+\\.)?(?:" + Arrays.stream(FileFormat.values()).map(FileFormat::ending)
            .collect(Collectors.joining("|")) + ")(?:\\.[a-z0-9]+)?";
    private static final Pattern UNCOMMITTED = Pattern.compile(
            "(\\.part-\\d{5}|\\..+?)(?:-(\\d{5,})(-\\d+)?)?(\\.[^.]+\\." + ENDING + ")\\.(?:writing|prepared)");
    private static final String ATTEMPT = "~";
    private static final Pattern PART = Pattern.compile("part-(\\d{5})[-.].*");

    private final OutputOptions options;
    private final int instance;
    /** Without the attempt. */
    private final String sink;
    private final String owner;
    /** Matches the hidden files of this instance and sink that have an attempt, and gives it. */
    private final Pattern attempts;
    /** Matches the hidden files of a single file, whatever their owner. */
    private final Pattern hidden;

    OutputNames(OutputOptions options, int instance) {
        this.options = options;
        this.instance = instance;
        String plain = options.owner().replaceAll("[^A-Za-z0-9_~-]", "_");
        sink = plain.length() <= MOST_OWNER ? plain
                : Integer.toHexString(options.owner().hashCode()) + plain.substring(plain.length() - MOST_OWNER);
        owner = owner(options.attempt());
        attempts = Pattern.compile(Pattern.quote("." + base()) + "(?:-[0-9-]+)?" + Pattern.quote("." + sink + ATTEMPT)
                + "([0-9]+)\\..*");
        hidden = Pattern.compile(Pattern.quote("." + base())
                + "(\\.[^.]+\\.(lock|made|replaces)|(-\\d+(-\\d+)?)?\\.[^.]+\\." + ENDING + "\\.(writing|prepared|left))");
    }

    Path folder() {
        return options.single() ? options.path().toAbsolutePath().getParent() : options.path();
    }

    /** The beginning of this instance's file names. */
    private String base() {
        return options.single() ? options.path().getFileName().toString() : String.format(Locale.ROOT, "part-%05d", instance);
    }

    private String owner(int attempt) {
        return attempt == 0 ? sink : sink + ATTEMPT + attempt;
    }

    /** A mark of this instance and sink, whatever the attempt. @param kind {@link #MADE} or {@link #REPLACES} */
    Path mark(String kind) {
        return folder().resolve("." + base() + "." + sink + kind);
    }

    /** The ending of the marks of all this sink's instances. */
    String ofSink(String kind) {
        return "." + sink + kind;
    }

    Path lock(int attempt) {
        return folder().resolve("." + base() + "." + owner(attempt) + LOCK);
    }

    /** @param file its number */
    Path writing(int attempt, long file) {
        return epoch(number(file), owner(attempt), WRITING);
    }

    Path of(PreparedEpoch one) {
        return one.file() > 0 ? writing(one.attempt(), one.file()) : prepared(one.epoch(), one.offset(), one.attempt());
    }

    /**
     * @param size    of a single file: its size before this epoch, from which an interrupted commit is repeated
     * @param attempt that has prepared it
     */
    private Path prepared(long epoch, long size, int attempt) {
        return epoch(number(epoch) + (options.single() ? "-" + size : ""), owner(attempt), PREPARED);
    }

    /** Of a file that is made of those of several epochs, until it is visible. */
    Path joined(long epoch) {
        return epoch(number(epoch), owner, PREPARED);
    }

    /** A free name for the rows that this instance leaves uncommitted in that epoch. */
    Path left(long epoch) throws IOException {
        long number = epoch;
        while (options.disk().exists(epoch(number(number), owner, LEFT))) {
            number++;
        }
        return epoch(number(number), owner, LEFT);
    }

    /**
     * A free name for rows that a dead sink left, whatever its owner, ordered after those it had prepared before. For a single
     * file the name keeps the file's size, because a commit of these rows may have been interrupted.
     */
    Path leftOf(Path file) throws IOException {
        Matcher name = UNCOMMITTED.matcher(file.getFileName().toString());
        if (!name.matches()) {
            return file;
        }
        long number = name.group(2) == null ? LAST : Long.parseLong(name.group(2));
        String offset = name.group(3) == null ? "" : name.group(3);
        Path left;
        do {
            left = file.resolveSibling(name.group(1) + "-" + number(number) + offset + name.group(4) + LEFT);
            number++;
        } while (options.disk().exists(left));
        return left;
    }

    private Path epoch(String numbers, String of, String kind) {
        return folder().resolve("." + base() + "-" + numbers + "." + of + "." + options.ending() + kind);
    }

    /** The visible file of the epoch. */
    Path visible(long epoch) {
        return options.single() ? options.path() : folder().resolve(base() + "-" + number(epoch) + "." + options.ending());
    }

    private static String number(long epoch) {
        return String.format(Locale.ROOT, "%05d", epoch);
    }

    /** Whether the lock or mark belongs to this sink's owner. */
    boolean isOwners(String name) {
        return name.endsWith("." + owner + LOCK) || name.endsWith(ofSink(MADE));
    }

    /** Whether the hidden file is of an earlier attempt of this instance. */
    boolean isOfEarlierAttempt(String name) {
        Matcher has = attempts.matcher(name);
        return options.attempt() > 0 && has.matches() && Integer.parseInt(has.group(1)) < options.attempt();
    }

    /** Whether a lock is of an earlier attempt of this sink, whatever the instance. */
    boolean isLockOfEarlierAttempt(String name) {
        int at = name.lastIndexOf("." + sink + ATTEMPT);
        if (at < 0 || options.attempt() == 0 || !name.endsWith(LOCK)) {
            return false;
        }
        String attempt = name.substring(at + sink.length() + 2, name.length() - LOCK.length());
        return attempt.matches("[0-9]{1,9}") && Integer.parseInt(attempt) < options.attempt();
    }

    /** Whether a file, by its name, holds rows that this instance and owner, or an earlier attempt, has not committed. */
    boolean isOwnUncommitted(String name) {
        return holdsRows(name) && !name.endsWith(LEFT) && (isOfEarlierAttempt(name)
                || name.startsWith("." + base() + "-") && name.endsWith("." + owner + "." + options.ending() + PREPARED));
    }

    /** The instance that a file belongs to, whatever its owner; -1 if it is not a sink's file. */
    int instanceOf(String name) {
        if (options.single()) {
            return hidden.matcher(name).matches() ? 0 : -1;
        }
        Matcher part = PART.matcher(name.startsWith(".") ? name.substring(1) : name);
        return part.matches() ? Integer.parseInt(part.group(1)) : -1;
    }

    /**
     * Whether this instance handles the files of that one: its own, and as the first instance also those of instances that no
     * longer exist.
     */
    boolean isMine(int of, int parallelism) {
        return of == instance || instance == 0 && of >= parallelism;
    }

    boolean isFirst() {
        return instance == 0;
    }

    /** Whether a hidden file holds uncommitted rows. */
    static boolean holdsRows(String name) {
        return name.startsWith(".") && (name.endsWith(WRITING) || name.endsWith(PREPARED) || name.endsWith(LEFT));
    }
}
