package io.despina.log;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code 3-1200.seg}: what attempt 3 has written from item 1200 on, up to its next segment. A later attempt's first segment
 * says from which number on nothing of the earlier ones counts, so a zombie that still writes changes nothing.
 */
record SegmentName(int attempt, long first) {
    static final Comparator<SegmentName> ORDER = Comparator.comparingInt(SegmentName::attempt)
            .thenComparingLong(SegmentName::first);
    private static final Pattern SEGMENT = Pattern.compile("(\\d{1,9})-(\\d{1,18})\\.seg");
    private static final Pattern OPEN = Pattern.compile("(\\d{1,9})\\.(open|tail)");

    /** Null for any other file. */
    static SegmentName of(String name) {
        Matcher found = SEGMENT.matcher(name);
        return found.matches() ? new SegmentName(Integer.parseInt(found.group(1)), Long.parseLong(found.group(2))) : null;
    }

    /** The name by which an attempt says that it has the log, before it looks what the earlier ones have left. */
    static String open(int attempt) {
        return attempt + ".open";
    }

    /** What an attempt writes once more of an earlier one's, before it is whole. */
    static String tail(int attempt) {
        return attempt + ".tail";
    }

    /** Which attempt's file it is; 0 for any other file. */
    static int attemptOf(String name) {
        SegmentName segment = of(name);
        Matcher open = OPEN.matcher(name);
        return segment != null ? segment.attempt : open.matches() ? Integer.parseInt(open.group(1)) : 0;
    }

    String text() {
        return attempt + "-" + first + ".seg";
    }
}
