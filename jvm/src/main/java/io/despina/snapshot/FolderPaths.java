package io.despina.snapshot;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names in the state folder of a graph. {@code docs/state-folder.md} has them all. */
public final class FolderPaths {
    static final String ATTEMPTS = "attempts/";
    static final String EPOCHS = "epochs/";
    static final String DATA = "data/";
    static final String PINS = "pins/";
    /** All whose files are deleted when they are not needed any more. */
    static final List<String> COLLECTED = List.of(ATTEMPTS, DATA, EPOCHS, PINS);
    static final String CLAIM = ".json";
    static final String START = ".start.json";
    private static final String TURN = ".turn";
    static final String MANIFEST = ".manifest.json";
    static final String COMMITTED = ".committed.json";
    static final String ROTTEN = ".rotten.json";
    private static final String BASE = ".base";
    private static final String DELTA = ".delta";
    private static final Pattern NUMBERED = Pattern.compile("(\\d{1,18})(\\..*)?");
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*");

    private static final Pattern OF_DATA = Pattern.compile("data/(\\d{1,9})/(\\d{1,18})\\..*");
    private static final Pattern OF_ATTEMPT = Pattern.compile("attempts/(\\d{1,9})(\\.start|\\.turn\\d{1,9})?\\.json");
    private static final Pattern OF_TURN = Pattern.compile("(\\d{1,9})\\.turn(\\d{1,9})\\.json");
    private static final Pattern OF_REGISTRY = Pattern.compile("[^/]+/(attempts(/.*)?|ended\\.json|lock|lease\\.json)");
    private static final Pattern WRITTEN_ASIDE = Pattern.compile("(attempts|epochs)/\\.[^/]*|pins/.*");

    private final String folder;

    /** What a file is, by its name. */
    public enum Purpose {
        /** States that resources have written. */
        DATA,
        /** Who has claimed an attempt, from where it started, and who has taken it over. */
        CLAIM,
        /** Written aside, to get its name when it is whole; or what says that somebody reads. Needed for a while only. */
        ASIDE,
        /** Has an owner of its own, or is not of the engine. */
        OTHER
    }

    public FolderPaths(String graph) {
        folder = name(graph) + "/";
    }

    /** A name as a part of a path: what is no letter, digit, dot, dash or underline is written as {@code %} and two digits. */
    static String name(String text) {
        if (PLAIN.matcher(text).matches()) {
            return text;
        }
        StringBuilder name = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            boolean plain = PLAIN.matcher(String.valueOf(c)).matches() || c == '.' && name.length() > 0;
            name.append(plain ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return name.length() == 0 ? "%" : name.toString();
    }

    /** The number with which a name begins, if it ends so; else -1. */
    static long number(String name, String end) {
        Matcher numbered = NUMBERED.matcher(name);
        boolean is = numbered.matches() && (end.isEmpty() || end.equals(numbered.group(2)));
        return is ? Long.parseLong(numbered.group(1)) : -1;
    }

    /** @param path in the folder of the graph */
    public static Purpose purpose(String path) {
        return OF_DATA.matcher(path).matches() ? Purpose.DATA : OF_ATTEMPT.matcher(path).matches() ? Purpose.CLAIM
                : WRITTEN_ASIDE.matcher(path).matches() ? Purpose.ASIDE : Purpose.OTHER;
    }

    /** The attempt of {@link Purpose#DATA} or a {@link Purpose#CLAIM}. */
    public static int attempt(String path) {
        Matcher attempt = path.startsWith(DATA) ? OF_DATA.matcher(path) : OF_ATTEMPT.matcher(path);
        return attempt.matches() ? Integer.parseInt(attempt.group(1)) : 0;
    }

    /** The epoch of {@link Purpose#DATA}. */
    public static long epoch(String path) {
        Matcher epoch = OF_DATA.matcher(path);
        return epoch.matches() ? Long.parseLong(epoch.group(2)) : 0;
    }

    /** Whether it is what coordinators decide among themselves: who has a job. @param path in the store */
    static boolean isOfRegistry(String path) {
        return OF_REGISTRY.matcher(path).matches();
    }

    /** All others are in it; ends with a slash. */
    public String folder() {
        return folder;
    }

    /** The logs of an instance of an operator; ends with no slash. */
    public String log(String operator, int instance) {
        return log(operator) + "/" + instance;
    }

    /** The logs of an operator; ends with no slash. */
    String log(String operator) {
        return logs() + "/" + name(operator);
    }

    /** All logs, in a folder for each operator and instance; ends with no slash. */
    public String logs() {
        return folder + "log";
    }

    public String id() {
        return folder + "folder.json";
    }

    public String claim(int attempt) {
        return folder + ATTEMPTS + attempt + CLAIM;
    }

    public String start(int attempt) {
        return folder + ATTEMPTS + attempt + START;
    }

    /** Who has taken an attempt over. @param turn from 1 */
    String turn(int attempt, int turn) {
        return folder + ATTEMPTS + attempt + TURN + turn + CLAIM;
    }

    /** The turn of an attempt that a name in {@link #ATTEMPTS} is of; 0 if it is of none. */
    static int turn(String name, long attempt) {
        Matcher turn = OF_TURN.matcher(name);
        return turn.matches() && Long.parseLong(turn.group(1)) == attempt ? Integer.parseInt(turn.group(2)) : 0;
    }

    /** Which run has ended by itself. */
    String ended() {
        return folder + "ended.json";
    }

    public String manifest(long epoch) {
        return folder + EPOCHS + epoch + MANIFEST;
    }

    public String committed(long epoch) {
        return folder + EPOCHS + epoch + COMMITTED;
    }

    public String rotten(long epoch) {
        return folder + EPOCHS + epoch + ROTTEN;
    }

    /** What says that somebody reads an epoch. */
    String pin(long epoch, String by) {
        return folder + PINS + epoch + "." + by;
    }

    /** Where a resource writes its part of an epoch. */
    public String data(int attempt, long epoch, String resource) {
        return folder + DATA + attempt + "/" + epoch + "." + name(resource) + BASE;
    }

    /** Where it writes what has changed. */
    public String changes(int attempt, long epoch, String resource) {
        return folder + DATA + attempt + "/" + epoch + "." + name(resource) + DELTA;
    }
}
