package io.despina.opcua;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A path of browse names, from the Objects folder down. In a level {@code *} is any characters, {@code {name}} alone is any level
 * with a name, and {@code **} is any number of levels.
 *
 * <p>Where one is in the path, after some names, is a set of its levels: bit k stands for "level k comes next".
 */
final class NodePath {
    private static final String ANY = "**";

    /** @param pattern null for any number of levels */
    private record Level(Pattern pattern, String name) {
        boolean fits(String browseName) {
            return pattern.matcher(browseName).matches();
        }
    }

    private final List<Level> levels = new ArrayList<>();

    /** @param text begins with a slash, and has so few levels that each has a bit; checked before */
    NodePath(String text) {
        for (String each : text.substring(1).split("/", -1)) {
            boolean named = each.startsWith("{");
            levels.add(new Level(each.equals(ANY) ? null : Pattern.compile(named ? ".*" : regex(each), Pattern.DOTALL),
                    named ? each.substring(1, each.length() - 1) : null));
        }
    }

    private static String regex(String level) {
        StringBuilder regex = new StringBuilder();
        for (String part : level.split("\\*", -1)) {
            regex.append(regex.isEmpty() ? "" : ".*").append(Pattern.quote(part));
        }
        return regex.toString();
    }

    /** Where one is in the Objects folder itself. */
    long start() {
        return closed(1);
    }

    /** Where one is a name further; 0 if no node below it can be meant. */
    long after(long at, String browseName) {
        long next = 0;
        for (int k = 0; k < levels.size(); k++) {
            if ((at & 1L << k) == 0) {
                continue;
            }
            Level level = levels.get(k);
            if (level.pattern == null) {
                next |= 1L << k;
            } else if (level.fits(browseName)) {
                next |= 1L << k + 1;
            }
        }
        return closed(next);
    }

    /** Any number of levels may be none. */
    private long closed(long at) {
        long all = at;
        for (int k = 0; k < levels.size(); k++) {
            if ((all & 1L << k) != 0 && levels.get(k).pattern == null) {
                all |= 1L << k + 1;
            }
        }
        return all;
    }

    /** Whether the node that one has come to is meant. */
    boolean isEnd(long at) {
        return (at & 1L << levels.size()) != 0;
    }

    /** Whether a node below may be meant. */
    boolean goesOn(long at) {
        return (at & (1L << levels.size()) - 1) != 0;
    }

    /** What stands in a path in place of each of these names; null where this one does not have it. */
    String[] named(List<String> path, List<String> names) {
        String[] found = new String[names.size()];
        fill(path, 0, 0, names, found);
        return found;
    }

    private boolean fill(List<String> path, int from, int level, List<String> names, String[] found) {
        if (level == levels.size()) {
            return from == path.size();
        }
        Level here = levels.get(level);
        if (here.pattern == null) {
            return fill(path, from, level + 1, names, found)
                    || from < path.size() && fill(path, from + 1, level, names, found);
        }
        if (from == path.size() || !here.fits(path.get(from)) || !fill(path, from + 1, level + 1, names, found)) {
            return false;
        }
        if (here.name != null) {
            found[names.indexOf(here.name)] = path.get(from);
        }
        return true;
    }
}
