package io.despina.snapshot;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the registry of a state folder is, if not in it: {@code zookeeper://[USER@]HOST:PORT,…[/PATH]}.
 *
 * @param user    as whom it is asked; empty for nobody
 * @param servers as ZooKeeper's clients take them
 * @param path    below which its nodes are; empty, or with a slash at its beginning and none at its end
 */
public record RegistryAddress(String user, String servers, String path) {
    private static final String SCHEME = "zookeeper://";
    /** From 0 to 65535. */
    private static final String PORT = "(?:[1-5]?\\d{1,4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])";
    /** A name or an address of four numbers, or one of IPv6 in brackets; and perhaps a port. */
    private static final String SERVER = "(?:\\[[\\da-fA-F:.]+]|[^@/,:\\[\\]\\s]+)(?::" + PORT + ")?";
    /** A node's name is not {@code .} or {@code ..}: ZooKeeper takes none. */
    private static final String NODE = "/(?!\\.{1,2}(?:/|$))[^@/]+";
    private static final Pattern FORM = Pattern.compile(SCHEME + "(?:([^@:/]+)@)?(" + SERVER + "(?:," + SERVER + ")*)((?:" + NODE
            + ")*)/?");
    private static final Pattern WITH_PASSWORD = Pattern.compile(SCHEME + "[^@/]*:[^@/]*@.*");

    /** @throws IllegalArgumentException in words for the user, of which the first line is what is wrong and the second a hint */
    public static RegistryAddress of(String text) {
        if (WITH_PASSWORD.matcher(text).matches()) {
            throw new IllegalArgumentException("a password does not belong into the address of a registry\n" + SCHEME
                    + "USER@HOST:PORT, with the password as " + ZooKeeperStore.PASSWORD + " in the environment");
        }
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("registry=" + text + " is no address of a registry\n" + SCHEME
                    + "HOST:PORT,HOST:PORT/PATH; without one, the state folder is the registry");
        }
        return new RegistryAddress(parts.group(1) == null ? "" : parts.group(1), parts.group(2), parts.group(3));
    }

    @Override
    public String toString() {
        return SCHEME + (user.isEmpty() ? "" : user + "@") + servers + path;
    }
}
