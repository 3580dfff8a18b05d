package io.despina.spec;

import java.util.Locale;

/** How often a row comes out when parts of a job are lost and it goes on from its last complete epoch; the weakest first. */
public enum Guarantee {
    /** A row may be lost, or come twice. */
    NONE,
    /** No row is lost; some may come twice. */
    AT_LEAST_ONCE,
    /** Each row comes out once. */
    EXACTLY_ONCE;

    /** As graph files write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As sentences have it. */
    public String words() {
        return this == NONE ? "perhaps never or twice" : name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
