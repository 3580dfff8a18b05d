package io.despina.python;

import java.io.IOException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command of a Python runs nothing here: it would not the next time. */
public final class NoInterpreterException extends IOException {
    private static final long serialVersionUID = 1L;
    /** Of the system, as Java tells it in the words of two generations. */
    private static final Pattern NUMBER = Pattern.compile("error[=:] ?(\\d+)\\b");
    /** No such file, no program, not allowed, no such folder, links in a circle, a name too long. */
    private static final Set<String> LASTING = Set.of("2", "8", "13", "20", "36", "40");

    NoInterpreterException(String command, IOException cause) {
        super("there is no Python `" + command + "` that could run here (" + cause.getMessage() + "): put one there, or name"
                + " another, by \"python\" of the resource in the deployment, or by --python where a resource joins", cause);
    }

    /**
     * Whether a process did not start because of its program, and not for want of memory or of room for processes.
     *
     * @param said by Java of the failure; perhaps null
     */
    static boolean isWhy(String said) {
        Matcher number = NUMBER.matcher(said == null ? "" : said);
        return number.find() && LASTING.contains(number.group(1));
    }
}
