package io.despina.operator.sink;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of one file sink instance's files. In a folder they are {@code part-IIIII-EEEEE.ending} (instance, epoch). Until its
 * epoch is committed, a file's name begins with a dot, and Spark ignores it.
 *
 * <pre>
 * .part-00000.OWNER.lock                 held as long as this instance lives
 * .part-00000.OWNER.made                 only where this instance made the folder
 * .part-00000.OWNER.replaces names of older output to remove, now that a first epoch is in its place
 * .part-00000.OWNER.csv.writing          in the writing
 * .part-00000-00007.OWNER.csv.prepared   epoch 7, complete and on disk, not yet to be seen
 * .part-00000-00007.OWNER.csv.left       what a job that failed or was killed had not committed
 * part-00000-00007.csv                   committed
 * </pre>
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
    private static final String ENDING = "(?:(?:csv|json|txt)(?:\\.[a-z0-9]+)?|(?:[a-z0-9]+\\.)?parquet)";
    private static final Pattern UNCOMMITTED = Pattern.compile(
            "(\\.part-\\d{5}|\\..+?)(?:-(\\d{5,})(-\\d+)?)?(\\.[^.]+\\." + ENDING + ")\\.(?:writing|prepared)");
    private static final Pattern PART = Pattern.compile("part-(\\d{5})[-.].*");

    private final OutputOptions options;
    private final int instance;
    private final String owner;
    /** Matches the hidden files of a single file, whatever their owner. */
    private final Pattern hidden;

    OutputNames(OutputOptions options, int instance) {
        this.options = options;
        this.instance = instance;
        String plain = options.owner().replaceAll("[^A-Za-z0-9_-]", "_");
        owner = plain.length() <= MOST_OWNER ? plain
                : Integer.toHexString(options.owner().hashCode()) + plain.substring(plain.length() - MOST_OWNER);
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

    /** A hidden file of this instance and owner. @param kind {@link #LOCK} and so on */
    Path hidden(String kind) {
        return folder().resolve("." + base() + "." + owner + kind);
    }

    /** The ending of the hidden files of all this sink's instances. */
    String ofSink(String kind) {
        return "." + owner + kind;
    }

    Path writing() {
        return hidden("." + options.ending() + WRITING);
    }

    /** @param size of a single file: its size before this epoch, from which an interrupted commit is repeated */
    Path prepared(long epoch, long size) {
        return epoch(number(epoch) + (options.single() ? "-" + size : ""), PREPARED);
    }

    /** A free name for the rows that this instance leaves uncommitted in that epoch. */
    Path left(long epoch) throws IOException {
        long number = epoch;
        while (options.disk().exists(epoch(number(number), LEFT))) {
            number++;
        }
        return epoch(number(number), LEFT);
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

    private Path epoch(String numbers, String kind) {
        return folder().resolve("." + base() + "-" + numbers + "." + owner + "." + options.ending() + kind);
    }

    /** The visible file of the epoch. */
    Path visible(long epoch) {
        return options.single() ? options.path() : folder().resolve(base() + "-" + number(epoch) + "." + options.ending());
    }

    private static String number(long epoch) {
        return String.format(Locale.ROOT, "%05d", epoch);
    }

    /** Whether the file, of any kind, belongs to this sink's owner. */
    boolean isOwners(String name, String kind) {
        return name.endsWith(ofSink(kind));
    }

    /** Whether a file, by its name, holds an epoch that this instance and owner has prepared. */
    boolean isOwnPrepared(String name) {
        return name.startsWith("." + base() + "-") && name.endsWith("." + owner + "." + options.ending() + PREPARED);
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
